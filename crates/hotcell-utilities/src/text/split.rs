//! `split`.

mod names;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Output, Process, error_text};
use hotcell_vfs::OpenOptions;
use names::Names;

use crate::{Opt, Parsed, Usage, Utility, lines::Lines, number, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "split",
    synopsis: "[OPTION]... [FILE [PREFIX]]",
    summary: "Output pieces of FILE to PREFIXaa, PREFIXab, ...;\n\
              default size is 1000 lines, and default PREFIX is 'x'.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'a',
            "suffix-length",
            "N",
            "generate suffixes of length N (default 2)",
        ),
        Opt::value(
            '\0',
            "additional-suffix",
            "SUFFIX",
            "append an additional SUFFIX to file names",
        ),
        Opt::value('b', "bytes", "SIZE", "put SIZE bytes per output file"),
        Opt::value(
            'C',
            "line-bytes",
            "SIZE",
            "put at most SIZE bytes of records per output file",
        ),
        Opt::flag(
            'd',
            "",
            "use numeric suffixes starting at 0, not alphabetic",
        ),
        Opt::optional(
            '\0',
            "numeric-suffixes",
            "FROM",
            "same as -d, but allow setting the start value",
        ),
        Opt::flag('x', "", "use hex suffixes starting at 0, not alphabetic"),
        Opt::optional(
            '\0',
            "hex-suffixes",
            "FROM",
            "same as -x, but allow setting the start value",
        ),
        Opt::flag(
            'e',
            "elide-empty-files",
            "do not generate empty output files with '-n'",
        ),
        Opt::value(
            '\0',
            "filter",
            "COMMAND",
            "write to shell COMMAND; file name is $FILE",
        ),
        Opt::value(
            'l',
            "lines",
            "NUMBER",
            "put NUMBER lines/records per output file",
        ),
        Opt::value(
            'n',
            "number",
            "CHUNKS",
            "generate CHUNKS output files; see explanation below",
        ),
        Opt::value(
            't',
            "separator",
            "SEP",
            "use SEP instead of newline as the record separator;\n'\\0' (zero) specifies the NUL character",
        ),
        Opt::flag(
            'u',
            "unbuffered",
            "immediately copy input to output with '-n r/...'",
        ),
        Opt::flag(
            '\0',
            "verbose",
            "print a diagnostic just before each\noutput file is opened",
        ),
    ],
    notes: "CHUNKS may be: N (split into N files based on size of input), K/N (output Kth of N\n\
            to standard output), l/N (split into N files without splitting lines), l/K/N,\n\
            r/N (like 'l' but use round robin distribution), r/K/N.",
    ..Usage::DEFAULT
};

#[derive(Clone, Copy)]
enum Way {
    Lines(u64),
    Bytes(u64),
    LineBytes(u64),
    Chunks {
        kind: Kind,
        chunk: Option<u64>,
        count: u64,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bytes,
    Lines,
    RoundRobin,
}

struct Split<'p> {
    process: &'p Process,
    names: Names,
    filter: Option<BString>,
    verbose: bool,
    separator: u8,
}

/// A file that is being written, or a command that reads it.
struct Piece<'p> {
    out: Output<'p>,
    child: Option<hotcell_process::Pid>,
}

fn main(process: &Process) -> io::Result<i32> {
    let args = modern(process.args().get(1..).unwrap_or_default());
    let parsed = USAGE.parse_args(process, &args);
    let way = way(process, &parsed);
    if let Some(extra) = parsed.operands.get(2) {
        USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let separator = match parsed.value("separator").map(|text| text.as_bytes()) {
        None => b'\n',
        Some([one]) => *one,
        Some(b"\\0") => 0,
        Some(b"") => {
            process.complain("empty record separator");
            return Ok(1);
        }
        Some(other) => {
            process.complain([b"multi-character separator ", quote(other).as_slice()].concat());
            return Ok(1);
        }
    };
    let prefix = parsed
        .operands
        .get(1)
        .cloned()
        .unwrap_or_else(|| "x".into());
    let files = if let Way::Chunks { count, .. } = way {
        Some(count)
    } else {
        None
    };
    let names = match Names::from_options(&parsed, prefix, files) {
        Ok(names) => names,
        Err(message) => USAGE.fail(process, message),
    };
    let mut split = Split {
        process,
        names,
        filter: parsed.value("filter").map(Into::into),
        verbose: parsed.has("verbose"),
        separator,
    };
    let name = parsed
        .operands
        .first()
        .map_or(BStr::new("-"), |name| name.as_bstr());
    let input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            let text = [
                b"cannot open ",
                quote(name).as_slice(),
                b" for reading: ",
                error_text(&error).as_bytes(),
            ]
            .concat();
            process.complain(text);
            return Ok(1);
        }
    };
    match way {
        Way::Lines(lines) => split.by_lines(input, lines)?,
        Way::Bytes(bytes) => split.by_bytes(input, bytes)?,
        Way::LineBytes(bytes) => split.by_line_bytes(input, bytes)?,
        Way::Chunks {
            kind: Kind::RoundRobin,
            chunk,
            count,
        } => split.round_robin(input, chunk, count)?,
        Way::Chunks { kind, chunk, count } => {
            split.by_chunks(input, kind, chunk, count, parsed.has("elide-empty-files"))?;
        }
    }
    Ok(0)
}

