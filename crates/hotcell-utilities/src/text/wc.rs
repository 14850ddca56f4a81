//! `wc`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process};

use crate::{
    Opt, Usage, Utility, characters,
    operands::{complain_of, names_from},
    piece::Piece,
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "wc",
    synopsis: "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    summary: "Print newline, word, and byte counts for each FILE, and a total line if\n\
              more than one FILE is specified. A word is a nonempty sequence of non white\n\
              space delimited by white space characters or by start or end of input.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('c', "bytes", "print the byte counts"),
        Opt::flag('m', "chars", "print the character counts"),
        Opt::flag('l', "lines", "print the newline counts"),
        Opt::value(
            '\0',
            "files0-from",
            "F",
            "read input from the files specified by\nNUL-terminated names in file F",
        ),
        Opt::flag('L', "max-line-length", "print the maximum display width"),
        Opt::flag('w', "words", "print the word counts"),
        Opt::value(
            '\0',
            "total",
            "WHEN",
            "when to print a line with total counts;\nWHEN can be: auto, always, only, never",
        ),
    ],
    ..Usage::DEFAULT
};

#[derive(Default, Clone, Copy)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

/// Which counts are wanted.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
struct Wanted {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

impl Wanted {
    fn list(self, counts: &Counts) -> Vec<u64> {
        let all = [
            (self.lines, counts.lines),
            (self.words, counts.words),
            (self.chars, counts.chars),
            (self.bytes, counts.bytes),
            (self.longest, counts.longest),
        ];
        all.into_iter()
            .filter_map(|(wanted, count)| wanted.then_some(count))
            .collect()
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut wanted = Wanted {
        lines: parsed.has("lines"),
        words: parsed.has("words"),
        chars: parsed.has("chars"),
        bytes: parsed.has("bytes"),
        longest: parsed.has("max-line-length"),
    };
    if wanted.list(&Counts::default()).is_empty() {
        (wanted.lines, wanted.words, wanted.bytes) = (true, true, true);
    }
    let total = parsed.value("total").unwrap_or(BStr::new("auto"));
    if !["auto", "always", "only", "never"]
        .iter()
        .any(|when| total == *when)
    {
        USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(total).as_slice(),
                b" for '--total'",
            ]
            .concat(),
        );
    }
    let are_bytes = characters::are_bytes(process);
    let mut names = parsed.operands.clone();
    if let Some(list) = parsed.value("files0-from") {
        if let Some(extra) = names.first() {
            let _ = writeln!(process.stderr(), "wc: extra operand {}", quote(extra));
            let _ = writeln!(
                process.stderr(),
                "file operands cannot be combined with --files0-from"
            );
            process.exit(1);
        }
        names = names_from(process, list)?;
    }
    let is_plain_stdin = names.is_empty() && !parsed.has("files0-from");
    if is_plain_stdin {
        names.push("-".into());
    }
    let mut code = 0;
    let mut results: Vec<(Counts, &BString)> = Vec::new();
    let mut sum = Counts::default();
    for name in &names {
        let mut counts = Counts::default();
        let counted = process
            .open_input(name)
            .and_then(|input| count(process, input, wanted, &mut counts));
        if let Err(error) = counted {
            complain_of(process, name, &error);
            code = 1;
            if process.open_input(name).is_err() && error.raw_os_error() != Some(21) {
                continue;
            }
        }
        if are_bytes {
            counts.chars = counts.bytes;
        }
        sum.lines += counts.lines;
        sum.words += counts.words;
        sum.chars += counts.chars;
        sum.bytes += counts.bytes;
        sum.longest = sum.longest.max(counts.longest);
        results.push((counts, name));
    }
    let shows_total = match total.as_bytes() {
        b"always" | b"only" => true,
        b"never" => false,
        _ => names.len() > 1,
    };
    // Names that come one by one are not known before the first is printed.
    let is_narrow = total == "only" || parsed.value("files0-from").is_some_and(|list| list == "-");
    let width = width(process, &names, wanted, &sum, is_narrow);
    let mut out = process.stdout();
    let mut line = |counts: &Counts, name: &[u8]| -> io::Result<()> {
        let numbers: Vec<String> = wanted
            .list(counts)
            .iter()
            .map(|count| format!("{count:width$}"))
            .collect();
        out.write_all(numbers.join(" ").as_bytes())?;
        if !name.is_empty() {
            out.write_all(b" ")?;
            out.write_all(name)?;
        }
        out.write_all(b"\n")
    };
    if total != "only" {
        for (counts, name) in results {
            line(&counts, if is_plain_stdin { b"" } else { name })?;
        }
    }
    if shows_total {
        line(&sum, if total == "only" { b"" } else { b"total" })?;
    }
    out.flush()?;
    Ok(code)
}

