//! `base64`, `base32` and `basenc`.

use std::io::{self, Read, Write};

use bstr::{BStr, ByteSlice};
use data_encoding::{BASE32, BASE32HEX, BASE64, BASE64URL, Encoding, HEXUPPER};
use hotcell_process::{Input, Output, Process};

use crate::{Opt, Parsed, Usage, Utility, operands::complain_of, quote::quote};

const DECODE: Opt = Opt::flag('d', "decode", "decode data");
const IGNORE: Opt = Opt::flag(
    'i',
    "ignore-garbage",
    "when decoding, ignore non-alphabet characters",
);
const WRAP: Opt = Opt::value(
    'w',
    "wrap",
    "COLS",
    "wrap encoded lines after COLS character (default 76).\nUse 0 to disable line wrapping",
);

pub(crate) const BASE64_UTILITY: Utility = Utility {
    usage: &BASE64_USAGE,
    main: |process| {
        run(
            process,
            &BASE64_USAGE,
            &BASE64_USAGE.parse(process),
            &BASE64,
        )
    },
};
pub(crate) const BASE32_UTILITY: Utility = Utility {
    usage: &BASE32_USAGE,
    main: |process| {
        run(
            process,
            &BASE32_USAGE,
            &BASE32_USAGE.parse(process),
            &BASE32,
        )
    },
};
pub(crate) const BASENC: Utility = Utility {
    usage: &BASENC_USAGE,
    main: basenc,
};

const BASE64_USAGE: Usage = Usage {
    name: "base64",
    synopsis: "[OPTION]... [FILE]",
    summary: "Base64 encode or decode FILE, or standard input, to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[DECODE, IGNORE, WRAP],
    ..Usage::DEFAULT
};

const BASE32_USAGE: Usage = Usage {
    name: "base32",
    summary: "Base32 encode or decode FILE, or standard input, to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    ..BASE64_USAGE
};

const BASENC_USAGE: Usage = Usage {
    name: "basenc",
    summary: "basenc encode or decode FILE, or standard input, to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag(
            '\0',
            "base64",
            "same as 'base64' program (RFC4648 section 4)",
        ),
        Opt::flag(
            '\0',
            "base64url",
            "file- and url-safe base64 (RFC4648 section 5)",
        ),
        Opt::flag(
            '\0',
            "base32",
            "same as 'base32' program (RFC4648 section 6)",
        ),
        Opt::flag(
            '\0',
            "base32hex",
            "extended hex alphabet base32 (RFC4648 section 7)",
        ),
        Opt::flag('\0', "base16", "hex encoding (RFC4648 section 8)"),
        DECODE,
        IGNORE,
        WRAP,
    ],
    ..BASE64_USAGE
};

fn basenc(process: &Process) -> io::Result<i32> {
    let parsed = BASENC_USAGE.parse(process);
    let kinds = ["base64", "base64url", "base32", "base32hex", "base16"];
    let encoding = match parsed.last_of(&kinds) {
        Some("base64") => &BASE64,
        Some("base64url") => &BASE64URL,
        Some("base32") => &BASE32,
        Some("base32hex") => &BASE32HEX,
        Some(_) => &HEXUPPER,
        None => BASENC_USAGE.fail(process, "missing encoding type"),
    };
    run(process, &BASENC_USAGE, &parsed, encoding)
}

fn run(process: &Process, usage: &Usage, parsed: &Parsed, encoding: &Encoding) -> io::Result<i32> {
    let wrap = match parsed.value("wrap") {
        None => 76,
        Some(text) => match text
            .to_str()
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
        {
            Some(wrap) => wrap,
            None => {
                process.complain([b"invalid wrap size: ", quote(text).as_slice()].concat());
                return Ok(1);
            }
        },
    };
    if let Some(extra) = parsed.operands.get(1) {
        usage.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let name = parsed
        .operands
        .first()
        .map_or(BStr::new("-"), |name| name.as_bstr());
    let input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            complain_of(process, name, &error);
            return Ok(1);
        }
    };
    let mut out = process.stdout();
    let is_good = if parsed.has("decode") {
        decode(
            process,
            input,
            &mut out,
            encoding,
            parsed.has("ignore-garbage"),
        )?
    } else {
        encode(process, input, &mut out, encoding, wrap)?;
        true
    };
    out.flush()?;
    if !is_good {
        process.complain("invalid input");
        return Ok(1);
    }
    Ok(0)
}

/// Bytes that become whole characters in every encoding here.
const PIECE: usize = 15 << 10;

fn encode(
    process: &Process,
    mut input: Input<'_>,
    out: &mut Output<'_>,
    encoding: &Encoding,
    wrap: usize,
) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    let mut column = 0;
    let mut any = false;
    loop {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let read = input.read(rest)?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        let text = encoding.encode(buffer.get(..filled).unwrap_or_default());
        process.spend(filled);
        any |= !text.is_empty();
        let mut rest = text.as_bytes();
        while wrap > 0 && !rest.is_empty() {
            if column == wrap {
                out.write_all(b"\n")?;
                column = 0;
            }
            let (line, after) = rest.split_at(rest.len().min(wrap - column));
            out.write_all(line)?;
            column += line.len();
            rest = after;
        }
        out.write_all(rest)?;
        if filled < PIECE {
            break;
        }
    }
    if wrap > 0 && any {
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes as much as is right; false if something was not.
fn decode(
    process: &Process,
    mut input: Input<'_>,
    out: &mut Output<'_>,
    encoding: &Encoding,
    ignores_garbage: bool,
) -> io::Result<bool> {
    let mut specification = encoding.specification();
    // Bits that do not make a byte are left out, whatever they are.
    specification.check_trailing_bits = false;
    let lenient = specification.encoding().map_err(io::Error::other)?;
    let encoding = &lenient;
    let mut known = [false; 256];
    for symbol in specification
        .symbols
        .bytes()
        .chain(specification.padding.map(|padding| padding as u8))
    {
        known[usize::from(symbol)] = true;
    }
    // Characters that make whole bytes.
    let block = match encoding.bit_width() {
        6 => 4,
        5 => 8,
        _ => 2,
    };
    let mut buffer = vec![0; PIECE];
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let read = input.read(&mut buffer)?;
        process.spend(read * 2);
        for byte in buffer.get(..read).unwrap_or_default() {
            if *byte != b'\n' && (!ignores_garbage || known[usize::from(*byte)]) {
                pending.push(*byte);
            }
        }
        let whole = if read == 0 {
            pending.len()
        } else {
            pending.len() / block * block
        };
        let rest = pending.split_off(whole);
        let now = std::mem::replace(&mut pending, rest);
        if !decode_blocks(&now, block, encoding, out)? {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
    }
}

fn decode_blocks(
    text: &[u8],
    block: usize,
    encoding: &Encoding,
    out: &mut Output<'_>,
) -> io::Result<bool> {
    if let Ok(bytes) = encoding.decode(text) {
        out.write_all(&bytes)?;
        return Ok(true);
    }
    // Block by block, so that what is right before the fault comes out.
    for piece in text.chunks(block) {
        match encoding.decode(piece) {
            Ok(bytes) => out.write_all(&bytes)?,
            Err(_) => {
                for longest in (1..=piece.len()).rev() {
                    let mut padded = piece.get(..longest).unwrap_or_default().to_vec();
                    padded.resize(block, b'=');
                    if let Ok(bytes) = encoding.decode(&padded) {
                        out.write_all(&bytes)?;
                        break;
                    }
                }
                return Ok(false);
            }
        }
    }
    Ok(true)
}
