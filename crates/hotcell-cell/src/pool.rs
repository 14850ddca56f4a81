//! A few threads for many cells.

use std::{fmt, future::Future, num::NonZeroUsize, sync::Arc, thread};

use async_executor::Executor;

use crate::{cancel::CancelToken, foreign};

pub use async_executor::Task;

/// Threads that run cells for a program that has no executor of its own, or none that may be kept busy.
///
/// A cell that computes gives its thread to the next one every millisecond, and a cell that waits for a tool holds none, so
/// a pool of two threads serves thousands fairly.
///
/// ```
/// use hotcell_cell::{CellOptions, Engine, Pool, Value};
///
/// let engine = Engine::new()?;
/// let pool = Pool::new();
/// let runs: Vec<_> = (0..100)
///     .map(|i| {
///         let mut cell = engine.cell(CellOptions::default())?;
///         Ok(pool.spawn(async move { cell.evaluate(format!("{i} * 2").as_str()).await }))
///     })
///     .collect::<Result<_, hotcell_cell::CellError>>()?;
/// for (i, run) in (0u32..).zip(runs) {
///     assert_eq!(pollster::block_on(run)?.value, Value::from(i * 2));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pool {
    executor: Arc<Executor<'static>>,
    ended: CancelToken,
}

impl Pool {
    /// As many threads as the machine has cores.
    pub fn new() -> Self {
        Self::with_threads(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }

    /// So many threads. They end when the pool is dropped, and with them what they run.
    pub fn with_threads(threads: NonZeroUsize) -> Self {
        let pool = Self {
            executor: Arc::default(),
            ended: CancelToken::default(),
        };
        for _ in 0..threads.get() {
            let (executor, ended) = (Arc::clone(&pool.executor), pool.ended.clone());
            // A task that panics has nobody else to tell, but the thread is there for the next one, too.
            let run = move || {
                while foreign::call(|| pollster::block_on(executor.run(ended.cancelled()))).is_err()
                {
                }
            };
            // A machine that can have no more threads has to do with those there are.
            let _ = thread::Builder::new()
                .name("hotcell-pool".into())
                .spawn(run);
        }
        pool
    }

    /// Runs a future on the pool. Dropping the task cancels it; `detach` lets it go on.
    pub fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        self.executor.spawn(future)
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}
