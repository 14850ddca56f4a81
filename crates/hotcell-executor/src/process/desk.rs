//! What a worker asks for while it runs code: calls of tools, and approval of them.
//!
//! The worker has checked all of that, and may be anybody's by now: so it is checked here once more, where it counts.

use std::{
    collections::HashMap,
    future::Future,
    hash::{BuildHasher, RandomState},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use hotcell_cell::{
    AnswerFuture, Arguments, Called, CancelToken, Origin, Reply, ToolCall, ToolError, Value,
};
use hotcell_meter::{Account, StopToken, Watch};
use hotcell_worker::{Message, Refusal, Worker};

use super::{
    forward::{LATER, RANGE},
    happening::take_origin,
    pack::{Malformed, Packer, Unpacker},
    told::put_answer,
    wire::Request,
};
use crate::{
    approval::{Approval, ApprovalRequest, Permission},
    event::Scene,
    executor::Suspension,
    options::ExecutorOptions,
    schema::{Parameters, Unchecked},
    scope::RunScope,
    tool::AgentTool,
};

/// What the worker was given to call.
struct Served {
    tool: AgentTool,
    parameters: Option<Parameters>,
}

/// What a worker has of its host.
pub(super) struct Desk {
    tools: HashMap<String, Served>,
    /// Answers on their way.
    coming: FuturesUnordered<Coming>,
    /// The calls that they are for, by the worker's number.
    open: HashMap<u64, Arc<Open>>,
    /// What calls that gave a promise will answer, until the worker asks.
    promised: HashMap<u64, (AnswerFuture, CancelToken)>,
    /// Calls that were approved of and have not taken place: tool and arguments, hashed.
    approved: HashMap<u64, usize>,
    /// Those that were approved of since, by futures that know nothing else of this.
    granted: Arc<Mutex<Vec<u64>>>,
    /// The calls that the suspended run waits for.
    suspended: HashMap<String, u64>,
    /// With a key that the worker does not know.
    hasher: RandomState,
    /// The calls that end with the run under way.
    scope: RunScope,
    /// How many calls the run has made.
    made: usize,
    account: Account,
    /// The run, as events name it.
    scene: Option<Arc<Scene>>,
    /// Says when the run has to end; `None` while there is none.
    run: Option<Arc<dyn Watch>>,
}

/// A call, as the worker says.
struct Asked {
    tool: String,
    number: u64,
    origin: Option<Origin>,
    arguments: Vec<Value>,
}

/// What a call comes to.
enum Came {
    Answer(Result<Value, ToolError>),
    Reply(Result<Reply, ToolError>),
    Approval(Approval),
}

type CameFuture = Pin<Box<dyn Future<Output = Came> + Send>>;

/// A call without an answer.
struct Open {
    cancel: CancelToken,
    /// Empty once nobody waits for it. Nobody is polled or dropped behind the lock.
    work: Mutex<Option<CameFuture>>,
    waker: Mutex<Option<Waker>>,
}

/// An answer on its way, as the worker's number for the request that it answers, and the call's.
struct Coming {
    id: u64,
    call: u64,
    open: Arc<Open>,
}

impl Future for Coming {
    type Output = (u64, u64, Option<Came>);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        *lock(&self.open.waker) = Some(context.waker().clone());
        let work = lock(&self.open.work).take();
        let Some(mut work) = work else {
            return Poll::Ready((self.id, self.call, None));
        };
        match work.as_mut().poll(context) {
            Poll::Ready(came) => Poll::Ready((self.id, self.call, Some(came))),
            Poll::Pending => {
                *lock(&self.open.work) = Some(work);
                Poll::Pending
            }
        }
    }
}

