//! The one thread that watches the time for everything that runs in Wasmtime.
//!
//! It does two things. While any guest computes it ticks, so that each gives its thread to the others once a millisecond. And
//! it tells a run whose deadline has come, at that moment and not at the next tick. Cells and WebAssembly programs live in
//! engines of their own; the thread is the same.
//!
//! ```
//! use hotcell_watchdog::Watchdog;
//!
//! let mut config = wasmtime::Config::new();
//! config.epoch_interruption(true);
//! let engine = wasmtime::Engine::new(&config)?;
//! let watchdog = Watchdog::new(&engine);
//! {
//!     let _computing = watchdog.computing();
//!     // A call into a store whose epoch deadline is 1 is interrupted within about a millisecond, as long as the guard lives.
//! }
//! # Ok::<(), wasmtime::Error>(())
//! ```
//!
//! # Invariants
//!
//! - **No lock is held over foreign code**: what is due is collected, then the lock is released, then runs are told.
//! - A child of `fork()` has no such thread, and finds the timers of its parent locked, perhaps for good. It gets timers and a
//!   thread of its own when it first needs them ([`generation`]).
//! - The thread ends when no engine is left.

mod generation;
mod timers;
mod watchdog;

pub use generation::generation;
pub use timers::{GRACE, TICK, Timed, Timer};
pub use watchdog::{Computing, Watchdog, thread_time};
