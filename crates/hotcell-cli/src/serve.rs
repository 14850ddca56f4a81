//! `hotcell serve --stdio`: JSON-RPC on standard input and output, one message per line.

mod lines;
mod outbox;

use std::io::{self, Write as _};
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hotcell::cell::Pool;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::args::ServeArgs;
use crate::exit::{CliError, Exit};
use crate::rpc::{Limits, RpcError, Session, Transport};
use crate::{print, program, setup};
use lines::{Line, Lines};

pub(crate) use lines::{nesting, parse_json};
use outbox::Outbox;

/// How long answers that are nearly there may take once standard input is closed.
const GRACE: Duration = Duration::from_millis(250);
/// Reading goes as deep as messages may be nested.
const READER_STACK: usize = 64 << 20;

pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, CliError> {
    // The only way there is; clap asks for the flag so that others can join it.
    let ServeArgs { stdio: true, .. } = args else {
        return Err(CliError::Usage("say how to serve: --stdio".into()));
    };
    args.isolation.check()?;
    let engine = setup::engine(args.max_cells)?;
    let outbox = Arc::new(Outbox::new(size(args.max_unread)));
    {
        let outbox = Arc::clone(&outbox);
        thread::spawn(move || write_lines(&outbox));
    }

    let pool = args.threads.map_or_else(Pool::new, Pool::with_threads);
    let limits = Limits {
        requests: size(args.max_requests),
        bytes: size(args.max_pending),
        unread: size(args.max_unread),
    };
    let transport: Arc<dyn Transport> = Arc::<Outbox>::clone(&outbox);
    let isolation = args.isolation;
    let session = Session::new(
        transport,
        engine,
        pool,
        limits,
        isolation,
        program::furnish(),
    );
    let max_line = size(args.max_line);
    let reader = {
        let (session, outbox) = (Arc::clone(&session), Arc::clone(&outbox));
        let work = move || read_lines(&session, &outbox, max_line);
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
    outbox.close(GRACE);
    // Whatever still runs ends with the process; nobody is left to hear of it.
    process::exit(0)
}

fn write_lines(outbox: &Outbox) {
    let mut stdout = io::stdout().lock();
    let written = outbox.drain(|line| {
        stdout.write_all(line.as_bytes())?;
        stdout.flush()
    });
    if written.is_err() {
        // Nobody listens any more.
        process::exit(0);
    }
}

fn read_lines(session: &Arc<Session>, outbox: &Outbox, max_line: usize) -> io::Result<()> {
    let stdin = io::stdin();
    let mut lines = Lines::new(stdin.lock(), max_line);
    loop {
        outbox.wait_for_room(|| is_closed(&stdin));
        match lines.next()? {
            Line::End => return Ok(()),
            Line::Message(json) => session.take(json, lines.weight()),
            Line::Malformed(problem) => session.refuse(RpcError::parse(problem)),
        }
    }
}

/// Whether nobody can write to this any more.
fn is_closed(stdin: &io::Stdin) -> bool {
    let mut ends = [PollFd::new(stdin, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut ends, Some(&at_once)).is_ok_and(|ready| ready > 0)
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
