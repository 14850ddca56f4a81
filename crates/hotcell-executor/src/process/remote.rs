//! The worker of an executor, as the executor knows it.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hotcell_cell::Value;
use hotcell_meter::{StopToken, Unwatched};
use hotcell_worker::{
    Death, End, Event, JailOptions, JailReport, Message, Supervisor, Why, Worker, WorkerError,
    WorkerOptions,
};
use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    desk::Desk,
    inside::SERVICE,
    mirror::Mirror,
    pack::{Malformed, Packer, Unpacker},
    told::{nanos, take_error, take_started, take_suspension},
    wire::{Order, WireOptions, WireTool, put_answers, put_granted, put_modules},
    worker_build,
};
use crate::{
    alarm::Alarm,
    error::{ErrorCode, ExecutorError, TimeLimit, chain},
    executor::{Answer, Started, Suspension},
    failure::LOST,
    files::Files,
    grants,
    hooks::Hooks,
    log::LogEntry,
    options::ExecutorOptions,
    output::{Execution, Run},
    state::State,
    tool::AgentTool,
};

pub(crate) use hotcell_worker::{Canceller, Limit};

/// How long a worker has to end a run by itself once its time is over, before it is killed. It takes a millisecond, and tells where the
/// code was; but on a machine that has much to do it may not even run for longer than that.
const GRACE: Duration = Duration::from_millis(50);

/// How long it has to end a run that it is told to end. If it does, what the code has declared stays; so this is for a machine that
/// has much to do.
pub(crate) const TO_GO_ALONG: Duration = Duration::from_millis(100);

/// How exactly it is known how long a process has computed.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// How long it may take to be ready, or for anything that is not a run.
const ORDER: Duration = Duration::from_secs(30);

/// How much an answer may take beside what the options allow for what is in it.
const SLACK: usize = 1 << 20;

/// What a worker begins with.
pub(crate) enum Beginning<'a> {
    Fresh,
    /// Memory that was taken of another one, as bytes.
    Restored {
        snapshot: &'a [u8],
        /// What it was taken against.
        base: Option<&'a [u8]>,
        /// Where the sequence of random numbers goes on, in a fork.
        sequence: Option<[u8; 8]>,
    },
}

/// How long a run may take.
pub(crate) struct Time<'a> {
    pub(crate) timeout: Option<Duration>,
    /// What is left of it.
    pub(crate) left: Option<Duration>,
    /// How long it may compute, and what is left of that. Without a timeout this is what ends it.
    pub(crate) cpu: Option<Duration>,
    pub(crate) cpu_left: Option<Duration>,
    pub(crate) stop: &'a StopToken,
    /// Whether waiting for the host is free.
    pub(crate) pauses: bool,
}

/// Why there is no answer.
pub(crate) enum Gone {
    /// The worker lives, and refuses.
    Refused(ExecutorError),
    /// It is dead. What it printed before is there.
    Dead(ExecutorError, Vec<LogEntry>),
}

impl Gone {
    pub(crate) fn into_error(self) -> ExecutorError {
        match self {
            Self::Refused(error) | Self::Dead(error, _) => error,
        }
    }
}

impl From<Malformed> for Gone {
    fn from(malformed: Malformed) -> Self {
        Self::Dead(crashed(&malformed.to_string(), None), Vec::new())
    }
}

/// What a run has come to.
pub(crate) struct Told {
    pub(crate) started: Started,
    /// Whether nothing can be run in the worker any more.
    pub(crate) is_dirty: bool,
    /// Whether it can go on all the same, with all that it had.
    pub(crate) is_whole: bool,
    /// Names that code has declared since it was last told, and what other hosts have as globals among them.
    pub(crate) names: Vec<String>,
    pub(crate) globals: Vec<String>,
    pub(crate) knows_all_names: bool,
}

/// The worker of an executor. Dropping it kills the process.
pub(crate) struct Remote {
    worker: Worker,
    options: Arc<ExecutorOptions>,
    desk: Desk,
    mirror: Mirror,
    hooks: Arc<Hooks>,
    /// The files that it sees.
    files: Option<Files>,
    /// Whether it works on an order.
    is_working: bool,
    /// Kills it if it does not end what was given up.
    limit: Option<Limit>,
}

/// How an order was carried out.
#[derive(Deserialize)]
struct Done {
    ok: bool,
    state: String,
}

