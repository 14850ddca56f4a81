//! `exit` and `logout`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, number, status_of},
};
use crate::{
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

pub(super) const EXIT: Builtin = Builtin {
    name: "exit",
    synopsis: "exit [n]",
    help: "End the shell with status N, or with that of the last command.",
    is_special: true,
    run: Run::Fields(run),
};

pub(super) const LOGOUT: Builtin = Builtin {
    name: "logout",
    synopsis: "logout [n]",
    help: "End a login shell with status N, or with that of the last command.",
    is_special: false,
    run: Run::Fields(|shell, process, fields| {
        if !shell.has(Setting::LoginShell) {
            complain(shell, process, "logout", "not login shell: use `exit'");
            return Ok(1);
        }
        run(shell, process, fields)
    }),
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
                complain(shell, process, "exit", text);
                2
            }
            Some(_) if !rest.is_empty() => {
                complain(shell, process, "exit", "too many arguments");
                return Err(Flow::Abort(1));
            }
            Some(number) => status_of(number),
        },
    };
    shell.has_exited = true;
    Err(Flow::Exit(status))
}
