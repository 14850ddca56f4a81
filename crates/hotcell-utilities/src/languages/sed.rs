//! `sed`.
//!
//! A script is read by the [`parse`] module into commands in a row ([`script`]), which [`execute`] runs on every line.
//! Behaviour, messages included, is that of GNU sed.

mod cursor;
mod escapes;
mod execute;
mod input;
mod list;
mod output;
mod parse;
mod script;
mod substitute;

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Process, error_text};

use self::{
    cursor::{Origin, ScriptError},
    execute::{Sed, Setup},
    parse::{Dialect, Parser},
    script::Script,
};
use crate::{Opt, Parsed, Usage, Utility, characters, whole::whole};

pub(crate) use self::output::InPlace;

/// What commands take for each byte of the script that they are written in.
const COMMANDS: usize = 48;

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "sed",
    synopsis: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
    summary: "Edit the lines of each file as a script says, and print them.\n\n\
              If no -e, --expression, -f, or --file option is given, then the first non-option argument is taken as the\n\
              sed script to interpret. All remaining arguments are names of input files; if no input files are\n\
              specified, then the standard input is read.",
    options: &[
        Opt::flag('n', "quiet", "suppress automatic printing of pattern space"),
        Opt::flag('\0', "silent", "same as --quiet"),
        Opt::flag('\0', "debug", "not supported: refused"),
        Opt::value(
            'e',
            "expression",
            "SCRIPT",
            "add the script to the commands to be executed",
        ),
        Opt::value(
            'f',
            "file",
            "SCRIPT-FILE",
            "add the contents of script-file to the commands to be executed",
        ),
        Opt::flag(
            '\0',
            "follow-symlinks",
            "follow symlinks when processing in place",
        ),
        Opt::optional(
            'i',
            "in-place",
            "SUFFIX",
            "edit files in place (makes backup if SUFFIX supplied)",
        ),
        Opt::value(
            'l',
            "line-length",
            "N",
            "specify the desired line-wrap length for the `l' command",
        ),
        Opt::flag(
            '\0',
            "posix",
            "disable GNU extensions of commands and addresses",
        ),
        Opt::flag(
            'E',
            "regexp-extended",
            "use extended regular expressions in the script",
        ),
        Opt::flag('r', "", "same as -E"),
        Opt::flag(
            's',
            "separate",
            "consider files as separate rather than as a single,\ncontinuous long stream",
        ),
        Opt::flag(
            '\0',
            "sandbox",
            "operate in sandbox mode (disable e/r/w commands)",
        ),
        Opt::flag('u', "unbuffered", "flush the output after each line"),
        Opt::flag('z', "null-data", "separate lines by NUL characters"),
        Opt::flag('\0', "zero-terminated", "same as --null-data"),
        Opt::flag('b', "binary", "accepted; all files are binary"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let mut parsed = USAGE.parse(process);
    if parsed.has("debug") {
        USAGE.fail(process, "option '--debug' is not supported");
    }
    let is_bytes = characters::are_bytes(process);
    let is_posix = parsed.has("posix");
    let is_null = parsed.has("null-data") || parsed.has("zero-terminated");
    let end = if is_null { 0 } else { b'\n' };
    let dialect = Dialect {
        is_extended: parsed.has("regexp-extended") || parsed.has("r"),
        is_posix,
        is_sandbox: parsed.has("sandbox"),
        is_bytes,
        end,
    };
    let script = match script(process, &mut parsed, dialect) {
        Ok(script) => script,
        Err(error) => {
            process.complain(error.message);
            return Ok(error.code);
        }
    };
    let expressions = parsed.count("expression").max(1);
    let place = match parsed.value("file") {
        Some(file) => format!("file {file}: "),
        None => format!("-e expression #{expressions}, char 0: "),
    };
    let in_place = parsed.has("in-place").then(|| {
        parsed
            .value("in-place")
            .map_or(BString::default(), BString::from)
    });
    let mut files = std::mem::take(&mut parsed.operands);
    if files.is_empty() {
        if in_place.is_some() {
            process.complain("no input files");
            return Ok(4);
        }
        files.push("-".into());
    }
    let setup = Setup {
        files,
        is_quiet: parsed.has("quiet") || parsed.has("silent") || script.is_quiet,
        is_separate: parsed.has("separate") || in_place.is_some(),
        in_place,
        follows_links: parsed.has("follow-symlinks"),
        is_unbuffered: parsed.has("unbuffered"),
        is_posix,
        is_bytes,
        end,
        width: width(process, &parsed),
        place,
    };
    let mut sed = Sed::new(process, &script, setup)?;
    match sed.run(&script) {
        Ok(code) => Ok(code),
        Err(error) => {
            drop(sed);
            process.complain(error_text(&error));
            Ok(4)
        }
    }
}

fn width(process: &Process, parsed: &Parsed) -> usize {
    let Some(value) = parsed.value("line-length") else {
        return 70;
    };
    match value.to_str().ok().and_then(|digits| digits.parse().ok()) {
        Some(width) => width,
        None => USAGE.fail(process, format!("invalid line length: {value}")),
    }
}

/// The script out of all options that give a piece of it, or else out of the first operand.
fn script(process: &Process, parsed: &mut Parsed, dialect: Dialect) -> Result<Script, ScriptError> {
    let mut parser = Parser::new(process, dialect);
    let mut expressions = 0;
    let mut is_given = false;
    for (option, value) in parsed.iter() {
        let Some(value) = value else { continue };
        match option {
            "expression" => {
                expressions += 1;
                is_given = true;
                parser.piece(value, Origin::Expression(expressions))?;
            }
            "file" => {
                is_given = true;
                let (text, held) = read_script(process, value)?;
                parser.hold(held);
                // The end of the last line is no line.
                let text = text.strip_suffix(b"\n").unwrap_or(&text);
                parser.piece(text, Origin::File(value.into()))?;
            }
            _ => {}
        }
    }
    if !is_given {
        if parsed.operands.is_empty() {
            USAGE.fail(process, "no script specified");
        }
        let script = parsed.operands.remove(0);
        parser.piece(&script, Origin::Expression(1))?;
    }
    parser.finish()
}

fn read_script(process: &Process, name: &bstr::BStr) -> Result<(Vec<u8>, Charge), ScriptError> {
    let read = process
        .open_input(name)
        .and_then(|input| whole(process, input, COMMANDS));
    read.map_err(|error| ScriptError {
        message: format!("couldn't open file {name}: {}", error_text(&error)),
        code: 4,
    })
}
