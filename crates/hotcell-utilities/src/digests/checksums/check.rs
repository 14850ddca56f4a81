//! Checking files against a list of checksums.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text};

use super::Algorithm;
use crate::{Parsed, Usage, lines::Lines, operands::complain_of};

/// A line of a list.
struct Entry {
    algorithm: Algorithm,
    sum: Vec<u8>,
    name: BString,
}

#[derive(Default)]
struct Counts {
    good: u64,
    malformed: u64,
    unreadable: u64,
    mismatched: u64,
    seen: u64,
}

/// Checks the files that the lists name. Without an algorithm each line says its own.
pub(in super::super) fn check(
    process: &Process,
    usage: &Usage,
    parsed: &Parsed,
    algorithm: Option<Algorithm>,
) -> io::Result<i32> {
    if parsed.has("tag") {
        usage.fail(
            process,
            "the --tag option is meaningless when verifying checksums",
        );
    }
    let stdin = [BString::from("-")];
    let lists = if parsed.operands.is_empty() {
        &stdin
    } else {
        parsed.operands.as_slice()
    };
    let mut code = 0;
    for list in lists {
        match check_list(process, parsed, algorithm, list) {
            Ok(true) => {}
            Ok(false) => code = 1,
            Err(error) => {
                complain_of(process, list, &error);
                code = 1;
            }
        }
    }
    Ok(code)
}

fn check_list(
    process: &Process,
    parsed: &Parsed,
    algorithm: Option<Algorithm>,
    list: &BString,
) -> io::Result<bool> {
    let shown = if list == "-" {
        BStr::new("standard input")
    } else {
        list.as_bstr()
    };
    let mut lines = Lines::new(process, process.open_input(list)?)?;
    let mut out = process.stdout();
    let mut counts = Counts::default();
    let mut number = 0u64;
    while let Some(line) = lines.next_line()? {
        number += 1;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let Some(entry) = parse(line, algorithm) else {
            counts.malformed += 1;
            if parsed.has("warn") {
                let kind = algorithm.map_or("", Algorithm::tag);
                let text = format!(": {number}: improperly formatted {kind} checksum line");
                process.complain([shown.as_bytes(), text.as_bytes()].concat());
            }
            continue;
        };
        counts.seen += 1;
        let result = process
            .open_input(&entry.name)
            .and_then(|input| entry.algorithm.sum(process, input));
        let mut say = |what: &str| -> io::Result<()> {
            out.write_all(&entry.name)?;
            writeln!(out, ": {what}")
        };
        match result {
            Err(error)
                if parsed.has("ignore-missing") && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                counts.unreadable += 1;
                process.complain(
                    [entry.name.as_slice(), b": ", error_text(&error).as_bytes()].concat(),
                );
                if !parsed.has("status") {
                    say("FAILED open or read")?;
                }
            }
            Ok(sum) if sum.as_bytes().eq_ignore_ascii_case(&entry.sum) => {
                counts.good += 1;
                if !parsed.has("status") && !parsed.has("quiet") {
                    say("OK")?;
                }
            }
            Ok(_) => {
                counts.mismatched += 1;
                if !parsed.has("status") {
                    say("FAILED")?;
                }
            }
        }
    }
    out.flush()?;
    Ok(summarise(process, parsed, shown, &counts))
}

/// Says what was wrong; true if nothing was.
fn summarise(process: &Process, parsed: &Parsed, list: &BStr, counts: &Counts) -> bool {
    if counts.seen == 0 {
        process.complain(
            [
                list.as_bytes(),
                b": no properly formatted checksum lines found",
            ]
            .concat(),
        );
        return false;
    }
    if !parsed.has("status") {
        let warn = |count: u64, one: &str, many: &str| {
            if count > 0 {
                let words = if count == 1 { one } else { many };
                process.complain(format!("WARNING: {count} {words}"));
            }
        };
        warn(
            counts.malformed,
            "line is improperly formatted",
            "lines are improperly formatted",
        );
        warn(
            counts.unreadable,
            "listed file could not be read",
            "listed files could not be read",
        );
        warn(
            counts.mismatched,
            "computed checksum did NOT match",
            "computed checksums did NOT match",
        );
        if parsed.has("ignore-missing") && counts.good + counts.mismatched == 0 {
            process.complain([list.as_bytes(), b": no file was verified"].concat());
        }
    }
    let is_strict = parsed.has("strict") && counts.malformed > 0;
    counts.mismatched == 0
        && counts.unreadable == 0
        && !is_strict
        && !(parsed.has("ignore-missing") && counts.good == 0)
}

/// `SUM  NAME`, `SUM *NAME` or `TAG (NAME) = SUM`.
fn parse(line: &[u8], algorithm: Option<Algorithm>) -> Option<Entry> {
    let (line, is_escaped) = match line.strip_prefix(b"\\") {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let name = |name: &[u8]| -> BString {
        if is_escaped {
            unescape(name)
        } else {
            name.into()
        }
    };
    let tagged = Algorithm::ALL.into_iter().find_map(|known| {
        let rest = line.strip_prefix(known.tag().as_bytes())?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
        let end = rest.rfind(b") = ")?;
        Some((known, rest.get(..end)?, rest.get(end + 4..)?))
    });
    if let Some((known, file, sum)) = tagged {
        if algorithm.is_some_and(|wanted| wanted != known) || !is_sum(sum, known) {
            return None;
        }
        return Some(Entry {
            algorithm: known,
            sum: sum.to_vec(),
            name: name(file),
        });
    }
    let algorithm = algorithm?;
    let (sum, rest) = line.split_once_str(" ")?;
    if !is_sum(sum, algorithm) {
        return None;
    }
    let file = rest
        .strip_prefix(b" ")
        .or_else(|| rest.strip_prefix(b"*"))
        .unwrap_or(rest);
    (!file.is_empty()).then(|| Entry {
        algorithm,
        sum: sum.to_vec(),
        name: name(file),
    })
}

fn is_sum(text: &[u8], algorithm: Algorithm) -> bool {
    let digits = match algorithm {
        Algorithm::Md5 => 32,
        Algorithm::Sha1 => 40,
        Algorithm::Sha224 => 56,
        Algorithm::Sha256 => 64,
        Algorithm::Sha384 => 96,
        Algorithm::Sha512 | Algorithm::Blake2b => 128,
    };
    text.len() == digits && text.iter().all(u8::is_ascii_hexdigit)
}

fn unescape(name: &[u8]) -> BString {
    let mut result = Vec::new();
    let mut bytes = name.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'\\' {
            result.push(*byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => result.push(b'\n'),
            Some(b'r') => result.push(b'\r'),
            Some(other) => result.push(*other),
            None => result.push(b'\\'),
        }
    }
    result.into()
}