impl Remote {
    /// A worker with an executor.
    pub(crate) async fn begin(
        hooks: &Arc<Hooks>,
        beginning: Beginning<'_>,
    ) -> Result<Self, ExecutorError> {
        match Self::try_to_begin(hooks, &beginning).await {
            // One that waited for work may have died of something that is no fault of this executor's.
            Err(error) if error.code == ErrorCode::WorkerCrashed => {
                let begun = Self::try_to_begin(hooks, &beginning).await;
                begun.map_err(|error| match error.code {
                    ErrorCode::WorkerCrashed => init_failed(&error.message),
                    _ => error,
                })
            }
            begun => begun,
        }
    }

    async fn try_to_begin(
        hooks: &Arc<Hooks>,
        beginning: &Beginning<'_>,
    ) -> Result<Self, ExecutorError> {
        let options = &hooks.options;
        if let Some(reason) = options.what_keeps_it_here() {
            return Err(init_failed(reason));
        }
        let unusable = |error: WorkerError| init_failed(&chain(&error));
        let made = Supervisor::shared().map_err(unusable)?;
        let mut worker = made
            .worker(&worker_options(options))
            .await
            .map_err(unusable)?;
        let limit = worker.limit(Instant::now() + ORDER);
        let ready = worker.ready().await;
        ready.map_err(|death| match death.end {
            // It says why it cannot begin.
            End::Exit(_) => init_failed(&death.to_string()),
            _ => died(&death, None),
        })?;
        drop(limit);
        let mut desk = Desk::new(hooks.account.clone());
        for (name, module) in &options.modules {
            if module.text().is_none() {
                for (export, tool) in module.members().0 {
                    desk.serve(&format!("{name}#{export}"), tool);
                }
            }
        }
        let granted = grants::tools(hooks);
        for (name, tool) in &granted {
            desk.serve(name, tool);
        }
        let mut remote = Self {
            worker,
            options: Arc::clone(options),
            desk,
            mirror: Mirror::new(hooks),
            hooks: Arc::clone(hooks),
            files: None,
            is_working: false,
            limit: None,
        };
        let (snapshot, base, sequence) = match beginning {
            Beginning::Fresh => (None, None, None),
            Beginning::Restored {
                snapshot,
                base,
                sequence,
            } => (Some(*snapshot), *base, *sequence),
        };
        let order = Order::Begin {
            options: WireOptions::of(options),
            approves: options.on_approval.is_some(),
            restores: snapshot.is_some(),
            since: base.is_some(),
            sequence,
        };
        let mut beside = Packer::default();
        let put = put_modules(&mut beside, options);
        put.map_err(|error| init_failed(&error.to_string()))?;
        put_granted(&mut beside, &granted);
        if let Some(snapshot) = snapshot {
            beside.bytes(snapshot);
        }
        if let Some(base) = base {
            beside.bytes(base);
        }
        let begun = remote.order(&order, beside.finish()).await;
        begun.map_err(Gone::into_error)?;
        Ok(remote)
    }

    /// Whether it can be given something to do, now or soon.
    pub(crate) fn is_alive(&self) -> bool {
        self.worker.is_alive()
    }

    /// Nobody waits for what it does: it is to end that soon, and its calls end now.
    pub(crate) fn give_up(&mut self) {
        if self.is_working && self.limit.is_none() {
            let canceller = self.worker.cancel();
            self.limit = Some(canceller.limit(Instant::now() + TO_GO_ALONG));
            self.desk.give_up();
        }
    }

    pub(crate) async fn send_variables(
        &mut self,
        variables: &[(String, Value)],
    ) -> Result<(), Gone> {
        let mut beside = Packer::default();
        beside.count(variables.len());
        for (name, value) in variables {
            beside.text(name);
            beside.value(value).map_err(|error| {
                let error = hotcell_cell::CellError::Value(error);
                Gone::Refused(crate::executor::unsendable(&error))
            })?;
        }
        self.order(&Order::Variables, beside.finish()).await?;
        Ok(())
    }