/// The width of a column, which GNU takes from the sizes of the files: known before they are read.
fn width(
    process: &Process,
    names: &[BString],
    wanted: Wanted,
    sum: &Counts,
    is_narrow: bool,
) -> usize {
    if is_narrow {
        return 1;
    }
    if names.len() == 1 && wanted.list(sum).len() == 1 {
        return 1;
    }
    let mut size = 0u64;
    let mut least = 1;
    for name in names {
        let meta = if name == "-" {
            process.stdin().stream().metadata().ok()
        } else {
            process.vfs().stat(&process.resolve(name)).ok()
        };
        match meta {
            Some(meta) if meta.is_file() => size += meta.size,
            Some(_) => least = 7,
            None => {}
        }
    }
    size.to_string().len().max(least)
}

fn count(
    process: &Process,
    mut input: Input<'_>,
    wanted: Wanted,
    counts: &mut Counts,
) -> io::Result<()> {
    let mut pieces = Piece::default();
    let mut in_word = false;
    let mut column = 0;
    let mut wide = Wide::default();
    loop {
        let piece = &*pieces.read(&mut input)?;
        if piece.is_empty() {
            break;
        }
        counts.bytes += piece.len() as u64;
        if wanted.chars {
            // A character begins with every byte that does not continue one.
            counts.chars += piece.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u64;
        }
        if wanted.words || wanted.longest {
            process.spend(piece.len() / 4);
            for byte in piece {
                match byte {
                    b'\n' | b'\r' | 0x0c => {
                        counts.longest = counts.longest.max(column);
                        column = 0;
                        in_word = false;
                    }
                    b'\t' => {
                        column += 8 - column % 8;
                        in_word = false;
                    }
                    b' ' => {
                        column += 1;
                        in_word = false;
                    }
                    0x0b => in_word = false,
                    _ => {
                        if !in_word {
                            counts.words += 1;
                            in_word = true;
                        }
                        if byte.is_ascii() {
                            column += u64::from(!byte.is_ascii_control());
                        } else {
                            column += wide.columns(*byte);
                        }
                    }
                }
            }
        }
        counts.lines += memchr::memchr_iter(b'\n', piece).count() as u64;
    }
    counts.longest = counts.longest.max(column);
    Ok(())
}

/// A character of several bytes, as far as it is there.
#[derive(Default)]
struct Wide {
    bytes: [u8; 4],
    length: usize,
}

impl Wide {
    /// How many columns this byte completes.
    fn columns(&mut self, byte: u8) -> u64 {
        if byte >= 0xc0 {
            self.length = 0;
        }
        let Some(place) = self.bytes.get_mut(self.length) else {
            return 0;
        };
        *place = byte;
        self.length += 1;
        let (Some(character), _) =
            bstr::decode_utf8(self.bytes.get(..self.length).unwrap_or_default())
        else {
            return 0;
        };
        self.length = 0;
        unicode_width::UnicodeWidthChar::width(character).unwrap_or(0) as u64
    }
}
