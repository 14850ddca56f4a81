//! `help`

use std::fmt::Write;

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    ALL, Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, invoke::VERSION, shell::Shell};

pub(super) const HELP: Builtin = Builtin {
    name: "help",
    synopsis: "help [-dms] [pattern ...]",
    help: "Say what builtins do: those whose names begin with a pattern, or a list of all.\n\
           -d in a line; -s only how they are called; -m as a manual page. Of a utility it shows what --help says.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(HELP, shell, process, fields, "dms");
    if parsed.operands.is_empty() {
        let mut text = format!("hotcell shell, like GNU bash, version {VERSION}\n");
        text.push_str(
            "These shell commands are defined internally.  Type `help' to see this list.\n",
        );
        text.push_str("Type `help name' to find out more about the function `name'.\n\n");
        for builtin in ALL {
            let _ = writeln!(text, " {}", builtin.synopsis);
        }
        let names = process.program_names();
        if !names.is_empty() {
            text.push_str("\nThese utilities are there, too; each explains itself with --help:\n");
            let _ = writeln!(text, " {}", bstr::join(" ", names).as_bstr());
        }
        return print(shell, process, "help", text.as_bytes());
    }
    let style = parsed.last_of(b"dms");
    let mut text = String::new();
    let mut found = false;
    let names = process.program_names();
    for pattern in parsed.operands {
        let exact = ALL.iter().filter(|builtin| pattern == builtin.name);
        let mut matching: Vec<_> = exact.collect();
        if matching.is_empty() && names.contains(pattern) {
            // A utility knows best.
            print(shell, process, "help", text.as_bytes())?;
            text.clear();
            found = true;
            let _ = process.execute(process.spec([pattern.as_slice(), b"--help"]));
            continue;
        }
        if matching.is_empty() {
            let near = ALL
                .iter()
                .filter(|builtin| builtin.name.as_bytes().starts_with(pattern));
            matching = near.collect();
        }
        found |= !matching.is_empty();
        for builtin in matching {
            text.push_str(&describe(builtin, style));
        }
    }
    if !found {
        let last = parsed.operands.last().cloned().unwrap_or_default();
        let message = format!(
            "no help topics match `{last}'.  Try `help help' or `man -k {last}' or `info {last}'."
        );
        complain(shell, process, "help", message);
        return Ok(1);
    }
    print(shell, process, "help", text.as_bytes())
}

fn describe(builtin: &Builtin, style: Option<u8>) -> String {
    let Builtin {
        name,
        synopsis,
        help,
        ..
    } = builtin;
    let first = help.lines().next().unwrap_or_default();
    match style {
        Some(b'd') => format!("{name} - {first}\n"),
        Some(b's') => format!("{name}: {synopsis}\n"),
        Some(_) => {
            let body = help.replace('\n', "\n    ");
            format!(
                "NAME\n    {name} - {first}\n\nSYNOPSIS\n    {synopsis}\n\nDESCRIPTION\n    {body}\n\n"
            )
        }
        None => format!("{name}: {synopsis}\n    {}\n", help.replace('\n', "\n    ")),
    }
}
