//! What hotcell does, shown in a second: `cargo xtask demo` runs it.

#![expect(clippy::print_stdout, reason = "a demonstration prints")]

use std::time::{Duration, Instant};

use hotcell::{
    AgentTool, Executor, ExecutorOptions, ObservationOptions, ToolError, Value,
    cell::{Cell, CellError, CellOptions, Engine, Program, Progress, Tool},
    prompt::{ParseOptions, PromptContext, parse_code, render_system_prompt},
};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result {
    pollster::block_on(async {
        let began = Instant::now();
        let engine = Engine::new()?;
        println!(
            "engine ready after {:?} (image {})\n",
            began.elapsed(),
            engine.build_id()
        );
        agent(&engine).await?;
        making_cells(&engine).await?;
        tools(&engine).await?;
        kills(&engine).await?;
        wall(&engine).await?;
        fork_and_resume(&engine).await
    })
}

fn title(text: &str) {
    println!("── {text}");
}

/// Runs code and shows it with its outcome.
async fn show(cell: &mut Cell, code: &str) {
    let began = Instant::now();
    let outcome = cell
        .evaluate(Program::new(code).timeout(Duration::from_millis(100)))
        .await;
    let took = began.elapsed();
    println!("   > {code}");
    match outcome {
        Ok(outcome) => println!("     {:?}   ({took:?})", outcome.value),
        Err(CellError::Deadline { .. }) => {
            println!(
                "     stopped {:?} after its deadline",
                took.saturating_sub(Duration::from_millis(100))
            );
        }
        Err(error) => println!("     {error}   ({took:?})"),
    }
}

async fn agent(engine: &Engine) -> Result {
    title(
        "An agent: prompt, answers, observations. A mistake says what to do, final_answer ends the task.",
    );
    let executor = Executor::with_engine(engine, ExecutorOptions::default());
    executor.init().await?;
    let population = AgentTool::asynchronous(|call| async move {
        match call.argument(0).as_str() {
            Some("Guangzhou") => Ok(Value::from(15_300_000)),
            Some("Shanghai") => Ok(Value::from(26_300_000)),
            _ => Err(ToolError::new("RangeError", "no such city")),
        }
    });
    executor.send_tools([("population", population)]).await?;
    let prompt = render_system_prompt(&PromptContext {
        tools: executor.tools(),
        ..PromptContext::default()
    })?;
    println!("   a system prompt of {} characters", prompt.len());
    // A model that reads what is below each of its answers.
    for answer in [
        "<code>\nconst cities: string[] = ['Guangzhou', 'Shanghai'];\nconst counts = await Promise.all(cities.map(populaton));\n</code>",
        "<code>\nconst counts = await Promise.all(cities.map((city) => population(city)));\nconsole.log(counts);\n</code>",
        "<code>\nfinal_answer(counts[0] > counts[1] ? cities[0] : cities[1])\n</code>",
    ] {
        let code = parse_code(answer, &ParseOptions::default())?.code;
        let began = Instant::now();
        let step = executor.execute(&*code).await;
        let took = began.elapsed();
        let observation = step.observation(&ObservationOptions::default());
        println!("   > {}", code.replace('\n', "\n   > "));
        println!("     {}   ({took:?})", observation.replace('\n', "\n     "));
    }
    println!();
    Ok(())
}

async fn making_cells(engine: &Engine) -> Result {
    title(
        "A thousand cells: made, used, dropped. Each a locked-down JavaScript realm with its own memory.",
    );
    let mut times = Vec::new();
    for _ in 0..1000 {
        let began = Instant::now();
        let mut cell = engine.cell(CellOptions::default())?;
        cell.evaluate("1 + 1").await?;
        drop(cell);
        times.push(began.elapsed());
    }
    times.sort();
    println!(
        "   median {:?}, 99 of 100 under {:?}\n",
        times[500], times[990]
    );
    Ok(())
}

async fn tools(engine: &Engine) -> Result {
    title("Tools: the host's functions, ordinary functions inside.");
    let mut cell = engine.cell(
        CellOptions::default()
            .on_console(|line| println!("     [{}] {}", line.level.as_str(), line.text)),
    )?;
    cell.define_tools([
        (
            "add",
            Tool::sync(|call| {
                Ok(Value::from(
                    call.arguments.iter().filter_map(Value::as_f64).sum::<f64>(),
                ))
            }),
        ),
        (
            "weather",
            Tool::asynchronous(|call| async move {
                match call.argument(0).as_str() {
                    Some("Oslo") => Ok(Value::object([
                        ("city", Value::from("Oslo")),
                        ("degrees", Value::from(-3)),
                    ])),
                    _ => Err(ToolError::new("RangeError", "no such city")),
                }
            }),
        ),
    ])?;
    show(&mut cell, "add(40, 2)").await;
    show(
        &mut cell,
        "const here = await weather('Oslo'); console.log(here); here.degrees",
    )
    .await;
    show(&mut cell, "await weather('Atlantis')").await;
    show(
        &mut cell,
        "here.city.toUpperCase() // state stays between runs",
    )
    .await;
    println!();
    Ok(())
}

async fn kills(engine: &Engine) -> Result {
    title(
        "Nothing runs past its deadline (100 ms here): not a loop, not a regular expression, not native code.",
    );
    for code in [
        "while (true) {}",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "while (true) new Float64Array(1e6).map(Math.sin).sort()",
    ] {
        show(&mut engine.cell(CellOptions::default())?, code).await;
    }
    let mut cell = engine.cell(CellOptions::default())?;
    show(
        &mut cell,
        "let hoard = []; while (true) hoard.push(new Uint8Array(1 << 20))",
    )
    .await;
    show(&mut cell, "'the cell lives on'").await;
    println!();
    Ok(())
}

async fn wall(engine: &Engine) -> Result {
    title("There is nothing behind the wall to reach.");
    let mut cell = engine.cell(CellOptions::default())?;
    for code in [
        "process.exit()",
        "(() => {}).constructor('return this')()",
        "Object.prototype.polluted = true",
        "Date.now()",
    ] {
        show(&mut cell, code).await;
    }
    println!();
    Ok(())
}

async fn fork_and_resume(engine: &Engine) -> Result {
    title("Freeze, fork, resume: a run that waits for an answer, copied while it waits.");
    let mut cell = engine.cell(CellOptions::default())?;
    cell.define_tool("ask", Tool::deferred())?;
    cell.start("const answer = await ask('Which way?'); `went ${answer}`")?;
    cell.step().await?;
    let question = cell.outstanding().remove(0);
    println!("   it asks {:?}", question.arguments[0]);
    let began = Instant::now();
    let mut twin = cell.fork()?;
    println!("   forked in {:?}", began.elapsed());
    let began = Instant::now();
    let bytes = cell.snapshot()?;
    println!(
        "   snapshot of {} KiB in {:?}",
        bytes.len() / 1024,
        began.elapsed()
    );
    let began = Instant::now();
    let mut later = engine.restore(&bytes, CellOptions::default())?;
    println!("   restored in {:?}", began.elapsed());
    for (name, cell, way) in [
        ("the first", &mut cell, "left"),
        ("its twin", &mut twin, "right"),
        ("the restored one", &mut later, "home"),
    ] {
        cell.answer(question.id, Ok(Value::from(way)))?;
        if let Progress::Done(outcome) = cell.step().await? {
            println!("   {name}: {:?}", outcome.value);
        }
    }
    Ok(())
}
