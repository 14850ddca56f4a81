//! Runs that wait for the host, and what happens in an executor.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, atomic::Ordering},
    task::{Poll, Waker},
};

use futures_util::Stream;
use hotcell::cell::{ToolError, Value};
use hotcell::{Answer, Event, Events, ExecutorOptions, Run, Started};
use napi::{
    Result,
    bindgen_prelude::{BigInt, Utf16String},
};
use napi_derive::napi;

use super::{
    NativeExecutor, cancelled, failed, read_options,
    report::{so_far, started, suspended},
    timed,
};
use crate::{
    bridge::Bridge,
    fault::{bug, mistake},
    host::Host,
    main_thread::Weight,
    order::is_long_start,
    outcome::Outcome,
    packed::{Malformed, Reader},
    sent::Borrowed,
    shared::lock,
    snapshot::SnapshotBytes,
};

/// So many events are told at once.
const BATCH: usize = 256;
/// Beyond so many bytes Node's thread takes no more of them.
const SMALL: usize = 64 << 10;

// What an answer to a call is, in lib/runs.cjs, too.
const VALUE: u32 = 0;
const ERROR: u32 = 1;
const APPROVE: u32 = 2;
const DENY: u32 = 3;

#[napi]
impl NativeExecutor {
    /// Runs code to its end, or until it waits for its host, within `times` as for [`Self::run`]. [`Self::last_started`] then says which run it is.
    #[napi]
    pub fn begin(
        &self,
        operation: u32,
        code: String,
        name: Option<String>,
        times: &[f64],
        calls_function: bool,
        traceparent: Option<String>,
    ) -> Result<bool> {
        let weight = Weight::of_bytes(code.len());
        let mut run = Run::new(code);
        if calls_function {
            run = run.calls_function();
        }
        if let Some(name) = name {
            run = run.name(name);
        }
        run = timed(run, times)?;
        if let Some(trace) = traceparent {
            run = run.trace(trace.parse().map_err(mistake)?);
        }
        let (id, begun) = self.executor.starting(run);
        *lock(&self.last_started) = id;
        Ok(self.lead(operation, weight, async move { Ok(begun.await) }))
    }

    /// Which run was begun last.
    #[napi(getter)]
    pub fn last_started(&self) -> String {
        lock(&self.last_started).clone()
    }

    /// Gives a suspended run answers: as many packed values as calls, with what each is.
    #[napi]
    #[allow(
        clippy::too_many_arguments,
        reason = "Node-API passes them one by one, which is cheaper than an object"
    )]
    pub fn resume(
        &self,
        operation: u32,
        calls: Vec<String>,
        kinds: Vec<u32>,
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
        bigints: Option<Vec<BigInt>>,
    ) -> Result<bool> {
        let pieces = Borrowed {
            row,
            text,
            bytes,
            bigints,
        };
        let weight = self.chore(pieces.weight());
        let read = |reader: Reader<'_>| answers(calls, &kinds, reader);
        let answers = pieces.into_owned().read(read).map_err(bug)?;
        let executor = self.executor.clone();
        Ok(self.lead(
            operation,
            weight,
            async move { executor.resume(answers).await },
        ))
    }

    /// The run that waits, if there is one.
    #[napi]
    pub fn suspension(&self, operation: u32) -> bool {
        let executor = self.executor.clone();
        self.start(operation, Weight::Heavy, async move {
            executor
                .suspension()
                .await
                .map_or(Outcome::Nothing, suspended)
        })
    }

    /// Gives up the run that waits.
    #[napi]
    pub fn abandon(&self, operation: u32) -> bool {
        let executor = self.executor.clone();
        let weight = self.chore(Weight::Light);
        self.start(operation, weight, async move {
            super::nothing(executor.abandon().await)
        })
    }

    /// What a run that goes on has to show so far.
    #[napi]
    pub fn so_far(&self, operation: u32, run: String) -> bool {
        let executor = self.executor.clone();
        let (bridge, lane) = (Arc::clone(&self.bridge), self.lane.number);
        // Beside the order: the run is under way.
        self.bridge
            .spawn(operation, Weight::Heavy, &self.affinity, async move {
                bridge.done(lane, operation, so_far(executor.so_far(&run)));
            })
    }

    /// What happens from here on.
    #[napi]
    pub fn events(&self, most: Option<u32>, most_bytes: Option<u32>) -> NativeEvents {
        let size = |given: Option<u32>, usual| given.map_or(usual, |given| given as usize);
        let events = self.executor.events().max_unread(
            size(most, Events::MAX_UNREAD),
            size(most_bytes, Events::MAX_UNREAD_BYTES),
        );
        NativeEvents {
            bridge: Arc::clone(&self.bridge),
            open: Arc::new(Mutex::new(Open {
                events: Some(events),
                waker: None,
            })),
        }
    }

    /// A run that comes to something, in its order.
    fn lead(
        &self,
        operation: u32,
        weight: Weight,
        run: impl Future<Output = std::result::Result<Started, hotcell::ExecutorError>> + Send + 'static,
    ) -> bool {
        let (bridge, memory) = (Arc::clone(&self.bridge), Arc::clone(&self.memory));
        let lane = self.lane.number;
        let tell = move |ended: Option<std::result::Result<Started, _>>| {
            if let Some(Ok(Started::Complete(execution))) = &ended {
                memory.fetch_max(execution.stats.peak_memory_bytes, Ordering::Relaxed);
            }
            let outcome = match ended {
                None => cancelled(),
                Some(Ok(how)) => started(how),
                Some(Err(error)) => failed(&error),
            };
            bridge.done(lane, operation, outcome);
        };
        let is_long =
            |ended: &std::result::Result<Started, _>| ended.as_ref().is_ok_and(is_long_start);
        let run = self
            .order
            .run(&self.executor, operation, run, is_long, tell);
        self.spawn(operation, weight, run)
    }
}

