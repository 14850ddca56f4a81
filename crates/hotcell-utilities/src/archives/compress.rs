//! `gzip`, `bzip2`, `xz` and `zstd`, with the names that decompress.

mod origin;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, Metadata, OpenOptions, SetTime, Times, Timestamp};

use super::codec::{Codec, Origin};
use crate::{Opt, Parsed, Usage, Utility, files::prompt::confirm};

/// Options that all of them have.
const OPTIONS: &[Opt] = &[
    Opt::flag(
        'c',
        "stdout",
        "write on standard output, keep original files unchanged",
    ),
    Opt::flag('d', "decompress", "decompress"),
    Opt::flag(
        'f',
        "force",
        "force overwrite of output file and compress links",
    ),
    Opt::flag('k', "keep", "keep (don't delete) input files"),
    Opt::flag('l', "list", "list compressed file contents"),
    Opt::flag(
        'n',
        "no-name",
        "do not save or restore the original name and timestamp",
    ),
    Opt::flag(
        'N',
        "name",
        "save or restore the original name and timestamp",
    ),
    Opt::flag('q', "quiet", "suppress all warnings"),
    Opt::flag('r', "recursive", "operate recursively on directories"),
    Opt::value('S', "suffix", "SUF", "use suffix SUF on compressed files"),
    Opt::flag('t', "test", "test compressed file integrity"),
    Opt::flag('v', "verbose", "verbose mode"),
    Opt::flag('z', "compress", "compress (the default)"),
    Opt::flag(
        'T',
        "threads",
        "use this many threads (one here, whatever it is)",
    ),
    Opt::flag(
        '\0',
        "rm",
        "remove source file(s) after successful de/compression",
    ),
    Opt::value('o', "", "FILE", "write to FILE"),
    Opt::flag('\0', "fast", "compress faster"),
    Opt::flag('\0', "best", "compress better"),
    Opt::flag('e', "extreme", "compress better, taking more time"),
    Opt::flag('1', "", "compress faster"),
    Opt::flag('2', "", ""),
    Opt::flag('3', "", ""),
    Opt::flag('4', "", ""),
    Opt::flag('5', "", ""),
    Opt::flag('6', "", ""),
    Opt::flag('7', "", ""),
    Opt::flag('8', "", ""),
    Opt::flag('9', "", "compress better"),
];

const NOTES: &str = "Blocks of bzip2 have at most 200 KB here, and dictionaries of xz at most 2 MiB:\n\
    levels above 5 need no more memory than 5.";

/// What a name stands for.
#[derive(Clone, Copy)]
struct Kind {
    codec: Codec,
    decompresses: bool,
    to_stdout: bool,
}

macro_rules! programs {
    ($($constant:ident, $usage:ident, $name:literal, $codec:ident, $decompresses:literal, $to_stdout:literal, $summary:literal;)*) => {
        $(
            const $constant: Utility = Utility {
                usage: &$usage,
                main: |process| {
                    let kind = Kind { codec: Codec::$codec, decompresses: $decompresses, to_stdout: $to_stdout };
                    main(process, &$usage, kind)
                },
            };

            const $usage: Usage =
                Usage { name: $name, synopsis: "[OPTION]... [FILE]...", summary: $summary, options: OPTIONS, notes: NOTES, letters: b"hHV", ..Usage::DEFAULT };
        )*

        pub(crate) const UTILITIES: &[Utility] = &[$($constant),*];
    };
}

programs! {
    GZIP, GZIP_USAGE, "gzip", Gzip, false, false, "Compress or uncompress FILEs (by default, compress FILES in-place).";
    GUNZIP, GUNZIP_USAGE, "gunzip", Gzip, true, false, "Uncompress FILEs in-place.";
    ZCAT, ZCAT_USAGE, "zcat", Gzip, true, true, "Uncompress FILEs to standard output.";
    BZIP2, BZIP2_USAGE, "bzip2", Bzip2, false, false, "Compress or uncompress FILEs (by default, compress FILES in-place).";
    BUNZIP2, BUNZIP2_USAGE, "bunzip2", Bzip2, true, false, "Uncompress FILEs in-place.";
    BZCAT, BZCAT_USAGE, "bzcat", Bzip2, true, true, "Uncompress FILEs to standard output.";
    XZ, XZ_USAGE, "xz", Xz, false, false, "Compress or decompress FILEs in the .xz format.";
    UNXZ, UNXZ_USAGE, "unxz", Xz, true, false, "Decompress FILEs in the .xz format.";
    XZCAT, XZCAT_USAGE, "xzcat", Xz, true, true, "Decompress FILEs in the .xz format to standard output.";
    ZSTD, ZSTD_USAGE, "zstd", Zstd, false, false, "Compress or decompress FILEs in the .zst format; source files are kept.";
    UNZSTD, UNZSTD_USAGE, "unzstd", Zstd, true, false, "Decompress FILEs in the .zst format.";
    ZSTDCAT, ZSTDCAT_USAGE, "zstdcat", Zstd, true, true, "Decompress FILEs in the .zst format to standard output.";
}

