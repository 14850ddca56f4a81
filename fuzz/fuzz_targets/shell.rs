//! Any bytes are a script or an error, and what a script is printed as is a script, too.

#![no_main]

use hotcell_meter::Unwatched;
use hotcell_shell::ast::CompleteCommand;
use hotcell_shell::parse::{NoAliases, Options, Parser, SyntaxError};
use hotcell_shell::print;
use libfuzzer_sys::fuzz_target;

const LONGEST: usize = 1 << 20;

fuzz_target!(|data: &[u8]| fuzz_shell(data));

fn fuzz_shell(data: &[u8]) {
    let Some((&mode, script)) = data.split_first() else {
        return;
    };
    let options = Options {
        extglob: mode & 1 != 0,
        posix: mode & 2 != 0,
        interactive: mode & 4 != 0,
        ..Options::default()
    };
    let Ok(commands) = parse(script, &options) else {
        return;
    };
    let Some(text) = printed(&commands) else {
        return;
    };
    if is_printed_wrongly(script)
        || is_printed_wrongly(&text)
        || commands.iter().any(|command| !command.warnings.is_empty())
    {
        return;
    }
    // A semicolon behind a document becomes a newline the first time; from then on the text stays the same.
    let commands = parse(&text, &options).expect("what was printed is a script");
    let Some(text) = printed(&commands) else {
        return;
    };
    let commands = parse(&text, &options).expect("what was printed is a script");
    assert_eq!(printed(&commands).as_ref(), Some(&text));
}

fn parse(script: &[u8], options: &Options) -> Result<Vec<CompleteCommand>, SyntaxError> {
    let mut parser = Parser::new(script, options.clone());
    let mut commands = Vec::new();
    loop {
        let result = parser.next_command(&NoAliases, &Unwatched);
        assert!(parser.consumed() <= script.len());
        match result {
            Ok(Some(command)) => commands.push(command),
            Ok(None) => return Ok(commands),
            Err(error) => {
                assert!(!error.messages.is_empty());
                return Err(error);
            }
        }
    }
}

fn printed(commands: &[CompleteCommand]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for command in commands {
        text.extend(print::list(&command.list, LONGEST).ok()?);
        text.push(b'\n');
    }
    Some(text)
}

/// What bash prints so that it reads something else, which is kept: lone `!` and `time`, names of coprocesses, `1<>`, a
/// backslash at the end.
fn is_printed_wrongly(script: &[u8]) -> bool {
    let contains = |text: &[u8]| script.windows(text.len()).any(|window| window == text);
    let last = script.iter().rev().find(|&&byte| byte != 0);
    last == Some(&b'\\')
        || [&b"!"[..], b"time", b"coproc", b"<>"]
            .iter()
            .any(|text| contains(text))
}
