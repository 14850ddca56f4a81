//! The network, which a sandbox has none of unless its host gives it one.
//!
//! [`hotcell_net::Network`] is the one that hosts give: a policy, `curl` and `wget`. It stays on the host's side of the process
//! boundary, and with it the secrets of its policy.

use std::{io, sync::Arc};

use bstr::BString;
use hotcell_net::NetPrograms;
use hotcell_process::{Capability, Denial, Notice, Process, Program, Programs};
use hotcell_vfs::VfsPath;

/// What reaches the network for the programs of a sandbox.
///
/// [`hotcell_net::Network`] is one. An implementation brings the programs (`curl`, `wget`) and the policy that stands between them
/// and the world. Whatever it refuses it says with [`Process::notice`], as [`Notice::Denied`]; each request that went out, as
/// [`Notice::Network`]. So the result of the run and the audit know of it.
pub trait Network: Send + Sync {
    /// These programs, and those that use the network.
    fn programs(&self, inner: Arc<dyn Programs>) -> Arc<dyn Programs>;
}

impl Network for hotcell_net::Network {
    fn programs(&self, inner: Arc<dyn Programs>) -> Arc<dyn Programs> {
        Arc::new(NetPrograms::new(inner, self.clone()))
    }
}

/// What people reach the network with.
const NAMES: [&str; 2] = ["curl", "wget"];

/// Programs, with those among them that say that there is no network.
pub(crate) struct NoNetwork {
    inner: Arc<dyn Programs>,
}

impl NoNetwork {
    pub(crate) fn new(inner: Arc<dyn Programs>) -> Self {
        Self { inner }
    }
}

impl Programs for NoNetwork {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        if NAMES.iter().any(|known| known.as_bytes() == name) {
            return Some(Arc::new(refuse));
        }
        self.inner.find(name)
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name)
    }

    fn names(&self) -> Vec<BString> {
        self.inner.names()
    }
}

fn refuse(process: &Process) -> io::Result<i32> {
    process.notice(Notice::Denied(Denial {
        capability: Capability::Network,
        subject: process.name().to_string(),
        reason: "the sandbox has no network".into(),
    }));
    process.complain(
        "the network is off in this sandbox; work with the files that are here, or ask for access",
    );
    Ok(126)
}
