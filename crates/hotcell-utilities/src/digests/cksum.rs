//! `cksum`.

use std::io::{self, Read, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Input, Process};

use super::{
    checksums::{self, Algorithm, CHECK_OPTIONS, Style},
    sum,
};
use crate::{Opt, Usage, Utility, operands::complain_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cksum",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Print or verify checksums.\nBy default use the 32 bit CRC algorithm.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &{
        let [check, zero, missing, quiet, status, strict, warn] = CHECK_OPTIONS;
        [
            Opt::value(
                'a',
                "algorithm",
                "TYPE",
                "select the digest type to use: sysv, bsd, crc, md5, sha1,\nsha224, sha256, sha384, sha512, blake2b",
            ),
            check,
            Opt::flag('\0', "tag", "create a BSD-style checksum (the default)"),
            Opt::flag(
                '\0',
                "untagged",
                "create a reversed style checksum, without digest type",
            ),
            zero,
            missing,
            quiet,
            status,
            strict,
            warn,
        ]
    },
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let kind = parsed
        .value("algorithm")
        .map_or(&b"crc"[..], |kind| kind.as_bytes());
    let algorithm = match kind {
        b"crc" | b"bsd" | b"sysv" => None,
        b"md5" => Some(Algorithm::Md5),
        b"sha1" => Some(Algorithm::Sha1),
        b"sha224" => Some(Algorithm::Sha224),
        b"sha256" => Some(Algorithm::Sha256),
        b"sha384" => Some(Algorithm::Sha384),
        b"sha512" => Some(Algorithm::Sha512),
        b"blake2b" => Some(Algorithm::Blake2b),
        other => USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(other).as_slice(),
                b" for '--algorithm'",
            ]
            .concat(),
        ),
    };
    if parsed.has("check") {
        if parsed.has("algorithm") && algorithm.is_none() {
            process.complain("--check is not supported with --algorithm={bsd,sysv,crc}");
            return Ok(1);
        }
        return checksums::check(process, &USAGE, &parsed, algorithm);
    }
    checksums::refuse_check_options(process, &USAGE, &parsed);
    match (algorithm, kind) {
        (Some(algorithm), _) => {
            let style = Style {
                tag: !parsed.has("untagged"),
                mark: b' ',
                zero: parsed.has("zero"),
            };
            checksums::print(process, &parsed.operands, algorithm, &style)
        }
        (None, b"crc") => print(process, &parsed.operands),
        (None, kind) => sum::print(process, &parsed.operands, kind == b"sysv"),
    }
}

fn print(process: &Process, operands: &[BString]) -> io::Result<i32> {
    let stdin = [BString::from("-")];
    let names = if operands.is_empty() {
        &stdin
    } else {
        operands
    };
    let mut out = process.stdout();
    let mut code = 0;
    for name in names {
        match process
            .open_input(name)
            .and_then(|input| crc(process, input))
        {
            Err(error) => {
                complain_of(process, name, &error);
                code = 1;
            }
            Ok((crc, bytes)) => {
                write!(out, "{crc} {bytes}")?;
                if !operands.is_empty() {
                    out.write_all(b" ")?;
                    out.write_all(name)?;
                }
                out.write_all(b"\n")?;
            }
        }
    }
    out.flush()?;
    Ok(code)
}

/// POSIX's sum: the polynomial of Ethernet, highest bit first, with the length behind the data.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 0x8000_0000 == 0 {
                value << 1
            } else {
                value << 1 ^ 0x04c1_1db7
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
};

fn crc(process: &Process, mut input: Input<'_>) -> io::Result<(u32, u64)> {
    let step = |crc: u32, byte: u8| crc << 8 ^ TABLE[((crc >> 24) as u8 ^ byte) as usize];
    let mut buffer = vec![0; 32 << 10];
    let (mut crc, mut bytes) = (0u32, 0u64);
    loop {
        let read = input.read(&mut buffer)?;
        let piece = buffer.get(..read).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        process.spend(read);
        bytes += read as u64;
        crc = piece.iter().fold(crc, |crc, byte| step(crc, *byte));
    }
    let mut length = bytes;
    while length > 0 {
        crc = step(crc, (length & 0xff) as u8);
        length >>= 8;
    }
    Ok((!crc, bytes))
}
