//! One execution: its code, what it shows, and who waits for it.
//!
//! A cell reports to one observer at a time: whoever asked for it to be executed, then whoever waits. What the code shows while nobody
//! waits is kept for the next one, and so is its end.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::{Either, Shared, select};
use hotcell::cell::{Charge, ToolError, Value};
use hotcell::{Executor, ExecutorError, ObservationOptions, Run};

use super::client::{Client, Question};
use super::functions::{GUEST, functions};
use super::later::Later;
use super::message::{Item, Report, Response, ToolKind, ToolName, Waited};
use super::session::{MAX_STORED, Session, Stored};

/// What a cell may show between two reports.
const MAX_ITEMS: usize = 10_000;
const MAX_ITEM_BYTES: usize = 16 << 20;

/// A tool of the client's.
pub(super) struct ClientTool {
    pub(super) name: ToolName,
    pub(super) kind: ToolKind,
    /// What code calls it.
    pub(super) global: String,
    pub(super) description: String,
}

pub(super) struct Cell {
    pub(super) id: String,
    pub(super) session: Arc<Session>,
    pub(super) client: Arc<Client>,
    pub(super) later: Later,
    pub(super) tools: Vec<ClientTool>,
    /// The call of the model's that this answers.
    pub(super) tool_call_id: String,
    /// As it was when the cell began.
    stored: Stored,
    executor: Executor,
    /// Ends everything that is waited for.
    ending: Mutex<Option<oneshot::Sender<()>>>,
    ended: Shared<oneshot::Receiver<()>>,
    // Reports are sent behind this lock, so that they are in order; only this cell waits there.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    items: Vec<Item>,
    bytes: usize,
    /// What pays for the items.
    paid: Vec<Charge>,
    observer: Option<Observer>,
    observers: u64,
    writes: Stored,
    stored_bytes: usize,
    calls: u64,
    /// Notifications that the client has not confirmed.
    notices: Vec<Question>,
}

#[derive(Default)]
enum Phase {
    #[default]
    Running,
    /// Somebody wants it to end; nobody did if the session ends.
    Terminating(Option<i64>),
    /// It has ended, and nobody was there to hear how.
    Ended(Option<String>),
    Closed,
}

struct Observer {
    number: u64,
    request: i64,
    kind: Observing,
}

/// What an observer has asked for.
#[derive(Clone, Copy)]
pub(super) enum Observing {
    Execution,
    Wait,
}

impl Cell {
    pub(super) fn new(
        session: &Arc<Session>,
        client: &Arc<Client>,
        later: &Later,
        executor: Executor,
        tools: Vec<ClientTool>,
        tool_call_id: String,
    ) -> Arc<Self> {
        let stored = session.stored();
        let stored_bytes = stored
            .iter()
            .map(|(key, json)| key.len() + json.len())
            .sum();
        let (ending, ended) = oneshot::channel();
        Arc::new(Self {
            id: session.next_id(),
            session: Arc::clone(session),
            client: Arc::clone(client),
            later: later.clone(),
            tools,
            tool_call_id,
            stored,
            executor,
            ending: Mutex::new(Some(ending)),
            ended: ended.shared(),
            state: Mutex::new(State {
                stored_bytes,
                ..State::default()
            }),
        })
    }

    /// Runs its code to the end, and tells what came of it.
    pub(super) async fn run(self: Arc<Self>, source: String) {
        let error = {
            let execution = pin!(self.execute(source));
            match select(execution, self.ended.clone()).await {
                Either::Left((error, _)) => error,
                // It is called off where it stands.
                Either::Right(_) => None,
            }
        };
        // What the code has told is told before its end is.
        let notices = std::mem::take(&mut self.state().notices);
        for notice in notices {
            let _ = select(pin!(notice.answer()), self.ended.clone()).await;
        }
        let _ = self.executor.cleanup().await;
        self.finish(error);
    }

