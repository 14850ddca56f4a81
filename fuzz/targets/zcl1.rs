//! Any bytes are a control request or not; whatever the host answers, a guest can read.

use std::sync::Arc;

use hotcell_exec::{Capabilities, Config, ExecPolicy, Grant, Host, Registry, Standard};
use hotcell_hopper::control::{BadRequest, Opened, Reply, Request, read_capabilities};
use hotcell_process::Null;
use hotcell_vfs::MemVfs;

/// Tries one input.
pub(crate) fn run(data: &[u8]) {
    let standard = Standard {
        input: Arc::new(Null),
        output: Arc::new(Null),
        log: Arc::new(Null),
    };
    let capabilities = Capabilities {
        exec: Grant::Given(ExecPolicy::all(Registry::new(), Arc::new(MemVfs::new()))),
        config: Grant::Given(Config::default()),
        ..Capabilities::default()
    };
    let mut host = Host::new(capabilities, standard);
    let room = data.first().map_or(0, |byte| usize::from(*byte) * 32);
    let reply = host.control(data, room).expect("nothing is recorded");
    let request = Request::decode(data, 64 << 10);
    let Some(reply) = reply else { return };
    assert!(reply.len() <= room);
    assert_ne!(request, Err(BadRequest::Unreadable));
    let reply = Reply::decode(&reply).expect("the host's replies have their form");
    if let Ok(body) = reply.outcome {
        let _ = read_capabilities(body.0).map(|list| list.iter().count());
        let _ = Opened::decode(body.0);
    }
}
