//! `let`

use bstr::BString;
use hotcell_process::Process;

use super::{Builtin, Run, arguments::complain};
use crate::{flow::Outcome, shell::Shell};

pub(super) const LET: Builtin = Builtin {
    name: "let",
    synopsis: "let arg [arg ...]",
    help: "Evaluate each argument as an arithmetic expression. The status is 1 if the last one is zero.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut expressions = fields.get(1..).unwrap_or_default();
    if expressions.first().is_some_and(|first| first == "--") {
        expressions = expressions.get(1..).unwrap_or_default();
    }
    if expressions.is_empty() {
        complain(shell, process, "let", "expression expected");
        return Ok(1);
    }
    let outcome = shell.evaluating(b"let", |shell| {
        let mut last = 0;
        for expression in expressions {
            last = shell.evaluate_text(process, expression)?;
        }
        Ok(i32::from(last == 0))
    });
    Shell::as_status(outcome)
}
