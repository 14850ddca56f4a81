//! `exec`

use std::sync::Arc;

use bstr::{BString, ByteSlice as _};
use hotcell_process::{Environment, LookupError, Process};

use super::{Builtin, Run, parse};
use crate::{
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

pub(super) const EXEC: Builtin = Builtin {
    name: "exec",
    synopsis: "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
    help: "Put a program in the place of the shell. Without a command, redirections take effect in this shell.\n\
           -a NAME pass NAME as the program's own name; -c with an empty environment; -l with a dash before its name.",
    is_special: true,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(EXEC, shell, process, fields, "cla:");
    let Some(name) = parsed.operands.first() else {
        return Ok(0);
    };
    match shell.prepare_program(process, parsed.operands.to_vec()) {
        Ok((mut spec, program)) => {
            if parsed.has(b'c') {
                spec.env = Arc::new(Environment::new());
            }
            let mut own = match parsed.value(b'a') {
                Some(own) => Some(own.to_owned()),
                None => spec.args.first().cloned(),
            };
            if parsed.has(b'l') {
                own = own.map(|own| [b"-", own.as_slice()].concat().into());
            }
            if let (Some(own), Some(first)) = (own, Arc::make_mut(&mut spec.args).first_mut()) {
                *first = own;
            }
            shell.successor = Some((spec, program));
            Err(Flow::Exec)
        }
        Err((_, error)) => {
            let message = if name.contains(&b'/') {
                let path = process.resolve(name).normalize();
                [path.as_bytes(), format!(": {error}").as_bytes()].concat()
            } else {
                format!("exec: {name}: not found").into_bytes()
            };
            shell.complain(process, message);
            if name.contains(&b'/') && matches!(error, LookupError::NotRunnable(_)) {
                let path = process.resolve(name).normalize();
                let path = path.as_bytes().as_bstr();
                shell.complain(process, format!("exec: {path}: cannot execute: {error}"));
            }
            if shell.has(Setting::ExecFail) {
                return Ok(error.code());
            }
            Err(Flow::Exit(error.code()))
        }
    }
}