struct Job<'p> {
    process: &'p Process,
    parsed: Parsed,
    codec: Codec,
    decompresses: bool,
    to_stdout: bool,
    level: u32,
    suffix: BString,
    code: i32,
}

fn main(process: &Process, usage: &Usage, kind: Kind) -> io::Result<i32> {
    let given = process.args().get(1..).unwrap_or_default();
    let args = modern(given);
    let parsed = usage.parse_args(process, &args);
    let level = match parsed.last_of(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "fast", "best"])
    {
        Some(_) if let Some(level) = high_level(given, kind.codec) => level,
        Some("fast") => 1,
        Some("best") => 9,
        Some(level) => level.parse().unwrap_or(6),
        None if kind.codec == Codec::Zstd => 3,
        None if kind.codec == Codec::Bzip2 => 9,
        None => 6,
    };
    let decompresses = match parsed.last_of(&["decompress", "compress", "test", "list"]) {
        Some("compress") => false,
        Some(_) => true,
        None => kind.decompresses,
    };
    let suffix = parsed
        .value("suffix")
        .map_or_else(|| usual_suffix(kind.codec).into(), BString::from);
    let mut job = Job {
        process,
        to_stdout: kind.to_stdout || parsed.has("stdout") || parsed.has("test"),
        parsed,
        codec: kind.codec,
        decompresses,
        level,
        suffix,
        code: 0,
    };
    if job.parsed.operands.is_empty() {
        job.stdin()?;
    }
    if job.parsed.has("list") {
        job.list()?;
        return Ok(job.code);
    }
    for name in job.parsed.operands.clone() {
        if name == "-" {
            job.stdin()?;
        } else {
            job.named(name)?;
        }
    }
    Ok(job.code)
}

/// The level of `zstd -19`, if that is the last one that is named. The highest is 19.
fn high_level(args: &[BString], codec: Codec) -> Option<u32> {
    let is_level = |arg: &&BString| {
        let digits = arg.strip_prefix(b"-").unwrap_or_default();
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
            || **arg == "--fast"
            || **arg == "--best"
    };
    let options = args.iter().take_while(|arg| **arg != "--");
    let last = options.filter(is_level).last()?;
    let level: u32 = last.to_str().ok()?.strip_prefix('-')?.parse().ok()?;
    (codec == Codec::Zstd && level > 9).then_some(level.min(19))
}

/// `zstd -19` and `xz -T0` have values that look like several options.
fn modern(args: &[BString]) -> Vec<BString> {
    let change = |arg: &BString| -> BString {
        let is_level =
            arg.len() > 2 && arg.starts_with(b"-") && arg.iter().skip(1).all(u8::is_ascii_digit);
        let is_threads = arg.starts_with(b"-T") && arg.iter().skip(2).all(u8::is_ascii_digit)
            || arg.starts_with(b"--threads=");
        match () {
            () if is_level => "-9".into(),
            () if is_threads => "-T".into(),
            () => arg.clone(),
        }
    };
    args.iter().map(change).collect()
}

fn usual_suffix(codec: Codec) -> &'static str {
    match codec {
        Codec::Gzip => ".gz",
        Codec::Bzip2 => ".bz2",
        Codec::Xz => ".xz",
        Codec::Zstd => ".zst",
    }
}

