//! `iconv`.

mod charset;
mod translit;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use charset::{Charset, Decoded};
use hotcell_process::{Output, Process, error_text};
use hotcell_vfs::{Errno, OpenOptions};

use crate::{Opt, Usage, Utility, characters};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "iconv",
    letters: b"V",
    synopsis: "[OPTION...] [FILE...]",
    summary: "Convert encoding of given files from one encoding to another.",
    options: &[
        Opt::value('f', "from-code", "NAME", "encoding of original text"),
        Opt::value('t', "to-code", "NAME", "encoding for output"),
        Opt::flag('l', "list", "list all known coded character sets"),
        Opt::flag('c', "", "omit invalid characters from output"),
        Opt::value('o', "output", "FILE", "output file"),
        Opt::flag('s', "silent", "suppress warnings"),
        Opt::flag('\0', "verbose", "print progress information"),
    ],
    notes: "Behind the encoding for output, //TRANSLIT replaces characters that it lacks by similar ones,\n\
            and //IGNORE leaves them out.",
    error_code: 64,
    hint: HINT,
    ..Usage::DEFAULT
};

const HINT: &str = "Try `NAME --help' or `NAME --usage' for more information.";

/// How much is read at once.
const PIECE: usize = 64 << 10;

struct Converter<'p> {
    process: &'p Process,
    from: Charset,
    to: Charset,
    transliterates: bool,
    ignores: bool,
    /// What is left out is no failure: `-c`.
    omits: bool,
    out: Destination<'p>,
}

/// Where the text goes. A file is made when the first of it is written.
enum Destination<'p> {
    Open(Output<'p>),
    Named(BString),
}

/// Why a file is not converted to its end.
enum Stop {
    Illegal(u64),
    Incomplete,
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.has("list") {
        let mut out = process.stdout();
        for name in charset::names() {
            writeln!(out, "{name}//")?;
        }
        out.flush()?;
        return Ok(0);
    }
    let usual = BStr::new(if characters::are_bytes(process) {
        "ANSI_X3.4-1968"
    } else {
        "UTF-8"
    });
    let given = |name| parsed.value(name).unwrap_or(usual);
    let (from, _) = parts(given("from-code"), usual);
    let (to, suffixes) = parts(given("to-code"), usual);
    let (Some(from_set), Some(to_set)) = (Charset::find(from), Charset::find(to)) else {
        let text = match (Charset::find(from), Charset::find(to)) {
            (None, None) => format!("conversions from `{from}' and to `{to}' are not supported"),
            (None, _) => format!("conversion from `{from}' is not supported"),
            _ => format!("conversion to `{to}' is not supported"),
        };
        process.complain(text);
        let hint = HINT.replace("NAME", &process.name().to_string());
        writeln!(process.stderr(), "{hint}")?;
        return Ok(1);
    };
    let has_suffix = |name: &str| {
        suffixes
            .iter()
            .any(|suffix| suffix.eq_ignore_ascii_case(name.as_bytes()))
    };
    let mut converter = Converter {
        process,
        from: from_set,
        to: to_set,
        transliterates: has_suffix("TRANSLIT"),
        ignores: has_suffix("IGNORE") || parsed.has("c"),
        omits: parsed.has("c"),
        out: match parsed.value("output") {
            Some(name) if name != "-" => Destination::Named(name.into()),
            _ => Destination::Open(process.stdout()),
        },
    };
    let stdin = [BString::from("-")];
    let operands = if parsed.operands.is_empty() {
        &stdin
    } else {
        parsed.operands.as_slice()
    };
    let mut code = 0;
    for name in operands {
        if parsed.has("verbose") {
            writeln!(process.stderr(), "{name}:")?;
        }
        match converter.convert_file(name) {
            Ok(true) => {}
            Ok(false) => code = 1,
            Err(stop) => {
                converter.finish()?;
                process.complain(match stop {
                    Stop::Illegal(at) => format!("illegal input sequence at position {at}"),
                    Stop::Incomplete => {
                        "incomplete character or shift sequence at end of buffer".to_owned()
                    }
                    Stop::Io(error) => error_text(&error),
                });
                return Ok(1);
            }
        }
    }
    converter.finish()?;
    Ok(code)
}

