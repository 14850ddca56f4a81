//! `hash`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    find, parse,
};
use crate::{flow::Outcome, settings::Setting, shell::Shell};

pub(super) const HASH: Builtin = Builtin {
    name: "hash",
    synopsis: "hash [-lr] [-p pathname] [-dt] [name ...]",
    help: "Remember where programs are, or print what is remembered.\n\
           -r forget all; -d forget the names; -p PATH remember this path; -t print where names lead; -l as commands.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(HASH, shell, process, fields, "dlp:rt");
    if !shell.has(Setting::HashAll) {
        complain(shell, process, "hash", "hashing disabled");
        return Ok(1);
    }
    if parsed.has(b'r') {
        shell.hashed.clear();
    }
    if parsed.operands.is_empty() {
        return if parsed.has(b'r') {
            Ok(0)
        } else {
            list(shell, process, parsed.has(b'l'))
        };
    }
    let mut text = Vec::new();
    let mut status = 0;
    for name in parsed.operands {
        let is_done = if let Some(path) = parsed.value(b'p') {
            shell.hashed.insert(name.clone(), (path.to_owned(), 0));
            shell.hashed_for = shell.search_path(process);
            true
        } else if parsed.has(b'd') {
            shell.hashed.remove(name).is_some()
        } else if parsed.has(b't') {
            match shell.hashed.get(name) {
                Some((path, _)) => {
                    if parsed.has(b'l') {
                        text.extend_from_slice(
                            format!("builtin hash -p {path} {name}\n").as_bytes(),
                        );
                    } else {
                        if parsed.operands.len() > 1 {
                            text.extend_from_slice(name);
                            text.push(b'\t');
                        }
                        text.extend_from_slice(path);
                        text.push(b'\n');
                    }
                    true
                }
                None => false,
            }
        } else {
            remember(shell, process, name)
        };
        if !is_done {
            complain(shell, process, "hash", format!("{name}: not found"));
            status = 1;
        }
    }
    let printed = print(shell, process, "hash", &text)?;
    Ok(status.max(printed))
}

fn remember(shell: &mut Shell, process: &Process, name: &BString) -> bool {
    let is_own = find(name).is_some() || shell.functions.contains_key(name.as_bstr());
    if name.contains(&b'/') || is_own {
        return true;
    }
    let path = shell.search_path(process);
    let found = process.all_in(name, &path).next();
    match found {
        Some(found) => {
            if shell.hashed_for != path {
                shell.hashed.clear();
                shell.hashed_for = path;
            }
            let found = BString::from(found.into_bytes());
            shell.hashed.insert(name.clone(), (found, 0));
            true
        }
        None => false,
    }
}

fn list(shell: &mut Shell, process: &Process, as_commands: bool) -> Outcome {
    if shell.hashed.is_empty() {
        let text: &[u8] = if as_commands {
            b""
        } else {
            b"hash: hash table empty\n"
        };
        return print(shell, process, "hash", text);
    }
    let mut text = Vec::new();
    if !as_commands {
        text.extend_from_slice(b"hits\tcommand\n");
    }
    for (name, (path, hits)) in &shell.hashed {
        let line = if as_commands {
            format!("builtin hash -p {path} {name}\n")
        } else {
            format!("{hits:>4}\t{path}\n")
        };
        text.extend_from_slice(line.as_bytes());
    }
    print(shell, process, "hash", &text)
}
