//! A bash for agents.
//!
//! The language is that of bash 5.2. A script is bytes; it is parsed one complete command at a time into the tree of
//! [`ast`], so that earlier lines have run when a later one turns out to be wrong, as in bash.

#![forbid(unsafe_code)]

mod arithmetic;
pub mod ast;
mod brace;
mod builtins;
mod collect;
mod describe;
mod execute;
mod expand;
mod fields;
mod flow;
mod glob;
mod invoke;
mod jobs;
mod marked;
mod names;
pub mod parse;
mod pattern;
pub mod print;
mod programs;
mod quote;
mod redirect;
mod regex;
mod session;
mod settings;
mod shell;
mod start;
mod stdin;
mod substitute;
mod text;
mod trace;
mod traps;
mod variables;

pub use programs::{ShellPrograms, run_shell};
pub use session::{Running, Streams};
pub use shell::Shell;
pub use start::ShellOptions;
