//! What a client can ask for.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use hotcell::cell::{Clock, Engine, Pool, Random, Timers};
use hotcell::{Executor, ExecutorOptions};

use super::cell::{Cell, ClientTool, Observing, missing};
use super::client::Client;
use super::later::Later;
use super::message::{Execute, Report, Request, Response, SessionLimits, ToolDefinition, Waited};
use super::session::Session;

/// What a cell may take, whatever its session says.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) memory: u64,
    /// What its code may compute.
    pub(super) time: Duration,
}

/// Sessions have names that are used once.
const MAX_SESSIONS: usize = 100_000;
/// With so many waits it is time to forget those of cells that are gone.
const MANY_WAITS: usize = 1024;

pub(super) struct Host {
    engine: Engine,
    pool: Pool,
    client: Arc<Client>,
    later: Later,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<String, Arc<Session>>,
    /// Also those that are closed.
    known: HashSet<String>,
    /// Requests that wait for a cell.
    waits: HashMap<i64, Weak<Cell>>,
}

impl Host {
    pub(super) fn new(engine: Engine, pool: Pool, client: Arc<Client>, limits: Limits) -> Self {
        Self {
            engine,
            pool,
            client,
            later: Later::new(),
            limits,
            state: Mutex::default(),
        }
    }

    /// Takes a request in. Never waits.
    pub(super) fn take(&self, id: i64, request: Request) {
        let answer = match request {
            Request::Open {
                session_id,
                cell_execution_limits,
            } => self
                .open(session_id, cell_execution_limits.unwrap_or_default())
                .map(Some),
            Request::Execute {
                session_id,
                request,
            } => self.execute(id, &session_id, request).map(|()| None),
            Request::Wait {
                session_id,
                request,
            } => self.session(&session_id).and_then(|session| {
                let wait = session.yield_after(Some(request.yield_time_ms));
                of_cell(&session, &request.cell_id, |cell| {
                    self.remember(id, cell);
                    cell.observe(id, Observing::Wait, wait)
                })
            }),
            Request::Terminate {
                session_id,
                cell_id,
            } => self
                .session(&session_id)
                .and_then(|session| of_cell(&session, &cell_id, |cell| cell.terminate(id))),
            Request::Shutdown { session_id } => {
                let session = self.state().sessions.remove(&session_id);
                match session {
                    Some(session) => {
                        session.shut_down(id, &self.client);
                        Ok(None)
                    }
                    None => Err(unknown(&session_id)),
                }
            }
        };
        match answer {
            Ok(None) => {}
            Ok(Some(response)) => self.client.respond(id, Ok(response)),
            Err(message) => self.client.respond(id, Err(message)),
        }
    }

    /// Somebody does not want to wait any more.
    pub(super) fn cancel(&self, id: i64) {
        let cell = self.state().waits.remove(&id);
        let cell = cell.and_then(|cell| cell.upgrade());
        if cell.is_some_and(|cell| cell.leave(id)) {
            self.client
                .respond(id, Err("the request was cancelled".into()));
        }
    }

    fn open(&self, id: String, limits: SessionLimits) -> Result<Response, String> {
        if id.trim().is_empty() {
            return Err("a session needs a name".into());
        }
        let mut state = self.state();
        if state.sessions.contains_key(&id) {
            return Err(format!("the session {id} is open already"));
        }
        if state.known.len() >= MAX_SESSIONS {
            return Err(format!(
                "this host has had {MAX_SESSIONS} sessions: start another"
            ));
        }
        if !state.known.insert(id.clone()) {
            return Err(format!(
                "there was a session {id} already: choose another name"
            ));
        }
        let session = Session::new(id.clone(), limits);
        state.sessions.insert(id.clone(), session);
        Ok(Response::Ready { session_id: id })
    }

    fn execute(&self, id: i64, session: &str, request: Execute) -> Result<(), String> {
        let session = self.session(session)?;
        let executor = Executor::with_engine(&self.engine, self.options(&session));
        let tools = request.enabled_tools.into_iter().map(ClientTool::from);
        let cell = Cell::new(
            &session,
            &self.client,
            &self.later,
            executor,
            tools.collect(),
            request.tool_call_id,
        );
        session.add(&cell);
        let cell_id = cell.id.clone();
        // This comes before anything that is told of the cell.
        self.client.respond(id, Ok(Response::Started { cell_id }));
        let wait = session.yield_after(request.yield_time_ms);
        cell.observe(id, Observing::Execution, wait)?;
        self.pool.spawn(cell.run(request.source)).detach();
        Ok(())
    }

    fn options(&self, session: &Session) -> ExecutorOptions {
        let memory = session.limits.max_heap_size_bytes;
        ExecutorOptions::default()
            .memory_limit(memory.map_or(self.limits.memory, |bytes| bytes.min(self.limits.memory)))
            // Waiting is free, and loops are bounded by the time that they take.
            .timeout(None)
            .cpu_time(self.limits.time)
            .timers(Timers::On)
            .max_operations((1 << 53) - 1)
            .max_tool_calls(1_000_000)
            .clock(Clock::Real)
            .random(Random::Real)
    }

    /// Who waits may be cancelled. Those that were answered are forgotten now and then.
    fn remember(&self, id: i64, cell: &Arc<Cell>) {
        let mut state = self.state();
        if state.waits.len() >= MANY_WAITS {
            state.waits.retain(|_, cell| cell.strong_count() > 0);
        }
        state.waits.insert(id, Arc::downgrade(cell));
    }

    fn session(&self, id: &str) -> Result<Arc<Session>, String> {
        let session = self.state().sessions.get(id).cloned();
        session.ok_or_else(|| unknown(id))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<ToolDefinition> for ClientTool {
    fn from(tool: ToolDefinition) -> Self {
        Self {
            global: identifier(&tool.name),
            name: tool.tool_name,
            kind: tool.kind,
            description: tool.description,
        }
    }
}

/// Does something with a cell, which gives the answer itself. That there is no such cell is an answer, and no error.
fn of_cell(
    session: &Session,
    name: &str,
    work: impl FnOnce(&Arc<Cell>) -> Result<(), String>,
) -> Result<Option<Response>, String> {
    let problem = match session.cell(name) {
        Some(cell) => match work(&cell) {
            Ok(()) => return Ok(None),
            Err(problem) => problem,
        },
        None => missing(name),
    };
    // It may have gone since it was looked for.
    if problem != missing(name) {
        return Err(problem);
    }
    let outcome = Waited::MissingCell(Report::Result {
        cell_id: name.to_owned(),
        content_items: Vec::new(),
        error_text: Some(problem),
    });
    Ok(Some(Response::Waited { outcome }))
}

/// What code calls a tool: its name, with an underscore for what may not be in a name.
fn identifier(name: &str) -> String {
    let is_part = |c: char| c == '_' || c == '$' || c.is_ascii_alphanumeric();
    let mut identifier: String = name
        .chars()
        .map(|c| if is_part(c) { c } else { '_' })
        .collect();
    match identifier.chars().next() {
        None => identifier.push('_'),
        Some(first) if first.is_ascii_digit() => identifier.replace_range(..1, "_"),
        Some(_) => {}
    }
    identifier
}

fn unknown(session: &str) -> String {
    format!("there is no session {session}")
}
