//! Snapshot, restore, fork.

use std::time::Duration;

use hotcell_cell::{Clock, Random, SnapshotKey, Tool, Value};
use hotcell_executor::{AgentTool, ErrorCode, Executor, ExecutorOptions, State};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{executor, fail, ready, rules, run, value};

fn tool(text: &'static str) -> Tool {
    Tool::sync(move |_| Ok(Value::from(text)))
}

#[test]
fn a_snapshot_holds_everything() {
    let executor = executor();
    block_on(executor.send_tools([("tool", AgentTool::from(tool("a")).description("Says a"))]))
        .unwrap();
    block_on(executor.send_variables([("sent", Value::from(1))])).unwrap();
    run(
        &executor,
        "let count = 1; const inc = () => ++count; class A {} const process = 1",
    );
    let bytes = block_on(executor.snapshot()).unwrap();
    run(&executor, "inc(); inc()");

    let restored = Executor::restore(&bytes, None).unwrap();
    assert_eq!(restored.state(), State::Ready);
    assert_eq!(value(&restored, "inc() + sent"), Value::from(3));
    assert_eq!(run(&restored, "process").diagnostics, []);
    assert_eq!(restored.tools()[0].description.as_deref(), Some("Says a"));
    assert_eq!(value(&executor, "count"), Value::from(3));

    // Tools are known, and wait for their functions.
    let error = fail(&restored, "tool()");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert!(
        error.message.contains("the tool tool is not connected"),
        "{error}"
    );
    block_on(restored.send_tools([("tool", tool("b"))])).unwrap();
    assert_eq!(value(&restored, "tool()"), Value::from("b"));
    assert!(run(&restored, "final_answer(1)").is_final_answer);
}

#[test]
fn a_snapshot_carries_state_and_no_authority() {
    let options = crate::options()
        .max_operations(1_000_000)
        .timeout(Duration::from_secs(1000))
        .memory_limit(512 << 20)
        .max_host_memory(512 << 20)
        .clock(Clock::Real)
        .random(Random::Seeded(1))
        .authorized_imports(["lodash"])
        .module("lodash", "export default 1");
    let executor = ready(options);
    run(&executor, "let kept = Date.now() + Math.random()");
    let bytes = block_on(executor.snapshot()).unwrap();

    let restored = Executor::restore(&bytes, None).unwrap();
    assert_eq!(
        restored.options().to_json(),
        ExecutorOptions::default().to_json()
    );
    assert_eq!(value(&restored, "typeof kept"), Value::from("number"));
    for code in ["Date.now()", "Math.random()"] {
        assert_eq!(fail(&restored, code).code, ErrorCode::RuntimeException);
    }
    assert_eq!(
        fail(&restored, "await import('lodash')").code,
        ErrorCode::ImportNotAllowed
    );
    assert_eq!(
        fail(&restored, "while (true) kept++").code,
        ErrorCode::MaxOpsExceeded
    );
}

