//! `dc`.

mod machine;

use std::io;

use bstr::{BStr, BString};
use hotcell_process::Process;

use self::machine::{Ended, Machine};
use crate::{Opt, Usage, Utility, lines::Lines, whole::whole};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "dc",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Calculate in reverse Polish notation with decimal numbers of any size.\n\n\
              With no FILE, -e or -f, or when FILE is -, read standard input.",
    options: &[
        Opt::value('e', "expression", "EXPR", "evaluate expression"),
        Opt::value('f', "file", "FILE", "evaluate contents of file"),
    ],
    notes: "DC_LINE_LENGTH says how wide lines are; 0 is any width.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut machine = Machine::new(process)?;
    let mut is_given = false;
    for (option, value) in parsed.iter() {
        let Some(value) = value else { continue };
        is_given = true;
        let ended = match option {
            "expression" => machine.run_argument(value.to_vec())?,
            _ => run_file(process, &mut machine, value)?,
        };
        if let Ended::Quit = ended {
            // GNU's dc fails if it was a file that quit.
            return machine.finish(i32::from(option != "expression"));
        }
    }
    let stdin = [BString::from("-")];
    let files = if is_given || !parsed.operands.is_empty() {
        parsed.operands.as_slice()
    } else {
        &stdin
    };
    for file in files {
        let ended = run_file(process, &mut machine, file.as_ref())?;
        if let Ended::Quit = ended {
            return machine.finish(1);
        }
    }
    machine.finish(0)
}

fn run_file(process: &Process, machine: &mut Machine<'_>, name: &BStr) -> io::Result<Ended> {
    if name == "-" {
        return run_stdin(process, machine);
    }
    let read = process
        .open_input(name)
        .and_then(|input| whole(process, input, 1));
    let Ok((text, _held)) = read else {
        machine.flush()?;
        process.complain(format!("Could not open file {name}"));
        return Ok(Ended::Over);
    };
    machine.run(text)
}

/// Line by line, as far as lines are not parts of a string, so that an answer comes when it is asked for.
fn run_stdin(process: &Process, machine: &mut Machine<'_>) -> io::Result<Ended> {
    let mut lines = Lines::new(process, process.stdin())?;
    let mut text = Vec::new();
    let mut charge = process.charge(0)?;
    while let Some(line) = lines.next_line()? {
        charge
            .grow(line.len())
            .map_err(hotcell_process::limit_error)?;
        text.extend_from_slice(line);
        if depth(&text) > 0 {
            continue;
        }
        let program = std::mem::take(&mut text);
        charge.shrink(usize::MAX);
        let mut read_line = || Ok(lines.next_line()?.map(<[u8]>::to_vec));
        let ended = machine.run_with(program, &mut read_line, true)?;
        machine.flush()?;
        if let Ended::Quit = ended {
            return Ok(Ended::Quit);
        }
    }
    machine.run(text)
}

/// How many strings are open at the end of a text.
fn depth(text: &[u8]) -> usize {
    text.iter().fold(0usize, |depth, byte| match byte {
        b'[' => depth + 1,
        b']' => depth.saturating_sub(1),
        _ => depth,
    })
}
