//! `stat`.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_process::{Output, Process, error_text, file_error};
use hotcell_vfs::{FileType, Metadata, Timestamp};

use super::mode;
use crate::{Opt, Usage, Utility, calendar::Zone, identity, quote::quote, time};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "stat",
    synopsis: "[OPTION]... FILE...",
    summary: "Display file or file system status.",
    options: &[
        Opt::flag('L', "dereference", "follow links"),
        Opt::flag(
            'f',
            "file-system",
            "display file system status instead of file status",
        ),
        Opt::value(
            'c',
            "format",
            "FORMAT",
            "use the specified FORMAT instead of the default;\noutput a newline after each use of FORMAT",
        ),
        Opt::value(
            '\0',
            "printf",
            "FORMAT",
            "like --format, but interpret backslash escapes,\nand do not output a mandatory trailing newline",
        ),
        Opt::flag('t', "terse", "print the information in terse form"),
        Opt::value(
            '\0',
            "cached",
            "MODE",
            "how to use cached attributes (none are)",
        ),
    ],
    notes: "The valid format sequences for files: %a %A %b %B %d %D %f %F %g %G %h %i %m %n %N %o\n\
            %s %t %T %u %U %w %W %x %X %y %Y %z %Z; for file systems: %a %b %c %d %f %i %l %n %s %S %t %T.",
    ..Usage::DEFAULT
};

const USUAL: &str = "  File: %n\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %h\n\
                     Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
                     Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const DEVICE: &str = "  File: %n\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %-5h Device type: %Hr,%Lr\n\
                     Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
                     Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const SYSTEM: &str = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n\
                      Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const TERSE_SYSTEM: &str = "%n %i %l %t %s %S %b %f %a %c %d\n";

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let custom = match (parsed.value("printf"), parsed.value("format")) {
        (Some(format), _) => Some((unescape(format), &b""[..])),
        (None, Some(format)) => Some((format.to_vec(), &b"\n"[..])),
        (None, None) => None,
    };
    let zone = time::zone(process);
    let mut out = process.stdout();
    let mut code = 0;
    for name in &parsed.operands {
        let path = process.resolve(name);
        let meta = match (name == "-", parsed.has("dereference")) {
            (true, _) => process.stdin().stream().metadata(),
            (false, true) => process.vfs().stat(&path).map_err(file_error),
            (false, false) => process.vfs().lstat(&path).map_err(file_error),
        };
        let meta = match meta {
            Ok(meta) => meta,
            Err(error) => {
                let verb: &[u8] = if parsed.has("file-system") {
                    b"cannot read file system information for "
                } else {
                    b"cannot statx "
                };
                process.complain(
                    [
                        verb,
                        quote(name).as_slice(),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                code = 1;
                continue;
            }
        };
        let subject = Subject {
            process,
            name: name.as_bstr(),
            meta,
            zone: &zone,
            is_system: parsed.has("file-system"),
        };
        let usual = match (subject.is_system, parsed.has("terse")) {
            (true, true) => TERSE_SYSTEM,
            (true, false) => SYSTEM,
            (false, true) => TERSE,
            (false, false) if matches!(meta.kind, FileType::CharDevice | FileType::BlockDevice) => {
                DEVICE
            }
            (false, false) => USUAL,
        };
        match &custom {
            Some((format, end)) => {
                subject.print(format, &mut out)?;
                out.write_all(end)?;
            }
            None => subject.print(usual.as_bytes(), &mut out)?,
        }
    }
    out.flush()?;
    Ok(code)
}

struct Subject<'s> {
    process: &'s Process,
    name: &'s BStr,
    meta: Metadata,
    zone: &'s Zone,
    is_system: bool,
}

