//! `awk`.
//!
//! A program is read by the [`parser`] into a tree with resolved names ([`syntax`]), which the [`interpreter`] walks.
//! Behaviour is that of POSIX with the extensions of GNU awk that people use.

mod array;
mod inplace;
mod interpreter;
mod lexer;
mod number;
mod parser;
mod reader;
mod record;
mod regexes;
mod streams;
mod syntax;
mod text;
mod value;

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};

use self::{
    inplace::InPlace,
    interpreter::{Halt, Interpreter, Setup, describe_place, is_name},
    lexer::{SourceText, SyntaxError},
};
use super::budget::Budget;
use crate::{Opt, Parsed, Usage, Utility, characters, whole::whole};

/// What a program takes for each byte of its text.
const PROGRAM: usize = 48;

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

/// The name that scripts use which need GNU's.
pub(crate) const GAWK: Utility = Utility {
    usage: &GAWK_USAGE,
    main,
};

/// The extension that is there.
const INPLACE: &str = "inplace";

const GAWK_USAGE: Usage = Usage {
    name: "gawk",
    ..USAGE
};

const USAGE: Usage = Usage {
    name: "awk",
    letters: b"hV",
    synopsis: "[OPTION]... 'PROGRAM' [FILE]...\n[OPTION]... -f PROGFILE [FILE]...",
    summary: "Find patterns in the records of each FILE and do what PROGRAM says with them.\n\n\
              With no FILE, or when FILE is -, read standard input. An operand NAME=VALUE assigns when it is reached.",
    options: &[
        Opt::value(
            'F',
            "field-separator",
            "FS",
            "what separates fields: one character or a regular expression",
        ),
        Opt::value(
            'v',
            "assign",
            "NAME=VALUE",
            "assign before the program begins",
        ),
        Opt::value(
            'f',
            "file",
            "PROGFILE",
            "read the program from a file; may be repeated",
        ),
        Opt::value(
            'e',
            "source",
            "PROGRAM",
            "program text; may be repeated and mixed with -f",
        ),
        Opt::value('E', "exec", "PROGFILE", "as -f, and no options follow"),
        Opt::flag(
            'b',
            "characters-as-bytes",
            "characters are bytes, whatever the locale",
        ),
        Opt::flag(
            'k',
            "csv",
            "records are lines of comma-separated values, with quotes",
        ),
        Opt::value(
            'i',
            "include",
            "FILE",
            "read functions and rules from FILE before the program;\n'inplace': change the files that are read (a copy of each is kept\nwith -v INPLACE_SUFFIX=.bak)",
        ),
        Opt::flag('P', "posix", "accepted; extensions stay on"),
        Opt::flag('r', "re-interval", "accepted; {n,m} always works"),
        Opt::flag('O', "optimize", "accepted; there is nothing to switch on"),
        Opt::flag(
            's',
            "no-optimize",
            "accepted; there is nothing to switch off",
        ),
        Opt::flag(
            'S',
            "sandbox",
            "no system(), no pipes, no files that the program opens: refused",
        ),
    ],
    notes: "Not supported: SYMTAB, FUNCTAB, @include, @load, namespaces and network files.",
    error_code: 2,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let mut parsed = USAGE.parse(process);
    if parsed.has("sandbox") {
        USAGE.fail(
            process,
            "option --sandbox is not supported: there is a sandbox around it already",
        );
    }
    let Some(sources) = sources(process, &mut parsed)? else {
        return Ok(2);
    };
    let is_bytes = parsed.has("characters-as-bytes") || characters::are_bytes(process);
    let budget = Budget::new(process)?;
    let program = match parser::parse(process, &budget, &sources, is_bytes) {
        Ok(parsed) => {
            for (place, warning) in parsed.warnings {
                let place = describe_place(&sources, place);
                process.complain(format!("{place}: warning: {warning}"));
            }
            parsed.program
        }
        Err(error) => {
            complain_of_syntax(process, &sources, &error);
            return Ok(error.code);
        }
    };
    let mut arguments = vec![BString::from(process.name())];
    arguments.append(&mut parsed.operands);
    let in_place = parsed.values("include").any(|name| name == INPLACE);
    let mut suffix = BString::default();
    for assignment in parsed.values("assign") {
        for name in [&b"INPLACE_SUFFIX="[..], b"inplace::suffix="] {
            suffix = assignment.strip_prefix(name).map_or(suffix, BString::from);
        }
    }
    let setup = Setup {
        in_place: in_place.then(|| InPlace::new(process, suffix)),
        sources: &sources,
        arguments,
        field_separator: parsed.value("field-separator").map(BString::from),
        assignments: assignments(process, &parsed),
        is_bytes,
        is_csv: parsed.has("csv"),
    };
    match Interpreter::new(process, &program, &budget, setup) {
        Ok(mut interpreter) => Ok(interpreter.run()),
        Err(halt) => {
            if let Halt::Fatal(message) = *halt {
                process.complain(format!("fatal: {message}"));
            }
            Ok(2)
        }
    }
}

