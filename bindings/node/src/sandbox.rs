//! Sandboxes, as `lib/sandbox.cjs` uses them. Every method that takes an `operation` returns at once; how it ended is told by an
//! event.

mod command;
mod files;
mod report;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use hotcell::sandbox::{
    Canceller, Command, HostCommand, OutputStream, Sandbox, SandboxError, SandboxOptions,
};
use napi::{
    Env, Result,
    bindgen_prelude::{Buffer, Either, ObjectFinalize},
};
use napi_derive::napi;
use serde_json::Value as Json;

use crate::{
    bridge::{Bridge, Lane},
    event::{Event, What},
    fault::{bug, mistake},
    host::Host,
    main_thread::{Affinity, Weight},
    order::Order,
    outcome::Outcome,
    shared::{lock, pool},
    snapshot::SnapshotBytes,
};
pub use command::NativeCommandCall;
use report::{ran, refused};

/// A sandbox.
#[napi(custom_finalize)]
pub struct NativeSandbox {
    sandbox: Sandbox,
    bridge: Arc<Bridge>,
    /// Of its events.
    lane: Lane,
    order: Arc<Order>,
    affinity: Arc<Affinity>,
    /// Ways to call runs off, by operation.
    cancellers: Arc<Mutex<HashMap<u32, Canceller>>>,
}

#[napi]
impl NativeSandbox {
    /// `options` are the contract's, as JSON. `set` is the number under which Node has the functions that are `commands`, and `auditor`
    /// that of who hears of decisions; 0 for nobody.
    #[napi(constructor)]
    pub fn new(
        host: &Host,
        options: String,
        set: u32,
        commands: Vec<String>,
        auditor: u32,
    ) -> Result<Self> {
        let lane = Lane::new();
        let options = options_of(&host.bridge, &lane, &options, set, commands, auditor)?;
        let sandbox = Sandbox::create(options).map_err(mistake)?;
        Ok(Self::of(&host.bridge, lane, sandbox))
    }

    fn of(bridge: &Arc<Bridge>, lane: Lane, sandbox: Sandbox) -> Self {
        Self {
            sandbox,
            bridge: Arc::clone(bridge),
            lane,
            order: Arc::default(),
            affinity: Arc::default(),
            cancellers: Arc::default(),
        }
    }

    /// It is what came of an operation.
    fn into_outcome(self) -> Outcome {
        Outcome::Sandbox(Box::new(move |_, row| row.insert(self)))
    }

    /// A sandbox from a snapshot.
    #[napi]
    pub fn restore(
        host: &Host,
        operation: u32,
        snapshot: &mut SnapshotBytes,
        options: String,
        set: u32,
        commands: Vec<String>,
        auditor: u32,
    ) -> Result<bool> {
        let (bridge, lane) = (Arc::clone(&host.bridge), Lane::new());
        let options = options_of(&bridge, &lane, &options, set, commands, auditor)?;
        let snapshot = snapshot.take();
        let restoring = async move {
            let number = lane.number;
            let outcome = match Sandbox::restore(&snapshot, options) {
                Ok(sandbox) => Self::of(&bridge, lane, sandbox).into_outcome(),
                Err(error) => refused(&error),
            };
            bridge.done(number, operation, outcome);
        };
        let affinity = Arc::default();
        Ok(host
            .bridge
            .spawn(operation, Weight::Heavy, &affinity, restoring))
    }

    /// Runs a command, or says that it was called off before. `hooks` is the number under which Node hears of output as it comes; 0
    /// for nobody.
    #[napi]
    pub fn run(
        &self,
        operation: u32,
        command: Either<String, Buffer>,
        stdin: Option<Buffer>,
        timeout_ms: Option<f64>,
        hooks: u32,
        is_called_off: bool,
    ) -> Result<bool> {
        let mut command = match command {
            Either::A(text) => Command::new(text),
            Either::B(bytes) => Command::new(bytes.to_vec()),
        };
        if let Some(stdin) = stdin {
            command = command.stdin(stdin.to_vec());
        }
        if let Some(timeout) = timeout_ms {
            let timeout = Duration::try_from_secs_f64(timeout / 1000.0).map_err(mistake)?;
            command = command.timeout(timeout);
        }
        let (bridge, lane) = (Arc::clone(&self.bridge), self.lane.number);
        if hooks != 0 {
            let bridge = Arc::clone(&bridge);
            command = command.on_output(move |stream: OutputStream, bytes: &[u8]| {
                let what = What::Output {
                    hooks,
                    stream: stream.name(),
                    bytes: bytes.to_vec(),
                };
                bridge.send(Event { lane, what });
            });
        }
        let running = self.sandbox.run(command);
        if is_called_off {
            running.canceller().cancel();
        }
        let cancellers = Arc::clone(&self.cancellers);
        lock(&cancellers).insert(operation, running.canceller());
        // On the pool: utilities may take a few milliseconds for what they do in one go, and Node's thread has none.
        Ok(self.spawn(operation, async move {
            let outcome = running.await.map_or_else(|error| refused(&error), ran);
            lock(&cancellers).remove(&operation);
            bridge.done(lane, operation, outcome);
        }))
    }