#[test]
fn only_snapshots_with_the_right_seal_are_taken() {
    let with = |secret: &str| crate::options().snapshot_key(SnapshotKey::from_secret(secret));
    let executor = ready(with("a secret of many bytes"));
    run(&executor, "let kept = 1");
    let sealed = block_on(executor.snapshot()).unwrap();
    let restored = Executor::restore(&sealed, Some(with("a secret of many bytes"))).unwrap();
    assert_eq!(value(&restored, "kept"), Value::from(1));
    // Who has no key takes what there is.
    assert!(Executor::restore(&sealed, None).is_ok());

    let message = |bytes: &[u8], secret: &str| {
        let error = Executor::restore(bytes, Some(with(secret))).unwrap_err();
        assert_eq!(rules(&error), ["snapshot_valid"]);
        error.message
    };
    assert!(message(&sealed, "another secret of many").contains("does not fit"));
    let unsealed = block_on(ready(crate::options()).snapshot()).unwrap();
    assert!(message(&unsealed, "a secret of many bytes").contains("is not sealed"));
    for at in [8, 45, 60, sealed.len() / 2, sealed.len() - 1] {
        let mut altered = sealed.clone();
        altered[at] ^= 1;
        assert!(message(&altered, "a secret of many bytes").contains("does not fit"));
    }
    // The key is in no option that is shown.
    let shown = format!("{:?}", executor.options());
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn a_fork_goes_on_with_the_seeded_sequence() {
    let executor = ready(crate::options().random(Random::Seeded(7)));
    run(&executor, "Math.random()");
    let twin = block_on(executor.fork()).unwrap();
    let next = value(&executor, "[Math.random(), Math.random()].join()");
    assert_eq!(value(&twin, "[Math.random(), Math.random()].join()"), next);
    let fresh = ready(crate::options().random(Random::Seeded(7)));
    assert_ne!(value(&fresh, "[Math.random(), Math.random()].join()"), next);
}

#[test]
fn what_a_snapshot_says_of_tools_is_taken_for_names_only() {
    // The host's own `final_answer` cannot be brought by bytes, nor can a schema make work.
    let executor = executor();
    let schema = json!({ "type": "object", "properties": { "a": { "pattern": "(" } } });
    let spec = |name: &str| json!({ "name": name, "parameters": schema });
    for (name, is_good) in [("tool", true), ("final_answer", false), ("a b", false)] {
        let bytes = block_on(executor.snapshot()).unwrap();
        let memory = json!({ "tools": [[spec(name), false]], "globals": [], "names": [], "knows_all_names": true, "runs": u64::MAX });
        let forged = reseal(&bytes, &memory);
        match Executor::restore(&forged, None) {
            Ok(restored) => {
                assert!(is_good, "{name}");
                assert_eq!(value(&restored, "1 + 1"), Value::from(2));
                let twin = block_on(restored.fork()).unwrap();
                assert_eq!(value(&twin, "1 + 1"), Value::from(2));
            }
            Err(error) => {
                assert!(!is_good, "{name}");
                assert_eq!(rules(&error), ["snapshot_valid"]);
            }
        }
    }
}

#[test]
fn what_a_snapshot_says_of_tools_is_read_only_if_the_host_has_room_for_it() {
    let executor = executor();
    let bytes = block_on(executor.snapshot()).unwrap();
    let many: Vec<u8> = vec![0; 1 << 20];
    let spec = json!({ "name": "tool", "parameters": { "enum": many } });
    let forged = reseal(
        &bytes,
        &json!({ "tools": [[spec, false]], "globals": [], "names": [], "knows_all_names": true, "runs": 1 }),
    );
    let little = crate::options().max_host_memory(32 << 20);
    let error = Executor::restore(&forged, Some(little)).unwrap_err();
    assert_eq!(rules(&error), ["snapshot_valid"]);
    let message = error.diagnostics()[0]["message"].to_string();
    assert!(message.contains("at most 1048576"), "{message}");
    let much = crate::options().max_host_memory(1 << 30);
    assert!(Executor::restore(&forged, Some(much)).is_ok());
}

#[test]
fn a_snapshot_cannot_make_up_names_that_code_declared() {
    let executor = executor();
    let bytes = block_on(executor.snapshot()).unwrap();
    let globals = vec!["process"; 1000];
    let forged = reseal(
        &bytes,
        &json!({ "tools": [], "globals": globals, "names": [], "knows_all_names": true, "runs": 1 }),
    );
    let restored = Executor::restore(&forged, None).unwrap();
    let again = String::from_utf8_lossy(&block_on(restored.snapshot()).unwrap()).into_owned();
    assert_eq!(again.matches("\"process\"").count(), 1);
}

/// A snapshot with something else than it knew, and a checksum that fits.
fn reseal(snapshot: &[u8], memory: &serde_json::Value) -> Vec<u8> {
    // Magic, seal, checksum; then the lengths of what it knew, its files, its companion, and what its run has shown.
    const HEADER: usize = 8 + 32 + 8;
    const LENGTHS: usize = 4;
    let length = |at: usize| {
        let length = u64::from_le_bytes(snapshot[at..at + 8].try_into().unwrap());
        usize::try_from(length).unwrap()
    };
    let known: usize = (0..LENGTHS).map(|index| length(HEADER + 8 * index)).sum();
    let cell = &snapshot[HEADER + 8 * LENGTHS + known..];
    let memory = serde_json::to_vec(memory).unwrap();
    let checksum = xxhash_rust::xxh3::xxh3_64(&memory).to_le_bytes();
    let lengths = [memory.len() as u64, 0, 0, 0]
        .map(u64::to_le_bytes)
        .concat();
    [&snapshot[..40], &checksum, &lengths, &memory, cell].concat()
}

#[test]
fn options_can_be_others_after_a_restore() {
    let executor = executor();
    run(&executor, "let kept = 1");
    let bytes = block_on(executor.snapshot()).unwrap();
    let options = crate::options().max_operations(3);
    let restored = Executor::restore(&bytes, Some(options)).unwrap();
    assert_eq!(
        fail(&restored, "while (true) kept++").code,
        ErrorCode::MaxOpsExceeded
    );
    assert_eq!(value(&restored, "kept"), Value::from(4));
}

#[test]
fn a_fork_is_a_twin() {
    let executor = ready(crate::options().max_tool_calls(2));
    block_on(executor.send_tools([("tool", tool("a"))])).unwrap();
    run(
        &executor,
        "let path = ['start']; const go = (step) => path.push(step)",
    );
    let twin = block_on(executor.fork()).unwrap();
    assert_eq!(twin.state(), State::Ready);
    run(&twin, "go('left'); tool(); console.log('of the twin')");
    run(&executor, "go('right'); tool(); tool()");
    assert_eq!(value(&twin, "path.join()"), Value::from("start,left"));
    assert_eq!(value(&executor, "path.join()"), Value::from("start,right"));
    assert_eq!(run(&twin, "console.log('x'); tool()").logs, "x");
    let output = run(&twin, "tool(); tool(); 1");
    assert_eq!(output.calls.len(), 2);
    block_on(executor.cleanup()).unwrap();
    assert_eq!(value(&twin, "tool()"), Value::from("a"));
}

#[test]
fn bytes_that_are_no_snapshot_are_refused() {
    let executor = executor();
    let bytes = block_on(executor.snapshot()).unwrap();
    let mut cases = vec![
        Vec::new(),
        b"HCEXEC".to_vec(),
        bytes[..20].to_vec(),
        bytes[..bytes.len() - 1].to_vec(),
        b"something else altogether, and long enough".to_vec(),
    ];
    for at in [0, 41, 49, 60, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        cases.push(damaged);
    }
    for case in cases {
        let error = Executor::restore(&case, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{error:?}");
        assert_eq!(rules(&error), ["snapshot_valid"]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_bytes_break_restore(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..60) {
        let real = block_on(executor().snapshot()).unwrap();
        let mut mixed = real[..cut.min(real.len())].to_vec();
        mixed.extend_from_slice(&bytes);
        prop_assert!(Executor::restore(&mixed, None).is_err());
        prop_assert!(Executor::restore(&bytes, None).is_err());
    }
}
