//! A bash for agents.
//!
//! The language is that of bash 5.2. A script is bytes; it is parsed one complete command at a time into the tree of
//! [`ast`], so that earlier lines have run when a later one turns out to be wrong, as in bash.

#![forbid(unsafe_code)]

pub mod ast;
mod expand;
mod flow;
pub mod parse;
mod settings;
mod shell;
mod substitute;
mod variables;

pub use shell::Shell;
