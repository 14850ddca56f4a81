//! Snapshot, restore, fork.

use hotcell_cell::{Tool, Value};
use hotcell_executor::{AgentTool, ErrorCode, Executor, ExecutorOptions, State};
use pollster::block_on;
use proptest::prelude::*;

use crate::support::{executor, fail, ready, rules, run, value};

fn tool(text: &'static str) -> Tool {
    Tool::sync(move |_| Ok(Value::from(text)))
}

#[test]
fn a_snapshot_holds_everything() {
    let options = ExecutorOptions::default().max_operations(77);
    let executor = ready(options);
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
    assert_eq!(restored.options().to_json()["maxOperations"], 77);
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
fn options_can_be_others_after_a_restore() {
    let executor = executor();
    run(&executor, "let kept = 1");
    let bytes = block_on(executor.snapshot()).unwrap();
    let options = ExecutorOptions::default().max_operations(3);
    let restored = Executor::restore(&bytes, Some(options)).unwrap();
    assert_eq!(
        fail(&restored, "while (true) kept++").code,
        ErrorCode::MaxOpsExceeded
    );
    assert_eq!(value(&restored, "kept"), Value::from(4));
}

#[test]
fn a_fork_is_a_twin() {
    let executor = ready(ExecutorOptions::default().max_tool_calls(2));
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
    for at in [0, 9, 17, 30, bytes.len() / 2, bytes.len() - 1] {
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
