//! The parent's side: workers are started, talked to, killed and buried.

mod death;
mod file_thread;
mod locate;
mod notifier;
mod reaper;
mod shared;
mod spawn;
mod spawner;
mod worker;

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use death::{Death, End, Why};
pub use locate::{WORKER_PROGRAM, WORKER_VARIABLE, this_program_can_be_a_worker, workers_are};
pub use worker::{Canceller, Event, Limit, Worker};

use crate::{jail::JailOptions, region::REGION_BYTES};
use reaper::Reaper;
use spawn::Plan;
use spawner::Spawner;

/// Why there is no worker.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The program is missing.
    #[error(
        "the program {WORKER_PROGRAM} is missing (looked for {}): install it beside this program, or set {WORKER_VARIABLE} to it, or to the hotcell command",
        list(.tried)
    )]
    NotFound {
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
    /// The system did not start it.
    #[error("a worker process could not be started from {}", .program.display())]
    Spawn {
        /// What was to be started.
        program: PathBuf,
        /// Why it was not.
        source: io::Error,
    },
    /// The system has no threads left, or no descriptors, to look after workers.
    #[error("worker processes cannot be looked after")]
    System(#[from] io::Error),
    /// It ended before it was of use.
    #[error("{0}")]
    Died(Death),
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}

/// How workers are made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct WorkerOptions {
    service: String,
    build: String,
    program: Option<PathBuf>,
    jail: JailOptions,
    region_bytes: usize,
    spares: usize,
}

impl WorkerOptions {
    /// Workers that are `service`, of the build `build`.
    pub fn new(service: impl Into<String>, build: impl Into<String>) -> Self {
        Self {
            service: service.into(),
            build: build.into(),
            program: None,
            jail: JailOptions::default(),
            region_bytes: REGION_BYTES,
            spares: 1,
        }
    }

    /// The program to start (see [`WORKER_VARIABLE`] and [`this_program_can_be_a_worker`] for what is started otherwise).
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// How they are jailed.
    pub fn jail(mut self, jail: JailOptions) -> Self {
        self.jail = jail;
        self
    }

    /// How large the shared memory of a lane is (32 MiB).
    pub fn region_bytes(mut self, bytes: usize) -> Self {
        self.region_bytes = bytes;
        self
    }

    /// How many workers wait, ready, for whoever needs one next (one, once one was needed).
    pub fn spares(mut self, spares: usize) -> Self {
        self.spares = spares;
        self
    }

    fn plan(&self) -> Plan {
        Plan {
            service: self.service.clone(),
            build: self.build.clone(),
            jail: self.jail,
            region_bytes: self.region_bytes,
        }
    }
}

/// Makes workers and looks after them. Cheap to clone; one per process is enough, see [`Supervisor::shared`].
#[derive(Clone)]
pub struct Supervisor(Arc<Inner>);

struct Inner {
    spawner: Spawner,
    reaper: Reaper,
    /// Workers that wait, by what they were made with.
    spares: Mutex<HashMap<String, Vec<Worker>>>,
}

impl Supervisor {
    /// The supervisor of this process. A child of `fork()` gets one of its own.
    pub fn shared() -> Result<Self, WorkerError> {
        static SHARED: Mutex<Option<(u32, Supervisor)>> = Mutex::new(None);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        match &*shared {
            Some((owner, supervisor)) if *owner == process => Ok(supervisor.clone()),
            _ => {
                let supervisor = Self::new()?;
                // Of a parent that forked, nothing here can be used, and dropping it would wait for threads that are not here.
                std::mem::forget(shared.replace((process, supervisor.clone())));
                Ok(supervisor)
            }
        }
    }

    /// A supervisor of your own. Its workers end with it.
    pub fn new() -> Result<Self, WorkerError> {
        let reaper = Reaper::start()?;
        Ok(Self(Arc::new(Inner {
            spawner: Spawner::start(reaper.clone())?,
            reaper,
            spares: Mutex::default(),
        })))
    }

    /// A worker, fresh: nobody has used it before.
    pub async fn worker(&self, options: &WorkerOptions) -> Result<Worker, WorkerError> {
        let program = locate::locate(options.program.as_deref())?;
        let key = format!("{}\0{:?}", program.display(), options.plan());
        let spare = self.take_spare(&key);
        let worker = match spare {
            Some(worker) => worker,
            None => {
                self.0
                    .spawner
                    .spawn(program.clone(), options.plan())
                    .await?
            }
        };
        let missing = options.spares.saturating_sub(self.waiting(&key));
        for _ in 0..missing {
            let inner = Arc::downgrade(&self.0);
            let key = key.clone();
            let keep = move |worker| {
                if let (Some(inner), Ok(worker)) = (inner.upgrade(), worker) {
                    inner.spares().entry(key).or_default().push(worker);
                }
            };
            self.0
                .spawner
                .spawn_aside(program.clone(), options.plan(), keep);
        }
        Ok(worker)
    }

    fn take_spare(&self, key: &str) -> Option<Worker> {
        let mut spares = self.0.spares();
        let waiting = spares.get_mut(key)?;
        // One may have been killed by somebody who thought that it was too much.
        let dead: Vec<_> = waiting
            .extract_if(.., |worker| !worker.is_alive())
            .collect();
        let worker = waiting.pop();
        drop(spares);
        drop(dead);
        worker
    }

    fn waiting(&self, key: &str) -> usize {
        self.0.spares().get(key).map_or(0, Vec::len)
    }

    /// How many workers there are, spares included.
    pub fn count(&self) -> usize {
        self.0.reaper.count()
    }
}

impl Inner {
    fn spares(&self) -> MutexGuard<'_, HashMap<String, Vec<Worker>>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
