//! WebAssembly guests: compiled, given their imports, run until they return or are stopped.

mod abi;
mod engine;
mod heap;

use std::{
    fmt, io,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use hotcell_meter::{StopToken, Stopped};
use hotcell_process::Alarm;
use wasmtime::{InstancePre, Memory, Store, Trap};

use crate::{
    host::{Host, HostError},
    transcript::Divergence,
};
use engine::Limiter;
use heap::Heap;

pub use engine::{Engine, ModuleError};
pub use hotcell_wasi::{CompileError, CompileIn, ModuleLimits};

/// How often a guest that waits looks whether it was cancelled.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// How much fuel a guest uses before other tasks of the thread get a turn: about half a millisecond.
const SLICE: u64 = 500_000;

/// A guest that can be run, any number of times at once.
#[derive(Clone)]
pub struct Module {
    pre: InstancePre<Guest>,
}

/// What a guest may use itself. What the programs that it starts may use is in
/// [`ExecLimits`](crate::ExecLimits).
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Ends it, at its deadline or before.
    pub stop: StopToken,
    /// Instructions, about; the same for every run.
    pub fuel: Option<u64>,
    /// Bytes of its memory.
    pub memory: usize,
}

impl Default for RunOptions {
    /// Ten seconds from now, 64 MiB.
    fn default() -> Self {
        Self {
            stop: StopToken::until(Instant::now() + Duration::from_secs(10)),
            fuel: None,
            memory: 64 << 20,
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Why.
    pub outcome: Outcome,
    /// How much fuel it used.
    pub fuel: u64,
    /// How many programs it started.
    pub started: usize,
    /// Which tasks it detached, and who owns them.
    pub owners: Vec<(u64, String)>,
}

/// Why a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The guest returned.
    Returned,
    /// It did something that WebAssembly ends it for.
    Trapped(String),
    /// Its time was over, or somebody cancelled it.
    Stopped(Stopped),
    /// It used all its fuel.
    OutOfFuel,
    /// It needed more memory than it may have.
    OutOfMemory,
    /// It did something else than its transcript says.
    Diverged(Box<Divergence>),
    /// The transcript could not be written.
    Transcript(io::Error),
}

impl Outcome {
    /// What a transcript calls it; nothing if the guest returned.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Returned => None,
            Self::Trapped(why) => Some(why),
            Self::Stopped(Stopped::Deadline) => Some("deadline"),
            Self::Stopped(Stopped::Cancelled) => Some("cancelled"),
            Self::OutOfFuel => Some("fuel"),
            Self::OutOfMemory => Some("memory"),
            Self::Diverged(_) => Some("diverged"),
            Self::Transcript(_) => Some("transcript"),
        }
    }

    /// The same as a transcript says it.
    fn recorded(name: String) -> Self {
        match name.as_str() {
            "deadline" => Self::Stopped(Stopped::Deadline),
            "cancelled" => Self::Stopped(Stopped::Cancelled),
            "fuel" => Self::OutOfFuel,
            "memory" => Self::OutOfMemory,
            _ => Self::Trapped(name),
        }
    }
}

/// What a store has beside WebAssembly.
pub(crate) struct Guest {
    host: Host,
    limiter: Limiter,
    memory: Option<Memory>,
    heap: Heap,
    /// Since when it has the thread, if it has not given way at a point where fuel is looked at.
    turn: Instant,
}

impl Module {
    /// Runs it to its end. Dropping the future ends the guest and all programs that it started.
    pub async fn run(&self, host: Host, options: RunOptions) -> Ended {
        let fuel = options.fuel.unwrap_or(u64::MAX);
        let guest = Guest {
            host,
            limiter: Limiter::new(options.memory),
            memory: None,
            heap: Heap::default(),
            turn: Instant::now(),
        };
        let mut store = Store::new(self.pre.module().engine(), guest);
        store.limiter(|guest| &mut guest.limiter);
        let result = match store
            .set_fuel(fuel)
            .and_then(|()| store.fuel_async_yield_interval(Some(SLICE)))
        {
            Ok(()) => stoppable(self.call(&mut store), &options.stop).await,
            Err(error) => Ok(Err(error)),
        };
        let was_refused = store.data().limiter.was_refused();
        let mut outcome = match result {
            Ok(Ok(())) => Outcome::Returned,
            Ok(Err(error)) => why(error, was_refused),
            Err(stopped) => Outcome::Stopped(stopped),
        };
        let used = fuel - store.get_fuel().unwrap_or(0);
        let mut host = store.into_data().host;
        if let Err(error) = host.finish(outcome.name())
            && matches!(outcome, Outcome::Returned)
        {
            outcome = failed(error);
        }
        Ended {
            outcome,
            fuel: used,
            started: host.started(),
            owners: host.owners(),
        }
    }

    async fn call(&self, store: &mut Store<Guest>) -> wasmtime::Result<()> {
        let instance = self.pre.instantiate_async(&mut *store).await?;
        store.data_mut().memory = instance.get_memory(&mut *store, abi::MEMORY);
        let entry = instance.get_typed_func::<(i32, i32), ()>(&mut *store, abi::ENTRY)?;
        entry.call_async(store, (0, 1)).await
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}

/// A future that ends when it is told to, also while it waits.
async fn stoppable<T>(future: impl Future<Output = T>, stop: &StopToken) -> Result<T, Stopped> {
    let mut future = pin!(future);
    let mut alarm = None;
    std::future::poll_fn(move |context| {
        if let Some(stopped) = stop.stopped() {
            return Poll::Ready(Err(stopped));
        }
        if let Poll::Ready(result) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(result));
        }
        let soon = Instant::now() + HEARTBEAT;
        let at = stop.deadline().map_or(soon, |deadline| deadline.min(soon));
        drop(alarm.replace(Alarm::set(at, context.waker().clone())));
        Poll::Pending
    })
    .await
}

/// What an error of WebAssembly means.
fn why(error: wasmtime::Error, was_refused: bool) -> Outcome {
    match error.downcast::<HostError>() {
        Ok(error) => failed(error),
        Err(error) => match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => Outcome::OutOfFuel,
            _ if was_refused => Outcome::OutOfMemory,
            Some(trap) => {
                let told = trap.to_string();
                let told = told.strip_prefix("wasm trap: ").unwrap_or(&told);
                Outcome::Trapped(told.to_owned())
            }
            None => Outcome::Trapped(error.root_cause().to_string()),
        },
    }
}

fn failed(error: HostError) -> Outcome {
    match error {
        HostError::Diverged(divergence) => Outcome::Diverged(Box::new(divergence)),
        HostError::RecordedEnd(name) => Outcome::recorded(name),
        HostError::Transcript(error) => Outcome::Transcript(error),
    }
}
