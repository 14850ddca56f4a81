//! `((` and `$((`, which begin an expression or a subshell.

use hotcell_meter::{Stopped, Watch};
use hotcell_shell::ast::{Command, CompoundKind, Part};
use hotcell_shell::parse::{NoAliases, Options, Parser};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cases::parse_command;

#[test]
fn what_ends_with_two_parentheses_is_an_expression() {
    for (script, is_expression) in [
        ("((a))", true),
        ("(((a)+(b)))", true),
        ("((a); b)", false),
        ("( (a) )", false),
        ("((a) )", false),
        ("((a \")\" ))", true),
        ("((a $(b) ))", true),
        ("(( $((1)) ))", true),
        ("(((a)))", true),
        ("((a;b))", true),
    ] {
        let Command::Compound(compound) = parse_command(script) else {
            panic!("{script}")
        };
        let found = matches!(compound.kind, CompoundKind::Arithmetic(_));
        assert_eq!(found, is_expression, "{script}");

        let Command::Simple(simple) = parse_command(&format!("a ${script}")) else {
            panic!()
        };
        let word = simple.words[1].word().unwrap();
        let found = matches!(word.parts(), [Part::Arithmetic { .. }]);
        assert_eq!(found, is_expression, "${script}");
    }
}

struct Counter(AtomicUsize);

impl Watch for Counter {
    fn check(&self) -> Result<(), Stopped> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// How often the parser asked whether to go on, which it does after so many bytes.
fn steps(script: &str) -> usize {
    let counter = Counter(AtomicUsize::new(0));
    let mut parser = Parser::new(script.as_bytes(), Options::default());
    while let Ok(Some(_)) = parser.next_command(&NoAliases, &counter) {}
    counter.0.into_inner()
}

/// Each level is tried as an expression first. Without a memory of what was tried, that takes 2¹⁰⁰ steps.
#[test]
fn subshells_that_look_like_expressions_take_linear_time() {
    let padding = " ".repeat(1000);
    for (open, close) in [
        ("$((a ", ") )"),
        ("((", ") )"),
        ("(", ")"),
        ("((a $((b ", ") ) ) )"),
        ("$((a $(b) ", ") )"),
        ("(( \"$((", ") )\" ) )"),
        ("<((", ") )"),
    ] {
        let nested = |depth: usize| {
            let open = format!("{open}{padding}").repeat(depth);
            format!("echo; {open}x{} ", close.repeat(depth))
        };
        let (less, more) = (steps(&nested(20)), steps(&nested(40)));
        assert!(more <= 3 * less + 10, "{open}: {less} and {more}");
    }
}
