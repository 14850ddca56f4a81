//! Archives, compressed data, databases and other binary formats.

use bstr::{BStr, ByteSlice};
use hotcell_process::Process;

use super::{Kind, Numbers};
use crate::calendar;

pub(super) fn kind(process: &Process, bytes: &[u8]) -> Option<Kind> {
    let little = Numbers {
        bytes,
        is_big: false,
    };
    let big = Numbers {
        bytes,
        is_big: true,
    };
    match bytes {
        [0x1f, 0x8b, ..] => Some(gzip(process, &little)),
        [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => Some(Kind::binary(
            format!(
                "bzip2 compressed data, block size = {}00k",
                char::from(*level)
            ),
            "application/x-bzip2",
        )),
        [0xfd, b'7', b'z', b'X', b'Z', 0, rest @ ..] => {
            let check = match rest.get(1).map(|flags| flags & 0xf) {
                Some(0) => ", checksum none",
                Some(1) => ", checksum CRC32",
                Some(4) => ", checksum CRC64",
                Some(10) => ", checksum SHA-256",
                _ => "",
            };
            Some(Kind::binary(
                format!("XZ compressed data{check}"),
                "application/x-xz",
            ))
        }
        [0x28, 0xb5, 0x2f, 0xfd, flags, rest @ ..] => {
            Some(Kind::binary(zstd(*flags, rest), "application/zstd"))
        }
        [b'P', b'K', 5, 6, ..] => Some(Kind::binary("Zip archive data (empty)", "application/zip")),
        [b'P', b'K', 3, 4, _, _, ..] => zip(&little),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(pdf(bytes)),
        [0, b'a', b's', b'm', version, 0, 0, 0, ..] => {
            let stage = if *version == 1 { " (MVP)" } else { "" };
            Some(Kind::binary(
                format!("WebAssembly (wasm) binary module version {version:#x}{stage}"),
                "application/wasm",
            ))
        }
        [0xca, 0xfe, 0xba, 0xbe, ..] => java(&big),
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, major, minor, ..] => Some(Kind::binary(
            format!("7-zip archive data, version {major}.{minor}"),
            "application/x-7z-compressed",
        )),
        [b'I', b'D', b'3', major, minor, ..] => Some(Kind::binary(
            format!("Audio file with ID3 version 2.{major}.{minor}"),
            "audio/mpeg",
        )),
        _ if bytes.starts_with(b"SQLite format 3\0") => Some(sqlite(&big)),
        _ if bytes.starts_with(b"!<arch>\n") => {
            Some(Kind::binary("current ar archive", "application/x-archive"))
        }
        _ => tar(bytes),
    }
}

