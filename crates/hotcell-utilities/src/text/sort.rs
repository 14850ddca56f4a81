//! `sort`.

mod key;
mod order;
mod plain;
mod store;

use std::{
    cmp::Ordering,
    io::{self, Read, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process, error_text};
use hotcell_vfs::{OpenOptions, VfsPathBuf};
use key::{Comparison, How, Key};
use order::Order;
use store::{Store, merge};

use crate::{
    Opt, Parsed, Usage, Utility, lines::Lines, number, operands::names_from, quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "sort",
    synopsis: "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    summary: "Write sorted concatenation of all FILE(s) to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('b', "ignore-leading-blanks", "ignore leading blanks"),
        Opt::flag(
            'd',
            "dictionary-order",
            "consider only blanks and alphanumeric characters",
        ),
        Opt::flag(
            'f',
            "ignore-case",
            "fold lower case to upper case characters",
        ),
        Opt::flag(
            'g',
            "general-numeric-sort",
            "compare according to general numerical value",
        ),
        Opt::flag(
            'i',
            "ignore-nonprinting",
            "consider only printable characters",
        ),
        Opt::flag('M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
        Opt::flag(
            'h',
            "human-numeric-sort",
            "compare human readable numbers (e.g., 2K 1G)",
        ),
        Opt::flag(
            'n',
            "numeric-sort",
            "compare according to string numerical value",
        ),
        Opt::flag('R', "random-sort", "shuffle, but group identical keys"),
        Opt::value('\0', "random-source", "FILE", "get random bytes from FILE"),
        Opt::flag('r', "reverse", "reverse the result of comparisons"),
        Opt::value(
            '\0',
            "sort",
            "WORD",
            "sort according to WORD: general-numeric -g,\nhuman-numeric -h, month -M, numeric -n, random -R, version -V",
        ),
        Opt::flag(
            'V',
            "version-sort",
            "natural sort of (version) numbers within text",
        ),
        Opt::value(
            '\0',
            "batch-size",
            "NMERGE",
            "merge at most NMERGE inputs at once",
        ),
        Opt::optional_long('c', "check", "HOW", "check for sorted input; do not sort"),
        Opt::flag('C', "", "like -c, but do not report first bad line"),
        Opt::value(
            '\0',
            "files0-from",
            "F",
            "read input from the files specified by\nNUL-terminated names in file F",
        ),
        Opt::value(
            'k',
            "key",
            "KEYDEF",
            "sort via a key; KEYDEF gives location and type",
        ),
        Opt::flag('m', "merge", "merge already sorted files; do not sort"),
        Opt::value(
            'o',
            "output",
            "FILE",
            "write result to FILE instead of standard output",
        ),
        Opt::flag(
            's',
            "stable",
            "stabilize sort by disabling last-resort comparison",
        ),
        Opt::value(
            'S',
            "buffer-size",
            "SIZE",
            "use SIZE for main memory buffer",
        ),
        Opt::value(
            't',
            "field-separator",
            "SEP",
            "use SEP instead of non-blank to blank transition",
        ),
        Opt::value(
            'T',
            "temporary-directory",
            "DIR",
            "use DIR for temporaries, not $TMPDIR or /tmp",
        ),
        Opt::value(
            '\0',
            "parallel",
            "N",
            "change the number of sorts run concurrently to N\n(one here, whatever N is)",
        ),
        Opt::flag(
            'u',
            "unique",
            "with -c, check for strict ordering;\nwithout -c, output only the first of an equal run",
        ),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\n\
            field number and C a character position in the field; both are origin 1, and\n\
            the stop position defaults to the line's end. OPTS is one or more single-letter\n\
            ordering options [bdfgiMhnRrV], which override global ordering options for that key.\n\n\
            Lines are compared byte by byte, as with LC_ALL=C.",
    error_code: 2,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    match sort(process) {
        Err(error) => {
            process.complain(error_text(&error));
            Ok(2)
        }
        ended => ended,
    }
}

/// `+1 -2`, which counts from zero, is `-k 2,2`.
fn modern(args: &[BString]) -> Vec<BString> {
    let mut new = Vec::with_capacity(args.len());
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let Some((field, character, letters)) = arg.strip_prefix(b"+").and_then(old_place) else {
            let is_end = arg == "--";
            new.push(arg.clone());
            if is_end {
                new.extend(args.by_ref().cloned());
            }
            continue;
        };
        let mut key = format!("-k{}.{}{letters}", field + 1, character + 1);
        let end = args
            .peek()
            .and_then(|arg| arg.strip_prefix(b"-").and_then(old_place));
        if let Some((field, character, letters)) = end {
            args.next();
            key.push_str(&match character {
                0 => format!(",{field}{letters}"),
                _ => format!(",{}.{character}{letters}", field + 1),
            });
        }
        new.push(key.into());
    }
    new
}

/// `1.2n`: a field, a character in it, and letters.
fn old_place(text: &[u8]) -> Option<(u32, u32, &str)> {
    let text = text.to_str().ok()?;
    let digits = |text: &str| {
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let (field, rest) = text.split_at(digits(text));
    let (character, letters) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("0", rest),
    };
    let is_key = letters
        .bytes()
        .all(|letter| b"bdfgiMhnRrV".contains(&letter));
    let field = field.parse().ok().filter(|field| *field < u32::MAX)?;
    let character = character.parse().ok().filter(|at| *at < u32::MAX)?;
    is_key.then_some((field, character, letters))
}

fn sort(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    let comparison = comparison(process, &parsed)?;
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let mut names = parsed.operands.clone();
    if let Some(list) = parsed.value("files0-from") {
        if let Some(extra) = names.first() {
            let text = "\nfile operands cannot be combined with --files0-from";
            USAGE.fail(
                process,
                [b"extra operand ", quote(extra).as_slice(), text.as_bytes()].concat(),
            );
        }
        names = names_from(process, list)?;
        if names.is_empty() {
            process.complain([b"no input from ", quote(list).as_slice()].concat());
            return Ok(2);
        }
    }
    if names.is_empty() {
        names.push("-".into());
    }
    if parsed.has("check") || parsed.has("C") {
        return check(process, &parsed, &comparison, &names, end);
    }
    let size = parsed.value("buffer-size");
    let budget = match size.map(|size| buffer_size(process, size)) {
        Some(Some(size)) => usize::try_from(size).unwrap_or(usize::MAX).max(64 << 10),
        Some(None) => {
            let size = parsed.value("buffer-size").unwrap_or_default();
            process.complain([b"invalid --buffer-size argument ", quote(size).as_slice()].concat());
            return Ok(2);
        }
        // Half of what is left, so that others of the pipeline have some, too.
        None => {
            (process.account().limit() - process.account().used().min(process.account().limit()))
                / 2
        }
    };
    let folder = parsed.value("temporary-directory").map(BString::from);
    let folder = folder
        .or_else(|| process.env("TMPDIR"))
        .unwrap_or_else(|| "/tmp".into());
    let mut inputs = Vec::new();
    for name in &names {
        match process.open_input(name) {
            Ok(input) => inputs.push(input),
            Err(error) => {
                let verb: &[u8] = if error.raw_os_error() == Some(21) {
                    b"read failed: "
                } else {
                    b"cannot read: "
                };
                let text = [verb, name.as_slice(), b": ", error_text(&error).as_bytes()].concat();
                process.complain(text);
                return Ok(2);
            }
        }
    }
    // One that is merged into itself is read before it is written.
    if parsed.has("merge") && !writes_to_input(process, &parsed, &inputs) {
        let mut out = output(process, &parsed)?;
        merge(process, &comparison, end, inputs, &mut out)?;
        out.flush()?;
        return Ok(0);
    }
    let mut store = Store::new(process, &comparison, end, budget, VfsPathBuf::from(&folder))?;
    for input in inputs {
        store.read(input)?;
    }
    // Opened only now: it may be one of the inputs.
    let mut out = output(process, &parsed)?;
    store.write(&mut out)?;
    out.flush()?;
    Ok(0)
}

/// Whether what `-o` names is one of the inputs.
fn writes_to_input(process: &Process, parsed: &Parsed, inputs: &[Input<'_>]) -> bool {
    let Some(name) = parsed.value("output") else {
        return false;
    };
    let Ok(output) = process.metadata(name, true) else {
        return false;
    };
    inputs.iter().any(|input| {
        let input = input.stream().metadata();
        input.is_ok_and(|input| (input.dev, input.ino) == (output.dev, output.ino))
    })
}

fn output<'p>(process: &'p Process, parsed: &Parsed) -> io::Result<hotcell_process::Output<'p>> {
    let Some(name) = parsed.value("output") else {
        return Ok(process.stdout());
    };
    match process.open(name, &OpenOptions::write().create().truncate()) {
        Ok(stream) => Ok(process.output(stream)),
        Err(error) => {
            process.complain(
                [
                    b"open failed: ",
                    name.as_bytes(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
            process.exit(2)
        }
    }
}

/// `10M`, `50%` of the memory there may be, or KiB without a unit.
fn buffer_size(process: &Process, text: &BStr) -> Option<u64> {
    if let Some(percent) = text.strip_suffix(b"%") {
        let percent = number::with_suffix(percent)?;
        let limit = process.account().limit() as u64;
        return Some(limit / 100 * percent.min(100));
    }
    if let Some(bytes) = text.strip_suffix(b"b") {
        return number::with_suffix(bytes);
    }
    if text.iter().all(u8::is_ascii_digit) {
        return number::with_suffix(text).map(|kib| kib.saturating_mul(1024));
    }
    number::with_suffix(text)
}

fn comparison(process: &Process, parsed: &Parsed) -> io::Result<Comparison> {
    let mut whole = How::PLAIN;
    let mut keys = Vec::new();
    for (name, value) in parsed.iter() {
        let letter = match name {
            "ignore-leading-blanks" => b'b',
            "dictionary-order" => b'd',
            "ignore-case" => b'f',
            "general-numeric-sort" => b'g',
            "ignore-nonprinting" => b'i',
            "month-sort" => b'M',
            "human-numeric-sort" => b'h',
            "numeric-sort" => b'n',
            "random-sort" => b'R',
            "reverse" => b'r',
            "version-sort" => b'V',
            "sort" => match value.map(|value| value.as_bytes()) {
                Some(b"general-numeric") => b'g',
                Some(b"human-numeric") => b'h',
                Some(b"month") => b'M',
                Some(b"numeric") => b'n',
                Some(b"random") => b'R',
                Some(b"version") => b'V',
                other => {
                    let word = quote(other.unwrap_or_default());
                    USAGE.fail(
                        process,
                        [b"invalid argument ", word.as_slice(), b" for '--sort'"].concat(),
                    )
                }
            },
            "key" => {
                match Key::parse(value.unwrap_or_default()) {
                    Ok(key) => keys.push(key),
                    Err(message) => {
                        process.complain(message);
                        process.exit(2);
                    }
                }
                continue;
            }
            _ => continue,
        };
        whole.add(letter);
    }
    for key in &mut keys {
        key.inherit(whole);
    }
    let compared = keys.iter().map(|key| key.how);
    let compared = compared.chain(keys.is_empty().then_some(whole));
    for how in compared {
        if let Some(letters) = how.conflict() {
            process.complain(format!("options '-{letters}' are incompatible"));
            process.exit(2);
        }
    }
    let separator = match parsed
        .value("field-separator")
        .map(|separator| separator.as_bytes())
    {
        None => None,
        Some([one]) => Some(*one),
        Some(b"\\0") => Some(0),
        Some(b"") => no_separator(process),
        Some(other) => {
            process.complain([b"multi-character tab ", quote(other).as_slice()].concat());
            process.exit(2);
        }
    };
    let is_random =
        whole.order == Order::Random || keys.iter().any(|key| key.how.order == Order::Random);
    Ok(Comparison {
        keys,
        whole,
        separator,
        is_stable: parsed.has("stable"),
        is_unique: parsed.has("unique"),
        salt: if is_random {
            salt(process, parsed)?
        } else {
            [0; 2]
        },
    })
}

fn no_separator(process: &Process) -> ! {
    process.complain("empty tab");
    process.exit(2)
}

fn salt(process: &Process, parsed: &Parsed) -> io::Result<[u64; 2]> {
    let source = parsed
        .value("random-source")
        .unwrap_or(BStr::new("/dev/urandom"));
    let mut bytes = [0; 16];
    let read = process
        .open(source, &OpenOptions::read())
        .and_then(|stream| process.input(stream).read_exact(&mut bytes));
    if let Err(error) = read {
        process.complain([source.as_bytes(), b": ", error_text(&error).as_bytes()].concat());
        process.exit(2);
    }
    let (one, other) = bytes.split_at(8);
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    Ok([word(one), word(other)])
}

fn check(
    process: &Process,
    parsed: &Parsed,
    comparison: &Comparison,
    names: &[BString],
    end: u8,
) -> io::Result<i32> {
    if let Some(extra) = names.get(1) {
        let letter = if parsed.has("C") { 'C' } else { 'c' };
        let extra = quote(extra);
        process.complain(format!("extra operand {extra} not allowed with -{letter}"));
        return Ok(2);
    }
    let is_quiet = parsed.has("C")
        || parsed
            .value("check")
            .is_some_and(|how| how == "quiet" || how == "silent");
    let name = names.first().map_or(BStr::new("-"), |name| name.as_bstr());
    let input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            let error = error_text(&error);
            process.complain([b"open failed: ", name.as_bytes(), b": ", error.as_bytes()].concat());
            return Ok(2);
        }
    };
    let mut lines = Lines::ending_with(process, input, end)?;
    let mut last: Option<Vec<u8>> = None;
    let mut number = 0u64;
    while let Some(line) = lines.next_line()? {
        number += 1;
        let text = line.strip_suffix(&[end]).unwrap_or(line);
        let is_wrong = last.as_ref().is_some_and(|last| {
            let ordering = comparison.compare(last, text);
            ordering == Ordering::Greater || comparison.is_unique && ordering == Ordering::Equal
        });
        if is_wrong {
            if !is_quiet {
                process.complain(
                    [
                        name.as_bytes(),
                        format!(":{number}: disorder: ").as_bytes(),
                        text,
                    ]
                    .concat(),
                );
            }
            return Ok(1);
        }
        let mut kept = last.take().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(text);
        last = Some(kept);
    }
    Ok(0)
}
