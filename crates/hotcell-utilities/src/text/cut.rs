//! `cut`.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::{Input, Output, Process};

use super::ranges::Ranges;
use crate::{Opt, Usage, Utility, lines::Lines, operands::each_input};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cut",
    synopsis: "OPTION... [FILE]...",
    summary: "Print selected parts of lines from each FILE to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value('b', "bytes", "LIST", "select only these bytes"),
        Opt::value('c', "characters", "LIST", "select only these characters"),
        Opt::value(
            'd',
            "delimiter",
            "DELIM",
            "use DELIM instead of TAB for field delimiter",
        ),
        Opt::value(
            'f',
            "fields",
            "LIST",
            "select only these fields;  also print any line\nthat contains no delimiter character, unless\nthe -s option is specified",
        ),
        Opt::flag('n', "", "(ignored)"),
        Opt::flag(
            '\0',
            "complement",
            "complement the set of selected bytes, characters\nor fields",
        ),
        Opt::flag(
            's',
            "only-delimited",
            "do not print lines not containing delimiters",
        ),
        Opt::value(
            '\0',
            "output-delimiter",
            "STRING",
            "use STRING as the output delimiter\nthe default is to use the input delimiter",
        ),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "Use one, and only one of -b, -c or -f.  Each LIST is made up of one\n\
            range, or many ranges separated by commas: N, N-, N-M or -M, counted from 1.",
    ..Usage::DEFAULT
};

struct Cut {
    ranges: Ranges,
    delimiter: u8,
    only_delimited: bool,
    /// Between what is selected, if it is not what was there.
    separator: Option<Vec<u8>>,
    end: u8,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let kinds = ["bytes", "characters", "fields"];
    let mut given = kinds.iter().filter(|kind| parsed.has(kind));
    let Some(kind) = given.next() else {
        USAGE.fail(
            process,
            "you must specify a list of bytes, characters, or fields",
        );
    };
    if given.next().is_some() || kinds.iter().any(|kind| parsed.count(kind) > 1) {
        USAGE.fail(process, "only one list may be specified");
    }
    let is_fields = *kind == "fields";
    if !is_fields && parsed.has("delimiter") {
        USAGE.fail(
            process,
            "an input delimiter may be specified only when operating on fields",
        );
    }
    if !is_fields && parsed.has("only-delimited") {
        USAGE.fail(
            process,
            "suppressing non-delimited lines makes sense\n\tonly when operating on fields",
        );
    }
    let what = if is_fields {
        "field"
    } else {
        "byte/character position"
    };
    let list = parsed.value(kind).unwrap_or_default();
    let ranges = match Ranges::parse(list, what) {
        Ok(ranges) => ranges,
        Err(message) => {
            let message = message.replace(
                "byte/character position value",
                "byte or character position value",
            );
            USAGE.fail(process, message)
        }
    };
    let ranges = if parsed.has("complement") {
        ranges.complement()
    } else {
        ranges
    };
    let delimiter = match parsed
        .value("delimiter")
        .map(|delimiter| delimiter.as_bytes())
    {
        None => b'\t',
        Some([]) => 0,
        Some([one]) => *one,
        Some(_) => USAGE.fail(process, "the delimiter must be a single character"),
    };
    let cut = Cut {
        ranges,
        delimiter,
        only_delimited: parsed.has("only-delimited"),
        separator: parsed
            .value("output-delimiter")
            .map(|separator| separator.to_vec()),
        end: if parsed.has("zero-terminated") {
            0
        } else {
            b'\n'
        },
    };
    let mut out = process.stdout();
    let code = each_input(process, &parsed.operands, |_, input| match *kind {
        "fields" => cut.each_line(process, input, &mut out, Cut::fields),
        "characters" => cut.each_line(process, input, &mut out, Cut::characters),
        _ => cut.each_line(process, input, &mut out, Cut::bytes),
    });
    out.flush()?;
    Ok(code)
}

impl Cut {
    fn each_line(
        &self,
        process: &Process,
        input: Input<'_>,
        out: &mut Output<'_>,
        select: fn(&Self, &[u8], &mut Output<'_>) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut lines = Lines::ending_with(process, input, self.end)?;
        while let Some(line) = lines.next_line()? {
            let text = line.strip_suffix(&[self.end]).unwrap_or(line);
            if select(self, text, out)? {
                out.write_all(&[self.end])?;
            }
        }
        Ok(())
    }

    /// Writes the fields; false if the line is left out.
    fn fields(&self, line: &[u8], out: &mut Output<'_>) -> io::Result<bool> {
        if memchr::memchr(self.delimiter, line).is_none() {
            if !self.only_delimited {
                out.write_all(line)?;
            }
            return Ok(!self.only_delimited);
        }
        let plain = [self.delimiter];
        let separator = self.separator.as_deref().unwrap_or(&plain);
        let mut is_first = true;
        let mut start = 0;
        let ends = memchr::memchr_iter(self.delimiter, line).chain([line.len()]);
        for (number, end) in (1..).zip(ends) {
            if self.ranges.contains(number) {
                if !std::mem::take(&mut is_first) {
                    out.write_all(separator)?;
                }
                out.write_all(line.get(start..end).unwrap_or_default())?;
            }
            start = end + 1;
        }
        Ok(true)
    }

    fn bytes(&self, line: &[u8], out: &mut Output<'_>) -> io::Result<bool> {
        let mut is_first = true;
        for (low, high) in self.ranges.iter() {
            let start = usize::try_from(low - 1).unwrap_or(usize::MAX);
            let end = usize::try_from(high).unwrap_or(usize::MAX).min(line.len());
            let Some(piece) = line.get(start..end).filter(|piece| !piece.is_empty()) else {
                break;
            };
            if let Some(separator) = self.separator.as_ref().filter(|_| !is_first) {
                out.write_all(separator)?;
            }
            is_first = false;
            out.write_all(piece)?;
        }
        Ok(true)
    }

    /// As bytes, but a character of UTF-8 stays whole.
    fn characters(&self, line: &[u8], out: &mut Output<'_>) -> io::Result<bool> {
        // GNU cut counts bytes here, too, whatever its manual promises for later.
        self.bytes(line, out)
    }
}
