//! Much code of every kind through executors, and what has to hold for all of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod guards;
mod hostile;
mod semantics;
mod snippets;
mod support;
