//! `builtin` and `enable`

use std::fmt::Write;

use bstr::BString;
use hotcell_process::Process;

use super::{
    ALL, Builtin, Run,
    arguments::{complain, print},
    find, parse,
};
use crate::{flow::Outcome, shell::Shell};

pub(super) const BUILTIN: Builtin = Builtin {
    name: "builtin",
    synopsis: "builtin [shell-builtin [arg ...]]",
    help: "Run a builtin even if there is a function of that name.",
    is_special: false,
    run: Run::Fields(run_builtin),
};

pub(super) const ENABLE: Builtin = Builtin {
    name: "enable",
    synopsis: "enable [-a] [-dnps] [-f filename] [name ...]",
    help: "Turn builtins on, or off with -n, so that a program of that name runs instead. Without names, list those that\n\
           are on; -n those that are off; -a all; -s only special ones. Builtins cannot be loaded from files.",
    is_special: false,
    run: Run::Fields(run_enable),
};

fn run_builtin(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(BUILTIN, shell, process, fields, "");
    let Some(name) = parsed.operands.first() else {
        return Ok(0);
    };
    if let Some(builtin) = find(name) {
        shell.call_builtin(process, builtin, parsed.operands)
    } else {
        let text = [name.as_slice(), b": not a shell builtin"].concat();
        complain(shell, process, "builtin", text);
        Ok(1)
    }
}

fn run_enable(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(ENABLE, shell, process, fields, "adnpsf:");
    if let Some(file) = parsed.value(b'f') {
        let text = format!(
            "cannot open shared object {file}: {file}: cannot open shared object file: No such file or directory"
        );
        complain(shell, process, "enable", text);
        return Ok(1);
    }
    if parsed.operands.is_empty() || parsed.has(b'p') {
        let mut lines = String::new();
        for builtin in ALL {
            let is_on = !shell.disabled.contains(builtin.name);
            let is_wanted = parsed.has(b'a') || is_on != parsed.has(b'n');
            if is_wanted && (builtin.is_special || !parsed.has(b's')) {
                let off = if is_on { "" } else { "-n " };
                let _ = writeln!(lines, "enable {off}{}", builtin.name);
            }
        }
        return print(shell, process, "enable", lines.as_bytes());
    }
    let mut status = 0;
    for name in parsed.operands {
        match find(name) {
            Some(_) if parsed.has(b'd') => {
                complain(
                    shell,
                    process,
                    "enable",
                    format!("{name}: not dynamically loaded"),
                );
                status = 1;
            }
            Some(builtin) if parsed.has(b'n') => {
                shell.disabled.insert(builtin.name);
            }
            Some(builtin) => {
                shell.disabled.remove(builtin.name);
            }
            None => {
                complain(
                    shell,
                    process,
                    "enable",
                    format!("{name}: not a shell builtin"),
                );
                status = 1;
            }
        }
    }
    Ok(status)
}
