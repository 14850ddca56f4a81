//! `file`.

mod binary;
mod elf;
mod image;
mod json;
mod text;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process, error_text, limit_error};
use hotcell_vfs::{FileType, OpenOptions};

use crate::{Opt, Parsed, Usage, Utility, blanks::put_blanks, lines::Lines, list::room_of};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "file",
    letters: b"v",
    synopsis: "[OPTION...] [FILE...]",
    summary: "Determine type of FILEs.",
    options: &[
        Opt::flag('b', "brief", "do not prepend filenames to output lines"),
        Opt::flag('E', "", "on filesystem errors, fail instead of going on"),
        Opt::value(
            'f',
            "files-from",
            "FILE",
            "read the filenames to be examined from FILE",
        ),
        Opt::value(
            'F',
            "separator",
            "STRING",
            "use string as separator instead of `:'",
        ),
        Opt::flag(
            'i',
            "mime",
            "output MIME type strings (--mime-type and\n--mime-encoding)",
        ),
        Opt::flag('\0', "mime-type", "output the MIME type"),
        Opt::flag('\0', "mime-encoding", "output the MIME encoding"),
        Opt::flag('L', "dereference", "follow symlinks"),
        Opt::flag('h', "no-dereference", "don't follow symlinks (default)"),
        Opt::flag('n', "no-buffer", "do not buffer output"),
        Opt::flag('N', "no-pad", "do not pad output"),
        Opt::flag('0', "print0", "terminate filenames with ASCII NUL"),
        Opt::flag('s', "special-files", "treat special files as ordinary ones"),
    ],
    hint: HINT,
    ..Usage::DEFAULT
};

const HINT: &str = "Usage: file [-bEhiLNns0] [--mime-encoding] [--mime-type] [-F <separator>]\n            \
                    [-f <namefile>] <file> ...\n       file [--help]";

/// As much of a file is looked at, as the real one does.
const MOST: u64 = 7 << 20;

/// What a file is.
struct Kind {
    description: BString,
    mime: &'static str,
    charset: &'static str,
}

