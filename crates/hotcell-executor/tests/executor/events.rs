//! What happens, as a stream: order, ids, bounds, and the same for `tracing`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use hotcell_cell::{TraceParent, Value};
use hotcell_executor::{
    AgentTool, Answer, CallOutcome, Concurrency, ErrorCode, Event, EventKind, Events, Executor,
    Run, Started,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{Gate, executor, poll_once, ready, run, sleep_tool};

fn read(events: &mut Events) -> Vec<Arc<Event>> {
    std::iter::from_fn(|| events.next_now()).collect()
}

fn names(events: &[Arc<Event>]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.name()).collect()
}

fn echo() -> AgentTool {
    AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) })
}

#[test]
fn a_run_is_told_from_its_begin_to_its_end_with_ids() {
    let executor = executor();
    block_on(executor.send_tools([("price", echo())])).unwrap();
    let mut events = executor.events();
    run(
        &executor,
        "console.log('a'); await price('tea'); price.length",
    );
    let told = read(&mut events);
    assert_eq!(
        names(&told),
        ["runStarted", "log", "callStarted", "callEnded", "ended"]
    );
    assert!(told.iter().all(|event| &*event.run == "1"));
    let calls: Vec<_> = told.iter().map(|event| event.call.as_deref()).collect();
    assert_eq!(calls, [None, None, Some("1.1"), Some("1.1"), None]);
    let numbers: Vec<u64> = told.iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    let EventKind::CallEnded { outcome, .. } = &told[3].kind else {
        panic!("{:?}", told[3])
    };
    assert_eq!(*outcome, CallOutcome::Returned);
    let json = serde_json::to_value(&*told[2]).unwrap();
    assert_eq!(json["type"], "callStarted");
    assert_eq!(json["parent"], "1");
    assert_eq!(json["arguments"], "'tea'");
    let error = block_on(executor.run("nope")).unwrap_err();
    let told = read(&mut events);
    assert_eq!(names(&told), ["runStarted", "ended"]);
    let EventKind::Ended { error: ended, .. } = &told[1].kind else {
        panic!("{:?}", told[1])
    };
    assert_eq!(*ended, Some((error.code, error.message)));
}

#[test]
fn what_code_shows_and_tells_is_told_as_it_comes() {
    let options = crate::options().content(true);
    let executor = ready(options.max_content_items(3));
    let mut events = executor.events();
    run(
        &executor,
        "text('a'); notify('half way'); image('data:image/gif;base64,R0lGODlh'); text('x'.repeat(65537)); \
         try { text('one more') } catch {} 1",
    );
    let told = read(&mut events);
    assert_eq!(
        names(&told),
        [
            "runStarted",
            "content",
            "notify",
            "content",
            "content",
            "ended"
        ]
    );
    let bare = |event: &Event| {
        let mut json = serde_json::to_value(event).unwrap();
        let members = json.as_object_mut().unwrap();
        for name in ["number", "at", "run", "type"] {
            members.remove(name).unwrap();
        }
        json
    };
    assert_eq!(
        bare(&told[1]),
        json!({"index": 0, "mime": "text/plain", "bytes": 1, "text": "a"})
    );
    assert_eq!(bare(&told[2]), json!({"text": "half way"}));
    assert_eq!(
        bare(&told[3]),
        json!({"index": 1, "mime": "image/gif", "bytes": 6, "data": "R0lGODlh"})
    );
    assert_eq!(
        bare(&told[4]),
        json!({"index": 2, "mime": "text/plain", "bytes": 65537})
    );
}

#[test]
fn refused_code_and_refused_calls_are_told() {
    let executor = executor();
    let tool = echo().permission(hotcell_executor::Permission::Deny);
    block_on(executor.send_tools([("no", tool)])).unwrap();
    let mut events = executor.events();
    block_on(executor.run(")")).unwrap_err();
    assert_eq!(names(&read(&mut events)), ["runStarted", "ended"]);
    block_on(executor.run("await no()")).unwrap_err();
    let told = read(&mut events);
    assert_eq!(
        names(&told),
        ["runStarted", "callStarted", "callEnded", "ended"]
    );
}

