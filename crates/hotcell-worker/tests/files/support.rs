//! Two threads with shared memory between them, as parent and worker have it.

use std::{os::fd::AsFd, sync::Arc, thread::JoinHandle};

use hotcell_vfs::Vfs;
use hotcell_worker::{Client, Fetch, FileServer, Incoming, Most, ProxyVfs, Region, Server};

/// A server on a thread, until it is dropped.
pub(crate) struct Served {
    region: Arc<Region>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.region.close();
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

pub(crate) fn connect(vfs: Arc<dyn Vfs>) -> (ProxyVfs, Served) {
    let (client, served) = connect_with(vfs, None, 1 << 20);
    (ProxyVfs::new(client), served)
}

pub(crate) fn connect_with(
    vfs: Arc<dyn Vfs>,
    fetch: Option<Arc<dyn Fetch>>,
    bytes: usize,
) -> (Client, Served) {
    let (region, file) = Region::new(bytes).unwrap();
    let region = Arc::new(region);
    let client = Client::new(Region::from_file(file.as_fd()).unwrap());
    let served = Arc::clone(&region);
    let thread = std::thread::spawn(move || {
        let most = Most {
            metadata: 1 << 20,
            binary: 64 << 20,
        };
        let mut server = Server::new(Arc::clone(&served), most);
        let mut files = FileServer::new(vfs, fetch);
        let mut incoming = Incoming::default();
        while served.wait_asked() {
            match server.take(&mut incoming) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(violation) => {
                    server.respond(true, violation.to_string().as_bytes(), &[]);
                    continue;
                }
            }
            match files.handle(&mut incoming, &|| false) {
                Ok(answer) if answer.owned.is_empty() => {
                    server.respond(answer.is_error, &answer.metadata, answer.borrowed);
                }
                Ok(answer) => server.respond_with(answer.is_error, &answer.metadata, answer.owned),
                Err(violation) => {
                    let text = format!("violation: {violation}");
                    server.respond(true, text.as_bytes(), &[]);
                }
            }
        }
    });
    let thread = Some(thread);
    (client, Served { region, thread })
}