fn answers(
    calls: Vec<String>,
    kinds: &[u32],
    mut reader: Reader<'_>,
) -> std::result::Result<Vec<(String, Answer)>, Malformed> {
    let mut answers = Vec::with_capacity(calls.len());
    for (call, kind) in calls.into_iter().zip(kinds) {
        let value = reader.value()?;
        let answer = match (*kind, value) {
            (VALUE, value) => Answer::Value(value),
            (ERROR, Value::Error(error)) => Answer::Error(ToolError::from(error)),
            (APPROVE, _) => Answer::Approve,
            (DENY, Value::String(reason)) => Answer::Deny(reason.to_string()),
            _ => Answer::Error(ToolError::from("the tool failed")),
        };
        answers.push((call, answer));
    }
    reader.finish()?;
    Ok(answers)
}

/// What happens in an executor, for one reader.
#[napi]
pub struct NativeEvents {
    bridge: Arc<Bridge>,
    open: Arc<Mutex<Open>>,
}

struct Open {
    /// Until it is closed.
    events: Option<Events>,
    waker: Option<Waker>,
}

#[napi]
impl NativeEvents {
    /// Events that are there already, as JSON; nothing if there is none.
    #[napi]
    pub fn take(&self) -> Result<Option<String>> {
        let mut open = lock(&self.open);
        let Some(events) = &mut open.events else {
            return Ok(None);
        };
        let mut json = String::new();
        while json.len() < SMALL
            && let Some(event) = events.next_now()
        {
            json.push(if json.is_empty() { '[' } else { ',' });
            json.push_str(&serde_json::to_string(&*event).map_err(bug)?);
        }
        Ok((!json.is_empty()).then(|| json + "]"))
    }

    /// The next events, at least one; an empty list at the end.
    #[napi]
    pub fn next(&self, operation: u32) -> bool {
        let (bridge, open) = (Arc::clone(&self.bridge), Arc::clone(&self.open));
        let affinity = Arc::default();
        self.bridge
            .spawn(operation, Weight::Heavy, &affinity, async move {
                let mut batch = Vec::new();
                poll_fn(|context| {
                    let mut open = lock(&open);
                    let Some(events) = &mut open.events else {
                        return Poll::Ready(());
                    };
                    while batch.len() < BATCH {
                        match Pin::new(&mut *events).poll_next(context) {
                            Poll::Ready(Some(event)) => batch.push(event),
                            Poll::Ready(None) => return Poll::Ready(()),
                            Poll::Pending => break,
                        }
                    }
                    if batch.is_empty() {
                        open.waker = Some(context.waker().clone());
                        return Poll::Pending;
                    }
                    Poll::Ready(())
                })
                .await;
                let batch: Vec<&Event> = batch.iter().map(|event| &**event).collect();
                bridge.done(0, operation, Outcome::data(&batch));
            })
    }

    /// Nobody reads any more.
    #[napi]
    pub fn close(&self) {
        let (events, waker) = {
            let mut open = lock(&self.open);
            (open.events.take(), open.waker.take())
        };
        drop(events);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// What a snapshot says of itself.
#[napi]
pub fn inspect_snapshot(
    host: &Host,
    operation: u32,
    snapshot: &mut SnapshotBytes,
    options: Option<String>,
) -> Result<bool> {
    let options = options.map(|options| read_options(&options)).transpose()?;
    let options: ExecutorOptions = options.unwrap_or_default();
    let (bridge, snapshot) = (Arc::clone(&host.bridge), snapshot.take());
    let affinity = Arc::default();
    Ok(host
        .bridge
        .spawn(operation, Weight::Heavy, &affinity, async move {
            let outcome = match hotcell::inspect_snapshot(&snapshot, &options) {
                Ok(info) => Outcome::data(&info),
                Err(error) => failed(&error),
            };
            bridge.done(0, operation, outcome);
        }))
}
