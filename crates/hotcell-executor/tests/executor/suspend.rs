//! Runs that wait for the host: start, resume, and everything that may lie between.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{
    AgentTool, Answer, CallOutcome, ErrorCode, Execution, Executor, Permission, Run, Started,
    State, SuspendReason, Suspension,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, run, sleep, value};

/// A tool that counts its calls and answers with its argument.
fn counted() -> (AgentTool, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let tool = AgentTool::asynchronous(move |call| {
        counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok(call.argument(0).clone()) }
    });
    (tool, count)
}

fn suspended(started: Started) -> Suspension {
    match started {
        Started::Suspended(suspension) => suspension,
        other => panic!("not suspended: {other:?}"),
    }
}

fn complete(started: Started) -> Execution {
    match started {
        Started::Complete(execution) => execution,
        other => panic!("not complete: {other:?}"),
    }
}

fn start(executor: &Executor, code: &str) -> Suspension {
    suspended(block_on(executor.start(code)))
}

fn resume(executor: &Executor, id: &str, answer: impl Into<Value>) -> Started {
    block_on(executor.resume([(id, Answer::Value(answer.into()))])).unwrap()
}

fn deferring() -> Executor {
    let executor = executor();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    executor
}

#[test]
fn a_run_that_goes_on_elsewhere_calls_its_tools_there() {
    let tools = || {
        let (look, count) = counted();
        ([("ask", AgentTool::suspending()), ("look", look)], count)
    };
    let first = executor();
    block_on(first.send_tools(tools().0)).unwrap();
    start(
        &first,
        "const a = await ask(1); console.log('seen', a); const b = await look(a + 1); [a, b, await ask(2)].join()",
    );
    let bytes = block_on(first.snapshot()).unwrap();
    let second = Executor::restore(&bytes, Some(crate::options())).unwrap();
    let (sent, count) = tools();
    block_on(second.send_tools(sent)).unwrap();
    let waits = suspended(resume(&second, "1.1", 5));
    assert_eq!(waits.logs, "seen 5");
    assert_eq!(waits.calls[0].id, "1.3");
    assert_eq!(waits.made.len(), 3);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    // And in a twin, and from there once more.
    let twin = block_on(second.fork()).unwrap();
    let bytes = block_on(twin.snapshot()).unwrap();
    let third = Executor::restore(&bytes, Some(crate::options())).unwrap();
    block_on(third.send_tools(tools().0)).unwrap();
    for (executor, answer) in [(&second, 7), (&twin, 8), (&third, 9)] {
        let execution = complete(resume(executor, "1.3", answer));
        assert_eq!(execution.output, Value::from(format!("5,6,{answer}")));
        assert_eq!(execution.logs, "seen 5");
        assert_eq!(execution.calls.len(), 3);
        assert_eq!(value(executor, "await look('again')"), Value::from("again"));
    }
}

#[test]
fn a_run_without_calls_is_complete() {
    let executor = executor();
    let execution = complete(block_on(executor.start("1 + 1")));
    assert_eq!(execution.output, Value::from(2));
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_deferred_call_suspends_and_its_answer_resumes() {
    let executor = deferring();
    let suspension = start(
        &executor,
        "console.log('before'); const name = await ask('who?'); console.log('after'); `hello ${name}`",
    );
    assert_eq!(executor.state(), State::Suspended);
    let [call] = &suspension.calls[..] else {
        panic!("{suspension:?}")
    };
    assert_eq!(call.id, "1.1");
    assert_eq!(call.tool, "ask");
    assert_eq!(call.arguments, [Value::from("who?")]);
    assert_eq!(call.reason, SuspendReason::Deferred);
    assert_eq!(suspension.logs, "before");

    let execution = complete(resume(&executor, "1.1", "Ada"));
    assert_eq!(execution.output, Value::from("hello Ada"));
    assert_eq!(execution.logs, "before\nafter");
    assert_eq!(execution.calls.len(), 1);
    assert_eq!(execution.calls[0].outcome, CallOutcome::Returned);
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "name"), Value::from("Ada"));
}

