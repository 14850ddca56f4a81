//! The parser and the printer, beside bash 5.2.
//!
//! What bash says to a script is recorded in `data`; [`real_bash`] compares the records with the bash of the machine.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, and nobody reads its documentation"
)]

mod aliases;
mod ambiguity;
mod cases;
mod commands;
mod errors;
mod functions;
mod here_documents;
mod hostile;
mod limits;
mod lines;
mod random;
mod real_bash;
mod words;
