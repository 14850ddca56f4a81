//! The thread that starts workers.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use futures_channel::oneshot;

use super::{
    Worker, WorkerError,
    reaper::Reaper,
    shared::Shared,
    spawn::{Plan, spawn},
};

type Keep = Box<dyn FnOnce(Result<Worker, WorkerError>) + Send>;

/// A worker to start.
struct Order {
    program: PathBuf,
    plan: Plan,
    keep: Keep,
}

/// Starts workers, one after the other. It ends with its last order: workers die with the thread that started them.
pub(super) struct Spawner(mpsc::Sender<Order>);

impl Spawner {
    pub(super) fn start(reaper: Reaper) -> io::Result<Self> {
        let (orders, received) = mpsc::channel::<Order>();
        thread::Builder::new()
            .name("hotcell-spawner".to_owned())
            .stack_size(256 << 10)
            .spawn(move || {
                for Order {
                    program,
                    plan,
                    keep,
                } in received
                {
                    keep(make(program, &plan, &reaper));
                }
            })?;
        Ok(Self(orders))
    }

    /// Starts a worker.
    pub(super) async fn spawn(&self, program: PathBuf, plan: Plan) -> Result<Worker, WorkerError> {
        let (sender, receiver) = oneshot::channel();
        self.spawn_aside(program, plan, move |worker| {
            // Nobody waits any more: the worker is dropped, and with that killed.
            let _ = sender.send(worker);
        });
        receiver.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Starts a worker, and hands it to `keep`.
    pub(super) fn spawn_aside(
        &self,
        program: PathBuf,
        plan: Plan,
        keep: impl FnOnce(Result<Worker, WorkerError>) + Send + 'static,
    ) {
        let order = Order {
            program,
            plan,
            keep: Box::new(keep),
        };
        if let Err(mpsc::SendError(order)) = self.0.send(order) {
            (order.keep)(Err(gone()));
        }
    }
}

fn make(program: PathBuf, plan: &Plan, reaper: &Reaper) -> Result<Worker, WorkerError> {
    let spawned = spawn(&program, plan).map_err(|source| WorkerError::Spawn { program, source })?;
    let shared = Arc::new(Shared::new(spawned));
    let id = reaper.watch(&shared)?;
    Ok(Worker::new(shared, id, reaper.clone()))
}

/// The thread ended, which it only does when something in it panicked.
fn gone() -> WorkerError {
    WorkerError::System(io::Error::other("the thread that starts workers has ended"))
}