/// The story of approval: three tools, the second needs consent, and another process gives it.
#[test]
fn consent_in_another_process_runs_nothing_twice() {
    let (first, first_calls) = counted();
    let (second, second_calls) = counted();
    let (third, third_calls) = counted();
    let tools = || {
        [
            ("look", first.clone()),
            ("pay", second.clone().permission(Permission::Ask)),
            ("tell", third.clone()),
        ]
    };
    let executor = executor();
    block_on(executor.send_tools(tools())).unwrap();
    let code =
        "const a = await look(1);\nconst b = await pay(10);\nconst c = await tell(100);\na + b + c";
    let suspension = start(&executor, code);
    assert_eq!(suspension.calls[0].reason, SuspendReason::Approval);
    let made: Vec<_> = suspension.made.iter().map(|call| &*call.tool).collect();
    assert_eq!(made, ["look", "pay"]);
    let bytes = block_on(executor.snapshot()).unwrap();
    drop(executor);

    let elsewhere = Executor::restore(&bytes, None).unwrap();
    assert_eq!(elsewhere.state(), State::Suspended);
    let waiting = block_on(elsewhere.suspension()).unwrap();
    assert_eq!(waiting.calls[0].id, suspension.calls[0].id);
    assert_eq!(waiting.calls[0].arguments, [Value::from(10)]);
    assert_eq!(waiting.made[0].outcome, CallOutcome::Returned);
    assert_eq!(waiting.made[0].arguments, Some(vec![Value::from(1)]));

    let error = block_on(elsewhere.resume([("1.2", Answer::Approve)])).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidAnswer);
    assert!(error.message.contains("send it first"), "{error}");
    block_on(elsewhere.send_tools(tools())).unwrap();
    let resumed = block_on(elsewhere.resume([("1.2", Answer::Approve)])).unwrap();
    let execution = complete(resumed);
    assert_eq!(execution.output, Value::from(111));
    assert_eq!(execution.calls.len(), 3);
    let counts = [&first_calls, &second_calls, &third_calls].map(|one| one.load(Ordering::Relaxed));
    assert_eq!(counts, [1, 1, 1]);
}

#[test]
fn a_denied_call_fails_with_the_reason_and_does_not_take_place() {
    let (tool, calls) = counted();
    let executor = executor();
    block_on(executor.send_tools([("pay", tool.permission(Permission::Ask))])).unwrap();
    let suspension = start(&executor, "try { await pay(1) } catch (e) { e.message }");
    let denied = Answer::Deny("too much".into());
    let execution =
        complete(block_on(executor.resume([(&*suspension.calls[0].id, denied)])).unwrap());
    let text = execution.output.as_str().unwrap().to_owned();
    assert!(text.contains("too much"), "{text}");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    assert!(matches!(
        execution.calls[0].outcome,
        CallOutcome::Refused(_)
    ));
}

#[test]
fn two_forks_have_two_futures() {
    let executor = deferring();
    start(&executor, "const x = await ask('?'); x * 2");
    let twin = block_on(executor.fork()).unwrap();
    assert_eq!(twin.state(), State::Suspended);
    assert_eq!(complete(resume(&executor, "1.1", 1)).output, Value::from(2));
    assert_eq!(complete(resume(&twin, "1.1", 21)).output, Value::from(42));
    assert_eq!(value(&twin, "x"), Value::from(21));
    assert_eq!(value(&executor, "x"), Value::from(1));
}

#[test]
fn several_calls_are_answered_one_by_one_in_any_order() {
    let executor = deferring();
    let code = "const log = []; const go = async (n) => log.push(await ask(n));
        await Promise.all([go(1), go(2), go(3)]); log.join()";
    let suspension = start(&executor, code);
    assert_eq!(suspension.calls.len(), 3);
    let two = suspended(resume(&executor, "1.3", "c"));
    assert_eq!(two.calls.len(), 2);
    let one = suspended(resume(&executor, "1.1", "a"));
    assert_eq!(one.calls[0].id, "1.2");
    assert_eq!(
        complete(resume(&executor, "1.2", "b")).output,
        Value::from("c,a,b")
    );
}

#[test]
fn a_tool_can_suspend_one_call_and_answer_another() {
    let executor = executor();
    let tool = AgentTool::asynchronous(|call| async move {
        match call.argument(0).as_f64() {
            Some(amount) if amount > 100.0 => Err(ToolError::suspended()),
            _ => Ok(Value::from("small")),
        }
    });
    block_on(executor.send_tools([("pay", tool)])).unwrap();
    assert_eq!(
        complete(block_on(executor.start("await pay(5)"))).output,
        Value::from("small")
    );
    let suspension = start(&executor, "[await pay(7), await pay(700)].join()");
    assert_eq!(suspension.calls[0].reason, SuspendReason::Tool);
    assert_eq!(
        complete(resume(&executor, &suspension.calls[0].id, "large")).output,
        Value::from("small,large")
    );
}

