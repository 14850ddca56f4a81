//! Every utility there is, given what never ends in every way that it takes it.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Poll, Waker},
    time::Duration,
};

use hotcell_sandbox::{Command, Sandbox, Stream};
use hotcell_vfs::Metadata;

use crate::{GRACE, Way, alone, best, kill};

/// What a utility is given. `U` stands for its name.
const WAYS: [&str; 10] = [
    "U < /dev/zero",
    "yes | U",
    "yes 'a b c 1 2 3' | U -",
    "U /dev/zero",
    "U /dev/zero /dev/zero",
    "U -r . /dev/zero",
    "U x /dev/zero",
    "yes '{\"a\": [1, 2]}' | U .",
    "seq inf | U 1",
    "yes '(((((((((' | U",
];

fn names(sandbox: &Sandbox) -> Vec<String> {
    let all = pollster::block_on(sandbox.run("compgen -c | sort -u")).unwrap();
    let all = all.stdout_text().into_owned();
    all.lines().map(str::to_owned).collect()
}

/// Each utility is given one of so many ways, in turns. With `HOTCELL_LONG` it is given all, which takes half a minute.
const SHARES: usize = 3;

#[test]
fn every_utility_ends_when_it_is_told_to() {
    let _alone = alone();
    let origin = crate::sandbox();
    let names = names(&origin);
    assert!(names.len() > 150, "{names:?}");
    let shares = match std::env::var_os("HOTCELL_LONG") {
        Some(_) => 1,
        None => SHARES,
    };
    let mut wrong = Vec::new();
    for (index, name) in names.iter().enumerate() {
        // Words of the language are no commands of their own.
        if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            continue;
        }
        for way in WAYS.iter().skip(index % shares).step_by(shares) {
            let script = way.replace('U', name);
            let killed = best(|| {
                let sandbox = origin.fork().unwrap();
                let command = Command::new(format!("{{ {script}; }} > /dev/null 2>&1"));
                kill(&sandbox, command, Way::Timeout, Duration::from_millis(15))
            });
            if killed.after > GRACE {
                wrong.push(format!("{script}: {:?}", killed.after));
            }
        }
    }
    assert!(wrong.is_empty(), "computed on:\n{}", wrong.join("\n"));
}

/// What is read before somebody cancels.
const BEFORE: usize = 1 << 20;

/// What may be read then: what is read between two questions whether to go on, or a buffer that `rg` makes larger and larger for
/// a line without an end.
const AFTER: usize = 8 << 20;

/// Standard input without an end and without lines, whose reader is cancelled by and by.
struct Endless {
    byte: u8,
    sandbox: Sandbox,
    read: AtomicUsize,
}

impl Stream for Endless {
    fn poll_read(&self, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        buf.fill(self.byte);
        if self.read.fetch_add(buf.len(), Ordering::Relaxed) >= BEFORE {
            self.sandbox.cancel();
        }
        Poll::Ready(Ok(buf.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(hotcell_process::pipe_metadata(0))
    }
}

/// Counted, not timed: a reader that does not ask often enough is found on any machine.
#[test]
fn no_utility_reads_on_when_it_is_told_to_stop() {
    let _alone = alone();
    let origin = crate::sandbox();
    let mut wrong = Vec::new();
    for name in names(&origin) {
        for (byte, arguments) in [(0, ""), (b'x', ""), (b'x', " -"), (b' ', " 1"), (b'\n', "")] {
            let sandbox = origin.fork().unwrap();
            let input = Arc::new(Endless {
                byte,
                sandbox: sandbox.clone(),
                read: AtomicUsize::new(0),
            });
            let script = format!("{name}{arguments} > /dev/null 2>&1");
            let command = Command::new(script.clone()).stdin_stream(Arc::clone(&input) as _);
            // For what does not read it, such as `yes`.
            let command = command.timeout(Duration::from_secs(1));
            let result = pollster::block_on(sandbox.run(command)).unwrap();
            let read = input.read.load(Ordering::Relaxed);
            if read > BEFORE + AFTER {
                wrong.push(format!("{script} < {byte:?}: {read} bytes, {result:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "read on:\n{}", wrong.join("\n"));
}
