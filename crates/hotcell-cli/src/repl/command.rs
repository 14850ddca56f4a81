//! What begins with a dot.

use std::path::Path;

use super::live::Live;
use crate::exit::CliError;
use crate::{print, report, source};

const HELP: &str = "\
.load FILE      run a file
.save FILE      write the code that ran well to a file
.snapshot FILE  keep the state in a file, for hotcell repl --snapshot-in FILE
.fork           set a copy of the state aside
.back           go back to the last copy
.tools          list the tools
.help           show this
.exit           end (Ctrl-D does too)

Ctrl-C cancels a run and keeps the state. Tab completes names. Code that is not complete goes on in the next line.";

/// What comes next.
#[derive(PartialEq, Eq)]
pub(super) enum After {
    GoOn,
    End,
}

pub(super) fn obey(line: &str, state: &Live<'_>) -> After {
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let done = match command {
        "exit" => return After::End,
        "help" => {
            print::line(HELP);
            Ok(())
        }
        "load" => file(rest).and_then(|path| {
            state.run(&source::read(path)?.text);
            Ok(())
        }),
        "save" => file(rest).and_then(|path| {
            std::fs::write(path, state.said()).map_err(CliError::file("write", path))?;
            print::line(format_args!("wrote {}", path.display()));
            Ok(())
        }),
        "snapshot" => file(rest).and_then(|path| {
            state.snapshot(path)?;
            print::line(format_args!("wrote {}", path.display()));
            Ok(())
        }),
        "fork" => state.fork().map(|count| {
            let copies = if count == 1 { "copy" } else { "copies" };
            print::line(format_args!(
                "set aside ({count} {copies}); .back returns here"
            ));
        }),
        "back" => match state.back() {
            Some(left) => {
                print::line(format_args!("back at the last copy ({left} left)"));
                Ok(())
            }
            None => Err(CliError::Usage(
                "there is no copy to go back to: .fork makes one".into(),
            )),
        },
        "tools" => {
            tools(state);
            Ok(())
        }
        _ => Err(CliError::Usage(format!(
            "unknown command .{command}: .help lists what there is"
        ))),
    };
    if let Err(error) = done {
        report::failure(&error);
    }
    After::GoOn
}

fn file(name: &str) -> Result<&Path, CliError> {
    match name.trim() {
        "" => Err(CliError::Usage("the name of a file is missing".into())),
        name => Ok(Path::new(name)),
    }
}

fn tools(state: &Live<'_>) {
    let tools = state.executor().tools();
    for tool in &tools {
        match hotcell::prompt::declare_tool(tool) {
            Ok(declaration) => print::line(declaration),
            Err(_) => print::line(&tool.name),
        }
    }
    if tools.is_empty() {
        print::line("there are no tools but final_answer; --workspace DIR gives the file tools");
    }
}