    pub(crate) async fn send_tools(&mut self, tools: &[AgentTool]) -> Result<(), Gone> {
        let mut beside = Packer::default();
        let directory = self.show_files(tools)?;
        beside.flag(directory.is_some());
        if let Some(directory) = directory {
            beside.bytes(&directory);
        }
        // It makes the catalog's itself, and was begun with what is granted. What is not any more says so.
        let granted: Vec<String> = grants::tools(&self.hooks)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let is_known =
            |tool: &AgentTool| tool.is_catalog || tool.is_own && granted.contains(&tool.spec.name);
        let tools = || tools.iter().filter(|tool| !is_known(tool));
        beside.count(tools().count());
        for tool in tools() {
            let file_tool = self.file_tool(tool);
            if file_tool.is_none() {
                self.desk.serve(&tool.spec.name, tool);
            }
            beside.json(&WireTool::of(tool, file_tool));
        }
        self.order(&Order::Tools, beside.finish()).await?;
        Ok(())
    }

    /// Lets the worker see the first files that tools work on; says where they begin, if it is to see them from now on.
    fn show_files(&mut self, tools: &[AgentTool]) -> Result<Option<Vec<u8>>, Gone> {
        let mut on_files = tools.iter().filter_map(|tool| tool.on_files.as_ref());
        let on_files = on_files.find(|on_files| on_files.file_tool.is_some());
        let Some(files) = on_files.map(|on_files| &on_files.files) else {
            return Ok(None);
        };
        if self.files.is_some() {
            return Ok(None);
        }
        let most = usize::MAX;
        let served = self.worker.serve_files(files.vfs(), None, most);
        served.map_err(|error| Gone::Refused(init_failed(&error.to_string())))?;
        self.files = Some(files.clone());
        Ok(Some(files.working_directory().as_bytes().to_vec()))
    }