impl Kind {
    fn binary(description: impl Into<BString>, mime: &'static str) -> Self {
        Self {
            description: description.into(),
            mime,
            charset: "binary",
        }
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut names = Vec::new();
    let mut charge = process.charge(0)?;
    for list in parsed.values("files-from") {
        let input = match process.open_input(list) {
            Ok(input) => input,
            Err(error) => {
                let why = error_text(&error);
                process.complain(format!("Cannot open `{list}' ({why})"));
                return Ok(1);
            }
        };
        let mut lines = Lines::new(process, input)?;
        while let Some(line) = lines.next_line()? {
            charge.grow(room_of(line)).map_err(limit_error)?;
            names.push(BString::from(line.strip_suffix(b"\n").unwrap_or(line)));
        }
    }
    names.extend(parsed.operands.iter().cloned());
    if names.is_empty() {
        if parsed.has("files-from") {
            return Ok(0);
        }
        writeln!(process.stderr(), "{HINT}")?;
        return Ok(1);
    }
    let is_padded = !parsed.has("no-pad") && !parsed.has("print0");
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let mut out = process.stdout();
    let mut code = 0;
    for name in &names {
        process.spend(64);
        let shown = match inspect(process, &parsed, name) {
            Ok(kind) => show(&parsed, &kind),
            Err(error) => {
                let why = error_text(&error);
                if parsed.has("E") {
                    code = 1;
                    format!("ERROR: cannot stat `{name}' ({why})").into()
                } else {
                    format!("cannot open `{name}' ({why})").into()
                }
            }
        };
        if !parsed.has("brief") {
            let name = if name == "-" {
                BStr::new("/dev/stdin")
            } else {
                name.as_bstr()
            };
            out.write_all(name)?;
            if parsed.has("print0") {
                out.write_all(b"\0")?;
            }
            if parsed.count("print0") < 2 {
                out.write_all(parsed.value("separator").unwrap_or(BStr::new(":")))?;
                let fill = if is_padded {
                    widest.saturating_sub(width(name))
                } else {
                    0
                };
                put_blanks(&mut out, fill + 1)?;
            }
        }
        out.write_all(&shown)?;
        out.write_all(if parsed.count("print0") < 2 {
            b"\n"
        } else {
            b"\0"
        })?;
    }
    out.flush()?;
    Ok(code)
}

fn width(name: &[u8]) -> usize {
    if name == b"-" {
        return "/dev/stdin".len();
    }
    name.chars().count()
}

fn show(parsed: &Parsed, kind: &Kind) -> BString {
    let both = parsed.has("mime");
    match (
        both || parsed.has("mime-type"),
        both || parsed.has("mime-encoding"),
    ) {
        (true, true) if kind.charset.is_empty() => kind.mime.into(),
        (true, true) => format!("{}; charset={}", kind.mime, kind.charset).into(),
        (true, false) => kind.mime.into(),
        (false, true) => kind.charset.into(),
        (false, false) => kind.description.clone(),
    }
}

fn inspect(process: &Process, parsed: &Parsed, name: &BString) -> io::Result<Kind> {
    if name == "-" {
        let (bytes, _charge) = beginning(process, process.stdin())?;
        return Ok(kind_of(process, &bytes));
    }
    let follows = parsed.last_of(&["dereference", "no-dereference"]) == Some("dereference");
    let meta = process.metadata(name, follows)?;
    let special = match meta.kind {
        FileType::Dir => Some(Kind::binary("directory", "inode/directory")),
        FileType::Symlink => Some(link(process, name)?),
        _ if parsed.has("special-files") => None,
        FileType::Fifo => Some(Kind::binary("fifo (named pipe)", "inode/fifo")),
        FileType::Socket => Some(Kind::binary("socket", "inode/socket")),
        FileType::CharDevice => Some(Kind::binary("character special", "inode/chardevice")),
        FileType::BlockDevice => Some(Kind::binary("block special", "inode/blockdevice")),
        _ => None,
    };
    if let Some(kind) = special {
        return Ok(kind);
    }
    let stream = process.open(name, &OpenOptions::read())?;
    let (bytes, _charge) = beginning(process, process.input(stream))?;
    Ok(kind_of(process, &bytes))
}

fn link(process: &Process, name: &BString) -> io::Result<Kind> {
    let path = process.resolve(name);
    let target = process
        .vfs()
        .readlink(&path)
        .map_err(hotcell_process::file_error)?;
    let target = BStr::new(target.as_bytes());
    if process.metadata(name, true).is_err() {
        return Ok(Kind {
            charset: "",
            ..Kind::binary(format!("broken symbolic link to {target}"), "inode/symlink")
        });
    }
    Ok(Kind::binary(
        format!("symbolic link to {target}"),
        "inode/symlink",
    ))
}

fn beginning(process: &Process, input: Input<'_>) -> io::Result<(Vec<u8>, hotcell_meter::Charge)> {
    let mut bytes = Vec::new();
    let mut charge = process.charge(0)?;
    let mut input = input.take(MOST);
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, charge));
        }
        // What is read, a buffer that grows, and the text if it has to be decoded.
        charge.grow(read * 4).map_err(limit_error)?;
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
}

fn kind_of(process: &Process, bytes: &[u8]) -> Kind {
    process.spend(bytes.len());
    if bytes.is_empty() {
        return Kind::binary("empty", "inode/x-empty");
    }
    let found = image::kind(bytes)
        .or_else(|| elf::kind(bytes))
        .or_else(|| binary::kind(process, bytes))
        .or_else(|| text::kind(bytes));
    found.unwrap_or_else(|| Kind::binary("data", "application/octet-stream"))
}

/// Numbers at places in a file; none behind its end.
struct Numbers<'b> {
    bytes: &'b [u8],
    is_big: bool,
}

impl Numbers<'_> {
    fn get<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut bytes: [u8; N] = self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
        if self.is_big {
            bytes.reverse();
        }
        Some(bytes)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.get(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.get(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.get(at).map(u64::from_le_bytes)
    }
}
