//! `csplit`.

mod names;
mod pattern;
mod source;

use std::io::{self, Write};

use bstr::BString;
use hotcell_meter::Pace;
use hotcell_process::{Output, Process, error_text};
use hotcell_vfs::{Errno, OpenOptions};
use names::Names;
use pattern::{Aim, Pattern};
use source::Source;

use crate::{Opt, Usage, Utility, operands::complain_of_opening, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "csplit",
    synopsis: "[OPTION]... FILE PATTERN...",
    summary: "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\n\
              and output byte counts of each piece to standard output.\n\n\
              Read standard input if FILE is -",
    options: &[
        Opt::value(
            'b',
            "suffix-format",
            "FORMAT",
            "use sprintf FORMAT instead of %02d",
        ),
        Opt::value('f', "prefix", "PREFIX", "use PREFIX instead of 'xx'"),
        Opt::flag('k', "keep-files", "do not remove output files on errors"),
        Opt::flag(
            '\0',
            "suppress-matched",
            "suppress the lines matching PATTERN",
        ),
        Opt::value(
            'n',
            "digits",
            "DIGITS",
            "use specified number of digits instead of 2",
        ),
        Opt::flag(
            's',
            "quiet",
            "do not print counts of output file sizes (also --silent)",
        ),
        Opt::flag('q', "silent", "the same as --quiet"),
        Opt::flag('z', "elide-empty-files", "suppress empty output files"),
    ],
    notes: "Each PATTERN may be:\n  \
            INTEGER            copy up to but not including specified line number\n  \
            /REGEXP/[OFFSET]   copy up to but not including a matching line\n  \
            %REGEXP%[OFFSET]   skip to, but not including a matching line\n  \
            {INTEGER}          repeat the previous pattern specified number of times\n  \
            {*}                repeat the previous pattern as many times as possible\n\n\
            A line OFFSET is an integer optionally preceded by '+' or '-'",
    ..Usage::DEFAULT
};

/// Why splitting ends before all of the input is written.
enum Halt {
    /// A pattern that repeats for ever has no more matches.
    Done,
    /// A message; what was written is removed unless it is to be kept.
    Failed(BString),
    Io(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

type Step<T> = Result<T, Halt>;

struct Splitter<'p> {
    process: &'p Process,
    source: Source<'p>,
    names: Names,
    pace: Pace<'p>,
    piece: Option<Piece<'p>>,
    counts: Output<'p>,
    /// Files that are there, by number.
    created: u64,
    /// The last line that was looked at or taken.
    current: u64,
    suppress_matched: bool,
    elide_empty: bool,
    quiet: bool,
}

struct Piece<'p> {
    out: Output<'p>,
    name: BString,
    written: u64,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let names = match Names::from_options(&parsed) {
        Ok(names) => names,
        Err(message) => {
            process.complain(message);
            return Ok(1);
        }
    };
    let (file, patterns) = match parsed.operands.split_first() {
        None => USAGE.fail(process, "missing operand"),
        Some((file, [])) => USAGE.fail(
            process,
            [b"missing operand after ", quote(file).as_slice()].concat(),
        ),
        Some(both) => both,
    };
    let input = match process.open_input(file) {
        Ok(input) => input,
        Err(error) if error.raw_os_error() == Some(Errno::EISDIR.code()) => {
            // GNU's csplit has made a first piece when it begins to read.
            if !parsed.has("quiet") && !parsed.has("silent") {
                process.stdout().write_all(b"0\n")?;
            }
            process.complain("read error: Is a directory");
            return Ok(1);
        }
        Err(error) => {
            complain_of_opening(process, file, &error);
            return Ok(1);
        }
    };
    let patterns = match pattern::parse(process, patterns) {
        Ok(patterns) => patterns,
        Err(message) => {
            process.complain(message);
            return Ok(1);
        }
    };
    let mut splitter = Splitter {
        process,
        source: Source::new(process, input)?,
        names,
        pace: Pace::new(process.stop_token()),
        piece: None,
        counts: process.stdout(),
        created: 0,
        current: 0,
        suppress_matched: parsed.has("suppress-matched"),
        elide_empty: parsed.has("elide-empty-files"),
        quiet: parsed.has("quiet") || parsed.has("silent"),
    };
    let message = match splitter.split(&patterns) {
        Ok(()) | Err(Halt::Done) => {
            splitter.counts.flush()?;
            return Ok(0);
        }
        Err(Halt::Io(error)) => error_text(&error).into(),
        Err(Halt::Failed(message)) => message,
    };
    process.complain(message);
    splitter.close()?;
    splitter.counts.flush()?;
    if !parsed.has("keep-files") {
        splitter.remove_all();
    }
    Ok(1)
}