impl Subject<'_> {
    fn print(&self, format: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        let mut rest = format;
        while let Some(percent) = rest.find_byte(b'%') {
            out.write_all(rest.get(..percent).unwrap_or_default())?;
            rest = rest.get(percent + 1..).unwrap_or_default();
            if let Some(after) = rest.strip_prefix(b"%") {
                out.write_all(b"%")?;
                rest = after;
                continue;
            }
            let flags = rest
                .iter()
                .position(|byte| !b"-+ #0'".contains(byte))
                .unwrap_or(rest.len());
            let (flags, after) = rest.split_at(flags);
            let digits = after
                .iter()
                .position(|byte| !byte.is_ascii_digit())
                .unwrap_or(after.len());
            let (width, mut after) = after.split_at(digits);
            let mut precision = None;
            if let Some(dot) = after.strip_prefix(b".") {
                let digits = dot
                    .iter()
                    .position(|byte| !byte.is_ascii_digit())
                    .unwrap_or(dot.len());
                let (number, behind) = dot.split_at(digits);
                precision = Some(
                    number
                        .to_str()
                        .ok()
                        .and_then(|number| number.parse().ok())
                        .unwrap_or(9),
                );
                after = behind;
            }
            // `%Hd` and `%Ld`: the parts of a device's number.
            let (part, after) = match after {
                [part @ (b'H' | b'L'), letter, ..] if b"dr".contains(letter) => {
                    (Some(*part), after.get(1..).unwrap_or_default())
                }
                _ => (None, after),
            };
            let Some((letter, after)) = after.split_first() else {
                out.write_all(b"%")?;
                break;
            };
            rest = after;
            let value = if self.is_system {
                self.system_value(*letter)
            } else {
                self.value(*letter, part, precision)
            };
            let Some(value) = value else {
                self.process
                    .complain(format!("%{}: invalid directive", char::from(*letter)));
                self.process.exit(1);
            };
            let mut text = value;
            if flags.contains(&b'#') && *letter == b'a' {
                text.insert(0, b'0');
            }
            if let Some(precision) = precision.filter(|_| !b"XYZWxyzw".contains(letter)) {
                text.truncate(precision);
            }
            let width = width
                .to_str()
                .ok()
                .and_then(|width| width.parse::<usize>().ok())
                .unwrap_or(if width.is_empty() { 0 } else { usize::MAX });
            let missing = width.saturating_sub(text.len());
            let _room = self.process.charge(missing)?;
            let is_number = text
                .iter()
                .all(|byte| byte.is_ascii_hexdigit() || *byte == b'.');
            if flags.contains(&b'-') {
                text.extend(std::iter::repeat_n(b' ', missing));
            } else {
                let filler = if flags.contains(&b'0') && is_number {
                    b'0'
                } else {
                    b' '
                };
                text.splice(..0, std::iter::repeat_n(filler, missing));
            }
            out.write_all(&text)?;
        }
        out.write_all(rest)
    }

    fn value(&self, letter: u8, part: Option<u8>, precision: Option<usize>) -> Option<Vec<u8>> {
        let meta = &self.meta;
        let stamp =
            |time: Timestamp| time::show(time, self.zone, "%Y-%m-%d %H:%M:%S.%N %z").into_bytes();
        let seconds = |time: Timestamp| {
            let whole = time.seconds().to_string();
            match precision {
                None | Some(0) => whole,
                Some(precision) => {
                    let nanos = format!("{:09}", time.subsec_nanos());
                    format!(
                        "{whole}.{}",
                        nanos.get(..precision.min(9)).unwrap_or(&nanos)
                    )
                }
            }
            .into_bytes()
        };
        let number = |number: u64| number.to_string().into_bytes();
        Some(match letter {
            b'a' => format!("{:o}", meta.mode & 0o7777).into_bytes(),
            b'A' => mode::show(meta).into_bytes(),
            b'b' => number(meta.allocated.div_ceil(4096) * 8),
            b'B' => number(512),
            b'd' => match part {
                Some(b'H') => number(meta.dev >> 8),
                Some(_) => number(meta.dev & 0xff),
                None => number(meta.dev),
            },
            b'r' => number(0),
            b'D' => format!("{:x}", meta.dev).into_bytes(),
            b'f' => format!("{:x}", raw_mode(meta)).into_bytes(),
            b'F' => kind(meta).as_bytes().to_vec(),
            b'g' | b'u' => number(u64::from(identity::ID)),
            b'G' | b'U' => identity::NAME.as_bytes().to_vec(),
            b'h' => number(meta.nlink),
            b'i' => number(meta.ino),
            b'm' => b"/".to_vec(),
            b'n' => self.name.to_vec(),
            b'N' => {
                let mut text = quote(self.name).to_vec();
                if meta.is_symlink()
                    && let Ok(target) = self
                        .process
                        .vfs()
                        .readlink(&self.process.resolve(self.name))
                {
                    text.extend_from_slice(b" -> ");
                    text.extend_from_slice(&quote(target.as_bytes()));
                }
                text
            }
            b'o' => number(4096),
            b's' => number(meta.size),
            b't' | b'T' => b"0".to_vec(),
            b'w' => b"-".to_vec(),
            b'W' => b"0".to_vec(),
            b'x' => stamp(meta.accessed),
            b'X' => seconds(meta.accessed),
            b'y' => stamp(meta.modified),
            b'Y' => seconds(meta.modified),
            b'z' => stamp(meta.changed),
            b'Z' => seconds(meta.changed),
            _ => return None,
        })
    }

    fn system_value(&self, letter: u8) -> Option<Vec<u8>> {
        let usage = self.process.vfs().usage();
        let block = 4096;
        let total = usage.max_bytes.unwrap_or(u64::MAX / 2) / block;
        let free = total.saturating_sub(usage.bytes / block);
        let files = usage.max_files.unwrap_or(u64::MAX / 2);
        let text = match letter {
            b'a' | b'f' => free.to_string(),
            b'b' => total.to_string(),
            b'c' => files.to_string(),
            b'd' => files.saturating_sub(usage.files).to_string(),
            b'i' => format!("{:x}", self.meta.dev),
            b'l' => "255".into(),
            b'n' => return Some(self.name.to_vec()),
            b's' | b'S' => block.to_string(),
            b't' => "1021994".into(),
            b'T' => "tmpfs".into(),
            _ => return None,
        };
        Some(text.into_bytes())
    }
}

