//! rquickjs: QuickJS-ng compiled to machine code, in this process, without a wall.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use pollster::block_on;
use rquickjs::{
    AsyncContext, AsyncRuntime, CatchResultExt, CaughtError, Ctx, Function, Promise, prelude::Async,
};
use serde_json::{Value, json};

use crate::peer::{About, Peer, Request, Tools};

pub(crate) struct Rquickjs {
    // Dropped in this order.
    context: AsyncContext,
    _runtime: AsyncRuntime,
    began: Instant,
    /// µs after `began`.
    deadline: Arc<AtomicU64>,
    timeout_us: u64,
}

impl Peer for Rquickjs {
    fn about() -> About {
        About {
            title: "rquickjs",
            version: "0.14.0".into(),
            lacks: json!({ "loop_guarded": "no counting", "command": "none" }),
        }
    }

    fn create(request: &Request) -> Self {
        let runtime = AsyncRuntime::new().unwrap();
        let began = Instant::now();
        let deadline = Arc::new(AtomicU64::new(0));
        let late = {
            let deadline = Arc::clone(&deadline);
            move || micros(began) > deadline.load(Ordering::Relaxed)
        };
        let context = block_on(async {
            runtime.set_memory_limit(request.memory()).await;
            runtime.set_interrupt_handler(Some(Box::new(late))).await;
            let context = AsyncContext::full(&runtime).await.unwrap();
            if let Some(tools) = &request.tools {
                context.async_with(async |ctx| define(&ctx, tools)).await;
            }
            context
        });
        Self {
            context,
            _runtime: runtime,
            began,
            deadline,
            timeout_us: request.timeout_ms * 1000,
        }
    }

    fn run(&mut self, code: &str) -> Result<Value, String> {
        self.deadline
            .store(micros(self.began) + self.timeout_us, Ordering::Relaxed);
        let code = format!("(async () => {{{code}\n}})()");
        block_on(self.context.async_with(async |ctx| {
            let text = |error: CaughtError| error.to_string();
            let promise: Promise = ctx.eval(code).catch(&ctx).map_err(text)?;
            let value = promise
                .into_future::<rquickjs::Value>()
                .await
                .catch(&ctx)
                .map_err(text)?;
            Ok(match (value.as_number(), value.as_bool()) {
                (Some(number), _) => json!(number),
                (_, Some(bool)) => json!(bool),
                _ => Value::Null,
            })
        }))
    }
}

fn define(ctx: &Ctx, tools: &Tools) {
    let (name, function) = match tools {
        Tools::Async => (
            "tool",
            Function::new(ctx.clone(), Async(|n: f64| async move { n + 1.0 })),
        ),
        Tools::Sync => ("stool", Function::new(ctx.clone(), |n: f64| n + 1.0)),
    };
    ctx.globals().set(name, function.unwrap()).unwrap();
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
