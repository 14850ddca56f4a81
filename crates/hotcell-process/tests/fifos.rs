//! Named pipes, through the public interface.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    io::{Read, Write},
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_meter::{StopToken, Stopped};
use hotcell_process::{Capture, Ended, Kernel, KernelOptions, Process, Signal, Spec, Status};
use hotcell_vfs::{MemVfs, OpenOptions, Vfs, VfsPath};

fn run(
    stop: StopToken,
    main: impl FnOnce(&Process) -> std::io::Result<i32> + Send + 'static,
) -> (Ended, String) {
    let vfs = MemVfs::new();
    vfs.mkfifo(VfsPath::new("/p"), 0o600).unwrap();
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::new(vfs),
        stop,
        ..KernelOptions::default()
    });
    let output = Capture::new(kernel.account(), 1 << 20);
    let spec = Spec::new(["test"]).stdout(Arc::new(output.clone()));
    let ended = pollster::block_on(kernel.run(spec, main));
    (ended, String::from_utf8(output.take().bytes).unwrap())
}

fn write_word(process: &Process) -> std::io::Result<i32> {
    let stream = process.open("/p", &OpenOptions::write())?;
    process.write_all(&stream, b"word")?;
    Ok(0)
}

#[test]
fn two_processes_meet_at_a_name() {
    let (_, output) = run(StopToken::new(), |process| {
        process.spawn(process.spec(["writer"]), write_word)?;
        let mut text = String::new();
        process.open_input("/p")?.read_to_string(&mut text)?;
        write!(process.stdout(), "<{text}>")?;
        Ok(0)
    });
    assert_eq!(output, "<word>");
}

#[test]
fn who_waits_for_the_other_end_is_ended_at_the_deadline() {
    let stop = StopToken::until(Instant::now() + Duration::from_millis(20));
    let (ended, _) = run(stop, |process| {
        process.open("/p", &OpenOptions::read())?;
        Ok(0)
    });
    assert_eq!(ended.stopped, Some(Stopped::Deadline));
}

#[test]
fn who_waits_for_the_other_end_can_be_killed_and_is_gone_then() {
    let (_, output) = run(StopToken::new(), |process| {
        let reader = process.spawn(process.spec(["reader"]), |child| {
            child.open("/p", &OpenOptions::read())?;
            Ok(0)
        })?;
        process.give_way();
        process.kill(reader, Signal::TERM);
        let status = process.wait(reader).unwrap();
        // Were its end still there, this would not have to wait for the next one.
        let writer = process.spawn(process.spec(["writer"]), write_word)?;
        process.give_way();
        let mut text = String::new();
        process.open_input("/p")?.read_to_string(&mut text)?;
        let written = process.wait(writer).unwrap();
        write!(process.stdout(), "{status:?} {text} {written:?}")?;
        Ok(0)
    });
    let expected = format!(
        "{:?} word {:?}",
        Status::Signaled(Signal::TERM),
        Status::Exited(0)
    );
    assert_eq!(output, expected);
}

#[test]
fn both_ends_at_once_wait_for_nobody() {
    let (_, output) = run(StopToken::new(), |process| {
        let both = process.open("/p", &OpenOptions::read_write())?;
        process.write_all(&both, b"own")?;
        let mut bytes = [0; 8];
        let count = process.read(&both, &mut bytes)?;
        process.stdout().write_all(&bytes[..count])?;
        Ok(0)
    });
    assert_eq!(output, "own");
}
