//! `mktemp`.

use std::io::{self, Read, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, OpenOptions, VfsPathBuf};

use crate::{Opt, Parsed, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "mktemp",
    synopsis: "[OPTION]... [TEMPLATE]",
    summary: "Create a temporary file or directory, safely, and print its name.\n\
              TEMPLATE must contain at least 3 consecutive 'X's in last component.\n\
              If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.",
    options: &[
        Opt::flag('d', "directory", "create a directory, not a file"),
        Opt::flag(
            'u',
            "dry-run",
            "do not create anything; merely print a name (unsafe)",
        ),
        Opt::flag(
            'q',
            "quiet",
            "suppress diagnostics about file/dir-creation failure",
        ),
        Opt::value(
            '\0',
            "suffix",
            "SUFF",
            "append SUFF to TEMPLATE; SUFF must not contain a slash",
        ),
        Opt::optional(
            '\0',
            "tmpdir",
            "DIR",
            "interpret TEMPLATE relative to DIR; if DIR is not\nspecified, use $TMPDIR if set, else /tmp",
        ),
        Opt::value('p', "", "DIR", "as --tmpdir=DIR"),
        Opt::flag(
            't',
            "",
            "interpret TEMPLATE as a single file name component,\nrelative to a directory: $TMPDIR, if set; else -p; else /tmp",
        ),
    ],
    ..Usage::DEFAULT
};

/// How many names are tried.
const TRIES: usize = 10_000;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.len() > 1 {
        USAGE.fail(process, "too many templates");
    }
    let given = parsed.operands.first();
    let template = given.cloned().unwrap_or_else(|| "tmp.XXXXXXXXXX".into());
    let (prefix, count, suffix) = match parts(&parsed, &template) {
        Ok(parts) => parts,
        Err(message) => {
            process.complain(message);
            return Ok(1);
        }
    };
    let folder = folder(process, &parsed, given.is_none());
    if folder.is_some() && template.starts_with(b"/") {
        let text = [
            b"invalid template, ",
            quote(&template).as_slice(),
            b"; with --tmpdir, it may not be absolute",
        ]
        .concat();
        process.complain(text);
        return Ok(1);
    }
    let mut chance = Chance::new(process);
    let mut last = io::Error::from_raw_os_error(Errno::EEXIST.code());
    let mut shown = BString::default();
    for _ in 0..TRIES {
        process.spend(64);
        let middle: Vec<u8> = (0..count).map(|_| chance.letter()).collect();
        let name = [prefix.as_slice(), &middle, &suffix].concat();
        shown = match &folder {
            Some(folder) => VfsPathBuf::from(folder).join(&name).into_bytes().into(),
            None => name.into(),
        };
        match make(process, &parsed, &shown) {
            Ok(()) => {
                let mut out = process.stdout();
                out.write_all(&shown)?;
                out.write_all(b"\n")?;
                out.flush()?;
                return Ok(0);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                last = error;
                break;
            }
        }
    }
    if !parsed.has("quiet") {
        let kind: &[u8] = if parsed.has("directory") {
            b"directory"
        } else {
            b"file"
        };
        // The message shows what was asked for, not what was tried.
        let name = shown.as_slice();
        let cut = name.len().saturating_sub(suffix.len() + count);
        let template = [
            name.get(..cut).unwrap_or_default(),
            "X".repeat(count).as_bytes(),
            &suffix,
        ]
        .concat();
        let text = [
            b"failed to create ",
            kind,
            b" via template ",
            &quote(&template),
            b": ",
            error_text(&last).as_bytes(),
        ]
        .concat();
        process.complain(text);
    }
    Ok(1)
}

fn make(process: &Process, parsed: &Parsed, name: &BString) -> io::Result<()> {
    let path = process.resolve(name);
    if parsed.has("dry-run") {
        return match process.vfs().lstat(&path) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => Ok(()),
        };
    }
    if parsed.has("directory") {
        return process.vfs().mkdir(&path, 0o700).map_err(file_error);
    }
    process
        .open(name, &OpenOptions::write().create_new().mode(0o600))
        .map(|_| ())
}

/// What stands before the `X`s, how many there are, and what follows.
fn parts(parsed: &Parsed, template: &BString) -> Result<(Vec<u8>, usize, Vec<u8>), Vec<u8>> {
    let extra = parsed.value("suffix").unwrap_or_default();
    let (body, tail) = match parsed.value("suffix") {
        Some(_) if !template.ends_with(b"X") => {
            return Err([
                b"with --suffix, template ",
                quote(template).as_slice(),
                b" must end in X",
            ]
            .concat());
        }
        Some(_) => (template.as_slice(), &b""[..]),
        None => {
            let end = template.rfind_byte(b'X').map_or(0, |last| last + 1);
            template.split_at(end)
        }
    };
    let suffix = [tail, extra.as_bytes()].concat();
    if suffix.contains(&b'/') {
        return Err([
            b"invalid suffix ",
            quote(&suffix).as_slice(),
            b", contains directory separator",
        ]
        .concat());
    }
    let count = body.iter().rev().take_while(|byte| **byte == b'X').count();
    if count < 3 {
        return Err([b"too few X's in template ", quote(template).as_slice()].concat());
    }
    Ok((
        body.get(..body.len() - count).unwrap_or_default().to_vec(),
        count,
        suffix,
    ))
}

fn folder(process: &Process, parsed: &Parsed, is_implied: bool) -> Option<BString> {
    let environment = || process.env("TMPDIR").filter(|folder| !folder.is_empty());
    let given = parsed
        .value("tmpdir")
        .or_else(|| parsed.value("p"))
        .filter(|folder| !folder.is_empty())
        .map(BString::from);
    if parsed.has("t") {
        return Some(environment().or(given).unwrap_or_else(|| "/tmp".into()));
    }
    if parsed.has("tmpdir") || parsed.has("p") || is_implied {
        return Some(given.or_else(environment).unwrap_or_else(|| "/tmp".into()));
    }
    None
}

/// Letters that nobody foresees, if the sandbox has chance; else letters that nobody has used yet.
struct Chance {
    state: u64,
}

impl Chance {
    fn new(process: &Process) -> Self {
        let mut bytes = [0; 8];
        let random = process
            .open("/dev/urandom", &OpenOptions::read())
            .and_then(|stream| process.input(stream).read_exact(&mut bytes));
        let state = match random {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => u64::from(process.pid().0) << 32 ^ process.now().as_nanos().cast_unsigned(),
        };
        Self { state }
    }

    fn letter(&mut self) -> u8 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(self.state >> 33).unwrap_or(0) % LETTERS.len();
        LETTERS.get(index).copied().unwrap_or(b'0')
    }
}
