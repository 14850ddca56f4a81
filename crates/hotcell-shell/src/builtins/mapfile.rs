//! `mapfile` and `readarray`

use bstr::BString;
use hotcell_process::{Fd, Process, error_text};

use super::{
    Builtin, Run,
    arguments::{Parsed, number},
};
use crate::{
    flow::{Flow, Outcome},
    names::is_name,
    quote,
    shell::Shell,
    text::Origin,
};

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

/// What the options ask for.
struct Request {
    fd: Fd,
    delimiter: u8,
    /// At most so many lines; all of them if 0.
    most: u64,
    skipped: u64,
    origin: Option<u64>,
    quantum: u64,
    trims: bool,
    callback: Option<BString>,
}

impl Request {
    /// What is wrong with the options, if something is.
    fn new(parsed: &Parsed<'_>) -> Result<Self, String> {
        let mut request = Self {
            fd: 0,
            delimiter: b'\n',
            most: 0,
            skipped: 0,
            origin: None,
            quantum: 5000,
            trims: parsed.has(b't'),
            callback: parsed.value(b'C').map(ToOwned::to_owned),
        };
        for (letter, value) in parsed.iter() {
            let value = value.unwrap_or_default();
            let count = number(value).and_then(|number| u64::try_from(number).ok());
            let checked = |problem: &str| count.ok_or_else(|| format!("{value}: {problem}"));
            match letter {
                b'd' => request.delimiter = value.first().copied().unwrap_or(0),
                b'n' => request.most = checked("invalid line count")?,
                b's' => request.skipped = checked("invalid line count")?,
                b'O' => request.origin = Some(checked("invalid array origin")?),
                b'c' => {
                    request.quantum = checked("invalid callback quantum")?;
                    if request.quantum == 0 {
                        return Err(format!("{value}: invalid callback quantum"));
                    }
                }
                b'u' => {
                    let fd = count.and_then(|fd| Fd::try_from(fd).ok());
                    request.fd = fd
                        .ok_or_else(|| format!("{value}: invalid file descriptor specification"))?;
                }
                _ => {}
            }
        }
        Ok(request)
    }
}

fn run(builtin: &Builtin, shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = match builtin.parse(shell, process, fields, "d:n:O:s:tu:C:c:") {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let array = parsed.operands.first().cloned();
    let array = array.unwrap_or_else(|| "MAPFILE".into());
    let request = Request::new(&parsed).and_then(|request| {
        if !is_name(&array) {
            return Err(format!("`{array}': not a valid identifier"));
        }
        if shell.is_associative(&array) {
            return Err(format!("{array}: not an indexed array"));
        }
        Ok(request)
    });
    let lines = request.and_then(|request| {
        let lines = read_lines(shell, process, &request)?;
        Ok((lines, request.origin))
    });
    let (lines, origin) = match lines {
        Ok(read) => read,
        Err(problem) => {
            builtin.complain(shell, process, problem);
            return Ok(1);
        }
    };
    let outcome = match origin {
        None => shell.set_array(process, &array, lines?),
        Some(start) => shell.set_array_from(process, &array, start, lines?),
    };
    Shell::as_status(outcome.map(|()| 0))
}

/// The lines; the outer error is a problem to be told, the inner one is the callback's.
fn read_lines(
    shell: &mut Shell,
    process: &Process,
    request: &Request,
) -> Result<Result<Vec<BString>, Flow>, String> {
    let fd = request.fd;
    let stream = process
        .descriptor(fd)
        .map_err(|_| format!("{fd}: invalid file descriptor: Bad file descriptor"))?;
    let text = |error: &std::io::Error| error_text(error);
    let mut charge = process.charge(0).map_err(|error| text(&error))?;
    let mut lines: Vec<BString> = Vec::new();
    let mut skipped = 0;
    let mut piece = vec![0; PIECE];
    let mut line = Vec::new();
    let mut is_over = false;
    while !is_over && (request.most == 0 || (lines.len() as u64) < request.most) {
        let read = process.read_until(&stream, request.delimiter, &mut piece);
        let count = read.map_err(|error| text(&error))?;
        is_over = count == 0;
        line.extend_from_slice(piece.get(..count).unwrap_or_default());
        let wanted = line.len() + std::mem::size_of::<BString>();
        charge
            .grow(wanted.min(count + 32))
            .map_err(|full| full.to_string())?;
        let ends = line.ends_with(&[request.delimiter]);
        if !ends && (!is_over || line.is_empty()) {
            continue;
        }
        let mut whole = std::mem::take(&mut line);
        if skipped < request.skipped {
            skipped += 1;
            continue;
        }
        if ends && (request.trims || request.delimiter == 0) {
            whole.pop();
        }
        if let Err(flow) = call_back(shell, process, request, lines.len() as u64, &whole) {
            return Ok(Err(flow));
        }
        lines.push(whole.into());
    }
    Ok(Ok(lines))
}

/// Runs the callback, if it is its turn.
fn call_back(
    shell: &mut Shell,
    process: &Process,
    request: &Request,
    number: u64,
    line: &[u8],
) -> Result<(), Flow> {
    let Some(callback) = &request.callback else {
        return Ok(());
    };
    if !(number + 1).is_multiple_of(request.quantum) {
        return Ok(());
    }
    let index = request.origin.unwrap_or(0).saturating_add(number);
    let mut text = callback.to_vec();
    text.extend_from_slice(format!(" {index} ").as_bytes());
    text.extend_from_slice(&quote::single(line));
    let at = shell.line;
    shell.run_text(process, &text, Origin::Eval(at)).map(drop)
}
