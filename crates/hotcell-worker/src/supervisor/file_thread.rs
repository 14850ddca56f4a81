//! The thread that carries out what a worker does with its files.

use std::{io, sync::Arc, thread};

use super::{death::Why, shared::Shared};
use crate::{
    files::{FileServer, MOST_METADATA},
    region::{Incoming, Most, Server, Violation},
};

/// Serves files until the worker is dead. `most` is the largest file that is written in one step.
pub(super) fn start(shared: &Arc<Shared>, mut files: FileServer, most: usize) -> io::Result<()> {
    let shared = Arc::clone(shared);
    // From here on, so that nobody who hears of the worker's death believes that nothing can happen any more.
    shared.set_serves_files(true);
    let served = Arc::clone(&shared);
    let thread = thread::Builder::new()
        .name("hotcell-files".to_owned())
        .spawn(move || {
            if let Err(violation) = serve(&shared, &mut files, most) {
                shared.kill(Why::Violation(violation.to_string()));
            }
            // With it the files that the worker had open.
            drop(files);
            shared.set_serves_files(false);
        });
    if thread.is_err() {
        served.set_serves_files(false);
    }
    thread.map(|_| ())
}

fn serve(shared: &Arc<Shared>, files: &mut FileServer, most: usize) -> Result<(), Violation> {
    let most = Most {
        metadata: MOST_METADATA,
        binary: most,
    };
    let mut server = Server::new(Arc::clone(&shared.files), most);
    let mut incoming = Incoming::default();
    let is_over = || shared.is_stopped();
    while shared.files.wait_asked() && !is_over() {
        if !server.take(&mut incoming)? {
            continue;
        }
        let answer = files.handle(&mut incoming, &is_over)?;
        if answer.owned.is_empty() {
            server.respond(answer.is_error, &answer.metadata, answer.borrowed);
        } else {
            server.respond_with(answer.is_error, &answer.metadata, answer.owned);
        }
    }
    Ok(())
}