#[test]
fn large_arguments_are_cut() {
    let executor = executor();
    block_on(executor.send_tools([("take", echo())])).unwrap();
    let mut events = executor.events();
    run(
        &executor,
        "await take('x'.repeat(1e6)); await take(Array.from({ length: 1e4 }, () => 'y')); await take(...Array(1e4).fill(1)); 1",
    );
    let told = read(&mut events);
    let mut count = 0;
    for event in told {
        if let EventKind::CallStarted { arguments, .. } = &event.kind {
            assert!(arguments.len() < 1100, "{}", arguments.len());
            count += 1;
        }
    }
    assert_eq!(count, 3);
}

#[test]
fn who_does_not_read_misses_the_oldest_and_is_told_how_many() {
    let executor = executor();
    let mut lazy = executor.events().max_unread(3, usize::MAX);
    let mut narrow = executor.events().max_unread(usize::MAX, 1);
    let mut all = executor.events().max_unread(10_000, usize::MAX);
    run(&executor, "for (let i = 0; i < 500; i++) console.log(i)");
    assert_eq!(read(&mut all).len(), 502);
    let told = read(&mut lazy);
    assert_eq!(told[0].kind, EventKind::Missed { events: 499 });
    assert_eq!(names(&told), ["missed", "log", "log", "ended"]);
    let told = read(&mut narrow);
    assert_eq!(told[0].kind, EventKind::Missed { events: 501 });
    assert_eq!(names(&told), ["missed", "ended"]);
    // It goes on from there.
    run(&executor, "1");
    assert_eq!(names(&read(&mut lazy)), ["runStarted", "ended"]);
}

