//! What a script may take.

use hotcell_meter::{StopToken, Unwatched};
use hotcell_shell::parse::{ErrorKind, NoAliases, Options, Parser};

use crate::cases::{error_of, parse_with};

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{}a{}", "{ ".repeat(depth), "; }".repeat(depth));
    let limit = usize::try_from(Options::default().max_depth).unwrap();
    crate::cases::parse(&nested(limit));
    let error = error_of(&nested(limit + 1));
    assert_eq!(error.kind, ErrorKind::TooDeep);
    assert_eq!(
        error.to_string(),
        "line 1: syntax error: nested too deeply: commands and expansions may be nested 200 levels deep"
    );
    let deeper = Options {
        max_depth: 1,
        ..Options::default()
    };
    let (_, error) = parse_with(b"{ { a; }; }", deeper, &NoAliases);
    assert_eq!(error.unwrap().kind, ErrorKind::TooDeep);
}

#[test]
fn a_tree_has_a_limit() {
    let options = Options {
        max_memory: 100_000,
        ..Options::default()
    };
    let (commands, error) = parse_with(
        b"a b c\n".repeat(10_000).as_slice(),
        options.clone(),
        &NoAliases,
    );
    assert!(error.is_none(), "each command is small");
    assert!(
        commands
            .iter()
            .all(|command| (100..1000).contains(&command.memory))
    );
    for script in [
        "a;".repeat(10_000),
        "a ".repeat(10_000),
        "a|".repeat(10_000) + "a",
        "a&&".repeat(10_000) + "a",
        format!("x=({})", "a ".repeat(10_000)),
        format!("echo {}", "$x".repeat(10_000)),
        format!("echo {}", "''".repeat(10_000)),
        format!("echo {}", "\\a".repeat(10_000)),
        format!("echo '{}'", "a".repeat(200_000)),
        format!("echo {}", "a".repeat(200_000)),
        format!("cat <<E\n{}E\n", "a\n".repeat(100_000)),
        format!("a {}", ">b ".repeat(10_000)),
        format!("[[ {}a ]]", "a && ".repeat(10_000)),
        format!("case a in {}esac", "a) ;; ".repeat(10_000)),
        format!("case a in {}a) esac", "a|".repeat(10_000)),
        format!("if a; then b; {}fi", "elif a; then b; ".repeat(10_000)),
        format!("for x in {}; do a; done", "a ".repeat(10_000)),
        format!("echo `{}`", "a;".repeat(10_000)),
        format!("echo $(({}))", "(1)+".repeat(30_000)),
    ] {
        let (_, error) = parse_with(script.as_bytes(), options.clone(), &NoAliases);
        let error = error.unwrap_or_else(|| panic!("{script:.40}"));
        assert_eq!(error.kind, ErrorKind::TooLarge, "{script:.40}");
        assert_eq!(
            error.to_string(),
            "line 1: syntax error: command too large: parsing it takes more than 100000 bytes"
                .replace("line 1", &format!("line {}", error.messages[0].line)),
        );
    }
}

/// Each document holds all that are inside of it, so their texts are as long as their depth squared.
#[test]
fn documents_inside_of_documents_are_counted_each_time() {
    let depth = 60;
    let mut script = "x".repeat(100_000);
    for level in 0..depth {
        script = format!("$(cat <<E{level}\n{script}\nE{level}\n)");
    }
    let options = Options {
        max_memory: 3_000_000,
        ..Options::default()
    };
    let (_, error) = parse_with(format!("echo {script}").as_bytes(), options, &NoAliases);
    assert_eq!(error.unwrap().kind, ErrorKind::TooLarge);
}

#[test]
fn parsing_stops_when_the_run_has_to_end() {
    let token = StopToken::new();
    token.cancel();
    let script = "echo a\n".repeat(100).repeat(100);
    let grouped = format!("{{ {script} }}");
    let mut parser = Parser::new(grouped.as_bytes(), Options::default());
    let error = parser.next_command(&NoAliases, &token).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Stopped(_)), "{error}");
    let mut parser = Parser::new(grouped.as_bytes(), Options::default());
    assert!(parser.next_command(&NoAliases, &Unwatched).is_ok());
}