/// `-100` is `-l 100`.
fn modern(args: &[BString]) -> Vec<BString> {
    let is_old = |arg: &BString| {
        arg.len() > 1 && arg.starts_with(b"-") && arg.iter().skip(1).all(u8::is_ascii_digit)
    };
    let change = |arg: &BString| {
        if is_old(arg) {
            [b"-l", arg.get(1..).unwrap_or_default()].concat().into()
        } else {
            arg.clone()
        }
    };
    args.iter().map(change).collect()
}

fn way(process: &Process, parsed: &Parsed) -> Way {
    let given: Vec<&str> = ["lines", "bytes", "line-bytes", "number"]
        .into_iter()
        .filter(|name| parsed.has(name))
        .collect();
    if given.len() > 1 || given.iter().any(|name| parsed.count(name) > 1) {
        USAGE.fail(process, "cannot split in more than one way");
    }
    let Some(name) = given.first() else {
        return Way::Lines(1000);
    };
    let text = parsed.value(name).unwrap_or_default();
    let size = |what: &str| match number::with_suffix(text) {
        Some(size) if size > 0 => size,
        size => {
            let why: &[u8] = match size {
                Some(_) => b": Numerical result out of range",
                None => b"",
            };
            process.complain(
                [
                    format!("invalid number of {what}: ").as_bytes(),
                    &quote(text),
                    why,
                ]
                .concat(),
            );
            process.exit(1)
        }
    };
    match *name {
        "lines" => Way::Lines(size("lines")),
        "bytes" => Way::Bytes(size("bytes")),
        "line-bytes" => Way::LineBytes(size("lines")),
        _ => chunks(process, text),
    }
}

fn chunks(process: &Process, text: &BStr) -> Way {
    let (kind, rest) = match text.as_bytes() {
        [b'l', b'/', rest @ ..] => (Kind::Lines, rest),
        [b'r', b'/', rest @ ..] => (Kind::RoundRobin, rest),
        rest => (Kind::Bytes, rest),
    };
    let number = |text: &[u8]| {
        text.to_str()
            .ok()?
            .parse::<u64>()
            .ok()
            .filter(|number| *number > 0)
    };
    let (chunk, count) = match rest.split_once_str("/") {
        Some((chunk, count)) => (Some(chunk), count),
        None => (None, rest),
    };
    let Some(count) = number(count) else {
        process.complain([b"invalid number of chunks: ", quote(count).as_slice()].concat());
        process.exit(1);
    };
    let chunk = chunk.map(
        |chunk| match number(chunk).filter(|chunk| *chunk <= count) {
            Some(chunk) => chunk,
            None => {
                process.complain([b"invalid chunk number: ", quote(chunk).as_slice()].concat());
                process.exit(1)
            }
        },
    );
    Way::Chunks { kind, chunk, count }
}