/// The name of a character set and what stands behind it: `ASCII//TRANSLIT//IGNORE`.
fn parts<'t>(text: &'t BStr, usual: &'t BStr) -> (&'t BStr, Vec<&'t [u8]>) {
    let mut parts = text.split_str("/").filter(|part| !part.is_empty());
    if text.starts_with(b"/") || text.is_empty() {
        return (usual, parts.collect());
    }
    let name = parts.next().map_or(usual, BStr::new);
    let suffixes = parts.flat_map(|part| part.split_str(","));
    (name, suffixes.collect())
}

impl<'p> Converter<'p> {
    /// False if the file cannot be opened.
    fn convert_file(&mut self, name: &BString) -> Result<bool, Stop> {
        let mut input = match self.process.open_input(name) {
            Ok(input) => input,
            Err(error) if error.raw_os_error() == Some(Errno::EISDIR.code()) => {
                self.process
                    .complain("error while reading the input: Is a directory");
                return Ok(false);
            }
            Err(error) => {
                let why = error_text(&error);
                self.process
                    .complain(format!("cannot open input file `{name}': {why}"));
                return Ok(false);
            }
        };
        self.from.restart();
        let mut buffer = vec![0; PIECE];
        // What of the buffer was not converted: the beginning of a character.
        let mut left = 0;
        let mut position = 0u64;
        let mut has_ignored = false;
        loop {
            let read = input.read(buffer.get_mut(left..).unwrap_or_default())?;
            let filled = buffer.get(..left + read).unwrap_or_default();
            let (done, ignored) = self.convert(filled, position)?;
            has_ignored |= ignored;
            position += done as u64;
            left = filled.len() - done;
            if read == 0 {
                break;
            }
            buffer.copy_within(done..done + left, 0);
        }
        if left > 0 {
            return Err(Stop::Incomplete);
        }
        if has_ignored && !self.omits {
            return Err(Stop::Illegal(position));
        }
        Ok(true)
    }

    /// Converts what is complete. Returns how much that is, and whether some of it was left out.
    fn convert(&mut self, input: &[u8], position: u64) -> Result<(usize, bool), Stop> {
        let mut done = 0;
        let mut has_ignored = false;
        let mut converted = Vec::with_capacity(input.len());
        let stop = loop {
            let rest = input.get(done..).unwrap_or_default();
            if rest.is_empty() {
                break None;
            }
            self.process.spend(8);
            match self.from.decode(rest) {
                Decoded::Incomplete => break None,
                Decoded::Mark(length) => done += length,
                Decoded::Invalid(length) if self.ignores => {
                    has_ignored = true;
                    done += length.max(1);
                }
                Decoded::Invalid(_) => break Some(Stop::Illegal(position + done as u64)),
                Decoded::Char(char, length) => {
                    if !self.put(char, &mut converted) {
                        if !self.ignores {
                            break Some(Stop::Illegal(position + done as u64));
                        }
                        has_ignored = true;
                    }
                    done += length;
                }
            }
        };
        self.write(&converted)?;
        match stop {
            Some(stop) => Err(stop),
            None => Ok((done, has_ignored)),
        }
    }

    /// Appends a character as the other encoding has it; false if it does not.
    fn put(&mut self, char: char, out: &mut Vec<u8>) -> bool {
        if self.to.encode(char, out) {
            return true;
        }
        if !self.transliterates {
            return false;
        }
        let start = out.len();
        let similar = translit::similar(char).unwrap_or_else(|| "?".to_owned());
        if similar.chars().all(|char| self.to.encode(char, out)) {
            return true;
        }
        out.truncate(start);
        self.to.encode('?', out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.open()?.write_all(bytes)
    }

    fn open(&mut self) -> io::Result<&mut Output<'p>> {
        if let Destination::Named(name) = &self.out {
            let options = OpenOptions::write().create().truncate();
            match self.process.open(name, &options) {
                Ok(stream) => self.out = Destination::Open(self.process.output(stream)),
                Err(error) => {
                    let why = error_text(&error);
                    self.process
                        .complain(format!("unable to open output file `{name}': {why}"));
                    self.process.exit(1);
                }
            }
        }
        match &mut self.out {
            Destination::Open(out) => Ok(out),
            Destination::Named(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match &mut self.out {
            Destination::Open(out) => out.flush(),
            Destination::Named(_) => Ok(()),
        }
    }
}