#[test]
fn what_goes_on_in_this_process_is_waited_for_before_a_run_is_suspended() {
    let executor = deferring();
    let slow = AgentTool::asynchronous(|_| async {
        sleep(Duration::from_millis(20)).await;
        Ok(Value::from("slow"))
    });
    block_on(executor.send_tools([("slow", slow)])).unwrap();
    let code =
        "const all = Promise.all([ask(1), slow().then((x) => { console.log(x); return x })]);
        (await all).join()";
    let suspension = start(&executor, code);
    assert_eq!(suspension.logs, "slow");
    assert_eq!(
        complete(resume(&executor, "1.1", "ok")).output,
        Value::from("ok,slow")
    );
}

#[test]
fn code_does_not_notice_that_it_is_suspended() {
    let executor = deferring();
    let code = "let seen = []; try { seen.push(await ask(1)) } catch { seen.push('caught') } finally { seen.push('finally') } seen.join()";
    start(&executor, code);
    let bytes = block_on(executor.snapshot()).unwrap();
    let restored = Executor::restore(&bytes, None).unwrap();
    assert_eq!(
        complete(resume(&restored, "1.1", "value")).output,
        Value::from("value,finally")
    );
}

#[test]
fn answers_that_do_not_fit_are_refused_and_nothing_is_lost() {
    let executor = executor();
    let tool = AgentTool::suspending().returns(
        json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] }),
    );
    block_on(executor.send_tools([("ask", tool)])).unwrap();
    start(
        &executor,
        "const a = ask(1), b = ask(2); (await a).n + (await b).n",
    );
    let answer = |n: f64| Answer::Value(Value::object([("n", Value::from(n))]));
    for (answers, words) in [
        (vec![], "at least one"),
        (vec![("1.9", answer(1.0))], "does not exist"),
        (vec![("7.1", answer(1.0))], "does not exist"),
        (
            vec![("1.1", Answer::Value(Value::from("text")))],
            "does not fit",
        ),
        (vec![("1.1", Answer::Approve)], "does not wait for approval"),
        (
            vec![("1.1", Answer::Error(ToolError::suspended()))],
            "no answer",
        ),
        // The first is good, and must not be taken either.
        (
            vec![("1.1", answer(1.0)), ("1.3", answer(1.0))],
            "does not exist",
        ),
        (vec![("1.1", answer(1.0)), ("1.1", answer(1.0))], "1.1"),
    ] {
        let error = block_on(executor.resume(answers)).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidAnswer);
        assert!(error.message.contains(words), "{words}: {error}");
        assert_eq!(executor.state(), State::Suspended);
        assert_eq!(block_on(executor.suspension()).unwrap().calls.len(), 2);
    }
    suspended(block_on(executor.resume([("1.1", answer(1.0))])).unwrap());
    let error = block_on(executor.resume([("1.1", answer(1.0))])).unwrap_err();
    assert!(error.message.contains("answered already"), "{error}");
    let execution = complete(block_on(executor.resume([("1.2", answer(41.0))])).unwrap());
    assert_eq!(execution.output, Value::from(42));
    let error = block_on(executor.resume([("1.2", answer(1.0))])).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidState);
}

#[test]
fn an_error_as_an_answer_is_thrown_where_it_is_awaited() {
    let executor = deferring();
    start(&executor, "await ask(1)");
    let answer = Answer::Error(ToolError::new("RangeError", "no such thing"));
    let execution = complete(block_on(executor.resume([("1.1", answer)])).unwrap());
    let error = execution.error.unwrap();
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert!(error.message.contains("no such thing"), "{error}");
}

#[test]
fn errors_after_a_restore_have_their_place_in_the_code() {
    let executor = deferring();
    let code = "const x: number = await ask('ä');\n\nx.no.such";
    start(&executor, code);
    let bytes = block_on(executor.snapshot()).unwrap();
    let restored = Executor::restore(&bytes, None).unwrap();
    let error = complete(resume(&restored, "1.1", 1)).error.unwrap();
    assert_eq!(error.location.map(|place| place.line), Some(3));
    assert!(
        error.details["codeFrame"]
            .as_str()
            .unwrap()
            .contains("x.no.such")
    );
}

#[test]
fn other_methods_say_that_a_run_waits() {
    let executor = deferring();
    start(&executor, "await ask(1)");
    let error = fail(&executor, "1");
    assert_eq!(error.code, ErrorCode::InvalidState);
    assert!(error.hint().unwrap().contains("resume()"), "{error:?}");
    assert!(block_on(executor.init()).is_err());
    let Started::Complete(execution) = block_on(executor.start("1")) else {
        panic!()
    };
    assert_eq!(execution.error.unwrap().code, ErrorCode::InvalidState);
    block_on(executor.abandon()).unwrap();
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "1"), Value::from(1));
    start(&executor, "await ask(2)");
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
}

