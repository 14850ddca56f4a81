//! `grep`, `egrep` and `fgrep`.

mod context;
mod files;
mod matcher;
mod options;
mod perl;
mod print;
mod scan;

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process, error_text};
use matcher::{Flavor, Matcher};
use options::{BinaryFiles, List, Options};
use print::Printer;

use crate::{Parsed, Usage, Utility, lines::Lines, operands::is_output, quote::quote};

pub(crate) const GREP: Utility = Utility {
    usage: &options::USAGE,
    main: |process| main(process, &options::USAGE, Flavor::Basic),
};
pub(crate) const EGREP: Utility = Utility {
    usage: &options::EGREP_USAGE,
    main: |process| main(process, &options::EGREP_USAGE, Flavor::Extended),
};
pub(crate) const FGREP: Utility = Utility {
    usage: &options::FGREP_USAGE,
    main: |process| main(process, &options::FGREP_USAGE, Flavor::Fixed),
};

fn main(process: &Process, usage: &Usage, flavor: Flavor) -> io::Result<i32> {
    let args = options::modern(process.args().get(1..).unwrap_or_default());
    let parsed = usage.parse_args(process, &args);
    let mut operands = parsed.operands.clone();
    let patterns = match patterns(process, &parsed, &mut operands) {
        Ok(Some(patterns)) => patterns,
        Ok(None) => {
            let synopsis = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n";
            process.stderr().write_all(synopsis.as_bytes())?;
            return Ok(2);
        }
        Err((name, error)) => {
            process.complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
            return Ok(2);
        }
    };
    let options = Options::new(process, usage, &parsed, operands.len());
    let flavor = match parsed.last_of(&[
        "extended-regexp",
        "fixed-strings",
        "basic-regexp",
        "perl-regexp",
    ]) {
        Some("extended-regexp") => Flavor::Extended,
        Some("fixed-strings") => Flavor::Fixed,
        Some("perl-regexp") => Flavor::Perl,
        Some(_) => Flavor::Basic,
        None => flavor,
    };
    let matcher = match Matcher::new(process, patterns, flavor, &parsed) {
        Ok(matcher) => matcher,
        Err(message) => {
            process.complain(message);
            return Ok(2);
        }
    };
    for warning in matcher.warnings() {
        process.complain(format!("warning: {warning}"));
    }
    let mut grep = Grep {
        process,
        out: Printer::new(process.stdout(), &options),
        options: &options,
        matcher: &matcher,
        any: false,
        failed: false,
        has_groups: false,
    };
    let names = match operands.as_slice() {
        [] if options.recursive => vec![BString::from(".")],
        [] => vec![BString::from("-")],
        names => names.to_vec(),
    };
    let is_implied = operands.is_empty() && options.recursive;
    for name in &names {
        if grep.is_done() {
            break;
        }
        files::each(&mut grep, name.as_bstr(), is_implied)?;
    }
    grep.out.flush()?;
    Ok(match (grep.any, grep.failed) {
        (true, true) if !options.quiet => 2,
        (true, _) => 0,
        (false, true) => 2,
        (false, false) => 1,
    })
}

struct Grep<'g> {
    process: &'g Process,
    out: Printer<'g, Output<'g>>,
    options: &'g Options,
    matcher: &'g Matcher<'g>,
    /// A line was selected.
    any: bool,
    failed: bool,
    /// A group of lines was printed, so that the next one is set apart.
    has_groups: bool,
}

impl Grep<'_> {
    fn is_done(&self) -> bool {
        self.options.quiet && self.any
    }

    fn complain(&mut self, name: &BStr, error: &io::Error) {
        self.failed = true;
        if !self.options.no_messages {
            let _ = self.out.flush();
            self.process
                .complain([name.as_bytes(), b": ", error_text(error).as_bytes()].concat());
        }
    }

    /// Instead of lines that are no text.
    fn say_binary(&mut self, name: &BStr) -> io::Result<()> {
        self.out.flush()?;
        self.process
            .complain([name.as_bytes(), b": binary file matches"].concat());
        Ok(())
    }

    /// Searches what has been opened.
    fn file(&mut self, name: &BStr, mut input: hotcell_process::Input<'_>) -> io::Result<()> {
        let shown = if name == "-" {
            self.options.label.clone()
        } else {
            name.into()
        };
        let prints_lines =
            !self.options.quiet && self.options.list == List::None && self.options.most > 1;
        if prints_lines && is_output(self.process, &mut input) {
            self.failed = true;
            if !self.options.no_messages {
                self.out.flush()?;
                let text = [shown.as_slice(), b": input file is also the output"].concat();
                self.process.complain(text);
            }
            return Ok(());
        }
        match scan::file(self, shown.as_bstr(), input) {
            Ok(selected) => {
                self.any |= selected;
                Ok(())
            }
            Err(error) => {
                self.complain(name, &error);
                Ok(())
            }
        }
    }
}

/// The patterns, from options, from files, or from the first operand.
fn patterns(
    process: &Process,
    parsed: &Parsed,
    operands: &mut Vec<BString>,
) -> Result<Option<Vec<BString>>, (BString, io::Error)> {
    let mut patterns: Vec<BString> = Vec::new();
    let mut split = |text: &[u8]| patterns.extend(text.split_str("\n").map(BString::from));
    for (name, value) in parsed.iter() {
        let value = value.unwrap_or_default();
        match name {
            "regexp" => split(value),
            "file" => {
                let failed = |error| (BString::from(value), error);
                let input = process.open_input(value).map_err(failed)?;
                let mut lines = Lines::new(process, input).map_err(failed)?;
                while let Some(line) = lines.next_line().map_err(failed)? {
                    split(line.strip_suffix(b"\n").unwrap_or(line));
                }
            }
            _ => {}
        }
    }
    if parsed.has("regexp") || parsed.has("file") {
        return Ok(Some(patterns));
    }
    if operands.is_empty() {
        return Ok(None);
    }
    split(&operands.remove(0));
    Ok(Some(patterns))
}

/// What a bad word for an option gets.
fn invalid(process: &Process, usage: &Usage, option: &str, value: &[u8]) -> ! {
    usage.fail(
        process,
        [
            b"invalid argument ",
            quote(value).as_slice(),
            format!(" for '--{option}'").as_bytes(),
        ]
        .concat(),
    )
}

/// What is said of a binary file, and whether it is.
fn is_binary(options: &Options, piece: &[u8]) -> bool {
    options.binary_files != BinaryFiles::Text && piece.contains(&0) && options.end != 0
}