#[test]
fn under_load_with_queued_and_background_runs_every_event_is_in_order() {
    let executor = ready(
        crate::options()
            .run_concurrency(Concurrency::Queue)
            .max_background_runs(1000),
    );
    block_on(executor.send_tools([("echo", echo()), ("sleep", sleep_tool().into())])).unwrap();
    let mut events = executor.events().max_unread(1 << 20, usize::MAX);
    let code = "for (let i = 0; i < 5; i++) { console.log(i); await echo(i) } await sleep(1)";
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let executor = executor.clone();
            std::thread::spawn(move || {
                for _ in 0..10 {
                    if thread % 2 == 0 {
                        block_on(executor.run(code)).unwrap();
                    } else {
                        let run = Run::new(code).yield_after(Duration::ZERO);
                        let hotcell_executor::Started::Running(running) =
                            block_on(executor.start(run))
                        else {
                            panic!()
                        };
                        block_on(executor.wait(&running.id)).unwrap();
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let told = read(&mut events);
    let numbers: Vec<u64> = told.iter().map(|event| event.number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    // One run after the other, each from its begin to its end.
    let mut under_way: Option<(String, usize)> = None;
    let mut ended = 0;
    for event in &told {
        match (&event.kind, &mut under_way) {
            (EventKind::RunStarted { .. }, none @ None) => *none = Some((event.run.to_string(), 0)),
            (EventKind::Ended { error: None, .. }, Some((run, count))) => {
                assert_eq!((&**run, *count), (&*event.run, 5 * 3 + 2));
                under_way = None;
                ended += 1;
            }
            (_, Some((run, count))) if **run == *event.run => *count += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ended, 40);
}

#[test]
fn a_run_whose_future_is_dropped_has_an_end() {
    let executor = executor();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let mut events = executor.events();
    {
        let mut run = Box::pin(executor.run("await gate()"));
        gate.reached_by(&mut run);
    }
    let told = read(&mut events);
    assert_eq!(names(&told), ["runStarted", "callStarted", "ended"]);
    let EventKind::Ended { error, .. } = &told[2].kind else {
        panic!()
    };
    assert_eq!(error.as_ref().unwrap().0, ErrorCode::Cancelled);
}

#[test]
fn a_suspended_run_has_the_same_ids_in_another_executor() {
    let executor = executor();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    let trace: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        .parse()
        .unwrap();
    let mut events = executor.events();
    block_on(executor.start(Run::new("await ask(1)").trace(trace)));
    let told = read(&mut events);
    assert_eq!(
        names(&told),
        ["runStarted", "callStarted", "callSuspended", "suspended"]
    );
    let EventKind::RunStarted { trace: begun, .. } = &told[0].kind else {
        panic!()
    };
    let begun = begun.unwrap().to_string();
    assert!(begun.starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
    assert!(begun != trace.to_string());

    let bytes = block_on(executor.snapshot()).unwrap();
    let restored = Executor::restore(&bytes, None).unwrap();
    let mut events = restored.events();
    block_on(restored.resume([("1.1", Answer::Value(Value::from(2)))])).unwrap();
    let told = read(&mut events);
    assert_eq!(names(&told), ["resumed", "callEnded", "ended"]);
    assert!(told.iter().all(|event| &*event.run == "1"));
    // What was given up has an end, too.
    let mut events = executor.events();
    block_on(executor.abandon()).unwrap();
    assert_eq!(names(&read(&mut events)), ["ended"]);
}

#[test]
fn a_run_that_was_resumed_has_an_end() {
    let executor = executor();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    assert!(matches!(
        block_on(executor.start("await ask()")),
        Started::Suspended(_)
    ));
    let mut events = executor.events();
    assert!(block_on(executor.resume([("1.9", Answer::Value(1.into()))])).is_err());
    let resumed = block_on(executor.resume([("1.1", Answer::Value(1.into()))]));
    assert!(matches!(resumed, Ok(Started::Complete(_))));
    assert_eq!(names(&read(&mut events)), ["resumed", "callEnded", "ended"]);
}

#[test]
fn the_stream_wakes_its_reader_and_ends_with_the_executor() {
    let executor = executor();
    let mut events = executor.events();
    let reader = std::thread::spawn(move || {
        block_on(async {
            let mut count = 0;
            while let Some(event) = events.next().await {
                count += usize::from(event.kind.name() == "ended");
            }
            count
        })
    });
    run(&executor, "1");
    run(&executor, "2");
    drop(executor);
    assert_eq!(reader.join().unwrap(), 2);
}

#[test]
fn a_callback_hears_the_same_and_may_call_back() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let executor = ready(crate::options().on_event(move |event| {
        listener.lock().unwrap().push(event.kind.name());
    }));
    run(&executor, "console.log(1)");
    assert_eq!(*told.lock().unwrap(), ["runStarted", "log", "ended"]);
}

#[test]
fn a_tool_knows_its_run_and_its_place_in_the_trace() {
    let executor = executor();
    let seen = Arc::new(Mutex::new(None));
    let of_tool = Arc::clone(&seen);
    let tool = AgentTool::sync(move |call| {
        *of_tool.lock().unwrap() = call.origin.clone();
        Ok(Value::Null)
    });
    block_on(executor.send_tools([("look", tool)])).unwrap();
    let trace: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        .parse()
        .unwrap();
    block_on(executor.run(Run::new("look(); look()").trace(trace))).unwrap();
    let origin = seen.lock().unwrap().take().unwrap();
    assert_eq!((origin.run(), &*origin.call()), ("1", "1.2"));
    let place = origin.trace().unwrap();
    assert_eq!(place.child(trace.span()), trace);
    assert!(place.span() != trace.span());
}

#[test]
fn a_run_that_waits_for_nobody_reading_is_not_held_up() {
    let executor = executor();
    let _unread = executor.events().max_unread(1, 1);
    let mut future =
        Box::pin(executor.run("for (let i = 0; i < 1000; i++) console.log('x'.repeat(100))"));
    while poll_once(&mut future).is_pending() {}
}

/// A subscriber that writes down what it is told, as text.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl tracing::field::Visit for Fields {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write as _;
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl tracing::Subscriber for Told {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "hotcell"
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        let mut told = self.0.lock().unwrap();
        told.push(format!("{}{}", span.metadata().name(), fields.0));
        tracing::span::Id::from_u64(told.len() as u64)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        self.0.lock().unwrap().push(format!("record{}", fields.0));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push(format!("event{}", fields.0));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn tracing_has_spans_of_runs_and_calls_with_the_same_ids() {
    let told = Told::default();
    let lines = Arc::clone(&told.0);
    tracing::subscriber::with_default(told, || {
        let executor = executor();
        let tool = AgentTool::asynchronous(|_| async {
            tracing::info!(target: "hotcell", "in the tool");
            Ok(Value::Null)
        });
        block_on(executor.send_tools([("look", tool)])).unwrap();
        run(&executor, "console.log('line'); await look(); 1");
    });
    let lines = lines.lock().unwrap();
    let expected = json!([
        "run run=\"1\" name=\"run-1.js\"",
        "event message=\"line\"",
        "call call=\"1.1\" tool=\"look\"",
        "event message=in the tool",
        "record outcome=\"returned\"",
        "record outcome=\"complete\"",
    ]);
    assert_eq!(json!(*lines), expected);
}
