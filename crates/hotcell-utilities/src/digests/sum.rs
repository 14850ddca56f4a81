//! `sum`.

use std::io::{self, Read, Write};

use bstr::BString;
use hotcell_process::{Input, Process};

use crate::{Opt, Usage, Utility, operands::complain_of};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "sum",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Print or check BSD (16-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag(
            'r',
            "",
            "use BSD sum algorithm (the default), use 1K blocks",
        ),
        Opt::flag(
            's',
            "sysv",
            "use System V sum algorithm, use 512 bytes blocks",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let is_sysv = parsed.last_of(&["r", "sysv"]) == Some("sysv");
    print(process, &parsed.operands, is_sysv)
}

pub(super) fn print(process: &Process, operands: &[BString], is_sysv: bool) -> io::Result<i32> {
    let stdin = [BString::from("-")];
    let names = if operands.is_empty() {
        &stdin
    } else {
        operands
    };
    let mut out = process.stdout();
    let mut code = 0;
    for name in names {
        let summed = process
            .open_input(name)
            .and_then(|input| sum(process, input, is_sysv));
        let (sum, bytes) = match summed {
            Ok(summed) => summed,
            Err(error) => {
                complain_of(process, name, &error);
                code = 1;
                continue;
            }
        };
        if is_sysv {
            write!(out, "{sum} {}", bytes.div_ceil(512))?;
        } else {
            write!(out, "{sum:05} {:5}", bytes.div_ceil(1024))?;
        }
        if !operands.is_empty() {
            out.write_all(b" ")?;
            out.write_all(name)?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(code)
}

fn sum(process: &Process, mut input: Input<'_>, is_sysv: bool) -> io::Result<(u32, u64)> {
    let mut buffer = vec![0; 32 << 10];
    let (mut sum, mut bytes) = (0u32, 0u64);
    loop {
        let read = input.read(&mut buffer)?;
        let piece = buffer.get(..read).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        process.spend(read);
        bytes += read as u64;
        for byte in piece {
            sum = if is_sysv {
                sum.wrapping_add(u32::from(*byte))
            } else {
                ((sum >> 1) + ((sum & 1) << 15) + u32::from(*byte)) & 0xffff
            };
        }
    }
    if is_sysv {
        let folded = (sum & 0xffff) + (sum >> 16);
        sum = (folded & 0xffff) + (folded >> 16);
    }
    Ok((sum, bytes))
}