fn gzip(process: &Process, numbers: &Numbers<'_>) -> Kind {
    let bytes = numbers.bytes;
    let mut text = String::from("gzip compressed data");
    let flags = bytes.get(3).copied().unwrap_or(0);
    // An extra field stands before the name; with one, the name is not looked for.
    if flags & 0x08 != 0 && flags & 0x04 == 0 {
        let name = bytes.get(10..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        text.push_str(&format!(", was \"{}\"", BStr::new(name)));
    }
    if let Some(time) = numbers.u32(4).filter(|time| *time != 0)
        && let Some(time) = calendar::at(time.into(), 0, &calendar::zone_of(process))
    {
        let mut shown = Vec::new();
        calendar::format(&mut shown, b"%a %b %e %H:%M:%S %Y", &time, 64);
        text.push_str(&format!(", last modified: {}", shown.as_bstr()));
    }
    match bytes.get(8) {
        Some(2) => text.push_str(", max compression"),
        Some(4) => text.push_str(", max speed"),
        _ => {}
    }
    match bytes.get(9) {
        Some(0) => text.push_str(", from FAT filesystem (MS-DOS, OS/2, NT)"),
        Some(3) => text.push_str(", from Unix"),
        Some(7) => text.push_str(", from MacOS"),
        Some(11) => text.push_str(", from NTFS filesystem (NT)"),
        _ => {}
    }
    if let Some(size) = bytes.len().checked_sub(4).and_then(|at| numbers.u32(at)) {
        text.push_str(&format!(", original size modulo 2^32 {size}"));
    }
    Kind::binary(text, "application/gzip")
}

fn zstd(flags: u8, rest: &[u8]) -> String {
    let start = "Zstandard compressed data (v0.8+), Dictionary ID: ";
    // The window's description is left out if there is a single segment.
    let at = usize::from(flags & 0x20 == 0);
    let length = match flags & 3 {
        0 => return format!("{start}None"),
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let id = rest.get(at..at + length).unwrap_or_default();
    let id = id
        .iter()
        .rev()
        .fold(0u64, |id, byte| id << 8 | u64::from(*byte));
    format!("{start}{id}")
}

fn zip(numbers: &Numbers<'_>) -> Option<Kind> {
    let (version, method) = (numbers.bytes.get(4)?, numbers.u16(8)?);
    if numbers.bytes.len() < 30 {
        return None;
    }
    let method = match method {
        0 => "store",
        8 => "deflate",
        9 => "deflate64",
        12 => "bzip2",
        14 => "lzma",
        93 => "zstd",
        95 => "xz",
        _ => "unknown",
    };
    Some(Kind::binary(
        format!(
            "Zip archive data, at least v{}.{} to extract, compression method={method}",
            version / 10,
            version % 10
        ),
        "application/zip",
    ))
}

fn pdf(bytes: &[u8]) -> Kind {
    let version: Vec<u8> = bytes
        .iter()
        .skip(5)
        .copied()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .collect();
    let mut text = format!("PDF document, version {}", version.as_bstr());
    let count = bytes.find(b"/Count ").and_then(|at| bytes.get(at + 7..));
    let count: Option<Vec<u8>> = count.map(|rest| {
        rest.iter()
            .copied()
            .take_while(u8::is_ascii_digit)
            .collect()
    });
    if let Some(count) = count.filter(|count| !count.is_empty()) {
        text.push_str(&format!(", {} pages", count.as_bstr()));
    }
    Kind {
        charset: super::text::charset(bytes).unwrap_or("binary"),
        ..Kind::binary(text, "application/pdf")
    }
}

fn java(numbers: &Numbers<'_>) -> Option<Kind> {
    let (minor, major) = (numbers.u16(4)?, numbers.u16(6)?);
    let name = match major {
        45..=48 => format!(" (Java 1.{})", major - 44),
        49..=52 => format!(" (Java 1.{})", major - 44),
        53..=80 => format!(" (Java SE {})", major - 44),
        _ => return None,
    };
    Some(Kind::binary(
        format!("compiled Java class data, version {major}.{minor}{name}"),
        "application/x-java-applet",
    ))
}

fn sqlite(numbers: &Numbers<'_>) -> Kind {
    let mut text = String::from("SQLite 3.x database");
    if let Some(id) = numbers.u32(68).filter(|id| *id != 0) {
        text.push_str(&format!(", application id {id}"));
    }
    if let Some(user) = numbers.u32(60).filter(|user| *user != 0) {
        text.push_str(&format!(", user version {user}"));
    }
    if let Some(version) = numbers.u32(96) {
        text.push_str(&format!(", last written using SQLite version {version}"));
    }
    let size = match numbers.u16(16) {
        Some(1) => 65536,
        size => u32::from(size.unwrap_or(4096)),
    };
    if size != 4096 {
        text.push_str(&format!(", page size {size}"));
    }
    let numbers_at = |at| numbers.u32(at).unwrap_or(0);
    text.push_str(&format!(", file counter {}", numbers_at(24)));
    text.push_str(&format!(", database pages {}", numbers_at(28)));
    if numbers_at(36) > 0 {
        text.push_str(&format!(
            ", 1st free page {}, free pages {}",
            numbers_at(32),
            numbers_at(36)
        ));
    }
    text.push_str(&format!(", cookie {:#x}", numbers_at(40)));
    text.push_str(&format!(", schema {}", numbers_at(44)));
    text.push_str(match numbers_at(56) {
        1 => ", UTF-8",
        2 => ", UTF-16 little endian",
        3 => ", UTF-16 big endian",
        _ => ", unknown 0 encoding",
    });
    text.push_str(&format!(", version-valid-for {}", numbers_at(92)));
    Kind::binary(text, "application/vnd.sqlite3")
}

/// A header whose sum is right.
fn tar(bytes: &[u8]) -> Option<Kind> {
    let header = bytes.get(..512)?;
    let digits = header.get(148..156)?;
    let digits = digits.trim_with(|char| char == ' ' || char == '\0');
    let wanted = digits.iter().try_fold(0u32, |sum, digit| {
        matches!(digit, b'0'..=b'7').then(|| sum.wrapping_mul(8) + u32::from(digit - b'0'))
    })?;
    let sum = header.iter().enumerate().fold(0u32, |sum, (at, byte)| {
        sum + if (148..156).contains(&at) {
            32
        } else {
            u32::from(*byte)
        }
    });
    if digits.is_empty() || sum != wanted {
        return None;
    }
    let text = match header.get(257..265) {
        Some(b"ustar  \0") => "POSIX tar archive (GNU)",
        Some([b'u', b's', b't', b'a', b'r', 0, ..]) => "POSIX tar archive",
        _ => "tar archive",
    };
    Some(Kind::binary(text, "application/x-tar"))
}
