//! `shuf`.

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process, error_text, limit_error};
use hotcell_vfs::OpenOptions;

use crate::{
    Opt, Parsed, Usage, Utility, entropy::Entropy, lines::Lines, list::room_of,
    operands::complain_of, quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "shuf",
    synopsis: "[OPTION]... [FILE]\n-e [OPTION]... [ARG]...\n-i LO-HI [OPTION]...",
    summary: "Write a random permutation of the input lines to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('e', "echo", "treat each ARG as an input line"),
        Opt::value(
            'i',
            "input-range",
            "LO-HI",
            "treat each number LO through HI as an input line",
        ),
        Opt::value('n', "head-count", "COUNT", "output at most COUNT lines"),
        Opt::value(
            'o',
            "output",
            "FILE",
            "write result to FILE instead of standard output",
        ),
        Opt::value('\0', "random-source", "FILE", "get random bytes from FILE"),
        Opt::flag('r', "repeat", "output lines can be repeated"),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

/// Where chance comes from: a file, or the sandbox's own source.
struct Chance<'p> {
    process: &'p Process,
    source: RandomSource<'p>,
}

enum RandomSource<'p> {
    File(Input<'p>, BString),
    Own(Entropy<'p>),
}

impl Chance<'_> {
    /// A number below `bound`, each as likely as the others.
    fn below(&mut self, bound: u64) -> u64 {
        // Bytes are taken until they tell enough; what would make some numbers likelier is thrown away.
        loop {
            let mut bytes = [0; 8];
            let wanted = (8 - bound.leading_zeros() as usize / 8).min(8);
            let place = bytes.get_mut(..wanted).unwrap_or_default();
            let (read, name) = match &mut self.source {
                RandomSource::Own(entropy) => {
                    entropy.fill(place);
                    (Ok(()), &[][..])
                }
                RandomSource::File(input, name) => (input.read_exact(place), name.as_slice()),
            };
            if let Err(error) = read {
                let text = if error.kind() == io::ErrorKind::UnexpectedEof {
                    "end of file".into()
                } else {
                    error_text(&error)
                };
                self.process
                    .complain([quote(name).as_slice(), b": ", text.as_bytes()].concat());
                self.process.exit(1);
            }
            let value = u64::from_le_bytes(bytes);
            let range = if wanted == 8 {
                u128::from(u64::MAX) + 1
            } else {
                1u128 << (wanted * 8)
            };
            let fair = range - range % u128::from(bound);
            if u128::from(value) < fair {
                return value % bound;
            }
        }
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let mut count = u64::MAX;
    for text in parsed.values("head-count") {
        let Some(number) = text.to_str().ok().and_then(|text| text.parse().ok()) else {
            process.complain([b"invalid line count: ", quote(text).as_slice()].concat());
            return Ok(1);
        };
        count = count.min(number);
    }
    if parsed.has("echo") && parsed.has("input-range") {
        USAGE.fail(process, "cannot combine -e and -i options");
    }
    let source = match parsed.value("random-source") {
        None => RandomSource::Own(Entropy::new(process)),
        Some(name) => match process.open(name, &OpenOptions::read()) {
            Ok(stream) => RandomSource::File(process.input(stream), name.into()),
            Err(error) => {
                complain_of(process, name, &error);
                return Ok(1);
            }
        },
    };
    let mut chance = Chance { process, source };
    let mut out = match parsed.value("output") {
        None => process.stdout(),
        Some(name) => match process.open(name, &OpenOptions::write().create().truncate()) {
            Ok(stream) => process.output(stream),
            Err(error) => {
                complain_of(process, name, &error);
                return Ok(1);
            }
        },
    };
    if let Some(range) = parsed.value("input-range") {
        if let Some(extra) = parsed.operands.first() {
            USAGE.fail(
                process,
                [b"extra operand ", quote(extra).as_slice()].concat(),
            );
        }
        let (low, high) = match limits(range) {
            Ok(limits) => limits,
            Err(wrong) => {
                process.complain([b"invalid input range: ", quote(wrong).as_slice()].concat());
                return Ok(1);
            }
        };
        // One less than the lowest is a range of nothing.
        let size = high.saturating_add(1).saturating_sub(low);
        return pick(
            process,
            &mut chance,
            &mut out,
            &parsed,
            size,
            count,
            |out, index| {
                write!(out, "{}", low + index)?;
                out.write_all(&[end])
            },
        );
    }
    let mut lines: Vec<BString> = Vec::new();
    let mut charge = process.charge(0)?;
    if parsed.has("echo") {
        lines.clone_from(&parsed.operands);
    } else {
        if let Some(extra) = parsed.operands.get(1) {
            USAGE.fail(
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
        let mut all = Lines::ending_with(process, input, end)?;
        while let Some(line) = all.next_line()? {
            charge
                .grow(room_of(line) + size_of::<BString>())
                .map_err(limit_error)?;
            lines.push(line.strip_suffix(&[end]).unwrap_or(line).into());
        }
    }
    let size = lines.len() as u64;
    pick(
        process,
        &mut chance,
        &mut out,
        &parsed,
        size,
        count,
        |out, index| {
            let line = usize::try_from(index)
                .ok()
                .and_then(|index| lines.get(index));
            out.write_all(line.map_or(&b""[..], |line| line.as_slice()))?;
            out.write_all(&[end])
        },
    )
}

/// `LO-HI`; an error is the part that is wrong.
fn limits(range: &BStr) -> Result<(u64, u64), &BStr> {
    let number = |text: &[u8]| text.to_str().ok()?.parse::<u64>().ok();
    let (low, high) = range.split_once_str("-").ok_or(range)?;
    let low = number(low).ok_or(BStr::new(low))?;
    let high = number(high).ok_or(BStr::new(high))?;
    if low <= high.saturating_add(1) {
        Ok((low, high))
    } else {
        Err(range)
    }
}

/// Writes `count` of `size` things, each once unless they may repeat.
fn pick(
    process: &Process,
    chance: &mut Chance<'_>,
    out: &mut hotcell_process::Output<'_>,
    parsed: &Parsed,
    size: u64,
    count: u64,
    mut put: impl FnMut(&mut hotcell_process::Output<'_>, u64) -> io::Result<()>,
) -> io::Result<i32> {
    if parsed.has("repeat") {
        if size == 0 && count > 0 {
            process.complain("no lines to repeat");
            return Ok(1);
        }
        for _ in 0..count {
            process.spend(16);
            let index = chance.below(size);
            put(out, index)?;
        }
        out.flush()?;
        return Ok(0);
    }
    // The places that were swapped: a permutation of which only the beginning is made.
    let mut swapped: std::collections::HashMap<u64, u64> = std::collections::HashMap::new();
    let mut charge = process.charge(0)?;
    for at in 0..count.min(size) {
        process.spend(16);
        charge.grow(48).map_err(limit_error)?;
        let other = at + chance.below(size - at);
        let here = swapped.remove(&at).unwrap_or(at);
        let chosen = if other == at {
            here
        } else {
            swapped.insert(other, here).unwrap_or(other)
        };
        put(out, chosen)?;
    }
    out.flush()?;
    Ok(0)
}
