//! `hotcell program`: WebAssembly programs for the shell.

mod add;
mod furnish;
mod list;
mod place;
mod remove;

use crate::{
    args::ProgramCommand,
    exit::{CliError, Exit},
};

pub(crate) use furnish::{furnish, with_all};
pub(crate) use place::store;

pub(crate) fn program(command: &ProgramCommand) -> Result<Exit, CliError> {
    match command {
        ProgramCommand::Add(args) => add::add(args),
        ProgramCommand::List(args) => list::list(args),
        ProgramCommand::Remove(args) => remove::remove(args),
    }
}