fn raw_mode(meta: &Metadata) -> u32 {
    let kind = match meta.kind {
        FileType::Dir => 0o040_000,
        FileType::Symlink => 0o120_000,
        FileType::CharDevice => 0o020_000,
        FileType::BlockDevice => 0o060_000,
        FileType::Fifo => 0o010_000,
        FileType::Socket => 0o140_000,
        _ => 0o100_000,
    };
    kind | meta.mode & 0o7777
}

fn kind(meta: &Metadata) -> &'static str {
    match meta.kind {
        FileType::Dir => "directory",
        FileType::Symlink => "symbolic link",
        FileType::CharDevice => "character special file",
        FileType::BlockDevice => "block special file",
        FileType::Fifo => "fifo",
        FileType::Socket => "socket",
        _ if meta.size == 0 => "regular empty file",
        _ => "regular file",
    }
}

fn unescape(format: &BStr) -> Vec<u8> {
    let mut result = Vec::new();
    let mut rest = format.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            result.push(*byte);
            continue;
        }
        let digits = rest
            .iter()
            .take(3)
            .take_while(|digit| matches!(digit, b'0'..=b'7'))
            .count();
        if digits > 0 {
            let value = rest
                .iter()
                .take(digits)
                .fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
            result.push((value & 0xff) as u8);
            rest = rest.get(digits..).unwrap_or_default();
            continue;
        }
        let Some((letter, after)) = rest.split_first() else {
            result.push(b'\\');
            break;
        };
        rest = after;
        result.push(match letter {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            other => *other,
        });
    }
    result
}
