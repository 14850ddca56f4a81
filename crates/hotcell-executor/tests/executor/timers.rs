//! Timers, where the host grants them.

use std::{
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use hotcell_cell::{Clock, Timers, Value};
use hotcell_executor::{
    AgentTool, Answer, ErrorCode, Executor, ExecutorOptions, Isolation, Run, Started, State,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, run, sleep_tool, value};

fn granted() -> ExecutorOptions {
    crate::options().timers(Timers::On)
}

fn virtual_time() -> ExecutorOptions {
    granted().clock(Clock::Fixed(1_000_000.0))
}

fn persisting() -> ExecutorOptions {
    crate::options().timers(Timers::Persistent)
}

const LATER: &str =
    "const later = (ms, value) => new Promise((done) => setTimeout(done, ms, value));";

#[test]
fn without_a_grant_there_are_none_and_the_error_says_what_to_do() {
    let executor = executor();
    for name in hotcell_prepare::TIMER_GLOBALS {
        let error = fail(&executor, &format!("{name}(() => {{}}, 1)"));
        assert!(
            error.message.contains("is not defined"),
            "{}",
            error.message
        );
        let hint = error.hint().unwrap();
        assert!(
            hint.contains("there are no timers: `await` the tools"),
            "{hint}"
        );
        assert_eq!(
            executor.validate(&format!("{name}(1)"))[0].rule,
            "forbidden_global_access"
        );
    }
}

#[test]
fn the_names_of_timers_are_those_that_a_cell_has_with_them() {
    let executor = ready(granted());
    let names = value(
        &executor,
        "Object.getOwnPropertyNames(globalThis).sort().join()",
    );
    let mut expected = hotcell_prepare::BUILTIN_GLOBALS.to_vec();
    expected.extend(hotcell_prepare::TIMER_GLOBALS);
    expected.sort_unstable();
    assert_eq!(names.as_str(), Some(&*expected.join(",")));
    for name in hotcell_prepare::TIMER_GLOBALS {
        assert_eq!(executor.validate(&format!("{name}(1)")), [], "{name}");
        let frozen = value(
            &executor,
            &format!("Object.isFrozen({name}) && !('prototype' in {name})"),
        );
        assert_eq!(frozen, Value::from(true), "{name}");
    }
}

#[test]
fn a_run_waits_for_what_it_awaits() {
    let executor = ready(granted());
    let began = Instant::now();
    let code = format!("{LATER} [await later(30, 'a'), await later(1, 'b')].join()");
    assert_eq!(value(&executor, &code), Value::from("a,b"));
    assert!(began.elapsed() >= Duration::from_millis(30));
    // And for nothing else.
    let began = Instant::now();
    run(
        &executor,
        "setTimeout(() => { late = true }, 1e7); setInterval(() => {}, 1); 1",
    );
    assert!(began.elapsed() < Duration::from_mins(1));
    assert_eq!(
        value(&executor, "await later(5); typeof late"),
        Value::from("undefined")
    );
}

#[test]
fn arguments_numbers_and_clears_are_as_everywhere() {
    let executor = ready(virtual_time());
    let code = "
        const seen = [];
        const ids = [setTimeout((...all) => seen.push(all), 5, 1, 'two', [3]), setImmediate((...all) => seen.push(all), 'now')];
        const never = setTimeout(() => seen.push('cleared'), 1);
        ids.push(never);
        clearTimeout(never); clearTimeout(never);
        clearTimeout(); clearInterval(null); clearImmediate({ valueOf() { throw new Error('asked') } });
        clearTimeout(4711); clearTimeout('no number'); clearTimeout(NaN);
        let times = 0;
        const ticking = setInterval(() => { seen.push(++times); if (times === 3) clearTimeout(ticking) }, 2);
        const text = setTimeout(() => seen.push('cleared by text'), 3); clearTimeout(String(text));
        await new Promise((done) => setTimeout(done, 100));
        JSON.stringify([seen, ids.every((id, i) => typeof id === 'number' && (i === 0 || id > ids[i - 1])), setTimeout(() => {}) > ticking])";
    assert_eq!(
        value(&executor, code),
        Value::from(r#"[[["now"],1,2,[1,"two",[3]],3],true,true]"#)
    );
    let error = fail(&executor, "setTimeout('code', 1)");
    assert!(
        error.message.contains("setTimeout needs a function"),
        "{}",
        error.message
    );
    // Delays that are none are a millisecond.
    let code = "const order = []; const at = (ms, name) => setTimeout(() => order.push(name), ms);
        at(2, 'two'); at(-5, 'a'); at(NaN, 'b'); at('1', 'c'); at(1.9, 'd'); at(2 ** 31, 'e'); at(undefined, 'f'); at(Infinity, 'g');
        await new Promise((done) => setTimeout(done, 3)); order.join(' ')";
    assert_eq!(value(&executor, code), Value::from("a b c d e f g two"));
}

#[test]
fn with_a_fixed_clock_they_fire_in_order_and_nobody_waits() {
    let executor = ready(virtual_time());
    let code = "
        const log = [];
        const note = (what) => log.push(`${what}@${Date.now() - 1_000_000}`);
        setTimeout(() => note('day'), 86_400_000);
        setTimeout(() => { note('b'); setTimeout(() => note('nested'), 10); queueMicrotask(() => note('micro')) }, 20);
        setTimeout(() => note('c'), 20);
        setTimeout(() => note('a'), 10);
        setImmediate(() => note('soon'));
        let n = 0; const every = setInterval(() => { note('tick'); if (++n === 3) clearInterval(every) }, 15);
        note('begin');
        await new Promise((done) => setTimeout(done, 90_000_000));
        log.join(' ')";
    let began = Instant::now();
    assert_eq!(
        value(&executor, code),
        Value::from(
            "begin@0 soon@0 a@10 tick@15 b@20 micro@20 c@20 tick@30 nested@30 tick@45 day@86400000"
        )
    );
    assert!(began.elapsed() < Duration::from_mins(1));
    // The clock goes on from there, also in a twin and after a restore.
    let now = "Date.now() - 1_000_000";
    assert_eq!(value(&executor, now), Value::from(90_000_000));
    assert_eq!(
        value(&block_on(executor.fork()).unwrap(), now),
        Value::from(90_000_000)
    );
    let bytes = block_on(executor.snapshot()).unwrap();
    let restored = Executor::restore(&bytes, Some(virtual_time())).unwrap();
    assert_eq!(value(&restored, now), Value::from(90_000_000));
    // Who does not grant timers, grants no time of theirs either.
    let fixed = crate::options().clock(Clock::Fixed(1_000_000.0));
    let restored = Executor::restore(&bytes, Some(fixed)).unwrap();
    assert_eq!(value(&restored, now), Value::from(0));
}

#[test]
fn calls_take_no_virtual_time() {
    let executor = ready(virtual_time());
    block_on(executor.send_tools([("sleepTool", sleep_tool())])).unwrap();
    let code = "await Promise.race([sleepTool(40).then(() => 'tool'), new Promise((done) => setTimeout(done, 1, 'timer'))])";
    assert_eq!(value(&executor, code), Value::from("tool"));
    // Code that waits by asking again and again gets there.
    let code = "let done = false; setTimeout(() => { done = true }, 3);
        await new Promise((end) => { const look = () => done ? end() : setImmediate(look); look() }); done";
    assert_eq!(value(&executor, code), Value::from(true));
}

#[test]
fn real_time_is_kept_in_order_too() {
    let executor = ready(granted().clock(Clock::Real));
    let code = "const log = []; const note = (name) => () => log.push(name);
        setTimeout(note('c'), 30); setTimeout(note('a'), 1); setTimeout(note('b'), 15); setImmediate(note('now'));
        const began = Date.now();
        await new Promise((done) => setTimeout(done, 45));
        [log.join(''), Date.now() - began >= 44].join()";
    assert_eq!(value(&executor, code), Value::from("nowabc,true"));
}

#[test]
fn what_a_callback_throws_ends_the_run() {
    let executor = ready(granted());
    let code = "let after = 0;\nsetTimeout(() => { after++ }, 3);\nsetTimeout(() => {\n  throw new TypeError('in the callback');\n}, 1);\ntry { await new Promise((done) => setTimeout(done, 1e6)) } catch { after = 'caught' } finally { after = 'finally' }";
    let error = fail(&executor, code);
    assert_eq!(error.code, ErrorCode::RuntimeException);
    assert!(
        error.message.contains("TypeError: in the callback"),
        "{}",
        error.message
    );
    assert_eq!(error.location.map(|place| place.line), Some(4));
    assert_eq!(executor.state(), State::Ready);
    // Nothing of it goes on.
    assert_eq!(
        value(
            &executor,
            "await new Promise((done) => setTimeout(done, 10)); after"
        ),
        Value::from(0)
    );
    // A promise that nobody handles is told, and no more.
    let output = run(
        &executor,
        "setTimeout(async () => { throw new Error('alone') }); await new Promise((done) => setTimeout(done, 5))",
    );
    assert!(
        output
            .diagnostics
            .iter()
            .any(|one| one.message.contains("alone"))
    );
    // The last word is that of final_answer.
    let output = run(
        &executor,
        "setTimeout(() => final_answer('from a timer'), 2); await new Promise(() => {})",
    );
    assert!(output.is_final_answer);
    assert_eq!(output.output, Value::from("from a timer"));
}

#[test]
fn the_deadline_holds() {
    let options = || {
        granted()
            .timeout(Duration::from_millis(60))
            .max_operations(1 << 50)
    };
    for code in [
        "await new Promise((done) => setTimeout(done, 1e9))",
        "setInterval(() => {}, 0); await new Promise(() => {})",
        "setInterval(() => {}, 1e6); await new Promise(() => {})",
        "const again = () => setImmediate(again); again(); await new Promise(() => {})",
        "const again = () => setTimeout(again); again(); await new Promise(() => {})",
        "setTimeout(() => { for (;;) {} }); await new Promise(() => {})",
    ] {
        for options in [options(), options().clock(Clock::Fixed(0.0))] {
            if code.contains("1e9") && format!("{options:?}").contains("fixed") {
                continue;
            }
            let executor = ready(options);
            let error = fail(&executor, code);
            assert_eq!(error.code, ErrorCode::ExecTimeout, "{code}");
            assert_eq!(error.details["recoverable"], true, "{code}");
            block_on(executor.recover()).unwrap();
            assert_eq!(value(&executor, "1"), Value::from(1), "{code}");
        }
    }
}

#[test]
fn so_many_may_be_pending_and_one_more_is_an_error() {
    let executor = ready(granted());
    let code = "let made = 0; try { for (;;) { setTimeout(() => {}, 1e6); made++ } } catch (error) { `${made} ${error.name}: ${error.message}` }";
    assert_eq!(
        value(&executor, code),
        Value::from(
            "10000 RangeError: too many timers: 10000 are pending, await or clear some first"
        )
    );
    // What they hold is on the account of the cell.
    let options = granted().memory_limit(16 << 20);
    let error = fail(
        &ready(options),
        "for (let i = 0; i < 9000; i++) setTimeout(() => {}, 1e6, 'x'.repeat(9000) + i)",
    );
    assert_eq!(error.code, ErrorCode::MemoryLimit);
    assert_eq!(value(&executor, "1"), Value::from(1));
}

#[test]
fn those_that_persist_fire_in_the_next_run() {
    let executor = ready(persisting());
    run(
        &executor,
        "let fired = []; setTimeout(() => fired.push('due'), 1); setTimeout(() => fired.push('later'), 1e7); const id = setInterval(() => fired.push('tick'), 1e7)",
    );
    thread::sleep(Duration::from_millis(20));
    // Before the code begins.
    assert_eq!(value(&executor, "fired.join()"), Value::from("due"));
    assert_eq!(
        value(&executor, "clearInterval(id); fired.join()"),
        Value::from("due")
    );
    // A run that throws keeps them, one that is stopped does not, and others' stay.
    fail(
        &executor,
        "setTimeout(() => fired.push('of a failed run'), 1); throw new Error('x')",
    );
    let stopped =
        Run::new("setTimeout(() => fired.push('of a stopped run'), 1); for (;;) await null");
    block_on(executor.run(stopped.timeout(Duration::from_millis(50)))).unwrap_err();
    block_on(executor.recover()).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(
        value(&executor, "fired.join()"),
        Value::from("due,of a failed run")
    );
    // One that throws fails the run that it fires in, and is over.
    run(
        &executor,
        "setInterval(() => { throw new Error('from before') }, 1); 1",
    );
    thread::sleep(Duration::from_millis(20));
    let error = fail(&executor, "1 + 1");
    assert!(error.message.contains("from before"), "{}", error.message);
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
    // One that sets itself anew lets the next run begin.
    run(
        &executor,
        "const again = () => setImmediate(again); again(); 1",
    );
    assert_eq!(value(&executor, "'begun'"), Value::from("begun"));
}

#[test]
fn snapshots_and_forks_carry_them() {
    for clock in [Clock::Off, Clock::Real, Clock::Fixed(0.0)] {
        let options = || persisting().clock(clock);
        let executor = ready(options());
        run(
            &executor,
            "const fired = []; setTimeout((what) => fired.push(what), 40, 'kept'); setTimeout((what) => fired.push(what), 20, 'first'); 1",
        );
        let bytes = block_on(executor.snapshot()).unwrap();
        let twin = block_on(executor.fork()).unwrap();
        let restored = Executor::restore(&bytes, Some(options())).unwrap();
        for one in [&executor, &twin, &restored] {
            let code = "await new Promise((done) => setTimeout(done, 60)); fired.join()";
            assert_eq!(value(one, code), Value::from("first,kept"), "{clock:?}");
        }
        // Where they are not granted they do nothing, and their names are gone.
        let without = Executor::restore(&bytes, None).unwrap();
        assert_eq!(
            value(&without, "typeof setTimeout + fired.length"),
            Value::from("undefined0")
        );
    }
}

#[test]
fn what_remains_of_a_wait_is_counted_from_the_restore() {
    let executor = ready(persisting());
    run(
        &executor,
        "let fired = false; setTimeout(() => { fired = true }, 300); 1",
    );
    let bytes = block_on(executor.snapshot()).unwrap();
    drop(executor);
    thread::sleep(Duration::from_millis(350));
    let restored = Executor::restore(&bytes, Some(persisting())).unwrap();
    assert_eq!(value(&restored, "fired"), Value::from(false));
    assert_eq!(
        value(
            &restored,
            "await new Promise((done) => setTimeout(done, 400)); fired"
        ),
        Value::from(true)
    );
}

#[test]
fn a_suspended_run_keeps_its_timers_and_waits_for_none() {
    let options = || granted().timeout(Duration::from_mins(1));
    let executor = ready(options());
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    let code = "const log = [];
        const ticking = setInterval(() => log.push('tick'), 1e6);
        const sleeping = new Promise((done) => setTimeout(done, 50, 'slept'));
        setImmediate(() => log.push('before'));
        const answer = await Promise.race([ask(), new Promise((done) => setTimeout(done, 1e7, 'too late'))]);
        log.push(answer, await sleeping);
        clearInterval(ticking);
        log.join()";
    let began = Instant::now();
    let Started::Suspended(suspension) = block_on(executor.start(code)) else {
        panic!("it did not wait for the host");
    };
    assert!(began.elapsed() < Duration::from_secs(30));
    let bytes = block_on(executor.snapshot()).unwrap();
    let twin = block_on(executor.fork()).unwrap();
    let restored = Executor::restore(&bytes, Some(options())).unwrap();
    for one in [executor, twin, restored] {
        let answer = (suspension.calls[0].id.clone(), Answer::Value("yes".into()));
        let Started::Complete(execution) = block_on(one.resume([answer])).unwrap() else {
            panic!("it waits again");
        };
        assert_eq!(execution.output, Value::from("before,yes,slept"));
    }
}

#[test]
fn a_promise_that_nothing_settles_is_told_as_before() {
    let error = fail(&ready(granted()), "await new Promise(() => {})");
    assert!(
        error.message.contains("no timer is pending"),
        "{}",
        error.message
    );
    assert_eq!(
        error.hint(),
        Some("a promise made with `new Promise` must call its resolve function")
    );
}

#[test]
fn code_may_take_the_names_for_itself() {
    let executor = ready(granted());
    run(
        &executor,
        "const setTimeout = (f) => f('mine'); let got; setTimeout((x) => { got = x }, 5)",
    );
    assert_eq!(value(&executor, "got"), Value::from("mine"));
    // What was its own before timers were granted stays so.
    let without = self::executor();
    run(&without, "function setInterval() { return 'mine' }");
    let bytes = block_on(without.snapshot()).unwrap();
    let restored = Executor::restore(&bytes, Some(granted())).unwrap();
    assert_eq!(
        value(&restored, "setInterval() + typeof setTimeout"),
        Value::from("minefunction")
    );
}

#[test]
fn the_option_is_read_and_written() {
    let read = |json| {
        ExecutorOptions::from_json(&json!({ "timers": json })).map(|options| options.to_json())
    };
    assert_eq!(read(json!(true)).unwrap()["timers"], true);
    assert_eq!(read(json!({ "persist": false })).unwrap()["timers"], true);
    assert_eq!(
        read(json!({ "persist": true })).unwrap()["timers"],
        json!({ "persist": true })
    );
    assert!(read(json!({ "persist": 1 })).is_err());
    assert!(read(json!({ "persist": true, "more": 1 })).is_err());
    assert!(read(json!("true")).is_err());
}

/// Counts how often it was woken.
struct Counter;

impl Wake for Counter {
    fn wake(self: Arc<Self>) {}
}

/// Threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn sleeping_holds_no_thread() {
    if crate::ISOLATION == Isolation::Process {
        // There each has a process, and here a thread that waits for it.
        return;
    }
    let mut sleepers = Vec::new();
    let waker = Waker::from(Arc::new(Counter));
    let before = threads();
    for _ in 0..200 {
        let executor = ready(granted().timeout(Duration::from_mins(10)));
        let mut run = Box::pin(async move {
            executor
                .run("await new Promise((done) => setTimeout(done, 3e5))")
                .await
        });
        while !matches!(
            run.as_mut().poll(&mut Context::from_waker(&waker)),
            Poll::Pending
        ) {}
        sleepers.push(run);
    }
    // Other tests begin and end threads meanwhile; two hundred would stand out.
    assert!(threads() < before + 100, "{before} then {}", threads());
}
