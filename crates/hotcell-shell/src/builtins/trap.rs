//! `trap`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    kill::signal_table,
    parse,
};
use crate::{flow::Outcome, shell::Shell, traps::Condition};

pub(super) const TRAP: Builtin = Builtin {
    name: "trap",
    synopsis: "trap [-lp] [[arg] signal_spec ...]",
    help: "Run ARG when the shell gets a signal, or on EXIT, ERR, DEBUG or RETURN. An empty ARG ignores the signal, `-' or\n\
           no ARG resets it. Without arguments, or with -p, print what is set; -l lists the names of signals.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(TRAP, shell, process, fields, "lp");
    if parsed.has(b'l') {
        return print(shell, process, "trap", signal_table().as_bytes());
    }
    if parsed.has(b'p') || parsed.operands.is_empty() {
        return show(shell, process, parsed.operands);
    }
    let (action, names) = match parsed.operands {
        // A lone condition is reset, and so is everything if the first argument is a number.
        [only] => (None, std::slice::from_ref(only)),
        [first, ..]
            if first.iter().all(u8::is_ascii_digit) && Condition::parse(first).is_some() =>
        {
            (None, parsed.operands)
        }
        [first, names @ ..] if first == "-" => (None, names),
        [action, names @ ..] => (Some(action.as_bstr()), names),
        [] => return Ok(0),
    };
    if let [only] = names
        && parsed.operands.len() == 1
        && Condition::parse(only).is_none()
    {
        return Ok(TRAP.usage(process));
    }
    let mut status = 0;
    for name in names {
        if let Some(condition) = Condition::parse(name) {
            shell.set_trap(process, condition, action);
        } else {
            let text = [name.as_slice(), b": invalid signal specification"].concat();
            complain(shell, process, "trap", text);
            status = 1;
        }
    }
    Ok(status)
}

fn show(shell: &mut Shell, process: &Process, names: &[BString]) -> Outcome {
    let mut lines = BString::default();
    let mut status = 0;
    if names.is_empty() {
        lines = shell.trap_lines(None);
    }
    for name in names {
        if let Some(condition) = Condition::parse(name) {
            lines.extend_from_slice(&shell.trap_lines(Some(condition)));
        } else {
            let text = [name.as_slice(), b": invalid signal specification"].concat();
            complain(shell, process, "trap", text);
            status = 1;
        }
    }
    let printed = print(shell, process, "trap", &lines)?;
    Ok(status.max(printed))
}