impl Open {
    /// Nobody waits for it any more.
    fn close(&self) {
        self.cancel.cancel();
        let work = lock(&self.work).take();
        drop(work);
        let waker = lock(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a request is answered.
enum Answered {
    Now(Vec<u8>),
    No(Refusal),
    Later,
}

fn refuse(text: impl Into<String>) -> Answered {
    Answered::No(Refusal::new("EPERM", text))
}

fn range(text: impl Into<String>) -> Answered {
    Answered::No(Refusal::new(RANGE, text))
}

impl Desk {
    pub(super) fn new(account: Account) -> Self {
        Self {
            tools: HashMap::new(),
            coming: FuturesUnordered::new(),
            open: HashMap::new(),
            promised: HashMap::new(),
            approved: HashMap::new(),
            granted: Arc::default(),
            suspended: HashMap::new(),
            hasher: RandomState::new(),
            scope: RunScope::default(),
            made: 0,
            account,
            scene: None,
            run: None,
        }
    }

    /// Lets the worker call a tool, in place of an earlier one of that name. The schema was good before.
    pub(super) fn serve(&mut self, name: &str, tool: &AgentTool) {
        let parameters = Parameters::of(&tool.spec).ok().flatten();
        let served = Served {
            tool: tool.clone(),
            parameters: parameters.filter(|_| !tool.is_self_checking),
        };
        self.tools.insert(name.to_owned(), served);
    }

    /// Code is run from here on, and may call.
    pub(super) fn begin(&mut self, stop: &StopToken, scene: Option<Arc<Scene>>, goes_on: bool) {
        self.scene = scene;
        if !goes_on {
            self.made = 0;
            self.approved.clear();
        }
        self.run = Some(Arc::new(stop.clone()));
    }

    /// No code is run any more. Calls that nobody has awaited go on with the next run, but for those that end with this one.
    pub(super) fn end(&mut self) {
        self.run = None;
        self.scope.end();
    }

    /// The run is given up, with all of its calls.
    pub(super) fn give_up(&mut self) {
        self.run = None;
        let open: Vec<_> = self.open.drain().map(|(_, open)| open).collect();
        for open in open {
            open.close();
        }
        for (_, (answer, cancel)) in self.promised.drain() {
            cancel.cancel();
            drop(answer);
        }
        self.coming.clear();
    }

    /// Whether the worker waits for the host.
    pub(super) fn is_waited_for(&self) -> bool {
        !self.coming.is_empty()
    }

    /// What the suspended run waits for, as the host was told.
    pub(super) fn suspended(&mut self, suspension: &Suspension) {
        let calls = suspension.calls.iter();
        let hashed = calls.filter_map(|call| {
            let hash = self.hash(&call.tool, &call.arguments)?;
            Some((call.id.clone(), hash))
        });
        self.suspended = hashed.collect();
    }

    /// Whether it is known what a call is that the host may approve of.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.suspended.contains_key(id)
    }

    /// The host approves of a call that the suspended run waits for.
    pub(super) fn approve(&mut self, id: &str) {
        if let Some(hash) = self.suspended.get(id) {
            *self.approved.entry(*hash).or_default() += 1;
        }
    }

    fn hash(&self, tool: &str, arguments: &[Value]) -> Option<u64> {
        let mut out = Packer::default();
        out.text(tool);
        out.values(arguments).ok()?;
        Some(self.hasher.hash_one(out.finish()))
    }

    /// Deals with a request. An error: nobody of ours asks that.
    pub(super) fn take(
        &mut self,
        message: &Message,
        options: &ExecutorOptions,
        worker: &mut Worker,
    ) -> Result<(), Malformed> {
        let request: Request = message.read().map_err(|_| Malformed)?;
        let answered = match request {
            Request::Call { id, call } => self.call(id, call, &message.binary, options)?,
            Request::Then { id, call } => match self.promised.remove(&call) {
                Some((answer, cancel)) => {
                    let came = async move { Came::Answer(answer.await) };
                    self.open(id, call, cancel, Box::pin(came), options)
                }
                None => refuse("there is no such call"),
            },
            Request::Forget { call } => {
                if let Some(open) = self.open.remove(&call) {
                    open.close();
                }
                if let Some((answer, cancel)) = self.promised.remove(&call) {
                    cancel.cancel();
                    drop(answer);
                }
                Answered::Now(Vec::new())
            }
            Request::Approve { id } => self.ask(id, &message.binary, options)?,
        };
        match answered {
            Answered::Now(binary) => worker.answer(&told(binary)),
            Answered::No(refusal) => worker.refuse(&refusal),
            Answered::Later => worker.defer(),
        }
        Ok(())
    }

    /// What a call is, as the worker says.
    fn read(&self, binary: &[u8], options: &ExecutorOptions) -> Result<Asked, Malformed> {
        let Some(watch) = &self.run else {
            return Err(Malformed);
        };
        // Made one object of, they take more than they did.
        let granted = [
            (options.content, options.max_content_bytes),
            (options.store.is_some(), options.max_store_bytes),
        ];
        let granted = granted.into_iter().filter(|(is_there, _)| *is_there);
        let most = granted
            .map(|(_, most)| most)
            .fold(options.max_result_bytes, usize::max);
        let budget = most.saturating_mul(2).saturating_add(SLACK);
        let mut from = Unpacker::new(binary, budget, &**watch);
        let tool = from.text()?.to_owned();
        let number = from.number()?;
        let (call, trace) = take_origin(&mut from)?;
        let origin = self.scene.as_ref().filter(|_| call > 0);
        let origin = origin.map(|scene| Origin::new(Arc::clone(&scene.run), call, trace));
        let arguments = from.values()?;
        from.finish()?;
        Ok(Asked {
            tool,
            number,
            origin,
            arguments,
        })
    }

    fn call(
        &mut self,
        id: u64,
        call: u64,
        binary: &[u8],
        options: &ExecutorOptions,
    ) -> Result<Answered, Malformed> {
        let stopped = |desk: &Self| desk.run.as_ref().is_some_and(|run| run.check().is_err());
        let Asked {
            tool: name,
            number,
            origin,
            arguments,
        } = match self.read(binary, options) {
            // It was cut short, because its time is over.
            Err(_) if stopped(self) => return Ok(refuse("the run has ended")),
            read => read?,
        };
        if self.open.len() > options.max_tool_calls_in_flight {
            return Ok(range("too many calls of tools are outstanding"));
        }
        let Some(Served { tool, parameters }) = self.tools.get(&name) else {
            return Ok(refuse("there is no such tool"));
        };
        let tool = tool.clone();
        // What an option grants has limits of its own.
        self.made += usize::from(!tool.is_own);
        // One more than the code may make: the host's own `final_answer` is called when the code has ended.
        if self.made > options.max_tool_calls.saturating_add(1) {
            return Ok(range("too many tool calls"));
        }
        if let Some(parameters) = parameters
            && let Some(run) = &self.run
            && let Err(unchecked) = parameters.check(&name, &arguments, &**run)
        {
            return Ok(match unchecked {
                Unchecked::Refused(error) => refuse(error.to_string()),
                Unchecked::Stopped(stopped) => refuse(stopped.to_string()),
            });
        }
        let is_allowed = match tool.permission {
            Permission::Allow => true,
            Permission::Deny => false,
            Permission::Ask => self.is_approved(&name, &arguments),
        };
        if !is_allowed {
            return Ok(refuse(format!("the tool {name} may not be called")));
        }
        let bytes = arguments.iter().map(Value::heap_size).sum();
        let arguments = match self.account.charge(bytes) {
            Ok(charge) => Arguments::charged(arguments, charge),
            Err(over) => return Ok(range(over.to_string())),
        };
        let cancel = self
            .run
            .clone()
            .map_or_else(CancelToken::default, CancelToken::within);
        let mut made = ToolCall::new(name, arguments).charged_to(&self.account);
        made.cancel = cancel.clone();
        made.origin = origin;
        made.id = number.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let came: CameFuture = match tool.tool.call(made) {
            Called::Sync(answer) => {
                let mut out = Packer::default();
                put_answer(&mut out, &answer);
                return Ok(Answered::Now(out.finish()));
            }
            Called::Blocking(answer) | Called::Async(answer) => {
                let answer = if tool.ends_with_run {
                    self.scope.hold(answer)
                } else {
                    answer
                };
                Box::pin(async move { Came::Answer(answer.await) })
            }
            Called::MaybeAsync(reply) => Box::pin(async move { Came::Reply(reply.await) }),
            _ => return Ok(refuse("the tool has no function behind it")),
        };
        Ok(self.open(id, call, cancel, came, options))
    }

    /// Takes in a call that is answered later.
    fn open(
        &mut self,
        id: u64,
        call: u64,
        cancel: CancelToken,
        mut work: CameFuture,
        options: &ExecutorOptions,
    ) -> Answered {
        // Most answers are there at once, and going for one later takes two exchanges.
        if let Poll::Ready(came) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Answered::Now(self.written(call, came, cancel));
        }
        if self.open.len() > options.max_tool_calls_in_flight.saturating_mul(2) {
            return range("too many calls of tools are outstanding");
        }
        let open = Arc::new(Open {
            cancel,
            work: Mutex::new(Some(work)),
            waker: Mutex::default(),
        });
        self.coming.push(Coming {
            id,
            call,
            open: Arc::clone(&open),
        });
        // Approvals have no number: nobody forgets them.
        if call != 0
            && let Some(old) = self.open.insert(call, open)
        {
            old.close();
        }
        Answered::Later
    }

    fn ask(
        &mut self,
        id: u64,
        binary: &[u8],
        options: &ExecutorOptions,
    ) -> Result<Answered, Malformed> {
        let Asked {
            tool: name,
            origin,
            arguments,
            ..
        } = self.read(binary, options)?;
        let is_asked = |served: &Served| served.tool.permission == Permission::Ask;
        if !self.tools.get(&name).is_some_and(is_asked) {
            return Ok(refuse("nobody needs approval for that"));
        }
        let Some(decide) = &options.on_approval else {
            return Ok(refuse("nobody is there to give approval"));
        };
        let Some(hash) = self.hash(&name, &arguments) else {
            return Err(Malformed);
        };
        let decision = decide(ApprovalRequest {
            tool: name.into(),
            arguments: arguments.into(),
            origin,
            account: self.account.clone(),
        });
        let granted = Arc::clone(&self.granted);
        let came = async move {
            let approval = decision.await;
            if approval == Approval::Allow {
                lock(&granted).push(hash);
            }
            Came::Approval(approval)
        };
        Ok(self.open(id, 0, CancelToken::default(), Box::pin(came), options))
    }

    /// Whether the host has approved of this call. It has done so once.
    fn is_approved(&mut self, tool: &str, arguments: &[Value]) -> bool {
        let Some(hash) = self.hash(tool, arguments) else {
            return false;
        };
        for granted in std::mem::take(&mut *lock(&self.granted)) {
            *self.approved.entry(granted).or_default() += 1;
        }
        match self.approved.get_mut(&hash) {
            Some(count) if *count > 1 => {
                *count -= 1;
                true
            }
            Some(_) => self.approved.remove(&hash).is_some(),
            None => false,
        }
    }

    /// Offers the answers that have come.
    pub(super) fn settle(&mut self, context: &mut Context<'_>, worker: &mut Worker) {
        while let Poll::Ready(Some((id, call, came))) = self.coming.poll_next_unpin(context) {
            let Some(came) = came else { continue };
            let open = (call != 0).then(|| self.open.remove(&call)).flatten();
            let cancel = open.map(|open| open.cancel.clone()).unwrap_or_default();
            let answer = self.written(call, came, cancel);
            worker.offer(id, Ok(told(answer)));
        }
    }

    /// What a call has come to, for the worker.
    fn written(&mut self, call: u64, came: Came, cancel: CancelToken) -> Vec<u8> {
        let mut out = Packer::default();
        match came {
            Came::Answer(answer) => put_answer(&mut out, &answer),
            Came::Reply(Ok(Reply::Value(value))) => put_answer(&mut out, &Ok(value)),
            Came::Reply(Ok(Reply::Later(answer))) => {
                out.byte(LATER);
                self.promised.insert(call, (answer, cancel));
            }
            Came::Reply(Ok(_)) => {
                put_answer(&mut out, &Err(ToolError::from("the tool gave no answer")));
            }
            Came::Reply(Err(error)) => put_answer(&mut out, &Err(error)),
            Came::Approval(Approval::Allow) => out.byte(0),
            Came::Approval(Approval::Later) => out.byte(2),
            Came::Approval(Approval::Deny(reason)) => {
                out.byte(1);
                out.raw(reason.as_bytes());
            }
        }
        out.finish()
    }
}

/// What the arguments of a call may take more than a result.
const SLACK: usize = 64 << 10;

fn told(binary: Vec<u8>) -> Message {
    Message {
        metadata: b"{}".to_vec(),
        binary,
    }
}
