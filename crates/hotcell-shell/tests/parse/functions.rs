//! Functions as `declare -f` prints them.

use hotcell_shell::parse::{NoAliases, Options};
use hotcell_shell::print;

use crate::cases::{
    FUNCTIONS, LIMIT, SCRIPTS, cases, function_of, parse, parse_with, printed_function,
};

fn with_extglob() -> Options {
    Options {
        extglob: true,
        ..Options::default()
    }
}

#[test]
fn functions_are_printed_as_by_bash() {
    let cases = cases::<2>(FUNCTIONS);
    assert!(cases.len() >= 120);
    for [script, expected] in cases {
        let (commands, error) = parse_with(script.as_bytes(), with_extglob(), &NoAliases);
        assert!(error.is_none(), "{script}");
        let printed = printed_function(&function_of(&commands).unwrap());
        assert_eq!(printed, expected, "of:\n{script}");
    }
}

#[test]
fn a_printed_function_is_the_same_function() {
    for [script, expected] in cases::<2>(FUNCTIONS) {
        // bash itself takes the name that it adds for the command, and `<>` for `0<>`; a semicolon behind a
        // document has become a newline.
        let is_misread = [
            "coproc COPROC a",
            "coproc COPROC d",
            "a 1 <> x",
            "E\n a\nb);",
        ];
        if is_misread.iter().any(|text| expected.contains(text)) {
            continue;
        }
        let (commands, error) = parse_with(expected.as_bytes(), with_extglob(), &NoAliases);
        assert!(error.is_none(), "{expected}");
        let again = printed_function(&function_of(&commands).unwrap());
        assert_eq!(again, expected, "of:\n{script}");
    }
}

/// Lines change when a script is printed, and nothing else does, except for what bash writes in another way.
#[test]
fn a_printed_script_has_the_same_tree() {
    let written_in_another_way = [
        "elif",
        "for ((",
        "$'",
        "$\"",
        "[[",
        "|&",
        "`",
        "<<",
        ":-'",
        "select x;",
        "for x;",
        "for x do",
        "for x\ndo",
        "function ",
        "time",
        "$((1+2)\n",
        "echo $((echo",
        "$((",
        "coproc",
        "\n",
        "${x#$",
        "!",
        ">&",
        "<&",
        "f() ",
        "f () ",
    ];
    let mut compared = 0;
    for [script] in cases::<1>(SCRIPTS) {
        if written_in_another_way
            .iter()
            .any(|text| script.contains(text))
        {
            continue;
        }
        let first = parse(script);
        let printed: Vec<_> = first
            .iter()
            .map(|command| print::list(&command.list, LIMIT).unwrap())
            .collect();
        let printed = String::from_utf8(printed.join(&b'\n')).unwrap();
        let second = parse(&printed);
        assert_eq!(
            without_lines(&first),
            without_lines(&second),
            "{script}\nprinted:\n{printed}"
        );
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

fn without_lines(commands: &[hotcell_shell::ast::CompleteCommand]) -> String {
    let lists: Vec<_> = commands.iter().map(|command| &command.list).collect();
    let text = format!("{lists:#?}");
    let mut lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("line: "))
        .collect();
    // What ends the last command of a list is not kept by printing.
    lines.retain(|line| !line.trim_start().starts_with("separator: "));
    lines.join("\n")
}

/// What bash prints here is another command. It even runs that, because it keeps substitutions as text.
#[test]
fn a_semicolon_behind_a_document_is_kept() {
    let commands = parse("f() { x=$(cat <<E; b; c\ny\nE\n); }");
    let printed = printed_function(&function_of(&commands).unwrap());
    assert_eq!(printed, "f () \n{ \n    x=$(cat <<E\ny\nE\n b; c)\n}");
}

#[test]
fn a_function_whose_name_is_reserved_is_printed_so_that_it_can_be_read() {
    let commands = parse("function if { a; }");
    assert_eq!(
        printed_function(&function_of(&commands).unwrap()),
        "function if () \n{ \n    a\n}"
    );
}

#[test]
fn a_text_that_would_become_too_long_is_refused() {
    let nested = format!(
        "f() {{ {}a{}; }}",
        "if b; then ".repeat(90),
        "; fi".repeat(90)
    );
    let function = function_of(&parse(&nested)).unwrap();
    let text = print::function(b"f", &function.body, LIMIT).unwrap();
    assert!(text.len() > 30_000, "indentation makes it long");
    assert!(print::function(b"f", &function.body, text.len()).is_ok());
    let error = print::function(b"f", &function.body, text.len() - 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the text of the command is longer than {} bytes",
            text.len() - 1
        )
    );
}

#[test]
fn a_job_is_printed_on_few_lines() {
    let commands = parse("while a; do b; done | { c; d & } && ( e; f ) &");
    let item = &commands[0].list.items[0];
    let text = String::from_utf8(print::and_or(&item.command, LIMIT).unwrap()).unwrap();
    assert_eq!(text, "while a; do\n    b;\ndone | { c; d & } && ( e; f )");
}
