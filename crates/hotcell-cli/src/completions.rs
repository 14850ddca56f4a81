//! `hotcell completions`: scripts that complete the command line in a shell.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{CliError, Exit};
use crate::print;

#[expect(clippy::unnecessary_wraps, reason = "every command has this form")]
pub(crate) fn completions(shell: Shell) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hotcell", &mut script);
    print::text(String::from_utf8_lossy(&script));
    Ok(Exit::Success)
}
