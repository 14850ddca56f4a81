//! Scripts, and what bash makes of them.

use hotcell_meter::Unwatched;
use hotcell_shell::ast::{Command, CompleteCommand, FunctionDefinition};
use hotcell_shell::parse::{Aliases, Message, NoAliases, Options, Parser, SyntaxError};
use hotcell_shell::print;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) const ERRORS: &str = include_str!("data/errors.txt");
pub(crate) const SCRIPTS: &str = include_str!("data/scripts.txt");
pub(crate) const FUNCTIONS: &str = include_str!("data/functions.txt");
pub(crate) const ALIASES: &str = include_str!("data/aliases.txt");

pub(crate) const LIMIT: usize = 100_000_000;

/// Cases are separated by lines of `%%`, their parts by lines of `--`.
pub(crate) fn cases<const N: usize>(text: &'static str) -> Vec<[&'static str; N]> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let parts = |case: &'static str| -> [&'static str; N] {
        case.splitn(N, "\n--\n")
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    };
    text.split("\n%%\n").map(parts).collect()
}

pub(crate) fn parse_with(
    script: &[u8],
    options: Options,
    aliases: &dyn Aliases,
) -> (Vec<CompleteCommand>, Option<SyntaxError>) {
    let mut parser = Parser::new(script, options);
    let mut commands = Vec::new();
    loop {
        match parser.next_command(aliases, &Unwatched) {
            Ok(Some(command)) => commands.push(command),
            Ok(None) => return (commands, None),
            Err(error) => return (commands, Some(error)),
        }
    }
}

/// All commands of a script that is right.
pub(crate) fn parse(script: &str) -> Vec<CompleteCommand> {
    let (commands, error) = parse_with(script.as_bytes(), Options::default(), &NoAliases);
    assert!(error.is_none(), "{script:?}: {}", error.unwrap());
    commands
}

/// The only command of a script.
pub(crate) fn parse_command(script: &str) -> Command {
    let commands = parse(script);
    let [complete] = &commands[..] else {
        panic!("{script:?} is {} commands", commands.len())
    };
    let [item] = &complete.list.items[..] else {
        panic!("{script:?} is a list")
    };
    item.command.first.first.clone()
}

/// What is wrong with a script.
pub(crate) fn error_of(script: &str) -> SyntaxError {
    let (_, error) = parse_with(script.as_bytes(), Options::default(), &NoAliases);
    error.unwrap_or_else(|| panic!("{script:?} is right"))
}

/// The last function that a script defines.
pub(crate) fn function_of(commands: &[CompleteCommand]) -> Option<Arc<FunctionDefinition>> {
    let items = commands
        .iter()
        .flat_map(|command| command.list.items.iter());
    items.fold(None, |found, item| match &item.command.first.first {
        Command::Function(function) => Some(Arc::clone(function)),
        _ => found,
    })
}

pub(crate) fn printed_function(function: &FunctionDefinition) -> String {
    let name = function.name.literal().unwrap();
    String::from_utf8(print::function(name, &function.body, LIMIT).unwrap()).unwrap()
}

/// What bash prints for a script whose name is `bash` (`bash -c`), with the warnings in front.
pub(crate) fn transcript(commands: &[CompleteCommand], error: Option<&SyntaxError>) -> String {
    let mut out = String::new();
    let mut say = |shell: &str, messages: &[Message]| {
        for message in messages {
            let text = String::from_utf8_lossy(&message.text);
            let _ = writeln!(out, "{shell}: line {}: {text}", message.line);
        }
    };
    for command in commands {
        say("bash", &command.warnings);
    }
    if let Some(error) = error {
        say("bash", &error.warnings);
        say("bash: -c", &error.messages);
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}
