//! Real code in real cells.

use std::time::{Duration, Instant};

use hotcell::cell::{Engine, Value};
use hotcell::{AgentTool, ErrorCode, Executor, ExecutorError, ExecutorOptions};

use super::Check;

/// Why a test failed.
type Tested = Result<String, String>;

pub(super) fn checks() -> Vec<Check> {
    let began = Instant::now();
    // Only to ask it. It is gone before the executors' own is made, which is the one engine that a process can have.
    let max_cells = match Engine::new() {
        Ok(engine) => engine.max_cells(),
        Err(error) => {
            let mut detail = error.to_string();
            if let Some(source) = std::error::Error::source(&error) {
                detail = format!("{detail}: {source}");
            }
            return vec![check("image", began, Err(detail))];
        }
    };
    let room = format!("loaded, with room for {max_cells} cells");
    let mut checks = vec![check("image", began, Ok(room))];
    let mut test = |name, test: fn() -> Tested| {
        let began = Instant::now();
        checks.push(check(name, began, test()));
    };
    test("run", run);
    test("tool call", tool_call);
    test("time limit", time_limit);
    test("memory limit", memory_limit);
    test("snapshot and restore", snapshot);
    test("fork", fork);
    checks
}

fn check(name: &'static str, began: Instant, tested: Tested) -> Check {
    let took = Some(began.elapsed());
    let (ok, detail) = match tested {
        Ok(detail) => (true, detail),
        Err(detail) => (false, detail),
    };
    Check {
        name,
        ok,
        needed: true,
        detail,
        took,
    }
}

fn told(error: &ExecutorError) -> String {
    format!("{}: {}", error.code, error.message)
}

fn ready(options: ExecutorOptions) -> Result<Executor, String> {
    let executor = Executor::new(options);
    pollster::block_on(executor.init()).map_err(|error| told(&error))?;
    Ok(executor)
}

fn expect(executor: &Executor, code: &str, expected: &Value) -> Result<(), String> {
    let output = pollster::block_on(executor.run(code))
        .map_err(|error| told(&error))?
        .output;
    if output == *expected {
        Ok(())
    } else {
        Err(format!("{code} gave {output:?}, not {expected:?}"))
    }
}

fn expect_error(executor: &Executor, code: &str, expected: ErrorCode) -> Result<(), String> {
    match pollster::block_on(executor.run(code)) {
        Err(error) if error.code == expected => Ok(()),
        Err(error) => Err(format!("ended with {}, not {expected}", told(&error))),
        Ok(_) => Err(format!("ended well, not with {expected}")),
    }
}

fn run() -> Tested {
    let executor = ready(ExecutorOptions::default())?;
    expect(
        &executor,
        "[1, 2, 3].map((n) => n * 2).join()",
        &Value::from("2,4,6"),
    )?;
    Ok("a cell was made, ran code and was dropped".into())
}

fn tool_call() -> Tested {
    let executor = ready(ExecutorOptions::default())?;
    let tool = AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) });
    pollster::block_on(executor.send_tools([("echo", tool)])).map_err(|error| told(&error))?;
    expect(&executor, "await echo('hello')", &Value::from("hello"))?;
    Ok("a tool was called and answered".into())
}

fn time_limit() -> Tested {
    let options = ExecutorOptions::default()
        .max_operations(u64::from(u32::MAX))
        .timeout(Duration::from_millis(50));
    let executor = ready(options)?;
    expect_error(&executor, "while (true) {}", ErrorCode::ExecTimeout)?;
    Ok("an endless loop was stopped after 50 ms".into())
}

fn memory_limit() -> Tested {
    let options = ExecutorOptions::default().memory_limit(16 << 20);
    let executor = ready(options)?;
    let code = "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)";
    expect_error(&executor, code, ErrorCode::MemoryLimit)?;
    Ok("a cell of 16 MiB got no more".into())
}

fn snapshot() -> Tested {
    let executor = ready(ExecutorOptions::default())?;
    expect(&executor, "let count = 41; count", &Value::from(41))?;
    let bytes = pollster::block_on(executor.snapshot()).map_err(|error| told(&error))?;
    let twin = Executor::restore(&bytes, None).map_err(|error| told(&error))?;
    expect(&twin, "++count", &Value::from(42))?;
    Ok(format!(
        "{} bytes, and the state was there again",
        bytes.len()
    ))
}

fn fork() -> Tested {
    let executor = ready(ExecutorOptions::default())?;
    expect(&executor, "let count = 1; count", &Value::from(1))?;
    let twin = pollster::block_on(executor.fork()).map_err(|error| told(&error))?;
    expect(&twin, "++count", &Value::from(2))?;
    expect(&executor, "count", &Value::from(1))?;
    Ok("a twin went its own way".into())
}
