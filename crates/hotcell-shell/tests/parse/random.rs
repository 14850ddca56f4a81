//! Random scripts: nothing panics, and what is printed is read again.

use hotcell_shell::ast::CompleteCommand;
use hotcell_shell::parse::{NoAliases, Options};
use hotcell_shell::print;
use proptest::prelude::*;

use crate::cases::{LIMIT, parse_with};

const PIECES: &[&str] = &[
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "while ",
    "until ",
    "do ",
    "done",
    "for ",
    "in ",
    "case ",
    "esac",
    "select ",
    "function ",
    "time ",
    "{ ",
    "}",
    "! ",
    "[[ ",
    " ]]",
    "coproc ",
    "(",
    ")",
    "((",
    "))",
    ";",
    ";;",
    ";&",
    ";;&",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "\n",
    " ",
    "a",
    "b ",
    "x=1 ",
    "x=(",
    "x[1]=",
    "$x",
    "\"",
    "'",
    "$(",
    "`",
    "${",
    "${x:-",
    "}",
    ">",
    "<",
    ">>",
    "2>&1 ",
    "<<E\n",
    "E\n",
    "<<-'E' ",
    ">&",
    "f() ",
    "echo ",
    "-p ",
    "# c\n",
    "\\\n",
    "$((",
    "<(",
    ">(",
    "-f ",
    " == ",
    " =~ ",
    "<<<",
    "declare ",
    "eval ",
    "\\",
    "&>",
    "{x}>",
    "$'",
    "$\"",
    "@(",
    "[",
    "]",
    "=",
    "+=",
    "/",
    ":",
    "#",
    "%",
    "@",
    "*",
    "?",
    "~",
    "^",
    ",",
    "\t",
    "\0",
    "\u{e9}",
    "\u{1}",
    "1",
    "$1",
    "$@",
    "$[",
    "a; ",
    "; do ",
    "; then ",
    "; done",
    "; fi",
    "; }",
];

fn options() -> Options {
    Options {
        extglob: true,
        ..Options::default()
    }
}

fn printed(commands: &[CompleteCommand]) -> Vec<u8> {
    let lists = commands
        .iter()
        .map(|command| print::list(&command.list, LIMIT).unwrap());
    let mut text = lists.collect::<Vec<_>>().join(&b'\n');
    text.push(b'\n');
    text
}

/// What bash prints so that it reads something else: lone `!` and `time`, names of coprocesses, `1<>`, a backslash at the
/// end.
fn is_printed_wrongly(script: &[u8]) -> bool {
    let contains = |text: &[u8]| script.windows(text.len()).any(|window| window == text);
    let last = script.iter().rev().find(|&&byte| byte != 0);
    last == Some(&b'\\')
        || [&b"!"[..], b"time", b"coproc", b"<>"]
            .iter()
            .any(|text| contains(text))
}

/// What a script prints as, prints as the same again.
fn is_stable(script: &[u8]) {
    let (commands, error) = parse_with(script, options(), &NoAliases);
    if error.is_some()
        || is_printed_wrongly(script)
        || commands.iter().any(|command| !command.warnings.is_empty())
    {
        return;
    }
    let mut text = printed(&commands);
    if is_printed_wrongly(&text) {
        return;
    }
    // A semicolon behind a document becomes a newline the first time.
    for is_first in [true, false] {
        let shown = String::from_utf8_lossy(&text).into_owned();
        let (commands, error) = parse_with(&text, options(), &NoAliases);
        assert!(error.is_none(), "{}\n{shown}", error.unwrap());
        text = printed(&commands);
        assert!(
            is_first || shown == String::from_utf8_lossy(&text),
            "{shown}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn random_bytes_do_not_panic(script in proptest::collection::vec(any::<u8>(), 0..200)) {
        is_stable(&script);
    }

    #[test]
    fn random_text_of_special_characters_does_not_panic(script in "[ -~\n\t]{0,100}") {
        is_stable(script.as_bytes());
    }

    #[test]
    fn random_pieces_of_scripts_do_not_panic(
        script in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)
    ) {
        is_stable(script.concat().as_bytes());
    }
}
