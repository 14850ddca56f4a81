//! `alias` and `unalias`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, quote, shell::Shell};

pub(super) const ALIAS: Builtin = Builtin {
    name: "alias",
    synopsis: "alias [-p] [name[=value] ... ]",
    help: "Define aliases, or print them: all of them without arguments, or with -p.",
    is_special: false,
    run: Run::Fields(run),
};

pub(super) const UNALIAS: Builtin = Builtin {
    name: "unalias",
    synopsis: "unalias [-a] name [name ...]",
    help: "Remove aliases; all of them with -a.",
    is_special: false,
    run: Run::Fields(run_unalias),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(ALIAS, shell, process, fields, "p");
    let mut shown = Vec::new();
    let mut status = 0;
    if parsed.operands.is_empty() || parsed.has(b'p') {
        for (name, value) in &shell.aliases {
            shown.extend_from_slice(&line(name, value));
        }
    }
    for operand in parsed.operands {
        match operand
            .split_once_str("=")
            .filter(|(name, _)| !name.is_empty())
        {
            Some((name, value)) => {
                if !is_alias_name(name) {
                    let text = [b"`", name, b"': invalid alias name"].concat();
                    complain(shell, process, "alias", text);
                    status = 1;
                    continue;
                }
                shell.aliases.insert(name.into(), value.into());
            }
            None => {
                if let Some(value) = shell.aliases.get(operand) {
                    shown.extend_from_slice(&line(operand, value));
                } else {
                    let text = [operand.as_slice(), b": not found"].concat();
                    complain(shell, process, "alias", text);
                    status = 1;
                }
            }
        }
    }
    let printed = print(shell, process, "alias", &shown)?;
    Ok(status.max(printed))
}

fn line(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut line = b"alias ".to_vec();
    line.extend_from_slice(name);
    line.push(b'=');
    line.extend_from_slice(&quote::single(value));
    line.push(b'\n');
    line
}

fn is_alias_name(name: &[u8]) -> bool {
    !name
        .iter()
        .any(|byte| b" \t\n;&()|<>/$`=\"'\\".contains(byte))
}

fn run_unalias(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(UNALIAS, shell, process, fields, "a");
    if parsed.has(b'a') {
        shell.aliases.clear();
        return Ok(0);
    }
    if parsed.operands.is_empty() {
        return Ok(UNALIAS.usage(process));
    }
    let mut status = 0;
    for name in parsed.operands {
        if shell.aliases.remove(name).is_none() {
            let text = [name.as_slice(), b": not found"].concat();
            complain(shell, process, "unalias", text);
            status = 1;
        }
    }
    Ok(status)
}
