//! `hotcell serve --stdio`: JSON-RPC on standard input and output, one message per line.

mod lines;

use std::io::{self, Write as _};
use std::process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use hotcell_cell::Pool;
use serde_json::Value as Json;

use crate::args::ServeArgs;
use crate::exit::{CliError, Exit};
use crate::rpc::{RpcError, Session, Transport};
use crate::{print, setup};
use lines::{Line, Lines};

/// How long answers that are nearly there may take once standard input is closed.
const GRACE: Duration = Duration::from_millis(250);
/// Reading goes as deep as messages may be nested.
const READER_STACK: usize = 64 << 20;

pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, CliError> {
    // The only way there is; clap asks for the flag so that others can join it.
    let ServeArgs { stdio: true, .. } = args else {
        return Err(CliError::Usage("say how to serve: --stdio".into()));
    };
    let engine = setup::engine(args.max_cells)?;
    let (sender, receiver) = channel();
    let (written, all_written) = channel();
    thread::spawn(move || write_lines(&receiver, &written));

    let pool = args.threads.map_or_else(Pool::new, Pool::with_threads);
    let max_requests = usize::try_from(args.max_requests).unwrap_or(usize::MAX);
    let session = Session::new(Arc::new(Stdout(sender.clone())), engine, pool, max_requests);
    let max_line = usize::try_from(args.max_line).unwrap_or(usize::MAX);
    let reader = {
        let session = Arc::clone(&session);
        let work = move || read_lines(&session, max_line);
        thread::Builder::new().stack_size(READER_STACK).spawn(work)
    };
    let read = match reader {
        Ok(reader) => reader.join().unwrap_or(Ok(())),
        Err(error) => Err(error),
    };
    if let Err(error) = read {
        print::error_line(format_args!(
            "error: failed to read standard input: {error}"
        ));
    }

    let end = Instant::now() + GRACE;
    while session.in_flight() > 0 && Instant::now() < end {
        thread::sleep(Duration::from_millis(2));
    }
    // What is queued goes out, if somebody takes it.
    let _ = sender.send(Out::End);
    let _ = all_written.recv_timeout(GRACE);
    // Whatever still runs ends with the process; nobody is left to hear of it.
    process::exit(0)
}

enum Out {
    Message(Json),
    End,
}

/// Queues messages for the thread that writes, so that a client that is slow to read blocks nobody.
struct Stdout(Sender<Out>);

impl Transport for Stdout {
    fn send(&self, message: Json) {
        let _ = self.0.send(Out::Message(message));
    }
}

fn write_lines(messages: &Receiver<Out>, written: &Sender<()>) {
    let mut stdout = io::stdout().lock();
    while let Ok(Out::Message(message)) = messages.recv() {
        // JSON text has no line breaks of its own.
        let text = format!("{message}\n");
        if stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .is_err()
        {
            // Nobody listens any more.
            process::exit(0);
        }
    }
    let _ = written.send(());
}

fn read_lines(session: &Arc<Session>, max_line: usize) -> io::Result<()> {
    let stdin = io::stdin().lock();
    let mut lines = Lines::new(stdin, max_line);
    loop {
        match lines.next()? {
            Line::End => return Ok(()),
            Line::Message(json) => session.take(json),
            Line::Malformed(problem) => session.refuse(RpcError::parse(problem)),
        }
    }
}
