//! `hotcell code-mode-host`: runs the code of Codex's code mode.
//!
//! A client opens sessions, executes code in cells of theirs, waits for what the code shows, and does the tool calls of the code.
//! `docs/code-mode-host.md` has the framing and the messages. Each cell is an executor of its own; what the names that its code
//! finds do is in `guest.js` and [`functions`].

mod cell;
mod client;
mod frames;
mod functions;
mod later;
mod message;
mod negotiate;
mod requests;
mod session;

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;
use std::{process, thread};

use hotcell::cell::Pool;

use crate::args::CodeModeArgs;
use crate::exit::{CliError, Exit};
use crate::setup;
use client::Client;
use frames::Frames;
use message::FromClient;
use requests::Host;

/// Reading goes as deep as messages may be nested.
const READER_STACK: usize = 64 << 20;

pub(crate) fn serve(args: &CodeModeArgs) -> Result<Exit, CliError> {
    if !matches!(&*args.listen, "stdio" | "stdio://") {
        return Err(CliError::Usage(format!(
            "{} cannot be listened to: this host speaks over stdio",
            args.listen
        )));
    }
    let engine = setup::engine(args.max_cells)?;
    let (client, mut outbox) = Client::new();
    let writer = thread::spawn(move || {
        let mut stdout = io::stdout().lock();
        while let Some(frame) = outbox.next() {
            let written = stdout.write_all(&frame.bytes).and_then(|()| stdout.flush());
            if written.is_err() {
                // Nobody listens any more.
                process::exit(0);
            }
        }
    });
    let limits = requests::Limits {
        memory: args.memory,
        time: args.timeout,
    };
    let work = move || {
        let host = Arc::new(Host::new(engine, Pool::new(), Arc::clone(&client), limits));
        let read = read(&host, &client);
        // What still runs is for nobody, but a word that was begun is finished.
        client.close();
        read
    };
    let reader = thread::Builder::new().stack_size(READER_STACK).spawn(work);
    let read = match reader {
        Ok(reader) => reader
            .join()
            .unwrap_or_else(|_| Err("the host panicked: this is a bug of hotcell".into())),
        Err(error) => Err(error.to_string()),
    };
    // The client may have gone without reading all.
    for _ in 0..50 {
        if writer.is_finished() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    match read {
        Ok(()) => process::exit(0),
        Err(problem) => Err(CliError::Usage(problem)),
    }
}

/// Takes messages in until the client is gone. An error is the end of the connection: what comes behind a message that is none
/// cannot be understood either.
fn read(host: &Arc<Host>, client: &Arc<Client>) -> Result<(), String> {
    let mut frames = Frames::new(io::stdin().lock());
    let Some(first) = frames.next()? else {
        return Ok(());
    };
    if !negotiate::greet(first, client)? {
        return Ok(());
    }
    while let Some(message) = frames.next()? {
        match FromClient::of(message)? {
            FromClient::Hello(_) => return Err("the client said hello a second time".into()),
            FromClient::Request { id, request } => host.take(id, request),
            FromClient::Cancel { id } => host.cancel(id),
            FromClient::Answer { id, result } => client.answered(id, result),
        }
    }
    Ok(())
}
