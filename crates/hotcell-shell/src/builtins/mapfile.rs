//! `mapfile` and `readarray`

use bstr::BString;
use hotcell_process::{Fd, Process};

use super::{
    Builtin, Run,
    arguments::{complain, number},
};
use crate::{flow::Outcome, names::is_name, quote, shell::Shell, text::Origin};

pub(super) const MAPFILE: Builtin = Builtin {
    name: "mapfile",
    synopsis: "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    help: "Read lines of standard input into an array, MAPFILE if none is named.\n\
           -d DELIM lines end with DELIM; -n N at most N lines; -O N begin at index N and keep what is there;\n\
           -s N skip N lines; -t take the delimiter off; -u FD read from FD;\n\
           -C COMMAND run COMMAND with index and line after each so many lines as -c says (5000).",
    is_special: false,
    run: Run::Fields(|shell, process, fields| run(&MAPFILE, shell, process, fields)),
};

pub(super) const READARRAY: Builtin = Builtin {
    name: "readarray",
    synopsis: "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    run: Run::Fields(|shell, process, fields| run(&READARRAY, shell, process, fields)),
    ..MAPFILE
};

/// What is asked for at once.
const PIECE: usize = 16 << 10;

fn run(builtin: &Builtin, shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = match builtin.parse(shell, process, fields, "d:n:O:s:tu:C:c:") {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let (mut fd, mut delimiter): (Fd, u8) = (0, b'\n');
    let (mut most, mut skipped, mut origin, mut quantum) = (0u64, 0u64, None, 5000u64);
    for (letter, value) in parsed.iter() {
        let value = value.unwrap_or_default();
        let count = number(value).and_then(|number| u64::try_from(number).ok());
        let (place, problem): (&mut u64, &str) = match letter {
            b'd' => {
                delimiter = value.first().copied().unwrap_or(0);
                continue;
            }
            b'n' => (&mut most, "invalid line count"),
            b's' => (&mut skipped, "invalid line count"),
            b'O' => (origin.insert(0), "invalid array origin"),
            b'c' => (&mut quantum, "invalid callback quantum"),
            b'u' => match count.and_then(|fd| Fd::try_from(fd).ok()) {
                Some(number) => {
                    fd = number;
                    continue;
                }
                None => {
                    let text = format!("{value}: invalid file descriptor specification");
                    builtin.complain(shell, process, text);
                    return Ok(1);
                }
            },
            _ => continue,
        };
        match count.filter(|count| letter != b'c' || *count > 0) {
            Some(count) => *place = count,
            None => {
                builtin.complain(shell, process, format!("{value}: {problem}"));
                return Ok(1);
            }
        }
    }
    let array = parsed.operands.first().cloned();
    let array = array.unwrap_or_else(|| "MAPFILE".into());
    if !is_name(&array) {
        builtin.complain(shell, process, format!("`{array}': not a valid identifier"));
        return Ok(1);
    }
    if shell.is_associative(&array) {
        builtin.complain(shell, process, format!("{array}: not an indexed array"));
        return Ok(1);
    }
    let Ok(stream) = process.descriptor(fd) else {
        let text = format!("{fd}: invalid file descriptor: Bad file descriptor");
        builtin.complain(shell, process, text);
        return Ok(1);
    };
    let trims = parsed.has(b't');
    let callback = parsed.value(b'C');
    let start = origin.unwrap_or(0);
    let mut lines: Vec<BString> = Vec::new();
    let mut charge = match process.charge(0) {
        Ok(charge) => charge,
        Err(error) => {
            shell.complain_of(process, builtin.name.as_bytes(), &error);
            return Ok(1);
        }
    };
    let mut piece = vec![0; PIECE];
    let mut line = Vec::new();
    let mut is_over = false;
    while !is_over && (most == 0 || (lines.len() as u64) < most) {
        let read = process.read_until(&stream, delimiter, &mut piece);
        let count = match read {
            Ok(count) => count,
            Err(error) => {
                complain(
                    shell,
                    process,
                    builtin.name,
                    hotcell_process::error_text(&error),
                );
                return Ok(1);
            }
        };
        is_over = count == 0;
        line.extend_from_slice(piece.get(..count).unwrap_or_default());
        if !(line.ends_with(&[delimiter]) || is_over && !line.is_empty()) {
            continue;
        }
        let mut whole = std::mem::take(&mut line);
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        if (trims || delimiter == 0) && whole.ends_with(&[delimiter]) {
            whole.pop();
        }
        if let Err(full) = charge.grow(whole.len() + std::mem::size_of::<BString>()) {
            complain(shell, process, builtin.name, full.to_string());
            return Ok(1);
        }
        let number = lines.len() as u64 + 1;
        if let Some(callback) = callback
            && number % quantum == 0
        {
            let index = start + number - 1;
            let mut text = callback.to_vec();
            text.extend_from_slice(format!(" {index} ").as_bytes());
            text.extend_from_slice(&quote::single(&whole));
            let line = shell.line;
            shell.run_text(process, &text, Origin::Eval(line))?;
        }
        lines.push(whole.into());
    }
    let outcome = match origin {
        None => shell.set_array(process, &array, lines),
        Some(start) => shell.set_array_from(process, &array, start, lines),
    };
    Shell::as_status(outcome.map(|()| 0))
}
