//! Aliases.

use std::collections::HashMap;

use hotcell_shell::ast::Text;
use hotcell_shell::parse::{Aliases, ErrorKind, Options};
use hotcell_shell::print;

use crate::cases::{ALIASES, LIMIT, cases, function_of, parse_with, printed_function};

struct Table(HashMap<&'static str, &'static str>);

impl Table {
    /// `name=text`, one on each line.
    fn new(lines: &'static str) -> Self {
        Self(
            lines
                .lines()
                .map(|line| line.split_once('=').unwrap())
                .collect(),
        )
    }
}

impl Aliases for Table {
    fn expansion(&self, name: &[u8]) -> Option<Text> {
        let text = self.0.get(std::str::from_utf8(name).ok()?)?;
        Some(text.as_bytes().into())
    }
}

#[test]
fn aliases_are_expanded_as_by_bash() {
    for [aliases, script, expected] in cases::<3>(ALIASES) {
        let (commands, error) =
            parse_with(script.as_bytes(), Options::default(), &Table::new(aliases));
        if expected.contains("syntax error") {
            let first = expected.lines().next().unwrap();
            let error = error.unwrap().to_string();
            let (_, message) = first.split_once(": syntax").unwrap();
            assert!(error.contains(message), "{script}: {error}");
            continue;
        }
        assert!(error.is_none(), "{aliases}\n{script}: {}", error.unwrap());
        let printed = printed_function(&function_of(&commands).unwrap());
        assert_eq!(printed, expected, "of:\n{aliases}\n{script}");
    }
}

fn printed(script: &str, options: Options, aliases: &'static str) -> String {
    let (commands, error) = parse_with(script.as_bytes(), options, &Table::new(aliases));
    assert!(error.is_none(), "{}", error.unwrap());
    let lists = commands
        .iter()
        .map(|command| print::list(&command.list, LIMIT).unwrap());
    String::from_utf8(lists.collect::<Vec<_>>().join(&b'\n')).unwrap()
}

#[test]
fn substitutions_expand_aliases_when_they_run_except_in_posix_mode() {
    let posix = Options {
        posix: true,
        ..Options::default()
    };
    assert_eq!(
        printed("echo $(a) <(a)", Options::default(), "a=b"),
        "echo $(a) <(a)"
    );
    assert_eq!(printed("echo $(a) <(a)", posix, "a=b"), "echo $(b) <(b)");
}

#[test]
fn a_reserved_word_is_no_alias_in_posix_mode() {
    let posix = Options {
        posix: true,
        ..Options::default()
    };
    assert_eq!(printed("{ a; }", posix, "{=echo"), "{ a; }");
    assert_eq!(printed("{ a; b", Options::default(), "{=echo"), "echo a; b");
}

#[test]
fn an_alias_may_hold_several_lines() {
    struct Lines;
    impl Aliases for Lines {
        fn expansion(&self, name: &[u8]) -> Option<Text> {
            (name == b"x").then(|| b"a\nb".as_slice().into())
        }
    }
    let (commands, error) = parse_with(b"x c\nd", Options::default(), &Lines);
    assert!(error.is_none());
    let lists = commands
        .iter()
        .map(|command| print::list(&command.list, LIMIT).unwrap());
    assert_eq!(lists.collect::<Vec<_>>().concat(), b"ab cd");
    assert_eq!(commands.len(), 3, "each line is a command of its own");
}

/// Each alias stands for two of the next: the text doubles with every one.
#[test]
fn aliases_that_explode_are_an_error() {
    struct Doubling;
    impl Aliases for Doubling {
        fn expansion(&self, name: &[u8]) -> Option<Text> {
            let number: u32 = std::str::from_utf8(name)
                .ok()?
                .strip_prefix('a')?
                .parse()
                .ok()?;
            Some(format!("a{0};a{0}", number + 1).into_bytes().into())
        }
    }
    let options = Options {
        max_memory: 1_000_000,
        ..Options::default()
    };
    let (_, error) = parse_with(b"a0", options, &Doubling);
    let kind = error.unwrap().kind;
    assert!(
        matches!(kind, ErrorKind::TooLarge | ErrorKind::TooDeep),
        "{kind:?}"
    );
}

#[test]
fn aliases_that_stand_for_each_other_without_end_are_an_error() {
    struct Endless;
    impl Aliases for Endless {
        fn expansion(&self, name: &[u8]) -> Option<Text> {
            Some([name, b"x"].concat().into())
        }
    }
    let (_, error) = parse_with(b"a", Options::default(), &Endless);
    let error = error.unwrap();
    assert_eq!(error.kind, ErrorKind::TooDeep);
    assert_eq!(
        error.to_string(),
        "line 1: syntax error: more than 1000 aliases stand for each other"
    );
}