    /// Calls a run off, wherever it is.
    #[napi]
    pub fn abort(&self, operation: u32) {
        let canceller = lock(&self.cancellers).get(&operation).cloned();
        if let Some(canceller) = canceller {
            canceller.cancel();
        }
    }

    /// Ends the command under way. False if there is none.
    #[napi]
    pub fn cancel(&self) -> bool {
        self.sandbox.cancel()
    }

    /// Ends everything.
    #[napi]
    pub fn destroy(&self) {
        self.sandbox.destroy();
    }

    /// A second one in the same state.
    #[napi]
    pub fn fork(&self, operation: u32) -> bool {
        let bridge = Arc::clone(&self.bridge);
        self.start(operation, move |sandbox| {
            let fork = sandbox.fork()?;
            Ok(Self::of(&bridge, Lane::new(), fork).into_outcome())
        })
    }

    /// Whether a command is under way.
    #[napi(getter)]
    pub fn is_running(&self) -> bool {
        self.sandbox.is_running()
    }

    /// Whether it was destroyed.
    #[napi(getter)]
    pub fn is_destroyed(&self) -> bool {
        self.sandbox.is_destroyed()
    }

    /// Its number in this process.
    #[napi(getter)]
    pub fn id(&self) -> u32 {
        u32::try_from(self.sandbox.id()).unwrap_or(u32::MAX)
    }

    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Does something that may take a while, after what was begun before it has begun.
    fn start(
        &self,
        operation: u32,
        work: impl FnOnce(&Sandbox) -> std::result::Result<Outcome, SandboxError> + Send + 'static,
    ) -> bool {
        let sandbox = self.sandbox.clone();
        let (bridge, lane) = (Arc::clone(&self.bridge), self.lane.number);
        self.spawn(operation, async move {
            let done = blocking::unblock(move || work(&sandbox)).await;
            let outcome = done.unwrap_or_else(|error| refused(&error));
            bridge.done(lane, operation, outcome);
        })
    }

    fn spawn(&self, operation: u32, future: impl Future<Output = ()> + Send + 'static) -> bool {
        let future = self.order.queue(future);
        self.bridge
            .spawn(operation, Weight::Heavy, &self.affinity, future)
    }
}

impl ObjectFinalize for NativeSandbox {
    fn finalize(self, _: Env) -> Result<()> {
        // Releasing many files takes a while, and this is Node's thread.
        pool().spawn(async move { drop(self) }).detach();
        Ok(())
    }
}

/// The contract's options, with commands that are functions of Node's.
pub(crate) fn options_of(
    bridge: &Arc<Bridge>,
    lane: &Lane,
    options: &str,
    set: u32,
    commands: Vec<String>,
    auditor: u32,
) -> Result<SandboxOptions> {
    let json: Json = serde_json::from_str(options).map_err(bug)?;
    let mut options = SandboxOptions::from_json(&json).map_err(mistake)?;
    for name in commands {
        let (bridge, lane, called) = (Arc::clone(bridge), lane.number, name.clone());
        let command = HostCommand::new(move |call| {
            command::call(Arc::clone(&bridge), lane, set, called.clone(), call)
        });
        options = options.command(name, command);
    }
    if auditor != 0 {
        let bridge = Arc::clone(bridge);
        options = options.on_audit_json(move |event| {
            let what = What::Audit {
                hooks: auditor,
                event: event.to_string(),
            };
            // Of no lane: decisions are told in the order in which they are made, whoever's they are.
            bridge.send(Event { lane: 0, what });
        });
    }
    Ok(options)
}
