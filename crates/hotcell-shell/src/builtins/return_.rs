//! `return`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, number, status_of},
};
use crate::{
    flow::{Flow, Outcome},
    shell::{FrameKind, Shell},
};

pub(super) const RETURN: Builtin = Builtin {
    name: "return",
    synopsis: "return [n]",
    help: "Leave a function or a sourced file with status N, or with that of the last command.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut operands = fields.get(1..).unwrap_or_default();
    if operands.first().is_some_and(|first| first == "--") {
        operands = operands.get(1..).unwrap_or_default();
    }
    let status = match operands {
        [] => shell.status,
        [first, rest @ ..] => match number(first) {
            None => {
                let text = [first.as_slice(), b": numeric argument required"].concat();
                complain(shell, process, "return", text);
                2
            }
            Some(_) if !rest.is_empty() => {
                complain(shell, process, "return", "too many arguments");
                return Err(Flow::Abort(1));
            }
            Some(number) => status_of(number),
        },
    };
    let frames = shell.frames.iter();
    if !frames
        .into_iter()
        .any(|frame| frame.kind != FrameKind::Main)
    {
        let text = "can only `return' from a function or sourced script";
        complain(shell, process, "return", text);
        return Ok(2);
    }
    Err(Flow::Return(status))
}
