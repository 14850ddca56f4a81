//! Ten thousand hostile programs in one process, and the process does not notice.

mod generate;
mod material;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::Duration,
};

use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{ErrorCode, Execution, Executor, ExecutorOptions, Run, State, json};
use pollster::block_on;

use crate::{semantics, snippets::read, support::engine};
use generate::{Chance, Generator};

const PROGRAMS: usize = 10_000;
/// Until then caches fill and the allocator learns.
const WARM_UP: usize = 2_000;
const MAX_LOG_BYTES: usize = 4 << 10;
const MAX_RESULT_BYTES: usize = 1 << 20;

#[test]
fn ten_thousand_hostile_programs_leave_the_process_as_it_was() {
    let tame: Vec<String> = semantics::TOPICS
        .iter()
        .flat_map(|topic| read(topic))
        .flat_map(|snippet| snippet.steps)
        .map(|step| step.code)
        .collect();
    // More of them for whoever has the time.
    let programs = std::env::var("HOTCELL_HOSTILE_PROGRAMS").ok();
    let programs = programs.map_or(PROGRAMS, |count| count.parse().unwrap());
    let mut generator = Generator::new(0x686f_7463_656c_6c21, &tame);
    let mut counts = Counts::default();
    run(&mut generator, WARM_UP, &mut counts);
    let before = at_rest();
    run(&mut generator, programs - WARM_UP, &mut counts);
    let after = at_rest();
    println!(
        "{counts:?}; resident {} KiB, then {} KiB",
        before >> 10,
        after >> 10
    );
    // What they leave is the cache of prepared programs, which longer runs fill up to its limit.
    let cache = if programs > PROGRAMS { 32 << 20 } else { 0 };
    assert!(
        after <= before + before / 10 + (4 << 20) + cache,
        "{before} bytes were resident, and {after} are"
    );
    // What they are meant to show has to happen in the first place.
    assert!(
        counts.ok > PROGRAMS / 10 && counts.refused > PROGRAMS / 10,
        "{counts:?}"
    );
    assert!(
        counts.threw > PROGRAMS / 10 && counts.operations > PROGRAMS / 200,
        "{counts:?}"
    );
    assert!(
        counts.timeout > 0 && counts.memory > 0 && counts.tool > 0,
        "{counts:?}"
    );
}

/// How programs ended.
#[derive(Debug, Default)]
struct Counts {
    ok: usize,
    refused: usize,
    threw: usize,
    operations: usize,
    timeout: usize,
    memory: usize,
    tool: usize,
}

/// Runs programs, some of them one after the other in the same executor.
fn run(generator: &mut Generator<'_>, count: usize, counts: &mut Counts) {
    let mut chance = Chance::new(count as u64);
    let mut executor = None;
    for _ in 0..count {
        let executor = match &executor {
            Some(executor) if chance.below(20) > 0 => executor,
            _ => executor.insert(fresh(&mut chance)),
        };
        let code = generator.program();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let execution = block_on(executor.execute(&*code));
            check(executor, &execution, &code, counts);
        }));
        if let Err(panic) = ended {
            eprintln!("this program did it:\n{code}");
            resume_unwind(panic);
        }
    }
}

fn fresh(chance: &mut Chance) -> Executor {
    let options = ExecutorOptions::default()
        .timeout(Duration::from_millis(20))
        .max_operations(5_000)
        .memory_limit((16 + chance.below(9) as u64) << 20)
        .max_log_bytes(MAX_LOG_BYTES)
        .max_result_bytes(MAX_RESULT_BYTES)
        .max_tool_calls(500)
        .max_tool_calls_in_flight(100);
    let executor = Executor::with_engine(engine(), options);
    prepare(&executor);
    executor
}

fn prepare(executor: &Executor) {
    block_on(executor.init()).unwrap();
    block_on(executor.send_tools([
        ("echo", Tool::sync(|call| Ok(call.argument(0).clone()))),
        (
            "later",
            Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
        ),
        ("boom", Tool::sync(|_| Err(ToolError::from("boom")))),
    ]))
    .unwrap();
}

/// What has to hold after every program, whatever it was.
fn check(executor: &Executor, execution: &Execution, code: &str, counts: &mut Counts) {
    // Whoever asks for it can have all of it as JSON.
    drop(json::to_json(&execution.output).to_string());
    drop(serde_json::to_string(&execution.diagnostics).unwrap());
    assert!(
        execution.logs.len() <= MAX_LOG_BYTES + 100,
        "{} bytes",
        execution.logs.len()
    );
    let Some(error) = &execution.error else {
        counts.ok += 1;
        assert_eq!(executor.state(), State::Ready);
        return;
    };
    drop(serde_json::to_string(error).unwrap());
    assert!(execution.output.is_undefined());
    assert_ne!(
        error.details.get("reason"),
        Some(&"corruption".into()),
        "{code}\n{error:#?}"
    );
    match error.code {
        ErrorCode::ValidationFailed | ErrorCode::ImportNotAllowed => counts.refused += 1,
        ErrorCode::RuntimeException => counts.threw += 1,
        ErrorCode::MaxOpsExceeded => counts.operations += 1,
        ErrorCode::MemoryLimit => counts.memory += 1,
        ErrorCode::ToolProxyFail => counts.tool += 1,
        ErrorCode::ExecTimeout => {
            counts.timeout += 1;
            assert_eq!(executor.state(), State::Dirty);
            let refused = block_on(executor.run("1")).unwrap_err();
            assert_eq!(refused.code, ErrorCode::InvalidState);
            block_on(executor.cleanup()).unwrap();
            assert_eq!(executor.state(), State::Dead);
            prepare(executor);
            // Not within the 20 ms of the others, which a busy machine may need for anything.
            let patient = Run::new("1 + 1").timeout(Duration::from_secs(10));
            let output = block_on(executor.run(patient)).unwrap().output;
            assert_eq!(output, Value::from(2));
        }
        other => panic!("{other:?} is none of the ways to end: {code}\n{error:#?}"),
    }
    assert_eq!(executor.state(), State::Ready);
}

/// How much memory the process takes when the cache of prepared code, which all executors share, is full of plain comments.
fn at_rest() -> usize {
    let executor = Executor::new(ExecutorOptions::default());
    for number in 0..700 {
        executor.prepare(&format!("// {number} {}", "x".repeat(64 << 10)));
    }
    drop(executor);
    resident()
}

/// How much of the machine's memory the process takes, in bytes.
fn resident() -> usize {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else {
        // Only Linux tells; elsewhere the programs still have to run.
        return 0;
    };
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