    /// The error that it ends with, in words for the model.
    async fn execute(self: &Arc<Self>, source: String) -> Option<String> {
        let words = |error: ExecutorError| error.observation(&ObservationOptions::default());
        if let Err(error) = self.furnish().await {
            return Some(words(error));
        }
        let execution = self
            .executor
            .execute(Run::new(source).name("exec.mjs"))
            .await;
        execution.error.map(words)
    }

    async fn furnish(self: &Arc<Self>) -> Result<(), ExecutorError> {
        self.executor.init().await?;
        self.executor.send_tools(functions(self)).await?;
        let all = self.tools.iter().map(|tool| {
            Value::object([
                ("name", Value::from(&*tool.global)),
                ("description", Value::from(&*tool.description)),
            ])
        });
        let all = Value::Array(all.collect());
        self.executor.send_variables([("ALL_TOOLS", all)]).await?;
        self.executor
            .run(Run::new(GUEST).name("code-mode.js"))
            .await?;
        Ok(())
    }

    /// Somebody wants to hear of it, at the latest after a while. An error says why that cannot be.
    pub(super) fn observe(
        self: &Arc<Self>,
        request: i64,
        kind: Observing,
        wait: Duration,
    ) -> Result<(), String> {
        let mut state = self.state();
        if let Phase::Ended(error) = &mut state.phase {
            let error = error.take();
            self.tell_end(state, request, kind, error);
            return Ok(());
        }
        match state.phase {
            Phase::Running if state.observer.is_some() => {
                Err(format!("somebody waits for exec cell {} already", self.id))
            }
            Phase::Running => {
                state.observers += 1;
                let number = state.observers;
                state.observer = Some(Observer {
                    number,
                    request,
                    kind,
                });
                drop(state);
                let cell = Arc::downgrade(self);
                self.later.after(wait, move || {
                    if let Some(cell) = cell.upgrade() {
                        cell.yield_now(Some(number));
                    }
                });
                Ok(())
            }
            Phase::Terminating(_) => Err(format!("exec cell {} is being terminated", self.id)),
            Phase::Closed | Phase::Ended(_) => Err(missing(&self.id)),
        }
    }

    /// Tells the observer what there is so far: the one of that number, or whoever it is.
    pub(super) fn yield_now(&self, number: Option<u64>) {
        let mut state = self.state();
        let is_meant =
            |observer: &mut Observer| number.is_none_or(|number| observer.number == number);
        let observer = state.observer.take_if(is_meant);
        if let (Some(observer), Phase::Running) = (observer, &state.phase) {
            let report = Report::Yielded {
                cell_id: self.id.clone(),
                content_items: state.take(),
            };
            self.tell(observer.request, observer.kind, report);
        }
    }

    /// Whoever waits with that request does not want to any more. False if nobody did.
    pub(super) fn leave(&self, request: i64) -> bool {
        let mut state = self.state();
        let is_meant = |observer: &mut Observer| observer.request == request;
        state.observer.take_if(is_meant).is_some()
    }

    /// Ends it, for who asks. An error says why that cannot be.
    pub(super) fn terminate(&self, request: i64) -> Result<(), String> {
        let mut state = self.state();
        if let Phase::Ended(error) = &mut state.phase {
            let error = error.take();
            self.tell_end(state, request, Observing::Wait, error);
            return Ok(());
        }
        match state.phase {
            Phase::Running => {
                state.phase = Phase::Terminating(Some(request));
                drop(state);
                self.end();
                Ok(())
            }
            Phase::Terminating(_) => Err(format!("exec cell {} is being terminated", self.id)),
            Phase::Closed | Phase::Ended(_) => Err(missing(&self.id)),
        }
    }

    /// Ends it, as its session does.
    pub(super) fn give_up(&self) {
        let mut state = self.state();
        match state.phase {
            Phase::Running => {
                state.phase = Phase::Terminating(None);
                drop(state);
                self.end();
            }
            Phase::Ended(_) => {
                state.phase = Phase::Closed;
                drop(state);
                self.session.forget(&self.id, &self.client);
            }
            Phase::Terminating(_) | Phase::Closed => {}
        }
    }

    fn end(&self) {
        let ending = self
            .ending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // That it is dropped is the word.
        drop(ending);
        self.executor.cancel();
    }

