//! `uniq`.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_process::{Output, Process};
use hotcell_vfs::OpenOptions;

use crate::{Opt, Usage, Utility, lines::Lines, operands::complain_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "uniq",
    synopsis: "[OPTION]... [INPUT [OUTPUT]]",
    summary: "Filter adjacent matching lines from INPUT (or standard input),\n\
              writing to OUTPUT (or standard output).\n\n\
              With no options, matching lines are merged to the first occurrence.",
    options: &[
        Opt::flag('c', "count", "prefix lines by the number of occurrences"),
        Opt::flag(
            'd',
            "repeated",
            "only print duplicate lines, one for each group",
        ),
        Opt::flag('D', "", "print all duplicate lines"),
        Opt::optional(
            '\0',
            "all-repeated",
            "METHOD",
            "like -D, but allow separating groups with an empty line;\nMETHOD={none(default),prepend,separate}",
        ),
        Opt::value(
            'f',
            "skip-fields",
            "N",
            "avoid comparing the first N fields",
        ),
        Opt::optional(
            '\0',
            "group",
            "METHOD",
            "show all items, separating groups with an empty line;\nMETHOD={separate(default),prepend,append,both}",
        ),
        Opt::flag(
            'i',
            "ignore-case",
            "ignore differences in case when comparing",
        ),
        Opt::value(
            's',
            "skip-chars",
            "N",
            "avoid comparing the first N characters",
        ),
        Opt::flag('u', "unique", "only print unique lines"),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
        Opt::value(
            'w',
            "check-chars",
            "N",
            "compare no more than N characters in lines",
        ),
    ],
    notes: "Note: 'uniq' does not detect repeated lines unless they are adjacent.\n\
            You may want to sort the input first, or use 'sort -u' without 'uniq'.",
    ..Usage::DEFAULT
};

/// Which part of a line counts.
struct Key {
    skip_fields: usize,
    skip_chars: usize,
    check_chars: usize,
    ignores_case: bool,
}

impl Key {
    fn of<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let mut rest = line;
        for _ in 0..self.skip_fields {
            if rest.is_empty() {
                break;
            }
            let blank = rest
                .iter()
                .position(|byte| !matches!(byte, b' ' | b'\t'))
                .unwrap_or(rest.len());
            rest = rest.get(blank..).unwrap_or_default();
            let word = rest
                .iter()
                .position(|byte| matches!(byte, b' ' | b'\t'))
                .unwrap_or(rest.len());
            rest = rest.get(word..).unwrap_or_default();
        }
        rest = rest.get(self.skip_chars..).unwrap_or_default();
        rest.get(..self.check_chars).unwrap_or(rest)
    }

    fn same(&self, one: &[u8], other: &[u8]) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        if self.ignores_case {
            one.eq_ignore_ascii_case(other)
        } else {
            one == other
        }
    }
}

/// Where empty lines go between groups.
#[derive(Clone, Copy, PartialEq)]
enum Gaps {
    None,
    Prepend,
    Separate,
    Append,
    Both,
}

