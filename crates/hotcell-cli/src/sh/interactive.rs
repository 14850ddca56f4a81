//! A shell that a person types to.

use hotcell::meter::Unwatched;
use hotcell::shell::parse::{NoAliases, Options, Parser};
use rustyline::{DefaultEditor, error::ReadlineError};

use super::{Session, streams::Streams};
use crate::exit::CliError;

const PROMPT: &str = "$ ";
const CONTINUED: &str = "> ";

/// Reads commands until the end of input or `exit`; returns the last exit code.
pub(super) fn converse(session: &mut Session) -> Result<u8, CliError> {
    let mut editor = DefaultEditor::new().map_err(CliError::Terminal)?;
    let mut code = 0;
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { PROMPT } else { CONTINUED };
        match editor.readline(prompt) {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
                if is_incomplete(&text) {
                    continue;
                }
                let command = std::mem::take(&mut text);
                let _ = editor.add_history_entry(command.trim_end());
                if leaves(&command) {
                    return Ok(code);
                }
                code = session.run(command.as_bytes(), Streams::without_input())?;
            }
            // The line is given up, not the shell.
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Ok(code),
            Err(error) => return Err(CliError::Terminal(error)),
        }
    }
}

/// Whether more has to be typed before it can run.
fn is_incomplete(text: &str) -> bool {
    let options = Options {
        interactive: true,
        extglob: true,
        ..Options::default()
    };
    let mut parser = Parser::new(text.as_bytes(), options);
    loop {
        match parser.next_command(&NoAliases, &Unwatched) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => return error.is_incomplete(),
        }
    }
}

fn leaves(command: &str) -> bool {
    matches!(command.trim(), "exit" | "logout")
}
