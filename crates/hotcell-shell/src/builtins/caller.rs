//! `caller`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, number, print},
    parse,
};
use crate::{flow::Outcome, shell::Shell};

pub(super) const CALLER: Builtin = Builtin {
    name: "caller",
    synopsis: "caller [expr]",
    help: "Print the line and the file that the running function was called from; with a number, also the function, that\n\
           many calls up.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(CALLER, shell, process, fields, "");
    let depth = match parsed.operands.first() {
        None => None,
        Some(text) => {
            if let Some(depth) = number(text).and_then(|number| usize::try_from(number).ok()) {
                Some(depth)
            } else {
                let message = [text.as_slice(), b": invalid number"].concat();
                complain(shell, process, "caller", message);
                return Ok(CALLER.usage(process));
            }
        }
    };
    let mut frames = shell.frames.iter().rev().skip(depth.unwrap_or(0));
    let (Some(frame), below) = (frames.next(), frames.next()) else {
        return Ok(1);
    };
    let line = match (depth, below) {
        (None, Some(below)) => format!("{} {}\n", frame.called_from, below.source),
        (None, None) if frame.kind == crate::shell::FrameKind::Main => return Ok(1),
        (None, None) => format!("{} NULL\n", frame.called_from),
        (Some(_), Some(below)) => {
            format!("{} {} {}\n", frame.called_from, below.name, below.source)
        }
        (Some(_), None) => return Ok(1),
    };
    print(shell, process, "caller", line.as_bytes())
}
