//! One complete command at a time, and the lines that commands are on.

use hotcell_meter::Unwatched;
use hotcell_shell::ast::{Command, CompoundKind, List};
use hotcell_shell::parse::{ErrorKind, NoAliases, Options, Parser};

use crate::cases::{parse, parse_with};

#[test]
fn earlier_lines_can_run_before_a_later_one_is_read() {
    let mut parser = Parser::new(b"a\n\n# b\nc; d\ne )\nf\n", Options::default());
    let mut next = || parser.next_command(&NoAliases, &Unwatched);
    assert_eq!(next().unwrap().unwrap().list.items.len(), 1);
    assert_eq!(next().unwrap().unwrap().list.items.len(), 2);
    assert_eq!(next().unwrap_err().messages[0].line, 5);
}

#[test]
fn the_parser_knows_how_much_it_has_read() {
    let mut parser = Parser::new(b"a\ncat <<E\nb\nE\nc", Options::default());
    let mut read = || {
        let found = parser
            .next_command(&NoAliases, &Unwatched)
            .unwrap()
            .is_some();
        (found, parser.consumed(), parser.line())
    };
    assert_eq!(read(), (true, 2, 2));
    assert_eq!(read(), (true, 14, 5));
    assert_eq!(read(), (true, 15, 6));
    assert_eq!(read(), (false, 15, 6));
}

#[test]
fn lines_may_begin_anywhere() {
    let options = Options {
        first_line: 100,
        ..Options::default()
    };
    let (_, error) = parse_with(b"a\nfi", options, &NoAliases);
    assert_eq!(error.unwrap().messages[0].line, 101);
}

fn lines_of(list: &List, lines: &mut Vec<u32>) {
    for item in list.items.iter() {
        for command in item.command.first.commands() {
            lines.push(command.line());
            if let Command::Compound(compound) = command {
                match &compound.kind {
                    CompoundKind::Group(list) | CompoundKind::Subshell(list) => {
                        lines_of(list, lines);
                    }
                    CompoundKind::For(for_) => lines_of(&for_.body, lines),
                    _ => {}
                }
            }
        }
    }
}

/// What `LINENO` is in bash 5.2, which looks at the token after the first word before it counts.
#[test]
fn commands_know_their_lines_as_bash_does() {
    for (script, expected) in [
        ("a\nb\n\nc", &[1, 2, 4][..]),
        ("a \\\n b", &[2]),
        ("a \\\n b \\\n c", &[2]),
        ("x=1 \\\n a", &[1]),
        ("a 'b\nc' d", &[2]),
        ("a b 'c\nd'", &[1]),
        ("'a\nb' c", &[2]),
        ("a <<E; b\nx\nE\nc", &[1, 3, 4]),
        ("{\na\n}", &[3, 2]),
        ("for x in a \\\nb\ndo\nc\ndone", &[1, 4]),
        ("((1\n+1))", &[2]),
        ("[[ a ||\nb ]]", &[2]),
        ("a |\nb |\nc", &[1, 2, 3]),
    ] {
        let mut lines = Vec::new();
        for command in parse(script) {
            lines_of(&command.list, &mut lines);
        }
        assert_eq!(lines, expected, "{script:?}");
    }
}

#[test]
fn a_prompt_is_told_to_ask_for_more() {
    let options = || Options {
        interactive: true,
        ..Options::default()
    };
    for (script, is_incomplete) in [
        ("echo a\n", false),
        ("echo a \\\n", true),
        ("cat <<E\n", true),
        ("cat <<E\na\n", true),
        ("cat <<E\na\nE\n", false),
        ("if a; then\n", true),
        ("echo 'a\n", true),
        ("f() {\n", true),
        ("# comment\n", false),
        ("\n", false),
        ("a |\n", true),
    ] {
        let (_, error) = parse_with(script.as_bytes(), options(), &NoAliases);
        let kind = error.map(|error| error.kind);
        let expected = is_incomplete.then_some(ErrorKind::Incomplete);
        assert_eq!(kind, expected, "{script:?}");
    }
}

#[test]
fn an_empty_script_has_no_commands() {
    for script in ["", "\n", " \t\n\n", "# a", "# a\n# b\n", "\\\n"] {
        assert!(parse(script).is_empty(), "{script:?}");
    }
}

#[test]
fn nul_bytes_are_taken_out() {
    let (commands, error) = parse_with(b"a\0b 'c\0d'\0\n", Options::default(), &NoAliases);
    assert!(error.is_none());
    let printed = hotcell_shell::print::list(&commands[0].list, 100).unwrap();
    assert_eq!(printed, b"ab 'cd'");
}
