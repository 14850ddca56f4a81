//! `head`.

use std::{
    collections::VecDeque,
    io::{self, Read, Seek, SeekFrom, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Output, Process, limit_error};

use crate::{
    Opt, Usage, Utility,
    lines::Lines,
    list::room_of,
    number,
    operands::{complain_of_opening, each_input_or},
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "head",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Print the first 10 lines of each FILE to standard output.\n\
              With more than one FILE, precede each with a header giving the file name.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'c',
            "bytes",
            "[-]NUM",
            "print the first NUM bytes of each file;\nwith the leading '-', all but the last NUM bytes",
        ),
        Opt::value(
            'n',
            "lines",
            "[-]NUM",
            "print the first NUM lines instead of the first 10;\nwith the leading '-', all but the last NUM lines",
        ),
        Opt::flag('q', "quiet", "never print headers giving file names"),
        Opt::flag('\0', "silent", "same as --quiet"),
        Opt::flag('v', "verbose", "always print headers giving file names"),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "NUM may have a multiplier suffix: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on.",
    ..Usage::DEFAULT
};

/// How much of each file.
#[derive(Clone, Copy)]
enum Part {
    Lines(u64),
    Bytes(u64),
    AllButLines(u64),
    AllButBytes(u64),
}

fn main(process: &Process) -> io::Result<i32> {
    let args = modern(process.args().get(1..).unwrap_or_default());
    let parsed = USAGE.parse_args(process, &args);
    let mut part = Part::Lines(10);
    for (name, value) in parsed.iter() {
        if let Some(value) = value {
            part = amount(process, name == "bytes", value);
        }
    }
    let headers = match parsed.last_of(&["quiet", "silent", "verbose"]) {
        Some("verbose") => true,
        Some(_) => false,
        None => parsed.operands.len() > 1,
    };
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let mut out = process.stdout();
    let mut is_first = true;
    let code = each_input_or(
        process,
        &parsed.operands,
        complain_of_opening,
        |name, input| {
            if headers {
                let name = if name == "-" {
                    BStr::new("standard input")
                } else {
                    name.as_bstr()
                };
                let gap = if std::mem::take(&mut is_first) {
                    ""
                } else {
                    "\n"
                };
                write!(out, "{gap}==> ")?;
                out.write_all(name)?;
                out.write_all(b" <==\n")?;
            }
            match part {
                Part::Lines(count) => first_lines(process, input, &mut out, count, end),
                Part::Bytes(count) => first_bytes(input, &mut out, count),
                Part::AllButLines(count) => all_but_lines(process, input, &mut out, count, end),
                Part::AllButBytes(count) => all_but_bytes(process, input, &mut out, count),
            }
        },
    );
    out.flush()?;
    Ok(code)
}

/// `-5` and `-5c` as they were written before there was `-n`.
fn modern(args: &[BString]) -> Vec<BString> {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && let Some(digits) = first.strip_prefix(b"-")
        && digits.first().is_some_and(u8::is_ascii_digit)
    {
        let split = digits
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(digits.len());
        let (count, letters) = digits.split_at(split);
        let unit = if letters.contains(&b'c') { "-c" } else { "-n" };
        *first = [unit.as_bytes(), count].concat().into();
    }
    args
}

fn amount(process: &Process, is_bytes: bool, value: &BStr) -> Part {
    let (digits, all_but) = match value.strip_prefix(b"-") {
        Some(digits) => (digits, true),
        None => (value.as_bytes(), false),
    };
    let Some(count) = number::with_suffix(digits) else {
        let what = if is_bytes { "bytes" } else { "lines" };
        process.complain(
            [
                format!("invalid number of {what}: ").as_bytes(),
                &quote(value),
            ]
            .concat(),
        );
        process.exit(1);
    };
    match (is_bytes, all_but) {
        (false, false) => Part::Lines(count),
        (false, true) => Part::AllButLines(count),
        (true, false) => Part::Bytes(count),
        (true, true) => Part::AllButBytes(count),
    }
}

fn first_lines(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    count: u64,
    end: u8,
) -> io::Result<()> {
    let mut input = input;
    let mut left = count;
    let mut buffer = vec![0; 8 << 10];
    while left > 0 {
        let read = input.read(&mut buffer)?;
        let piece = buffer.get(..read).unwrap_or_default();
        if piece.is_empty() {
            return Ok(());
        }
        let mut used = piece.len();
        for at in memchr::memchr_iter(end, piece) {
            process.spend(1);
            left -= 1;
            if left == 0 {
                used = at + 1;
                break;
            }
        }
        out.write_all(piece.get(..used).unwrap_or(piece))?;
        if used < read {
            // What was read too much is for the next reader of the same file. A pipe has no way back.
            let back = i64::try_from(read - used).unwrap_or(0);
            let _ = input.seek(SeekFrom::Current(-back));
        }
    }
    Ok(())
}

fn first_bytes(input: Input<'_>, out: &mut Output<'_>, count: u64) -> io::Result<()> {
    io::copy(&mut input.take(count), out).map(|_| ())
}

fn all_but_lines(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    count: u64,
    end: u8,
) -> io::Result<()> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut lines = Lines::ending_with(process, input, end)?;
    let mut held: VecDeque<Vec<u8>> = VecDeque::new();
    let mut charge = process.charge(0)?;
    while let Some(line) = lines.next_line()? {
        charge.grow(room_of(line)).map_err(limit_error)?;
        held.push_back(line.to_vec());
        if held.len() > count
            && let Some(line) = held.pop_front()
        {
            charge.shrink(room_of(&line));
            out.write_all(&line)?;
        }
    }
    Ok(())
}

fn all_but_bytes(
    process: &Process,
    mut input: Input<'_>,
    out: &mut Output<'_>,
    count: u64,
) -> io::Result<()> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held: VecDeque<u8> = VecDeque::new();
    let mut charge = process.charge(0)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        charge.resize(held.len() + read).map_err(limit_error)?;
        held.extend(buffer.get(..read).unwrap_or_default());
        let over = held.len().saturating_sub(count);
        let piece: Vec<u8> = held.drain(..over).collect();
        out.write_all(&piece)?;
    }
}
