//! The same operations on rquickjs: QuickJS-ng compiled to machine code, in this process, without a wall.

use std::time::{Duration, Instant};

use rquickjs::{AsyncContext, AsyncRuntime, Context, Function, Promise, Runtime, prelude::Async};

use bench_measure::{median, pss, seconds};

pub(crate) fn first_result() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    println!("{}", context.with(|ctx| ctx.eval::<i32, _>("1+1").unwrap()));
}

pub(crate) fn create_run_drop() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    assert_eq!(context.with(|ctx| ctx.eval::<i32, _>("1+1").unwrap()), 2);
}

pub(crate) fn evaluate() -> impl FnMut() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    move || assert_eq!(context.with(|ctx| ctx.eval::<i32, _>("1+1").unwrap()), 2)
}

const CALLS: &str =
    "(() => { let s = 0; for (let i = 0; i < 100000; i++) s += tool(i); return s })()";
const NO_CALLS: &str = "(() => { let s = 0; for (let i = 0; i < 100000; i++) s += i; return s })()";

pub(crate) fn sync_calls() -> impl FnMut() -> f64 {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let tool = Function::new(ctx.clone(), |x: f64| x).unwrap();
        ctx.globals().set("tool", tool).unwrap();
    });
    move || {
        let full = seconds(|| context.with(|ctx| ctx.eval::<f64, _>(CALLS).unwrap()));
        let empty = seconds(|| context.with(|ctx| ctx.eval::<f64, _>(NO_CALLS).unwrap()));
        (full - empty) * 1e6 / 100_000.0
    }
}

pub(crate) fn async_calls() -> impl FnMut() -> f64 {
    let runtime = AsyncRuntime::new().unwrap();
    let context = pollster::block_on(AsyncContext::full(&runtime)).unwrap();
    pollster::block_on(context.async_with(async |ctx| {
        let tool = Function::new(ctx.clone(), Async(|x: f64| async move { x })).unwrap();
        ctx.globals().set("tool", tool).unwrap();
    }));
    move || {
        let full = seconds(|| {
            pollster::block_on(context.async_with(async |ctx| {
                let promise: Promise = ctx.eval("(async () => { let s = 0; for (let i = 0; i < 100000; i++) s += await tool(i); return s })()").unwrap();
                promise.into_future::<f64>().await.unwrap()
            }))
        });
        full * 1e6 / 100_000.0
    }
}

pub(crate) fn loop_iterations() -> impl FnMut() -> f64 {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    move || {
        let code = "(() => { let s = 0; for (let i = 0; i < 1000000; i++) { s = (s + i) | 0 } return s })()";
        seconds(|| context.with(|ctx| ctx.eval::<f64, _>(code).unwrap())) * 1e6 / 1e6
    }
}

/// Median ms by which a run outlives its deadline; `None` if it does not end at all.
pub(crate) fn kill(code: &str) -> Option<f64> {
    const DEADLINE: Duration = Duration::from_millis(50);
    if code.contains("sort") {
        // Its interrupt handler is not polled there; nothing in the process could stop it.
        return None;
    }
    let times = (0..20).map(|_| {
        let runtime = Runtime::new().unwrap();
        let began = Instant::now();
        runtime.set_interrupt_handler(Some(Box::new(move || began.elapsed() > DEADLINE)));
        let context = Context::full(&runtime).unwrap();
        context.with(|ctx| assert!(ctx.eval::<(), _>(code).is_err()));
        began.elapsed().saturating_sub(DEADLINE).as_secs_f64() * 1e3
    });
    Some(median(times.collect()))
}

pub(crate) fn memory_per_context(count: u32) -> f64 {
    let before = pss();
    let contexts: Vec<(Runtime, Context)> = (0..count)
        .map(|_| {
            let runtime = Runtime::new().unwrap();
            let context = Context::full(&runtime).unwrap();
            context.with(|ctx| {
                ctx.eval::<(), _>("var n = 1; var list = [1, 2, 3]; var user = { name: 'Ada', tags: new Set(['a']) }; function f(x) { return x + n }").unwrap();
            });
            (runtime, context)
        })
        .collect();
    let after = pss();
    drop(contexts);
    (after - before) / f64::from(count)
}