    /// Which of the file tools a tool is, if it works on the files that the worker sees. Other files stay here, and their tools.
    fn file_tool(&self, tool: &AgentTool) -> Option<&'static str> {
        let on_files = tool.on_files.as_ref()?;
        let is_seen = |files: &Files| files.is_same(&on_files.files);
        on_files
            .file_tool
            .filter(|_| self.files.as_ref().is_some_and(is_seen))
    }

    /// Runs code. `began` is told once there is something to cancel.
    pub(crate) async fn run(
        &mut self,
        run: Run,
        number: u64,
        may_suspend: bool,
        time: Time<'_>,
        began: impl FnOnce(Canceller),
    ) -> Result<Told, Gone> {
        let order = Order::Run {
            may_suspend,
            calls_function: run.calls_function,
            name: run.name,
            number,
            trace: run.trace.map(|trace| trace.to_string()),
            timeout_nanos: time.timeout.map(nanos),
            cpu_nanos: run.cpu_time.map(nanos),
        };
        self.work(&order, run.code.into_bytes(), time, began, None)
            .await
    }

    /// Goes on with the suspended run. `taken` is told once the answers were taken.
    pub(crate) async fn resume(
        &mut self,
        answers: &[(String, Answer)],
        time: Time<'_>,
        began: impl FnOnce(Canceller),
        taken: &mut (dyn FnMut() + Send),
    ) -> Result<Told, Gone> {
        let is_approval = |answer: &Answer| matches!(answer, Answer::Approve);
        let mut allowed = answers.iter().filter(|(_, answer)| is_approval(answer));
        if allowed.any(|(id, _)| !self.desk.knows(id)) {
            self.suspension().await?;
        }
        for (id, answer) in answers {
            if is_approval(answer) {
                self.desk.approve(id);
            }
        }
        let calls = answers.iter().map(|(id, _)| id.clone());
        self.mirror.answered(calls.collect());
        let mut beside = Packer::default();
        put_answers(&mut beside, answers).map_err(|error| {
            let text = format!("Invalid answer: {error}");
            Gone::Refused(ExecutorError::new(ErrorCode::InvalidAnswer, text))
        })?;
        self.work(&Order::Resume, beside.finish(), time, began, Some(taken))
            .await
    }

    async fn work(
        &mut self,
        order: &Order,
        beside: Vec<u8>,
        time: Time<'_>,
        began: impl FnOnce(Canceller),
        taken: Option<&mut (dyn FnMut() + Send)>,
    ) -> Result<Told, Gone> {
        let goes_on = taken.is_some();
        self.desk.begin(time.stop, self.hooks.scene(), goes_on);
        self.mirror.begin(goes_on);
        let done = self
            .carry_out(order, beside, Some(&time), began, taken)
            .await;
        self.desk.end();
        let (message, state) = match done {
            Ok(done) => done,
            // The run was not begun, or nothing of it is left.
            Err(Gone::Dead(error, _)) => {
                return Err(Gone::Dead(error, self.hooks.take_logs().0));
            }
            Err(refused) => return Err(refused),
        };
        let mut from = Unpacker::new(&message.binary, self.budget(), &Unwatched);
        let told = read_told(&mut from, state);
        let Ok(told) = told else {
            return Err(self.talks_nonsense());
        };
        if let Started::Suspended(suspension) = &told.started {
            self.desk.suspended(suspension);
        }
        Ok(told)
    }

    pub(crate) async fn suspension(&mut self) -> Result<Option<Suspension>, Gone> {
        let message = self.order(&Order::Suspension, Vec::new()).await?;
        let mut from = Unpacker::new(&message.binary, self.budget(), &Unwatched);
        let read = match from.flag() {
            Ok(true) => take_suspension(&mut from).map(Some),
            other => other.map(|_| None),
        };
        let Ok(suspension) = read else {
            return Err(self.talks_nonsense());
        };
        if let Some(suspension) = &suspension {
            self.desk.suspended(suspension);
        }
        Ok(suspension)
    }

    /// The worker's executor goes on after a run that had to be ended.
    pub(crate) async fn recover(&mut self) -> Result<(), Gone> {
        self.desk.give_up();
        self.order(&Order::Recover, Vec::new()).await?;
        Ok(())
    }

    pub(crate) async fn abandon(&mut self) -> Result<(), Gone> {
        self.order(&Order::Abandon, Vec::new()).await?;
        Ok(())
    }

    /// The memory of the executor as a snapshot without a seal, and where the sequence of random numbers is.
    pub(crate) async fn snapshot(
        &mut self,
        since: Option<&[u8]>,
    ) -> Result<(Vec<u8>, [u8; 8]), Gone> {
        let mut beside = Packer::default();
        if let Some(base) = since {
            beside.bytes(base);
        }
        let order = Order::Snapshot {
            since: since.is_some(),
        };
        let message = self.order(&order, beside.finish()).await?;
        let mut from = Unpacker::new(&message.binary, 0, &Unwatched);
        let mut take = || -> Result<_, Malformed> {
            let snapshot = from.bytes()?.to_vec();
            let mut sequence = [0; 8];
            for byte in &mut sequence {
                *byte = from.byte()?;
            }
            from.finish()?;
            Ok((snapshot, sequence))
        };
        let taken = take();
        taken.map_err(|_| self.talks_nonsense())
    }

    /// How much memory the values may take that it tells of: an output, and what calls were made with.
    fn budget(&self) -> usize {
        let most = self.options.max_result_bytes.saturating_mul(2);
        most.saturating_add(self.options.host_memory())
            .saturating_add(SLACK)
    }

    async fn order(&mut self, order: &Order, beside: Vec<u8>) -> Result<Message, Gone> {
        let done = self.carry_out(order, beside, None, |_| {}, None).await?;
        Ok(done.0)
    }

    /// Gives an order, and does what is asked for meanwhile.
    async fn carry_out(
        &mut self,
        order: &Order,
        beside: Vec<u8>,
        time: Option<&Time<'_>>,
        began: impl FnOnce(Canceller),
        taken: Option<&mut (dyn FnMut() + Send)>,
    ) -> Result<(Message, State), Gone> {
        self.settle().await?;
        let memory = usize::try_from(self.options.memory_limit).unwrap_or(usize::MAX);
        let room = self.budget().saturating_add(memory);
        self.worker.set_most_binary(room);
        let is_watched = self.options.on_log.is_some() || self.hooks.hub.is_watched();
        self.worker.listen(is_watched || taken.is_some());
        self.is_working = true;
        self.worker.command(&Message::new(order, beside));
        began(self.worker.canceller());
        let attended = self.attend(time, taken).await;
        let message = match attended {
            Ok(message) => message,
            Err(death) => return Err(Gone::Dead(died(&death, time), Vec::new())),
        };
        self.is_working = false;
        let Ok(done) = message.read::<Done>() else {
            return Err(self.talks_nonsense());
        };
        if done.ok {
            return Ok((message, state_of(&done.state)));
        }
        let mut from = Unpacker::new(&message.binary, 0, &Unwatched);
        match take_error(&mut from, &[]) {
            Ok(error) => Err(Gone::Refused(error)),
            Err(Malformed) => Err(self.talks_nonsense()),
        }
    }

    /// Waits for the end of what was given up.
    async fn settle(&mut self) -> Result<(), Gone> {
        if !self.is_working {
            return Ok(());
        }
        let attended = self.attend(None, None).await;
        self.is_working = false;
        self.limit = None;
        let died = |death: &Death| Gone::Dead(died(death, None), Vec::new());
        attended.map(drop).map_err(|death| died(&death))
    }

    async fn attend(
        &mut self,
        time: Option<&Time<'_>>,
        mut taken: Option<&mut (dyn FnMut() + Send)>,
    ) -> Result<Message, Death> {
        let now = Instant::now();
        let mut clock = Killer::new(time, now);
        let mut limit = None;
        let mut meter = Meter::new(time, &self.worker);
        loop {
            let is_waited_for = self.desk.is_waited_for();
            if self.limit.is_none() {
                clock.look(is_waited_for, &self.worker, &mut limit);
            }
            let (worker, desk, mirror) = (&mut self.worker, &mut self.desk, &mut self.mirror);
            let mut fed = Ok(false);
            let polled = poll_fn(|context| {
                desk.settle(context, worker);
                let polled = worker.poll_next(context, &mut |stream, bytes| {
                    fed = match (fed, stream) {
                        (Ok(resumed), super::LOG) => mirror.print(bytes).map(|()| resumed),
                        (Ok(resumed), super::HAPPENED) => {
                            mirror.happen(bytes).map(|is_it| resumed || is_it)
                        }
                        (fed, _) => fed,
                    };
                });
                if let (Ok(true), Some(taken)) = (fed, &mut taken) {
                    taken();
                }
                if fed.is_err() {
                    worker.kill(violation());
                }
                if let Poll::Ready(event) = polled {
                    return Poll::Ready(Some(event));
                }
                meter.poll(context).map(|()| None)
            });
            let Some(event) = polled.await else {
                meter.read(&self.worker);
                continue;
            };
            match event {
                Event::Done(message) => return Ok(message),
                Event::Died(death) => return Err(death),
                Event::Request(request) => {
                    let taken = self.desk.take(&request, &self.options, &mut self.worker);
                    if taken.is_err() {
                        self.worker.kill(violation());
                    }
                }
                _ => {}
            }
        }
    }

    /// It said what none of ours says.
    fn talks_nonsense(&self) -> Gone {
        self.worker.kill(violation());
        let error = crashed("the worker process says what none of ours does", None);
        Gone::Dead(error, Vec::new())
    }
}

