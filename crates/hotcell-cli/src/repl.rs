//! `hotcell repl`: code, line by line.

mod command;
mod complete;
mod helper;
mod history;
mod live;
mod piped;
mod unfinished;

use std::io::{self, IsTerminal as _};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::args::ReplArgs;
use crate::exit::{CliError, Exit};
use crate::paint::{Ink, Paint};
use crate::typed::Typed;
use crate::{print, report, setup};
use command::After;
use helper::Prompter;
use live::Live;
use piped::{Piped, Said};

const PROMPT: &str = "hotcell> ";

pub(crate) fn repl(args: &ReplArgs) -> Result<Exit, CliError> {
    let state = Live::begin(&args.cell)?;
    let mut editor = editor(&state)?;
    let history = history::open(args, &mut editor);
    if io::stdin().is_terminal() {
        let paint = Paint::stdout();
        let version = env!("CARGO_PKG_VERSION");
        print::line(paint.ink(
            Ink::Dim,
            format_args!("hotcell {version}. Type .help for help, Ctrl-D to end."),
        ));
    }
    let result = if io::stdin().is_terminal() {
        converse(&mut editor, &state)
    } else {
        listen(&mut editor, &state)
    };
    history::close(history.as_deref(), &mut editor);
    setup::conclude(&state.executor(), &args.cell.changes)?;
    result
}

fn editor<'a>(state: &'a Live<'a>) -> Result<Editor<Prompter<'a>, FileHistory>, CliError> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(10_000)
        .and_then(|config| config.history_ignore_dups(true))
        .map_err(CliError::Terminal)?
        .history_ignore_space(true)
        .build();
    let mut editor = Editor::with_config(config).map_err(CliError::Terminal)?;
    editor.set_helper(Some(Prompter::new(state)));
    Ok(editor)
}

/// Takes what somebody else wrote, without a prompt.
fn listen(
    editor: &mut Editor<Prompter<'_>, FileHistory>,
    state: &Live<'_>,
) -> Result<Exit, CliError> {
    let mut piped = Piped::new(io::stdin().lock());
    loop {
        match piped.next()? {
            Said::Line(line) if line.trim().is_empty() => {}
            Said::Line(line) => {
                let _ = editor.add_history_entry(line.as_str());
                if take(line.trim(), state) == After::End {
                    return Ok(Exit::Success);
                }
            }
            Said::Refused(error) => report::failure(&error),
            Said::End => return Ok(Exit::Success),
        }
    }
}

fn converse(
    editor: &mut Editor<Prompter<'_>, FileHistory>,
    state: &Live<'_>,
) -> Result<Exit, CliError> {
    let mut was_interrupted = false;
    // Without one, lines that come while another is edited are lost.
    let typed = io::stdin().is_terminal().then(Typed::take);
    let typed = typed.and_then(Result::ok);
    loop {
        match crate::typed::readline(typed.as_ref(), editor, PROMPT) {
            Ok(line) => {
                was_interrupted = false;
                if line.trim().is_empty() {
                    continue;
                }
                let _ = editor.add_history_entry(line.as_str());
                if take(line.trim(), state) == After::End {
                    return Ok(Exit::Success);
                }
            }
            // The line is cleared, and that is all.
            Err(ReadlineError::Interrupted)
                if editor.helper().is_some_and(Prompter::was_typing) =>
            {
                was_interrupted = false;
            }
            Err(ReadlineError::Interrupted) if was_interrupted => return Ok(Exit::Success),
            Err(ReadlineError::Interrupted) => {
                was_interrupted = true;
                print::line("(press Ctrl-C again, or Ctrl-D, to end)");
            }
            Err(ReadlineError::Eof) => return Ok(Exit::Success),
            Err(error) => return Err(CliError::Terminal(error)),
        }
    }
}

fn take(line: &str, state: &Live<'_>) -> After {
    match line.strip_prefix('.') {
        // `.5 + .5` is code.
        Some(command) if command.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            command::obey(command, state)
        }
        _ => {
            state.run(line);
            After::GoOn
        }
    }
}