impl Job<'_> {
    /// `gunzip` and `zcat` are scripts around `gzip`, which is who complains.
    fn complain(&self, text: impl AsRef<[u8]>) {
        if self.codec == Codec::Gzip {
            let line = [b"gzip: ", text.as_ref(), b"\n"].concat();
            let _ = self.process.stderr().write_all(&line);
        } else {
            self.process.complain(text);
        }
    }

    /// Warnings are code 2, errors 1, and an error wins.
    fn fail(&mut self, text: impl AsRef<[u8]>) {
        self.complain(text);
        self.code = 1;
    }

    /// What is no failure.
    fn remark(&self, text: impl AsRef<[u8]>) {
        if !self.parsed.has("quiet") {
            self.complain(text);
        }
    }

    fn warn(&mut self, text: impl AsRef<[u8]>) {
        self.remark(text);
        if self.code == 0 {
            self.code = if self.codec == Codec::Gzip { 2 } else { 1 };
        }
    }

    fn stdin(&mut self) -> io::Result<()> {
        let input = self.process.stdin();
        let mut out = self.process.stdout();
        if let Err(error) = self.transform(input, &mut out, Origin::default()) {
            self.fail_in(BStr::new("stdin"), &error);
        }
        out.flush()
    }

    /// Says what is wrong with the data; gzip does so on a line of its own.
    fn fail_in(&mut self, name: &BStr, error: &io::Error) {
        if self.codec == Codec::Gzip {
            let _ = self.process.stderr().write_all(b"\n");
        }
        let text = self.explain(name, error);
        self.fail(text);
    }

    fn explain(&self, name: &BStr, error: &io::Error) -> Vec<u8> {
        let is_format = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other
        ) && error.raw_os_error().is_none();
        let why = match (self.codec, error.kind()) {
            (_, io::ErrorKind::UnexpectedEof) if self.codec == Codec::Gzip => {
                "unexpected end of file".to_owned()
            }
            (_, io::ErrorKind::UnexpectedEof) => "Unexpected end of input".to_owned(),
            (Codec::Gzip, _) if error.to_string().contains("header") => {
                "not in gzip format".to_owned()
            }
            (Codec::Gzip, _) if is_format => "invalid compressed data--format violated".to_owned(),
            (Codec::Xz, _) if is_format && error.to_string().contains("memory") => {
                format!("Memory usage limit reached ({error})")
            }
            (Codec::Xz, _) if is_format => "File format not recognized".to_owned(),
            (_, _) if error.raw_os_error().is_some() => error_text(error),
            _ => error.to_string(),
        };
        [name.as_bytes(), b": ", why.as_bytes()].concat()
    }

    fn transform(
        &self,
        mut input: impl Read,
        out: &mut impl Write,
        origin: Origin,
    ) -> io::Result<()> {
        if self.decompresses {
            let mut head = vec![0; 6];
            let mut filled = 0;
            while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                let read = input.read(rest)?;
                if read == 0 {
                    break;
                }
                filled += read;
            }
            head.truncate(filled);
            let codec = Codec::of(&head);
            if codec.is_none() && self.parsed.has("force") && self.to_stdout {
                out.write_all(&head)?;
                return io::copy(&mut input, out).map(|_| ());
            }
            if head.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if self.codec == Codec::Gzip && filled > 1 && !head.starts_with(b"\x1f\x8b") {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "no header"));
            }
            let mut reader = self
                .codec
                .reader(self.process, io::Cursor::new(head).chain(input))?;
            if self.parsed.has("test") {
                return io::copy(&mut reader, &mut io::sink()).map(|_| ());
            }
            return io::copy(&mut reader, out).map(|_| ());
        }
        let codec = self.codec;
        let mut writer = codec.writer_of(self.process, out, self.level, origin)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = input.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            self.process
                .spend(count * usize::try_from(self.level).unwrap_or(6));
            writer.write_all(buffer.get(..count).unwrap_or_default())?;
        }
        writer.finish()
    }

    fn named(&mut self, name: BString) -> io::Result<()> {
        let mut pending = vec![name];
        while let Some(name) = pending.pop() {
            self.process.spend(64);
            let path = self.process.resolve(&name);
            let found = self.process.vfs().lstat(&path).map_err(file_error);
            let (name, meta) = match found {
                Ok(meta) => (name, meta),
                Err(error) => {
                    // `gunzip x` may mean `x.gz`.
                    let longer: BString = [name.as_slice(), &self.suffix].concat().into();
                    match self.process.vfs().lstat(&self.process.resolve(&longer)) {
                        Ok(meta) if self.decompresses => (longer, meta),
                        _ => {
                            let is_whole = !self.decompresses || name.ends_with(&self.suffix);
                            let name = if is_whole { name } else { longer };
                            let text =
                                [name.as_slice(), b": ", error_text(&error).as_bytes()].concat();
                            self.fail(text);
                            continue;
                        }
                    }
                }
            };
            if meta.is_dir() {
                if self.parsed.has("recursive") {
                    let entries = self
                        .process
                        .vfs()
                        .readdir(&self.process.resolve(&name))
                        .map_err(file_error)?;
                    let base = name.trim_end_with(|c| c == '/').to_vec();
                    pending.extend(
                        entries.iter().rev().map(|entry| {
                            BString::from([base.as_slice(), b"/", &entry.name].concat())
                        }),
                    );
                } else {
                    self.warn([name.as_slice(), b" is a directory -- ignored"].concat());
                }
                continue;
            }
            if self.refuses(&name, &meta) {
                continue;
            }
            self.file(&name, &meta)?;
        }
        Ok(())
    }

    /// What a file is called afterwards.
    fn new_name(&mut self, name: &BString) -> Option<BString> {
        if let Some(output) = self.parsed.value("o") {
            return Some(output.into());
        }
        let endings: &[(&str, &str)] = match self.codec {
            Codec::Gzip => &[
                (".tgz", ".tar"),
                (".taz", ".tar"),
                (".gz", ""),
                (".z", ""),
                ("-gz", ""),
            ],
            Codec::Bzip2 => &[
                (".tbz2", ".tar"),
                (".tbz", ".tar"),
                (".bz2", ""),
                (".bz", ""),
            ],
            Codec::Xz => &[(".txz", ".tar"), (".xz", ""), (".lzma", "")],
            Codec::Zstd => &[(".tzst", ".tar"), (".zst", "")],
        };
        if self.decompresses {
            let custom = self
                .parsed
                .value("suffix")
                .map(|suffix| (suffix.to_vec(), Vec::new()));
            let known = endings
                .iter()
                .map(|(ending, instead)| (ending.as_bytes().to_vec(), instead.as_bytes().to_vec()));
            let all = custom.into_iter().chain(known);
            for (ending, instead) in all {
                if let Some(stem) = name
                    .strip_suffix(ending.as_slice())
                    .filter(|stem| !stem.is_empty() && !stem.ends_with(b"/"))
                {
                    return Some([stem, &instead].concat().into());
                }
            }
            self.warn([name.as_slice(), b": unknown suffix -- ignored"].concat());
            return None;
        }
        let already = endings
            .iter()
            .find(|(ending, _)| name.ends_with(ending.as_bytes()));
        if let Some((ending, _)) =
            already.filter(|_| !self.parsed.has("force") && self.codec != Codec::Zstd)
        {
            if self.codec != Codec::Gzip {
                self.code = self.code.max(1);
            }
            self.remark(
                [
                    name.as_slice(),
                    b" already has ",
                    ending.as_bytes(),
                    b" suffix -- unchanged",
                ]
                .concat(),
            );
            return None;
        }
        Some([name.as_slice(), &self.suffix].concat().into())
    }

    fn file(&mut self, name: &BString, meta: &Metadata) -> io::Result<()> {
        let input = match self.process.open(name, &OpenOptions::read()) {
            Ok(stream) => self.process.input(stream),
            Err(error) => {
                self.fail([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                return Ok(());
            }
        };
        let origin = self.origin(name, meta);
        if self.to_stdout {
            let mut out = self.process.stdout();
            if let Err(error) = self.transform(input, &mut out, origin) {
                out.flush()?;
                drop(out);
                self.fail_in(name.as_bstr(), &error);
                return Ok(());
            }
            return out.flush();
        }
        let Some(mut target) = self.new_name(name) else {
            return Ok(());
        };
        let modified = match origin.modified {
            seconds if self.decompresses && seconds > 0 => {
                Timestamp::from_parts(i64::from(seconds), 0)
            }
            _ => meta.modified,
        };
        if self.decompresses
            && let Some(named) = origin.name.as_deref().and_then(origin::plain_name)
        {
            let folder = name.rfind_byte(b'/').map_or(0, |slash| slash + 1);
            let folder = name.get(..folder).unwrap_or_default();
            target = [folder, named].concat().into();
        }
        let exists = self
            .process
            .vfs()
            .lstat(&self.process.resolve(&target))
            .is_ok();
        if exists && !self.parsed.has("force") {
            let question = [
                target.as_slice(),
                b" already exists; do you wish to overwrite (y or n)?",
            ]
            .concat();
            if !self.process.stdin().stream().is_terminal() || !confirm(self.process, &question) {
                self.warn([target.as_slice(), b" already exists;\tnot overwritten"].concat());
                return Ok(());
            }
        }
        let stream = match self.process.open(
            &target,
            &OpenOptions::write()
                .create()
                .truncate()
                .mode(meta.mode & 0o777),
        ) {
            Ok(stream) => stream,
            Err(error) => {
                self.fail([target.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                return Ok(());
            }
        };
        let mut out = self.process.output(stream);
        let done = self.transform(input, &mut out, origin);
        let done = done.and_then(|()| out.flush());
        drop(out);
        let path = self.process.resolve(&target);
        if let Err(error) = done {
            // Half a file is none.
            let _ = self.process.vfs().unlink(&path);
            self.fail_in(name.as_bstr(), &error);
            return Ok(());
        }
        let times = Times {
            accessed: SetTime::At(meta.accessed),
            modified: SetTime::At(modified),
        };
        let _ = self.process.vfs().set_times(&path, times, true);
        if self.parsed.has("verbose") {
            self.report(name, &target, meta.size);
        }
        let keeps = self.parsed.has("keep") || self.codec == Codec::Zstd && !self.parsed.has("rm");
        if !keeps
            && let Err(error) = self.process.vfs().unlink(&self.process.resolve(name))
            && error.errno() != Errno::ENOENT
        {
            let error = file_error(error);
            self.fail([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
        }
        Ok(())
    }

    fn report(&self, name: &BString, target: &BString, before: u64) {
        let after = self
            .process
            .vfs()
            .stat(&self.process.resolve(target))
            .map_or(0, |meta| meta.size);
        let (large, small) = if self.decompresses {
            (after, before)
        } else {
            (before, after)
        };
        let verb = if self.parsed.has("keep") {
            "created"
        } else {
            "replaced with"
        };
        let ratio = saved(large, small);
        let _ = self
            .process
            .stderr()
            .write_all(format!("{name}:\t{ratio:>5.1}% -- {verb} {target}\n").as_bytes());
    }

    /// `gzip -l`.
    fn list(&mut self) -> io::Result<()> {
        let mut out = self.process.stdout();
        writeln!(
            out,
            "{:>19} {:>19} {:>6} uncompressed_name",
            "compressed", "uncompressed", "ratio"
        )?;
        let (mut packed, mut unpacked, mut count) = (0, 0, 0);
        for name in self.parsed.operands.clone() {
            let read = self.process.open_input(&name).and_then(|input| {
                let size = input.stream().metadata()?.size;
                let mut reader = self.codec.reader(self.process, input)?;
                Ok((size, io::copy(&mut reader, &mut io::sink())?))
            });
            match read {
                Ok((small, large)) => {
                    let said = self.said_origin(&name).name;
                    let shown = said.as_deref().unwrap_or_else(|| {
                        name.strip_suffix(self.suffix.as_slice()).unwrap_or(&name)
                    });
                    let shown = shown.as_bstr();
                    writeln!(
                        out,
                        "{small:>19} {large:>19} {:>5.1}% {shown}",
                        saved(large, small)
                    )?;
                    (packed, unpacked, count) = (packed + small, unpacked + large, count + 1);
                }
                Err(error) => {
                    self.fail_in(name.as_bstr(), &error);
                }
            }
        }
        if count > 1 {
            writeln!(
                out,
                "{packed:>19} {unpacked:>19} {:>5.1}% (totals)",
                saved(unpacked, packed)
            )?;
        }
        out.flush()
    }
}

/// How much smaller, in percent.
fn saved(large: u64, small: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    let (large, small) = (large as f64, small as f64);
    if large == 0.0 {
        0.0
    } else {
        100.0 * (large - small) / large
    }
}