/// What of the jail of worker processes there is on this machine: one is started and asked. An error says why there is none.
pub async fn jail_report() -> Result<JailReport, String> {
    let options = WorkerOptions::new(SERVICE, worker_build()).spares(0);
    let supervisor = Supervisor::shared().map_err(|error| chain(&error))?;
    let worker = supervisor.worker(&options).await;
    let mut worker = worker.map_err(|error| chain(&error))?;
    worker.ready().await.map_err(|death| death.to_string())?;
    let report = worker.jail().cloned();
    report.ok_or_else(|| "the worker process did not say what its jail is".to_owned())
}

/// Kills a worker whose run has no timeout when its process has computed for longer than the run may.
struct Meter {
    budget: Duration,
    before: Duration,
    /// When to look next.
    alarm: Option<Alarm>,
}

impl Meter {
    fn new(time: Option<&Time<'_>>, worker: &Worker) -> Self {
        let budget = time.filter(|time| time.left.is_none());
        let budget = budget.and_then(|time| time.cpu_left);
        let budget = budget.map(|left| left.saturating_add(GRACE));
        Self {
            budget: budget.unwrap_or_default(),
            // Only then: it is a file to read.
            before: budget.and_then(|_| worker.cpu_time()).unwrap_or_default(),
            alarm: budget.map(Alarm::after),
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<()> {
        let alarm = self.alarm.as_ref();
        alarm.map_or(Poll::Pending, |alarm| alarm.poll(context))
    }

    fn read(&mut self, worker: &Worker) {
        let taken = worker.cpu_time().unwrap_or_default();
        let taken = taken.saturating_sub(self.before);
        self.alarm = match self.budget.checked_sub(taken) {
            Some(left) if !left.is_zero() => Some(Alarm::after(left.max(LOOK_AGAIN))),
            _ => {
                worker.kill(Why::Deadline);
                None
            }
        };
    }
}

/// Kills a worker when the time of its run is over and it has not ended that by itself.
struct Killer {
    left: Duration,
    since: Instant,
    /// Whether waiting for the host is free.
    pauses: bool,
    is_paused: bool,
}

impl Killer {
    fn new(time: Option<&Time<'_>>, now: Instant) -> Self {
        Self {
            left: time.map_or(ORDER, |time| {
                time.left
                    .map_or(Duration::MAX, |left| left.saturating_add(GRACE))
            }),
            since: now,
            pauses: time.is_some_and(|time| time.pauses),
            is_paused: false,
        }
    }

    fn look(&mut self, is_waited_for: bool, worker: &Worker, limit: &mut Option<Limit>) {
        let is_paused = self.pauses && is_waited_for;
        if limit.is_some() != is_paused && is_paused == self.is_paused {
            return;
        }
        let now = Instant::now();
        if !self.is_paused {
            self.left = self
                .left
                .saturating_sub(now.saturating_duration_since(self.since));
        }
        (self.since, self.is_paused) = (now, is_paused);
        let at = now.checked_add(self.left).filter(|_| !is_paused);
        *limit = at.map(|at| worker.limit(at));
    }
}

fn violation() -> Why {
    Why::Violation("a message that none of ours is".to_owned())
}

fn read_told(from: &mut Unpacker<'_>, state: State) -> Result<Told, Malformed> {
    let started = take_started(from)?;
    let told = Told {
        is_whole: state == State::Dirty && is_recoverable(&started),
        started,
        is_dirty: !matches!(state, State::Ready | State::Suspended),
        names: from.json()?,
        globals: from.json()?,
        knows_all_names: from.flag()?,
    };
    from.finish()?;
    let is_suspended = matches!(told.started, Started::Suspended(_));
    (is_suspended == (state == State::Suspended))
        .then_some(told)
        .ok_or(Malformed)
}

fn is_recoverable(started: &Started) -> bool {
    let Started::Complete(Execution {
        error: Some(error), ..
    }) = started
    else {
        return false;
    };
    error.details.get("recoverable").and_then(Json::as_bool) == Some(true)
}

/// What the worker says that its executor is in. What is not known is broken.
fn state_of(name: &str) -> State {
    [State::Ready, State::Suspended, State::Dirty]
        .into_iter()
        .find(|state| state.as_str() == name)
        .unwrap_or(State::Dead)
}

fn worker_options(options: &ExecutorOptions) -> WorkerOptions {
    let jail = JailOptions {
        require_jail: options.require_jail,
        ..JailOptions::with_memory(
            options
                .memory_limit
                .saturating_mul(2)
                .saturating_add(options.host_memory() as u64),
        )
    };
    WorkerOptions::new(SERVICE, worker_build()).jail(jail)
}

fn init_failed(reason: &str) -> ExecutorError {
    ExecutorError::new(ErrorCode::InitFailed, format!("SES init failed: {reason}"))
}

/// The error for a worker that is dead.
fn died(death: &Death, time: Option<&Time<'_>>) -> ExecutorError {
    use hotcell_meter::Stopped;
    let hint = format!(
        "the worker process had to be killed, and the host calls cleanup() and init(); {LOST}"
    );
    match &death.end {
        End::Killed(Why::Deadline) if let Some(time) = time => {
            let limit = time.timeout.map(TimeLimit::Timeout);
            let limit = limit.or(time.cpu.map(TimeLimit::Cpu));
            ExecutorError::stopped(Stopped::Deadline, limit)
                .with("recoverable", false)
                .with("hint", hint)
        }
        End::Killed(Why::Cancelled) => {
            ExecutorError::stopped(Stopped::Cancelled, None).with("hint", hint)
        }
        _ => crashed(&death.to_string(), death.signal_name()),
    }
}

fn crashed(how: &str, signal: Option<&str>) -> ExecutorError {
    let error = ExecutorError::new(
        ErrorCode::WorkerCrashed,
        format!("Worker process crashed: {how}"),
    );
    let error = match signal {
        Some(signal) => error.with("signal", signal),
        None => error,
    };
    error.with(
        "hint",
        "what the code declared is gone: call cleanup() and init() for a new worker process",
    )
}