    fn finish(&self, error: Option<String>) {
        let mut state = self.state();
        let phase = std::mem::replace(&mut state.phase, Phase::Closed);
        if let Phase::Terminating(request) = phase {
            let terminated = |content_items| Report::Terminated {
                cell_id: self.id.clone(),
                content_items,
            };
            let items = state.take();
            let observer = state.observer.take();
            match (request, observer) {
                (Some(request), observer) => {
                    if let Some(observer) = observer {
                        self.tell(observer.request, observer.kind, terminated(Vec::new()));
                    }
                    self.tell(request, Observing::Wait, terminated(items));
                }
                (None, Some(observer)) => {
                    self.tell(observer.request, observer.kind, terminated(items));
                }
                (None, None) => {}
            }
        } else {
            self.session.commit(std::mem::take(&mut state.writes));
            let Some(observer) = state.observer.take() else {
                state.phase = Phase::Ended(error);
                return;
            };
            let report = self.ended_with(&mut state, error);
            self.tell(observer.request, observer.kind, report);
        }
        drop(state);
        self.session.forget(&self.id, &self.client);
    }

    /// Tells of an end that was kept, which is the last of the cell.
    fn tell_end(
        &self,
        mut state: MutexGuard<'_, State>,
        request: i64,
        kind: Observing,
        error: Option<String>,
    ) {
        let report = self.ended_with(&mut state, error);
        self.tell(request, kind, report);
        state.phase = Phase::Closed;
        drop(state);
        self.session.forget(&self.id, &self.client);
    }

    fn ended_with(&self, state: &mut State, error_text: Option<String>) -> Report {
        Report::Result {
            cell_id: self.id.clone(),
            content_items: state.take(),
            error_text,
        }
    }

    fn tell(&self, request: i64, kind: Observing, report: Report) {
        match kind {
            Observing::Execution => self.client.report(request, report),
            Observing::Wait => {
                let outcome = Waited::LiveCell(report);
                self.client
                    .respond(request, Ok(Response::Waited { outcome }));
            }
        }
    }

    /// Takes in something that the code shows.
    pub(super) fn show(
        &self,
        item: Item,
        bytes: usize,
        paid: Option<Charge>,
    ) -> Result<(), ToolError> {
        let mut state = self.state();
        if state.items.len() >= MAX_ITEMS || state.bytes + bytes > MAX_ITEM_BYTES {
            return Err(ToolError::new(
                "RangeError",
                format!(
                    "too much to show: {MAX_ITEMS} items and {MAX_ITEM_BYTES} bytes may wait to be read; show less"
                ),
            ));
        }
        state.items.push(item);
        state.bytes += bytes;
        state.paid.extend(paid);
        Ok(())
    }

    pub(super) fn store(&self, key: String, json: String) -> Result<(), ToolError> {
        let mut state = self.state();
        let old = state.writes.get(&key).or_else(|| self.stored.get(&key));
        let old = old.map_or(0, |json| key.len() + json.len());
        let with = state.stored_bytes - old + key.len() + json.len();
        if with > MAX_STORED {
            return Err(ToolError::new(
                "RangeError",
                format!(
                    "a session may store {MAX_STORED} bytes, and with this it would be {with}: store less"
                ),
            ));
        }
        state.stored_bytes = with;
        state.writes.insert(key, json.into());
        Ok(())
    }

    pub(super) fn load(&self, key: &str) -> Option<Arc<str>> {
        let state = self.state();
        let json = state.writes.get(key).or_else(|| self.stored.get(key));
        json.cloned()
    }

    pub(super) fn next_call(&self) -> u64 {
        let mut state = self.state();
        state.calls += 1;
        state.calls
    }

    pub(super) fn notified(&self, question: Question) {
        self.state().notices.push(question);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Vec<Item> {
        self.bytes = 0;
        self.paid.clear();
        std::mem::take(&mut self.items)
    }
}

/// What is said of a cell that there is not.
pub(super) fn missing(cell: &str) -> String {
    format!("exec cell {cell} not found")
}
