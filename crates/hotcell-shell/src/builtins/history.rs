//! `history`, `fc`, `bind`

use std::{io::Write, sync::Arc};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};
use hotcell_vfs::OpenOptions;

use super::{
    Builtin, Run,
    arguments::{complain, number, print},
    parse,
};
use crate::{flow::Outcome, shell::Shell, substitute::read_all, text::Origin};

pub(super) const HISTORY: Builtin = Builtin {
    name: "history",
    synopsis: "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    help: "Print the commands that are remembered, the last N with a number. A shell that nobody types to remembers\n\
           what it is given by -s or -r, and, under set -o history, each command that it is given.\n\
           -c forget all; -d N forget the Nth; -s ARG remember; -p ARG print; -r, -n read a file; -w, -a write it.",
    is_special: false,
    run: Run::Fields(run_history),
};

pub(super) const FC: Builtin = Builtin {
    name: "fc",
    synopsis: "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    help: "List remembered commands with -l (-n without numbers, -r newest first), or run one again with -s.",
    is_special: false,
    run: Run::Fields(run_fc),
};

pub(super) const BIND: Builtin = Builtin {
    name: "bind",
    synopsis: "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
    help: "Bind keys of the line editor. A shell that runs scripts has none.",
    is_special: false,
    run: Run::Fields(|shell, process, _| {
        complain(shell, process, "bind", "warning: line editing not enabled");
        Ok(1)
    }),
};