impl Splitter<'_> {
    fn split(&mut self, patterns: &[Pattern]) -> Step<()> {
        for pattern in patterns {
            let mut repetition = 0u64;
            while pattern.times.is_none_or(|times| repetition <= times) {
                self.process.spend(16);
                match &pattern.aim {
                    Aim::Line(number) => self.to_line(*number, repetition)?,
                    Aim::Match { .. } => self.to_match(pattern, repetition)?,
                }
                repetition = repetition.saturating_add(1);
            }
        }
        self.open()?;
        self.write_rest()?;
        Ok(self.close()?)
    }

    /// Writes up to a line, without it.
    fn to_line(&mut self, number: u64, repetition: u64) -> Step<()> {
        let out_of_range = || {
            let quoted = quote(number.to_string().as_bytes());
            Halt::Failed(on_repetition(
                format!("{quoted}: line number out of range"),
                repetition,
            ))
        };
        self.open()?;
        if self.source.first() == 1 && self.source.is_over()? {
            self.process.complain("input disappeared");
            self.process.exit(1);
        }
        if self.suppress_matched && self.source.is_over()? {
            return Err(out_of_range());
        }
        let stop = number.saturating_mul(repetition.saturating_add(1));
        while self.source.first() < stop {
            if !self.write_line(true)? {
                return Err(out_of_range());
            }
        }
        self.close()?;
        if self.suppress_matched {
            self.take_line()?;
        }
        if !self.suppress_matched && self.source.is_over()? {
            return Err(out_of_range());
        }
        Ok(())
    }

    /// Writes, or skips, up to a line that matches, or some lines before or after it.
    fn to_match(&mut self, pattern: &Pattern, repetition: u64) -> Step<()> {
        let Aim::Match {
            regex,
            offset,
            is_skipped,
        } = &pattern.aim
        else {
            return Ok(());
        };
        let is_kept = !is_skipped;
        if is_kept {
            self.open()?;
        }
        loop {
            self.current += 1;
            let Some(line) = self.source.line(self.current)? else {
                return Err(self.not_found(pattern, repetition, is_kept)?);
            };
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if regex
                .is_match(text, &mut self.pace)
                .map_err(io::Error::other)?
            {
                break;
            }
            // With a negative offset it is not known yet which lines belong to this piece.
            if *offset >= 0 {
                self.write_line(is_kept)?;
            }
        }
        let end = self.current.saturating_add_signed(*offset);
        let out_of_range =
            || Halt::Failed(format!("{}: line number out of range", quote(&pattern.text)).into());
        if self.source.first() > end || (*offset < 0 && self.current < offset.unsigned_abs()) {
            return Err(out_of_range());
        }
        while self.source.first() < end {
            if !self.write_line(is_kept)? {
                return Err(out_of_range());
            }
        }
        if is_kept {
            self.close()?;
        }
        if *offset > 0 {
            self.current = end;
        }
        if self.suppress_matched {
            self.take_line()?;
        }
        Ok(())
    }

    /// What it means that no line matches.
    fn not_found(&mut self, pattern: &Pattern, repetition: u64, is_kept: bool) -> Step<Halt> {
        if is_kept {
            self.write_rest()?;
            self.close()?;
        }
        if pattern.times.is_none() {
            return Ok(Halt::Done);
        }
        let text = format!("{}: match not found", quote(&pattern.text));
        Ok(Halt::Failed(on_repetition(text, repetition)))
    }

    fn open(&mut self) -> Step<()> {
        let name = self.names.name(self.created);
        let options = OpenOptions::write().create().truncate();
        match self.process.open(&name, &options) {
            Ok(stream) => {
                self.created += 1;
                self.piece = Some(Piece {
                    out: self.process.output(stream),
                    name,
                    written: 0,
                });
                Ok(())
            }
            Err(error) => {
                let text = [name.as_slice(), b": ", error_text(&error).as_bytes()].concat();
                Err(Halt::Failed(text.into()))
            }
        }
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(mut piece) = self.piece.take() else {
            return Ok(());
        };
        piece.out.flush()?;
        if piece.written == 0 && self.elide_empty {
            self.created -= 1;
            let _ = self
                .process
                .vfs()
                .unlink(&self.process.resolve(&piece.name));
        } else if !self.quiet {
            writeln!(self.counts, "{}", piece.written)?;
        }
        Ok(())
    }

    /// Takes the next line; it counts as looked at.
    fn take_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let number = self.source.first();
        let line = self.source.take()?;
        if line.is_some() {
            self.current = self.current.max(number);
        }
        Ok(line)
    }

    /// Takes the next line, and writes it if it is kept; false at the end of the input.
    fn write_line(&mut self, is_kept: bool) -> io::Result<bool> {
        let Some(line) = self.take_line()? else {
            return Ok(false);
        };
        if let Some(piece) = self.piece.as_mut().filter(|_| is_kept) {
            piece.out.write_all(&line)?;
            piece.written += line.len() as u64;
        }
        Ok(true)
    }

    fn write_rest(&mut self) -> io::Result<()> {
        while self.write_line(true)? {}
        Ok(())
    }

    fn remove_all(&mut self) {
        for number in 0..self.created {
            self.process.spend(64);
            let name = self.process.resolve(self.names.name(number));
            // What cannot be removed is left: there is nothing else to do with it.
            let _ = self.process.vfs().unlink(&name);
        }
    }
}

fn on_repetition(mut text: String, repetition: u64) -> BString {
    if repetition > 0 {
        text.push_str(&format!(" on repetition {repetition}"));
    }
    text.into()
}
