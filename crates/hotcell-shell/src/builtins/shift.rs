//! `shift`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, number},
};
use crate::{
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

pub(super) const SHIFT: Builtin = Builtin {
    name: "shift",
    synopsis: "shift [n]",
    help: "Drop the first N positional parameters, one without N.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut operands = fields.get(1..).unwrap_or_default();
    if operands.first().is_some_and(|first| first == "--") {
        operands = operands.get(1..).unwrap_or_default();
    }
    let count = match operands {
        [] => 1,
        [first, rest @ ..] => match number(first) {
            None => {
                let text = [first.as_slice(), b": numeric argument required"].concat();
                complain(shell, process, "shift", text);
                return Ok(1);
            }
            Some(_) if !rest.is_empty() => {
                complain(shell, process, "shift", "too many arguments");
                return Err(Flow::Abort(1));
            }
            Some(number) => number,
        },
    };
    if usize::try_from(count).is_ok_and(|count| shell.arguments.shift(count)) {
        Ok(0)
    } else {
        if count < 0 || shell.has(Setting::ShiftVerbose) || shell.has(Setting::Posix) {
            complain(
                shell,
                process,
                "shift",
                format!("{count}: shift count out of range"),
            );
        }
        Ok(1)
    }
}