fn run_history(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(HISTORY, shell, process, fields, "acd:nprsw");
    if parsed.has(b'c') {
        shell.history = Arc::default();
    }
    if let Some(which) = parsed.value(b'd') {
        return Ok(delete(shell, process, which));
    }
    if parsed.has(b's') {
        if !parsed.operands.is_empty() {
            let line = bstr::join(" ", parsed.operands);
            Arc::make_mut(&mut shell.history).push(line.into());
        }
        return Ok(0);
    }
    if parsed.has(b'p') {
        let mut text = Vec::new();
        for operand in parsed.operands {
            text.extend_from_slice(operand);
            text.push(b'\n');
        }
        return print(shell, process, "history", &text);
    }
    if let Some(letter) = parsed.last_of(b"anrw") {
        return file(shell, process, letter, parsed.operands.first());
    }
    if parsed.has(b'c') {
        return Ok(0);
    }
    let total = shell.history.len();
    let count = match parsed.operands.first() {
        None => total,
        Some(text) => {
            if let Some(count) = number(text).and_then(|count| usize::try_from(count).ok()) {
                count
            } else {
                complain(
                    shell,
                    process,
                    "history",
                    format!("{text}: numeric argument required"),
                );
                return Ok(1);
            }
        }
    };
    let mut text = Vec::new();
    for (index, line) in shell
        .history
        .iter()
        .enumerate()
        .skip(total.saturating_sub(count))
    {
        text.extend_from_slice(format!("{:>5}  ", index + 1).as_bytes());
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    print(shell, process, "history", &text)
}

fn delete(shell: &mut Shell, process: &Process, which: &[u8]) -> i32 {
    let total = shell.history.len();
    let position = number(which).and_then(|position| {
        let index = if position < 0 {
            total.checked_sub(usize::try_from(position.unsigned_abs()).ok()?)
        } else {
            usize::try_from(position).ok()?.checked_sub(1)
        };
        index.filter(|index| *index < total)
    });
    if let Some(index) = position {
        Arc::make_mut(&mut shell.history).remove(index);
        0
    } else {
        let text = [which, b": history position out of range"].concat();
        complain(shell, process, "history", text);
        1
    }
}

/// Reads or writes the history file.
fn file(shell: &mut Shell, process: &Process, letter: u8, name: Option<&BString>) -> Outcome {
    let name = match name {
        Some(name) => Some(name.clone()),
        None => shell.variable(process, b"HISTFILE"),
    };
    let Some(name) = name else {
        return Ok(1);
    };
    let mut read = 0;
    let done = if matches!(letter, b'r' | b'n') {
        let mut bytes = Vec::new();
        process
            .open(&name, &OpenOptions::read())
            .and_then(|stream| read_all(process, stream, &mut bytes))
            .map(|()| {
                let lines = bytes.lines().map(BString::from);
                Arc::make_mut(&mut shell.history).extend(lines);
                read = bytes.len();
            })
    } else {
        let options = if letter == b'a' {
            OpenOptions::append().create()
        } else {
            OpenOptions::write().create().truncate()
        };
        let mut bytes = Vec::new();
        for line in shell.history.iter() {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        process
            .open(&name, &options.mode(0o600))
            .and_then(|stream| process.write_all(&stream, &bytes))
    };
    if let Err(error) = done {
        let text = format!(
            "{name}: cannot {}: {}",
            if letter == b'r' { "read" } else { "write" },
            error_text(&error)
        );
        complain(shell, process, "history", text);
        return Ok(1);
    }
    shell.hold(process, read)?;
    Ok(0)
}

fn run_fc(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    // `-3` is a place, not an option.
    let is_place = |field: &BString| matches!(field.as_slice(), [b'-', b'0'..=b'9', ..]);
    let mut fields = fields.to_vec();
    if let Some(at) = fields.iter().position(is_place) {
        fields.insert(at, "--".into());
    }
    let parsed = parse!(FC, shell, process, &fields, "e:lnrs");
    let total = shell.history.len();
    if total == 0 {
        if parsed.has(b's') {
            complain(shell, process, "fc", "no command found");
            return Ok(1);
        }
        return Ok(0);
    }
    if parsed.has(b's') {
        return run_again(shell, process, parsed.operands);
    }
    let place = |text: &BString| place(shell, text);
    let (first, last) = match parsed.operands {
        [] => (total.saturating_sub(16), total - 1),
        [first] => (place(first).unwrap_or(0), total - 1),
        [first, last, ..] => (place(first).unwrap_or(0), place(last).unwrap_or(total - 1)),
    };
    if !parsed.has(b'l') {
        complain(
            shell,
            process,
            "fc",
            "there is no editor: list with `fc -l', run again with `fc -s'",
        );
        return Ok(1);
    }
    let (low, high) = (first.min(last), first.max(last));
    let mut indices: Vec<usize> = (low..=high).collect();
    if parsed.has(b'r') != (first > last) {
        indices.reverse();
    }
    let mut text = Vec::new();
    for index in indices {
        let Some(line) = shell.history.get(index) else {
            continue;
        };
        if !parsed.has(b'n') {
            text.extend_from_slice((index + 1).to_string().as_bytes());
        }
        text.extend_from_slice(b"\t ");
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    print(shell, process, "fc", &text)
}

/// The index of a command that a number, counted back if it is negative, or its beginning means.
fn place(shell: &Shell, text: &BString) -> Option<usize> {
    let total = shell.history.len();
    match number(text) {
        Some(position) if position <= 0 => {
            total.checked_sub(usize::try_from(position.unsigned_abs()).ok()?.max(1))
        }
        Some(position) => Some(
            usize::try_from(position)
                .ok()?
                .saturating_sub(1)
                .min(total - 1),
        ),
        None => shell
            .history
            .iter()
            .rposition(|line| line.starts_with(text)),
    }
}

/// `fc -s [pat=rep] [command]`
fn run_again(shell: &mut Shell, process: &Process, operands: &[BString]) -> Outcome {
    let (replacement, which) = match operands {
        [first, rest @ ..] if first.contains(&b'=') => (first.split_once_str("="), rest.first()),
        other => (None, other.first()),
    };
    let index = match which {
        Some(which) => place(shell, which),
        None => shell.history.len().checked_sub(1),
    };
    let Some(line) = index.and_then(|index| shell.history.get(index).cloned()) else {
        complain(shell, process, "fc", "no command found");
        return Ok(1);
    };
    let line: BString = match replacement {
        Some((from, to)) if !from.is_empty() => line.replace(from, to).into(),
        _ => line,
    };
    let _ = process
        .stderr()
        .write_all(&[line.as_slice(), b"\n"].concat());
    Arc::make_mut(&mut shell.history).push(line.clone());
    let at = shell.line;
    shell.run_text(process, &line, Origin::Eval(at))
}