/// What is printed.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// The first line of each group that is large enough and small enough.
    First {
        repeated: bool,
        unique: bool,
        counts: bool,
    },
    /// All lines of groups of two or more.
    AllRepeated(Gaps),
    /// All lines.
    Group(Gaps),
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let number = |name: &str, what: &str, default: usize| match parsed.value(name) {
        None => default,
        Some(text) => text
            .to_str()
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| {
                process.complain(
                    [
                        quote(text).as_slice().trim_with(|c| c == '\''),
                        b": invalid number of ",
                        what.as_bytes(),
                    ]
                    .concat(),
                );
                process.exit(1)
            }),
    };
    let key = Key {
        skip_fields: number("skip-fields", "fields to skip", 0),
        skip_chars: number("skip-chars", "bytes to skip", 0),
        check_chars: number("check-chars", "bytes to compare", usize::MAX),
        ignores_case: parsed.has("ignore-case"),
    };
    let gaps = |option: &str, default: Gaps, allowed: &[(&str, Gaps)]| match parsed.value(option) {
        None => default,
        Some(method) => allowed
            .iter()
            .find(|(name, _)| method == *name)
            .map_or_else(
                || {
                    let valid: Vec<String> = allowed
                        .iter()
                        .map(|(name, _)| format!("  - '{name}'"))
                        .collect();
                    let text = format!(
                        "for '--{option}'\nValid arguments are:\n{}",
                        valid.join("\n")
                    );
                    USAGE.fail(
                        process,
                        [
                            b"invalid argument ",
                            quote(method).as_slice(),
                            b" ",
                            text.as_bytes(),
                        ]
                        .concat(),
                    )
                },
                |(_, gaps)| *gaps,
            ),
    };
    let mode = if parsed.has("group") {
        if ["count", "repeated", "D", "all-repeated", "unique"]
            .iter()
            .any(|name| parsed.has(name))
        {
            USAGE.fail(process, "--group is mutually exclusive with -c/-d/-D/-u");
        }
        let allowed = [
            ("prepend", Gaps::Prepend),
            ("append", Gaps::Append),
            ("separate", Gaps::Separate),
            ("both", Gaps::Both),
        ];
        Mode::Group(gaps("group", Gaps::Separate, &allowed))
    } else if parsed.has("D") || parsed.has("all-repeated") {
        if parsed.has("count") {
            USAGE.fail(
                process,
                "printing all duplicated lines and repeat counts is meaningless",
            );
        }
        let allowed = [
            ("none", Gaps::None),
            ("prepend", Gaps::Prepend),
            ("separate", Gaps::Separate),
        ];
        Mode::AllRepeated(gaps("all-repeated", Gaps::None, &allowed))
    } else {
        Mode::First {
            repeated: parsed.has("repeated"),
            unique: parsed.has("unique"),
            counts: parsed.has("count"),
        }
    };
    if let Some(extra) = parsed.operands.get(2) {
        USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let name = parsed
        .operands
        .first()
        .map_or(BStr::new("-"), |name| name.as_bstr());
    let input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            complain_of(process, name, &error);
            return Ok(1);
        }
    };
    let mut out = match parsed.operands.get(1).filter(|name| *name != "-") {
        None => process.stdout(),
        Some(name) => match process.open(name, &OpenOptions::write().create().truncate()) {
            Ok(stream) => process.output(stream),
            Err(error) => {
                complain_of(process, name, &error);
                return Ok(1);
            }
        },
    };
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let mut lines = Lines::ending_with(process, input, end)?;
    let mut group = Group::new(mode, end);
    let mut previous: Option<Vec<u8>> = None;
    while let Some(line) = lines.next_line()? {
        let text = line.strip_suffix(&[end]).unwrap_or(line);
        match &mut previous {
            Some(last) if key.same(last, text) => group.again(last, text, &mut out)?,
            last => {
                if let Some(last) = last.as_deref() {
                    group.ends(last, &mut out)?;
                }
                group.begins(text, &mut out)?;
                let mut buffer = last.take().unwrap_or_default();
                buffer.clear();
                buffer.extend_from_slice(text);
                *last = Some(buffer);
            }
        }
    }
    if let Some(last) = previous {
        group.ends(&last, &mut out)?;
        group.finish(&mut out)?;
    }
    out.flush()?;
    Ok(0)
}

/// The group of equal lines that is being read.
struct Group {
    mode: Mode,
    end: u8,
    size: u64,
    /// Groups that were printed.
    printed: u64,
}

impl Group {
    fn new(mode: Mode, end: u8) -> Self {
        Self {
            mode,
            end,
            size: 0,
            printed: 0,
        }
    }

    fn line(&self, text: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        out.write_all(text)?;
        out.write_all(&[self.end])
    }

    fn gap(&mut self, gaps: Gaps, out: &mut Output<'_>) -> io::Result<()> {
        let wanted = match gaps {
            Gaps::Prepend | Gaps::Both => {
                self.printed == 0 || gaps == Gaps::Prepend || self.printed > 0
            }
            Gaps::Separate | Gaps::Append => self.printed > 0,
            Gaps::None => false,
        };
        self.printed += 1;
        if wanted {
            out.write_all(&[self.end])
        } else {
            Ok(())
        }
    }

    fn begins(&mut self, text: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        self.size = 1;
        if let Mode::Group(gaps) = self.mode {
            self.gap(gaps, out)?;
            self.line(text, out)?;
        }
        Ok(())
    }

    fn again(&mut self, first: &[u8], text: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        self.size += 1;
        match self.mode {
            Mode::Group(_) => self.line(text, out),
            Mode::AllRepeated(gaps) => {
                if self.size == 2 {
                    self.gap(gaps, out)?;
                    self.line(first, out)?;
                }
                self.line(text, out)
            }
            Mode::First { .. } => Ok(()),
        }
    }

    fn ends(&mut self, first: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        if let Mode::First {
            repeated,
            unique,
            counts,
        } = self.mode
            && (!repeated || self.size > 1)
            && (!unique || self.size == 1)
        {
            if counts {
                write!(out, "{:7} ", self.size)?;
            }
            self.line(first, out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        if let Mode::Group(Gaps::Append | Gaps::Both) = self.mode {
            out.write_all(&[self.end])?;
        }
        Ok(())
    }
}
