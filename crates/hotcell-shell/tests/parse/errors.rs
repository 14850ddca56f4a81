//! What is wrong, in bash's words.

use hotcell_shell::parse::{ErrorKind, NoAliases, Options};

use crate::cases::{ERRORS, SCRIPTS, cases, error_of, parse_with, transcript};

#[test]
fn errors_are_those_of_bash() {
    let cases = cases::<2>(ERRORS);
    assert!(cases.len() >= 200);
    for [script, expected] in cases {
        let (commands, error) = parse_with(script.as_bytes(), Options::default(), &NoAliases);
        assert_eq!(
            transcript(&commands, error.as_ref()),
            expected,
            "in:\n{script}"
        );
    }
}

#[test]
fn what_bash_accepts_is_accepted() {
    for [script] in cases::<1>(SCRIPTS) {
        let (commands, error) = parse_with(script.as_bytes(), Options::default(), &NoAliases);
        assert_eq!(transcript(&commands, error.as_ref()), "", "in:\n{script}");
    }
}

#[test]
fn an_end_in_the_middle_is_incomplete() {
    for script in [
        "if",
        "while a",
        "for x in a",
        "case x",
        "case x in a)",
        "{ a",
        "( a",
        "f()",
        "a &&",
        "a |",
        "echo \"",
        "echo '",
        "echo $'",
        "echo ${x",
        "echo $(a",
        "echo $((1",
        "echo `a",
        "x=(a",
        "[[ a &&",
        "echo <(a",
        "a[1",
        "echo \"$(echo \"",
        "function f",
        "until a; do b",
    ] {
        assert!(error_of(script).is_incomplete(), "{script}");
    }
}

#[test]
fn what_cannot_be_completed_is_not_incomplete() {
    for script in [
        "fi",
        "a )",
        "a && ;",
        "case x in a",
        "for x y",
        "[[ a b ]]",
        "echo $(fi)",
        "f() a",
    ] {
        assert_eq!(error_of(script).kind, ErrorKind::Invalid, "{script}");
    }
}

#[test]
fn an_error_in_an_array_does_not_end_the_script() {
    let script = b"x=(a;b)\necho c\n";
    let mut parser = hotcell_shell::parse::Parser::new(script, Options::default());
    let error = parser
        .next_command(&NoAliases, &hotcell_meter::Unwatched)
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Assignment);
    let next = parser
        .next_command(&NoAliases, &hotcell_meter::Unwatched)
        .unwrap();
    assert_eq!(next.unwrap().list.items.len(), 1);
}

#[test]
fn where_bash_gives_up_without_a_word_the_error_is_named() {
    for (script, expected) in [
        ("[[ ]]", "line 1: syntax error near `]]'"),
        ("[[ a || ]]", "line 1: syntax error near `]]'"),
        ("[[ ! ]]", "line 1: syntax error near `]]'"),
        (
            "for ((;;) do a; done",
            "line 1: syntax error: `for ((' without `))'",
        ),
    ] {
        assert_eq!(error_of(script).to_string(), expected, "{script}");
    }
}

#[test]
fn bytes_that_are_not_utf8_survive_in_messages() {
    let (_, error) = parse_with(b"f() \xff\xfea", Options::default(), &NoAliases);
    let error = error.unwrap();
    assert_eq!(
        &*error.messages[0].text,
        br"syntax error near unexpected token `$'\377\376a''"
    );
    assert_eq!(&*error.messages[1].text, b"`f() \xff\xfea'");
}
