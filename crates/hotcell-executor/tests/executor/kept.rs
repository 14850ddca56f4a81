//! Suspended runs that are kept: looked at, made small, damaged, and many of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use hotcell_cell::{Engine, EngineOptions, SnapshotKey, Value};
use hotcell_executor::{
    AgentTool, Answer, ErrorCode, Executor, ExecutorOptions, Started, State, SuspendReason,
    inspect_snapshot,
};
use pollster::block_on;

use crate::support::{executor, ready, run, value};

/// An executor whose run waits at `ask`.
fn waiting(code: &str) -> Executor {
    let executor = executor();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    assert!(matches!(
        block_on(executor.start(code)),
        Started::Suspended(_)
    ));
    executor
}

fn snapshot(executor: &Executor) -> Vec<u8> {
    block_on(executor.snapshot()).unwrap()
}

fn resume(executor: &Executor, id: &str, answer: impl Into<Value>) -> Value {
    let answers = [(id, Answer::Value(answer.into()))];
    match block_on(executor.resume(answers)).unwrap() {
        Started::Complete(execution) => execution.output,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_snapshot_says_what_it_is_without_being_restored() {
    let executor = waiting("console.log('so far'); await ask({ amount: 10n }, 'now')");
    let bytes = snapshot(&executor);
    let info = inspect_snapshot(&bytes, &ExecutorOptions::default()).unwrap();
    assert_eq!((info.state, info.bytes), (State::Suspended, bytes.len()));
    assert!(info.is_current && !info.is_sealed && !info.has_base);
    assert_eq!(info.tools, ["ask"]);
    let run = info.run.clone().unwrap();
    assert_eq!(
        (&*run.id, &*run.name, &*run.logs),
        ("1", "run-1.js", "so far")
    );
    assert_eq!(run.calls.len(), 1);
    assert_eq!((&*run.calls[0].id, &*run.calls[0].tool), ("1.1", "ask"));
    assert_eq!(run.calls[0].reason, SuspendReason::Deferred);
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(json["state"], "SUSPENDED");
    assert_eq!(json["run"]["calls"][0]["arguments"][1], "now");
    let ready = inspect_snapshot(&snapshot(&self::executor()), &ExecutorOptions::default());
    assert_eq!(ready.unwrap().state, State::Ready);
}

#[test]
fn what_a_run_has_shown_is_told_also_to_who_may_restore_less() {
    let executor = ready(crate::options().content(true).max_content_items(300));
    let ask = AgentTool::suspending();
    block_on(executor.send_tools([("ask", ask)])).unwrap();
    let code = "for (let i = 0; i < 200; i++) text('line'); display({ a: 1 }); await ask()";
    let Started::Suspended(_) = block_on(executor.start(code)) else {
        panic!()
    };
    let bytes = snapshot(&executor);
    let info = inspect_snapshot(&bytes, &ExecutorOptions::default()).unwrap();
    let content = info.run.unwrap().content;
    assert_eq!(content.len(), 201);
    assert_eq!((content[0].mime, content[0].bytes), ("text/plain", 4));
    let refused = Executor::restore(&bytes, None).unwrap_err();
    assert!(refused.message.contains("maxContentItems"), "{refused}");
}

#[test]
fn large_arguments_are_left_out_of_what_a_snapshot_says_and_not_of_it() {
    let executor =
        waiting("const x = ask('x'.repeat(1e6)); const y = ask('y'); [await x, await y].join()");
    let bytes = snapshot(&executor);
    let info = inspect_snapshot(&bytes, &ExecutorOptions::default()).unwrap();
    let calls = info.run.unwrap().calls;
    assert!(calls.iter().all(|call| call.arguments.is_none()));
    let restored = Executor::restore(&bytes, None).unwrap();
    let waiting = block_on(restored.suspension()).unwrap();
    assert_eq!(
        waiting.calls[0].arguments[0].as_str().map(str::len),
        Some(1_000_000)
    );
}

#[test]
fn a_snapshot_may_be_so_large_and_no_larger() {
    let executor = waiting("await ask(1)");
    let bytes = snapshot(&executor);
    let small = ExecutorOptions::default().max_snapshot_bytes(1000);
    for error in [
        Executor::restore(&bytes, Some(small.clone())).unwrap_err(),
        inspect_snapshot(&bytes, &small).unwrap_err(),
        block_on(ready(small).snapshot()).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert!(error.message.contains("maxSnapshotBytes"), "{error}");
    }
}

#[test]
fn a_foreign_snapshot_has_a_name_and_says_what_to_do() {
    let bytes = snapshot(&waiting("await ask(1)"));
    let mut other_format = bytes.clone();
    other_format[7] = 1;
    // The build stands behind the beginning of the cell's part.
    let cell = bytes.windows(6).position(|part| part == b"HCSNAP").unwrap();
    let mut other_build = bytes.clone();
    other_build[cell + 8] ^= 1;
    for bytes in [other_format, other_build] {
        let error = Executor::restore(&bytes, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::ForeignSnapshot, "{error}");
        assert!(error.hint().unwrap().contains("that version"), "{error:?}");
    }
}

#[test]
fn what_has_changed_is_enough_together_with_its_base() {
    let executor = executor();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    run(
        &executor,
        "const kept = Array.from({ length: 100_000 }, (_, i) => ({ i }))",
    );
    let base = snapshot(&executor);
    block_on(executor.start("kept[3] = 'changed'; await ask(1) + kept.length"));
    let whole = snapshot(&executor);
    let delta = block_on(executor.snapshot_since(&base)).unwrap();
    assert!(
        delta.len() * 4 < whole.len(),
        "{} of {}",
        delta.len(),
        whole.len()
    );
    let info = inspect_snapshot(&delta, &ExecutorOptions::default()).unwrap();
    assert!(info.has_base);
    assert_eq!(info.run.unwrap().calls[0].id, "2.1");

    let restored = Executor::restore_since(&delta, &base, None).unwrap();
    assert_eq!(resume(&restored, "2.1", 1), Value::from(100_001));
    assert_eq!(value(&restored, "kept[3]"), Value::from("changed"));
    assert_eq!(value(&restored, "kept[99999].i"), Value::from(99_999));
    // The same as the whole one gives.
    let from_whole = Executor::restore(&whole, None).unwrap();
    assert_eq!(resume(&from_whole, "2.1", 1), Value::from(100_001));

    for (bytes, base, words) in [
        (&delta, None, "is needed, too"),
        (&delta, Some(&whole), "not the snapshot that"),
        (&delta, Some(&delta), "whole snapshot first"),
    ] {
        let restored = match base {
            None => Executor::restore(bytes, None),
            Some(base) => Executor::restore_since(bytes, base, None),
        };
        let error = restored.unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert!(error.message.contains(words), "{words}: {error}");
    }
    let error = block_on(executor.snapshot_since(&delta)).unwrap_err();
    assert!(error.message.contains("whole snapshot first"), "{error}");
    // A base that has more memory than there is now is none of this executor's past.
    let error = block_on(self::executor().snapshot_since(&base)).unwrap_err();
    assert!(error.message.contains("earlier state"), "{error}");
}

#[test]
fn a_page_that_is_as_in_the_image_again_is_a_change_too() {
    let executor = executor();
    run(&executor, "let big = new Uint8Array(1 << 20).fill(7)");
    let base = snapshot(&executor);
    run(&executor, "big.fill(0)");
    let delta = block_on(executor.snapshot_since(&base)).unwrap();
    let restored = Executor::restore_since(&delta, &base, None).unwrap();
    assert_eq!(
        value(&restored, "big.every((x) => x === 0)"),
        Value::from(true)
    );
}

#[test]
fn damaged_truncated_foreign_unsigned_and_mixed_up_deltas_are_refused() {
    let key = SnapshotKey::from_secret("a secret that is hard to guess");
    let options = || ExecutorOptions::default().snapshot_key(key.clone());
    let executor = ready(options());
    let base = snapshot(&executor);
    run(&executor, "let x = 1");
    let delta = block_on(executor.snapshot_since(&base)).unwrap();
    assert!(Executor::restore_since(&delta, &base, Some(options())).is_ok());
    let plain = snapshot(&self::executor());
    let other = ExecutorOptions::default()
        .snapshot_key(SnapshotKey::from_secret("another secret, also long"));
    for (delta, base, options) in [
        (&delta, &plain, options()),
        (&plain, &base, options()),
        (&delta, &base, other),
    ] {
        let error = Executor::restore_since(delta, base, Some(options)).unwrap_err();
        assert!(error.message.contains("seal"), "{error}");
    }
    // Behind the seal, which nobody looks at who has no key.
    for at in (40..delta.len()).step_by(delta.len() / 50 + 1) {
        let mut damaged = delta.clone();
        damaged[at] ^= 0x55;
        assert!(
            Executor::restore_since(&damaged, &base, None).is_err(),
            "{at}"
        );
        assert!(
            Executor::restore_since(&delta[..at], &base, None).is_err(),
            "{at}"
        );
        let _ = inspect_snapshot(&damaged, &ExecutorOptions::default());
    }
    // Without a key the damage is found by the checksums, in either of both.
    for at in (40..base.len()).step_by(base.len() / 20 + 1) {
        let mut damaged = base.clone();
        damaged[at] ^= 0x55;
        assert!(
            Executor::restore_since(&delta, &damaged, None).is_err(),
            "{at}"
        );
    }
}

#[test]
fn a_snapshot_that_is_restored_twice_is_two_runs() {
    // Whoever keeps it has to see to it that this happens once: hotcell resume takes its file away first.
    let bytes = snapshot(&waiting("await ask(1)"));
    for answer in [1, 2] {
        let restored = Executor::restore(&bytes, None).unwrap();
        assert_eq!(resume(&restored, "1.1", answer), Value::from(answer));
        let error = block_on(restored.resume([("1.1", Answer::Value(Value::Null))])).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidState);
    }
}

const DIRECTORY: &str = "HOTCELL_TEST_RUNS";
const SHARE: &str = "HOTCELL_TEST_SHARE";
const RUNS: u32 = 1000;
const PROCESSES: u32 = 4;

/// Where run `number` is kept.
fn file(directory: &Path, number: u32) -> std::path::PathBuf {
    directory.join(format!("run-{number}"))
}

/// One of the processes that resume what another has kept: in an order of its own, those of its share.
fn resume_share(directory: &Path, share: u32) {
    let mut mine: Vec<u32> = (0..RUNS)
        .filter(|number| number % PROCESSES == share)
        .collect();
    // As good as random, and the same every time.
    mine.sort_by_key(|number| number.wrapping_mul(2_654_435_761) ^ share);
    let mut log = String::new();
    for number in mine {
        let path = file(directory, number);
        let restored = Executor::restore(&fs::read(&path).unwrap(), None).unwrap();
        let suspension = block_on(restored.suspension()).unwrap();
        assert_eq!(suspension.calls[0].arguments[0], Value::from(number));
        assert_eq!(suspension.made.len(), 2, "the first tool has run already");
        let output = resume(&restored, &suspension.calls[0].id, number * 2);
        fs::remove_file(path).unwrap();
        writeln!(log, "{number} {}", output.as_f64().unwrap()).unwrap();
    }
    fs::write(directory.join(format!("log-{share}")), log).unwrap();
}

#[test]
fn a_thousand_runs_in_files_are_resumed_by_other_processes_each_once() {
    if let (Ok(directory), Ok(share)) = (std::env::var(DIRECTORY), std::env::var(SHARE)) {
        return resume_share(Path::new(&directory), share.parse().unwrap());
    }
    let directory = tempfile::tempdir().unwrap();
    let looked = AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) });
    let executor = executor();
    let tools = [("look", looked), ("ask", AgentTool::suspending())];
    block_on(executor.send_tools(tools)).unwrap();
    for number in 0..RUNS {
        let twin = block_on(executor.fork()).unwrap();
        let code = format!("const n = await look({number}); const a = await ask(n); a + n");
        assert!(matches!(block_on(twin.start(code)), Started::Suspended(_)));
        let bytes = snapshot(&twin);
        assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
        fs::write(file(directory.path(), number), bytes).unwrap();
    }
    let exe = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|share| {
            Command::new(&exe)
                .args([
                    "--exact",
                    "kept::a_thousand_runs_in_files_are_resumed_by_other_processes_each_once",
                ])
                .env(DIRECTORY, directory.path())
                .env(SHARE, share.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for share in 0..PROCESSES {
        let log = fs::read_to_string(directory.path().join(format!("log-{share}"))).unwrap();
        for line in log.lines() {
            let (number, output) = line.split_once(' ').unwrap();
            let before = seen.insert(number.parse().unwrap(), output.parse().unwrap());
            assert_eq!(before, None, "run {number} was resumed twice");
        }
    }
    assert_eq!(seen.len(), RUNS as usize);
    assert!(seen.iter().all(|(number, output)| *output == number * 3));
}

/// A number of a line of a file below `/proc/self`.
fn of_process(file: &str, name: &str) -> usize {
    let text = fs::read_to_string(format!("/proc/self/{file}")).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn ten_thousand_suspended_runs_take_no_thread_and_little_memory() {
    const MANY: usize = 10_000;
    let cells = u32::try_from(MANY).unwrap() + 8;
    let engine = Engine::with_options(&EngineOptions::default().max_cells(cells)).unwrap();
    let one = || {
        let executor = Executor::with_engine(&engine, ExecutorOptions::default());
        block_on(executor.init()).unwrap();
        block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
        let started = block_on(executor.start("const n = await ask('?'); n + 1"));
        assert!(matches!(started, Started::Suspended(_)));
        executor
    };
    let _first = one();
    let (threads, memory) = (
        of_process("status", "Threads:"),
        of_process("smaps_rollup", "Pss:"),
    );
    let all: Vec<Executor> = (0..MANY).map(|_| one()).collect();
    assert!(of_process("status", "Threads:") <= threads);
    let each = (of_process("smaps_rollup", "Pss:") - memory) / MANY;
    println!("{each} KiB for each suspended run");
    assert!(each < 300, "{each} KiB");
    // They all are there.
    for at in [0, MANY / 2, MANY - 1] {
        assert_eq!(resume(&all[at], "1.1", 41), Value::from(42));
    }
}