#[test]
fn under_run_a_deferred_call_fails_and_says_what_to_do() {
    let executor = deferring();
    let output = run(&executor, "try { await ask(1) } catch (e) { e.message }");
    let text = output.output.as_str().unwrap().to_owned();
    assert!(text.contains("start()"), "{text}");
}

#[test]
fn a_tool_that_answers_at_once_cannot_suspend() {
    let executor = executor();
    let tool = Tool::sync(|_| Err(ToolError::suspended()));
    block_on(executor.send_tools([("ask", tool)])).unwrap();
    let execution = complete(block_on(
        executor.start("try { ask(1) } catch (e) { e.message }"),
    ));
    let text = execution.output.as_str().unwrap().to_owned();
    assert!(text.contains("asynchronous"), "{text}");
}

#[test]
fn time_stands_still_while_a_run_waits_and_goes_on_afterwards() {
    let executor = ready(crate::options().timeout(Duration::from_millis(150)));
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    start(&executor, "await ask(1); 1");
    std::thread::sleep(Duration::from_millis(250));
    assert_eq!(complete(resume(&executor, "1.1", 1)).output, Value::from(1));
    // What comes after the answer has a deadline.
    start(&executor, "await ask(1); while (true) {}");
    let error = complete(resume(&executor, "2.1", 1)).error.unwrap();
    assert!(
        matches!(
            error.code,
            ErrorCode::ExecTimeout | ErrorCode::MaxOpsExceeded
        ),
        "{error}"
    );
}

#[test]
fn operations_before_and_after_count_together_also_elsewhere() {
    let executor = ready(crate::options().max_operations(100));
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    let code = "for (let i = 0; i < 60; i++); await ask(1); for (let i = 0; i < 60; i++);";
    start(&executor, code);
    let bytes = block_on(executor.snapshot()).unwrap();
    let twin = block_on(executor.fork()).unwrap();
    let options = crate::options().max_operations(100);
    let restored = Executor::restore(&bytes, Some(options)).unwrap();
    for one in [&executor, &twin, &restored] {
        let error = complete(resume(one, "1.1", 1)).error.unwrap();
        assert_eq!(error.code, ErrorCode::MaxOpsExceeded);
    }
    let options = crate::options().max_operations(200);
    let restored = Executor::restore(&bytes, Some(options)).unwrap();
    let execution = complete(resume(&restored, "1.1", 1));
    assert_eq!(execution.error, None);
    assert_eq!(execution.stats.operations, 120);
    assert_eq!(execution.stats.tool_calls, 1);
}

#[test]
fn a_run_can_be_suspended_many_times_and_in_many_processes() {
    let mut executor = deferring();
    start(
        &executor,
        "let sum = 0; for (let i = 0; i < 20; i++) sum += await ask(i); sum",
    );
    for i in 1..=20 {
        let bytes = block_on(executor.snapshot()).unwrap();
        executor = Executor::restore(&bytes, None).unwrap();
        block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
        let id = block_on(executor.suspension()).unwrap().calls[0].id.clone();
        assert_eq!(id, format!("1.{i}"));
        match resume(&executor, &id, i) {
            Started::Complete(execution) => {
                assert_eq!((i, execution.output), (20, Value::from(210)));
            }
            _ => assert!(i < 20),
        }
    }
}

#[test]
fn a_name_and_a_timeout_of_its_own_stay_with_a_run() {
    let executor = deferring();
    let run = Run::new("await ask(1); throw new Error('x')").name("step.js");
    suspended(block_on(executor.start(run)));
    let error = complete(resume(&executor, "1.1", 1)).error.unwrap();
    assert!(
        error.details["cause"]["stack"]
            .as_str()
            .unwrap()
            .contains("step.js")
    );
}

#[test]
fn runs_in_line_behind_a_suspended_one_are_told() {
    let queue = hotcell_executor::Concurrency::Queue;
    let executor = ready(crate::options().run_concurrency(queue));
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    let slow = AgentTool::asynchronous(|_| async {
        sleep(Duration::from_millis(30)).await;
        Ok(Value::Null)
    });
    block_on(executor.send_tools([("slow", slow)])).unwrap();
    let first = executor.clone();
    let started = std::thread::spawn(move || block_on(first.start("await slow(); await ask(1)")));
    while executor.state() != State::Running {
        std::thread::yield_now();
    }
    let queued = block_on(executor.run("2"));
    suspended(started.join().unwrap());
    assert_eq!(queued.unwrap_err().code, ErrorCode::InvalidState);
    assert_eq!(executor.state(), State::Suspended);
}