impl<'p> Split<'p> {
    fn open(&mut self) -> io::Result<Piece<'p>> {
        let Some(name) = self.names.next() else {
            self.process.complain("output file suffixes exhausted");
            self.process.exit(1);
        };
        if let Some(command) = &self.filter {
            let mut env = self.process.copy_environment()?;
            env.insert("FILE".into(), name);
            let (reader, writer) = self.process.pipe()?;
            let spec = self
                .process
                .spec([BString::from("sh"), "-c".into(), command.clone()]);
            let spec = spec.env(env.into()).stdin(reader);
            let child = match self.process.execute_beside(spec) {
                Ok(child) => child?,
                Err(error) => return Err(io::Error::other(error)),
            };
            return Ok(Piece {
                out: self.process.output(writer),
                child: Some(child),
            });
        }
        if self.verbose {
            let mut out = self.process.stdout();
            out.write_all(&[b"creating file ", quote(&name).as_slice(), b"\n"].concat())?;
        }
        match self
            .process
            .open(&name, &OpenOptions::write().create().truncate())
        {
            Ok(stream) => Ok(Piece {
                out: self.process.output(stream),
                child: None,
            }),
            Err(error) => {
                self.process
                    .complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                self.process.exit(1)
            }
        }
    }

    fn close(&self, piece: Piece<'p>) -> io::Result<()> {
        let Piece { mut out, child } = piece;
        out.flush()?;
        drop(out);
        if let Some(status) = child.and_then(|child| self.process.wait(child))
            && !status.is_success()
        {
            self.process.exit(status.code());
        }
        Ok(())
    }

    fn by_lines(&mut self, input: Input<'p>, count: u64) -> io::Result<()> {
        let mut lines = Lines::ending_with(self.process, input, self.separator)?;
        let mut piece: Option<Piece<'p>> = None;
        let mut left = 0;
        while let Some(line) = lines.next_line()? {
            if left == 0 {
                if let Some(piece) = piece.take() {
                    self.close(piece)?;
                }
                left = count;
            }
            let current = match &mut piece {
                Some(piece) => piece,
                none => none.insert(self.open()?),
            };
            current.out.write_all(line)?;
            left -= 1;
        }
        piece.map_or(Ok(()), |piece| self.close(piece))
    }

    fn by_bytes(&mut self, mut input: Input<'p>, count: u64) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        let mut piece: Option<Piece<'p>> = None;
        let mut left = 0;
        loop {
            let read = input.read(&mut buffer)?;
            let mut rest = buffer.get(..read).unwrap_or_default();
            if rest.is_empty() {
                return piece.map_or(Ok(()), |piece| self.close(piece));
            }
            while !rest.is_empty() {
                if left == 0 {
                    if let Some(piece) = piece.take() {
                        self.close(piece)?;
                    }
                    left = count;
                }
                let current = match &mut piece {
                    Some(piece) => piece,
                    none => none.insert(self.open()?),
                };
                let fits = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                let (now, later) = rest.split_at(fits);
                current.out.write_all(now)?;
                left -= fits as u64;
                rest = later;
            }
        }
    }

    fn by_line_bytes(&mut self, input: Input<'p>, count: u64) -> io::Result<()> {
        let mut lines = Lines::ending_with(self.process, input, self.separator)?;
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        let mut piece: Option<Piece<'p>> = None;
        let mut left = most;
        while let Some(line) = lines.next_line()? {
            if line.len() > left && left < most {
                if let Some(piece) = piece.take() {
                    self.close(piece)?;
                }
                left = most;
            }
            for part in line.chunks(most) {
                if part.len() > left {
                    if let Some(piece) = piece.take() {
                        self.close(piece)?;
                    }
                    left = most;
                }
                let current = match &mut piece {
                    Some(piece) => piece,
                    none => none.insert(self.open()?),
                };
                current.out.write_all(part)?;
                left -= part.len();
            }
        }
        piece.map_or(Ok(()), |piece| self.close(piece))
    }

    fn round_robin(&mut self, input: Input<'p>, chunk: Option<u64>, count: u64) -> io::Result<()> {
        let mut lines = Lines::ending_with(self.process, input, self.separator)?;
        let mut pieces = Vec::new();
        if chunk.is_none() {
            for _ in 0..count {
                pieces.push(self.open()?);
            }
        }
        let mut out = self.process.stdout();
        let mut number = 0;
        while let Some(line) = lines.next_line()? {
            match chunk {
                Some(chunk) if number + 1 == chunk => out.write_all(line)?,
                Some(_) => {}
                None => {
                    let piece = usize::try_from(number)
                        .ok()
                        .and_then(|number| pieces.get_mut(number));
                    piece.map_or(Ok(()), |piece: &mut Piece<'p>| piece.out.write_all(line))?;
                }
            }
            number = (number + 1) % count;
        }
        out.flush()?;
        pieces.into_iter().try_for_each(|piece| self.close(piece))
    }

    fn by_chunks(
        &mut self,
        mut input: Input<'p>,
        kind: Kind,
        chunk: Option<u64>,
        count: u64,
        elide: bool,
    ) -> io::Result<()> {
        // How large a chunk is, is known only when everything is.
        let mut text = Vec::new();
        let mut charge = self.process.charge(0)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read = input.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            charge.grow(read).map_err(hotcell_process::limit_error)?;
            text.extend_from_slice(buffer.get(..read).unwrap_or_default());
        }
        let size = text.len() as u64;
        let bound = |number: u64| -> usize {
            // The last one is larger if it does not divide.
            let at = if number == count {
                size
            } else {
                size / count * number
            };
            usize::try_from(at).unwrap_or(text.len()).min(text.len())
        };
        let separator = self.separator;
        let line_end = |at: usize| -> usize {
            if at == 0 {
                return 0;
            }
            let rest = text.get(at - 1..).unwrap_or_default();
            memchr::memchr(separator, rest).map_or(text.len(), |found| at + found)
        };
        for number in 0..count {
            self.process.spend(64);
            let (mut start, mut end) = (bound(number), bound(number + 1));
            if kind == Kind::Lines {
                (start, end) = (line_end(start), line_end(end));
            }
            let part = text.get(start..end.max(start)).unwrap_or_default();
            match chunk {
                Some(chunk) if chunk == number + 1 => {
                    let mut out = self.process.stdout();
                    out.write_all(part)?;
                    return out.flush();
                }
                Some(_) => {}
                None if part.is_empty() && elide => {}
                None => {
                    let mut piece = self.open()?;
                    piece.out.write_all(part)?;
                    self.close(piece)?;
                }
            }
        }
        Ok(())
    }
}