/// The texts of the program: files and pieces that options give, or else the first operand.
fn sources(process: &Process, parsed: &mut Parsed) -> io::Result<Option<Vec<SourceText>>> {
    let mut sources = Vec::new();
    let mut has_program = false;
    for (option, value) in parsed.iter() {
        let Some(value) = value else { continue };
        match option {
            "include" if value == INPLACE => {}
            "file" | "exec" | "include" => {
                let read = process
                    .open_input(value)
                    .and_then(|input| whole(process, input, PROGRAM));
                let (text, held) = match read {
                    Ok(read) => read,
                    Err(error) => {
                        process.complain(format!(
                            "fatal: cannot open source file `{value}' for reading: {}",
                            error_text(&error)
                        ));
                        return Ok(None);
                    }
                };
                has_program |= option != "include";
                sources.push(SourceText {
                    name: Some(value.to_str_lossy().into_owned()),
                    text,
                    _held: Some(held),
                });
            }
            "source" => {
                has_program = true;
                sources.push(SourceText {
                    name: None,
                    text: value.to_vec(),
                    _held: None,
                });
            }
            _ => {}
        }
    }
    if !has_program {
        if parsed.operands.is_empty() {
            USAGE.fail(process, "no program text at all!");
        }
        let text = parsed.operands.remove(0);
        sources.push(SourceText {
            name: None,
            text: text.into(),
            _held: None,
        });
    }
    Ok(Some(sources))
}

fn assignments(process: &Process, parsed: &Parsed) -> Vec<(BString, BString)> {
    let mut assignments = Vec::new();
    for assignment in parsed.values("assign") {
        match assignment.split_once_str("=") {
            Some((b"inplace::suffix", _)) => {}
            Some((name, value)) if is_name(name) => {
                assignments.push((name.into(), value.into()));
            }
            _ => {
                process.complain(format!(
                    "fatal: `{assignment}' argument to `-v' not in `var=value' form"
                ));
                process.exit(2);
            }
        }
    }
    assignments
}

/// The line, and below it where in the line the mistake is.
fn complain_of_syntax(process: &Process, sources: &[SourceText], error: &SyntaxError) {
    let place = describe_place(sources, error.place);
    let Some(column) = error.column else {
        process.complain(format!("{place}: {}", error.message));
        return;
    };
    let source = sources.get(usize::from(error.place.source));
    let text = source.map_or(&b""[..], |source| &source.text);
    let number = usize::try_from(error.place.line).unwrap_or(1);
    let line = text
        .lines()
        .nth(number.saturating_sub(1))
        .unwrap_or_default();
    let mut shown = format!("{place}: ").into_bytes();
    shown.extend_from_slice(line);
    process.complain(shown);
    let spaces: String = line
        .iter()
        .take(column)
        .map(|byte| if *byte == b'\t' { '\t' } else { ' ' })
        .collect();
    process.complain(format!("{place}: {spaces}^ {}", error.message));
}
