//! `getopts`

use std::io::Write;

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{Builtin, Run, arguments::complain, parse};
use crate::{
    flow::{Flow, Outcome},
    names::is_name,
    shell::Shell,
};

pub(super) const GETOPTS: Builtin = Builtin {
    name: "getopts",
    synopsis: "getopts optstring name [arg ...]",
    help: "Take the next option from the positional parameters, or from the arguments: its letter goes to NAME, its value\n\
           to OPTARG, the index of what comes next to OPTIND. A colon behind a letter says that it has a value; one at the\n\
           beginning says that errors are not printed. Fails at the end of the options.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(GETOPTS, shell, process, fields, "");
    let [letters, name, arguments @ ..] = parsed.operands else {
        return Ok(GETOPTS.usage(process));
    };
    let arguments = if arguments.is_empty() {
        shell.arguments.clone()
    } else {
        arguments.into()
    };
    let (silent, letters) = match letters.strip_prefix(b":") {
        Some(rest) => (true, rest),
        None => (false, letters.as_slice()),
    };
    let step = shell.next_option(process, letters, &arguments);
    let prints = !silent
        && shell
            .variable(process, b"OPTERR")
            .is_none_or(|value| value != "0");
    let (letter, value, status) = match step {
        Step::End => ("?".into(), None, 1),
        Step::Option(letter, value) => (BString::from([letter].as_slice()), value, 0),
        Step::Unknown(letter) => {
            if prints {
                say(shell, process, "illegal option", letter);
            }
            let value = silent.then(|| BString::from([letter].as_slice()));
            ("?".into(), value, 0)
        }
        Step::NoValue(letter) => {
            if prints {
                say(shell, process, "option requires an argument", letter);
            }
            let value = silent.then(|| BString::from([letter].as_slice()));
            (if silent { ":".into() } else { "?".into() }, value, 0)
        }
    };
    match value {
        Some(value) => shell.set_variable(process, b"OPTARG", value)?,
        None => shell.unset_variable(b"OPTARG"),
    }
    if !is_name(name) {
        let text = [b"`", name.as_slice(), b"': not a valid identifier"].concat();
        complain(shell, process, "getopts", text);
        return Ok(1);
    }
    match shell.set_variable(process, name, letter) {
        Ok(()) => Ok(status),
        Err(Flow::Discard(_)) => Ok(if status == 0 { 2 } else { status }),
        Err(flow) => Err(flow),
    }
}

fn say(shell: &Shell, process: &Process, what: &str, letter: u8) {
    let line = format!("{}: {what} -- {}\n", shell.name, char::from(letter));
    let _ = process.stderr().write_all(line.as_bytes());
}

enum Step {
    Option(u8, Option<BString>),
    Unknown(u8),
    NoValue(u8),
    End,
}

impl Shell {
    fn next_option(&mut self, process: &Process, letters: &[u8], arguments: &[BString]) -> Step {
        let index = self.variable(process, b"OPTIND");
        let index: usize = index
            .and_then(|text| text.to_str().ok()?.trim().parse().ok())
            .filter(|index| *index > 0)
            .unwrap_or(1);
        // Who sets OPTIND begins anew there.
        let offset = if self.option_place.0 == index {
            self.option_place.1
        } else {
            0
        };
        let (step, index, offset) = step(letters, arguments, index, offset);
        self.option_place = (index, offset);
        let _ = self.set_variable(process, b"OPTIND", index.to_string().into());
        step
    }
}

/// The option at a place: which argument, from 1, and which letter of it, 0 before the first.
fn step(
    letters: &[u8],
    arguments: &[BString],
    index: usize,
    offset: usize,
) -> (Step, usize, usize) {
    let index = index.min(arguments.len() + 1);
    let argument = arguments.get(index - 1);
    let cluster = argument
        .and_then(|argument| argument.strip_prefix(b"-"))
        .filter(|cluster| !cluster.is_empty());
    let Some(cluster) = cluster else {
        return (Step::End, index, 0);
    };
    if cluster == b"-" && offset == 0 {
        return (Step::End, index + 1, 0);
    }
    let Some(letter) = cluster.get(offset).copied() else {
        return (Step::End, index, 0);
    };
    let rest = cluster.get(offset + 1..).unwrap_or_default();
    let (next_index, next_offset) = if rest.is_empty() {
        (index + 1, 0)
    } else {
        (index, offset + 1)
    };
    let found = letters.iter().position(|known| *known == letter);
    match found.filter(|_| letter != b':') {
        None => (Step::Unknown(letter), next_index, next_offset),
        Some(found) if letters.get(found + 1) != Some(&b':') => {
            (Step::Option(letter, None), next_index, next_offset)
        }
        Some(_) if !rest.is_empty() => (Step::Option(letter, Some(rest.into())), index + 1, 0),
        Some(_) => match arguments.get(index) {
            Some(value) => (Step::Option(letter, Some(value.clone())), index + 2, 0),
            None => (Step::NoValue(letter), index + 1, 0),
        },
    }
}
