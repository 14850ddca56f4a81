//! `hotcell man`: manual pages, made of the same texts as `--help`.

use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::Cli;
use crate::exit::{CliError, Exit};
use crate::print;

pub(crate) fn man(dir: Option<&Path>) -> Result<Exit, CliError> {
    let mut command = Cli::command();
    command.build();
    let Some(dir) = dir else {
        print::text(String::from_utf8_lossy(&page(&command)));
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(dir).map_err(CliError::file("create", dir))?;
    write(dir, &command)?;
    for subcommand in command
        .get_subcommands()
        .filter(|one| one.get_name() != "help")
    {
        write(dir, subcommand)?;
    }
    Ok(Exit::Success)
}

fn write(dir: &Path, command: &Command) -> Result<(), CliError> {
    // `hotcell-run`, once the command is built.
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = dir.join(format!("{name}.1"));
    std::fs::write(&path, page(command)).map_err(CliError::file("write", &path))?;
    print::line(path.display());
    Ok(())
}

fn page(command: &Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = Man::new(command.clone()).render(&mut page);
    page
}
