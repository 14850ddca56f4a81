//! `break` and `continue`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, only_number},
};
use crate::{
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

pub(super) const BREAK: Builtin = Builtin {
    name: "break",
    synopsis: "break [n]",
    help: "Leave N enclosing loops, one without N.",
    is_special: true,
    run: Run::Fields(run),
};

pub(super) const CONTINUE: Builtin = Builtin {
    name: "continue",
    synopsis: "continue [n]",
    help: "Go on with the next round of the Nth enclosing loop, of the innermost one without N.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let name = if fields.first().is_some_and(|name| name == "break") {
        "break"
    } else {
        "continue"
    };
    if shell.loops == 0 {
        if !shell.has(Setting::Posix) {
            let text = "only meaningful in a `for', `while', or `until' loop";
            complain(shell, process, name, text);
        }
        return Ok(0);
    }
    let count = only_number(shell, process, fields, 1)?;
    let Some(count) = usize::try_from(count).ok().filter(|count| *count > 0) else {
        complain(
            shell,
            process,
            name,
            format!("{count}: loop count out of range"),
        );
        // bash leaves all of them then.
        shell.set_status(1);
        return Err(Flow::Break(shell.loops));
    };
    let count = count.min(shell.loops);
    shell.set_status(0);
    Err(if name == "break" {
        Flow::Break(count)
    } else {
        Flow::Continue(count)
    })
}
