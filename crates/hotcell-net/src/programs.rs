//! `curl` and `wget` among the programs of a shell.

use std::{io, sync::Arc};

use bstr::BString;
use hotcell_process::{Process, Program, Programs};
use hotcell_vfs::VfsPath;

use crate::{curl, network::Network, wget};

/// Programs, with `curl` and `wget` among them.
///
/// They are there when the network is off, too, and say so: a model that finds no `curl` looks for another way, one that
/// reads why looks for another plan.
///
/// What is refused, and each request that goes out, is told to the kernel that they run in, as a
/// [`Notice`](hotcell_process::Notice).
pub struct NetPrograms {
    inner: Arc<dyn Programs>,
    curl: Arc<dyn Program>,
    wget: Arc<dyn Program>,
}

impl NetPrograms {
    /// These programs, and `curl` and `wget` on a network.
    pub fn new(inner: Arc<dyn Programs>, network: Network) -> Self {
        let for_wget = network.clone();
        Self {
            inner,
            curl: Arc::new(move |process: &Process| -> io::Result<i32> {
                curl::main(process, &network.reporting_to(process))
            }),
            wget: Arc::new(move |process: &Process| -> io::Result<i32> {
                wget::main(process, &for_wget.reporting_to(process))
            }),
        }
    }
}

impl Programs for NetPrograms {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        match name {
            b"curl" => Some(Arc::clone(&self.curl)),
            b"wget" => Some(Arc::clone(&self.wget)),
            _ => self.inner.find(name),
        }
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
        let mut names = self.inner.names();
        names.extend(["curl".into(), "wget".into()]);
        names.sort();
        names.dedup();
        names
    }
}
