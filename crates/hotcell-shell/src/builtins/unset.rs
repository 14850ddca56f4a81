//! `unset`

use bstr::BString;
use hotcell_process::Process;

use super::{Builtin, Run, arguments::complain, parse};
use crate::{flow::Outcome, names::is_name, shell::Shell, variables::base_name};

pub(super) const UNSET: Builtin = Builtin {
    name: "unset",
    synopsis: "unset [-f] [-v] [-n] [name ...]",
    help: "Remove variables, elements of arrays, or functions.\n\
           -v only variables; -f only functions; -n the reference itself and not what it refers to.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(UNSET, shell, process, fields, "fnv");
    if parsed.has(b'f') && parsed.has(b'v') {
        let text = "cannot simultaneously unset a function and a variable";
        complain(shell, process, "unset", text);
        return Ok(1);
    }
    let mut status = 0;
    for name in parsed.operands {
        process.spend(1);
        let base = base_name(name);
        let is_variable = !parsed.has(b'f') && is_name(base);
        if parsed.has(b'v') && !is_name(base) {
            let text = [b"`", name.as_slice(), b"': not a valid identifier"].concat();
            complain(shell, process, "unset", text);
            status = 1;
            continue;
        }
        if is_variable {
            if base.len() < name.len() {
                if let Err(problem) = shell.unset_element(process, name)? {
                    complain(shell, process, "unset", problem);
                    status = 1;
                }
                continue;
            }
            if shell.variables.get_reference(name).is_some() {
                if shell.is_readonly(name) {
                    let text = [name.as_slice(), b": cannot unset: readonly variable"].concat();
                    complain(shell, process, "unset", text);
                    status = 1;
                } else if parsed.has(b'n') {
                    shell.variables.remove(name, false);
                } else {
                    shell.unset_variable(name);
                }
                continue;
            }
            if parsed.has(b'v') || parsed.has(b'n') {
                continue;
            }
        }
        let Some(function) = shell.functions.get(name) else {
            continue;
        };
        if function.is_readonly {
            let text = [name.as_slice(), b": cannot unset: readonly function"].concat();
            complain(shell, process, "unset", text);
            status = 1;
        } else {
            shell.functions.remove(name);
        }
    }
    Ok(status)
}
