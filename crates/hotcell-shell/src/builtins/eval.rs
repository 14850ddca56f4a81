//! `eval`

use bstr::BString;
use hotcell_process::Process;

use super::{Builtin, Run, parse};
use crate::{flow::Outcome, shell::Shell, text::Origin};

pub(super) const EVAL: Builtin = Builtin {
    name: "eval",
    synopsis: "eval [arg ...]",
    help: "Join the arguments with blanks and run the result as commands.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(EVAL, shell, process, fields, "");
    if parsed.operands.is_empty() {
        return Ok(0);
    }
    let text = bstr::join(" ", parsed.operands);
    let line = shell.line;
    shell.trace_depth += 1;
    let outcome = shell.run_text(process, &text, Origin::Eval(line));
    shell.trace_depth -= 1;
    outcome
}
