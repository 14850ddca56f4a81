//! A shell that a person types to.

use std::sync::Arc;

use hotcell::meter::Unwatched;
use hotcell::sandbox::{Command, CommandKind};
use hotcell::shell::parse::{NoAliases, Options, Parser};
use rustyline::{CompletionType, Config, Editor, error::ReadlineError, history::MemHistory};

use super::{
    Session,
    completion::Words,
    streams::{Input, Streams},
};
use crate::{exit::CliError, typed::Typed};

/// What a shell that is typed to begins with: it remembers what was typed, and shows where it is.
const BEGINNING: &str =
    r"set -o history; shopt -s expand_aliases; PS1=${PS1-'\w\$ '} PS2=${PS2-'> '}";

/// What shows the prompt as it is now.
const SHOW_PROMPT: &str = r#"printf %s "${PS1@P}""#;
const SHOW_CONTINUED: &str = r#"printf %s "${PS2@P}""#;

/// Reads commands until the end of input or `exit`; returns the last exit code.
pub(super) fn converse(session: &mut Session) -> Result<u8, CliError> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .build();
    let mut editor = Editor::with_history(config, MemHistory::new()).map_err(CliError::Terminal)?;
    editor.set_helper(Some(Words::of(&session.sandbox)));
    session.run(typed_command(BEGINNING), Streams::without_input())?;
    // Without one, lines that come while another is edited are lost.
    let typed = Typed::take().ok().map(Arc::new);
    let mut text = String::new();
    loop {
        let show = if text.is_empty() {
            SHOW_PROMPT
        } else {
            SHOW_CONTINUED
        };
        match crate::typed::readline(typed.as_deref(), &mut editor, &prompt(session, show)) {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
                if is_incomplete(&text) {
                    continue;
                }
                let command = std::mem::take(&mut text);
                if command.trim().is_empty() {
                    continue;
                }
                let _ = editor.add_history_entry(command.trim_end());
                // What it does not read is there for the next line.
                let input = typed.clone().map(Input::typed).unwrap_or_default();
                let ran = session.run(typed_command(&command), Streams::reading(&input))?;
                input.close();
                if session.sandbox.has_exited().map_err(CliError::usage)? && !ran.was_killed {
                    return Ok(ran.code);
                }
            }
            // The line is given up, not the shell.
            Err(ReadlineError::Interrupted) => text.clear(),
            // As if it was typed: the `EXIT` trap runs.
            Err(ReadlineError::Eof) => {
                let ran = session.run(typed_command("exit"), Streams::without_input())?;
                return Ok(ran.code);
            }
            Err(error) => return Err(CliError::Terminal(error)),
        }
    }
}

fn typed_command(text: &str) -> Command {
    Command::new(text).kind(CommandKind::Typed)
}

/// A prompt, as a twin of the shell shows it: `$?` stays what it was.
fn prompt(session: &Session, show: &str) -> String {
    let shown = session
        .sandbox
        .fork()
        .and_then(|twin| pollster::block_on(twin.run(super::completion::brief(show))));
    let shown = shown.ok().filter(hotcell::sandbox::RunResult::is_success);
    // What stands around invisible characters for readline.
    shown.map_or_else(
        || "$ ".to_owned(),
        |shown| shown.stdout_text().replace(['\x01', '\x02'], ""),
    )
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
