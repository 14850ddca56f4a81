//! `tail`.

use std::{
    collections::VecDeque,
    io::{self, Read, Seek, SeekFrom, Write},
    time::Duration,
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Output, Pid, Process, limit_error};

use crate::{
    Opt, Usage, Utility,
    lines::Lines,
    list::room_of,
    number,
    operands::{complain_of, complain_of_opening},
    piece::Piece,
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tail",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Print the last 10 lines of each FILE to standard output.\n\
              With more than one FILE, precede each with a header giving the file name.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'c',
            "bytes",
            "[+]NUM",
            "output the last NUM bytes; or use -c +NUM to\noutput starting with byte NUM of each file",
        ),
        Opt::optional_long(
            'f',
            "follow",
            "HOW",
            "output appended data as the file grows;\nHOW is descriptor (the default) or name",
        ),
        Opt::flag('F', "", "same as --follow=name --retry"),
        Opt::value(
            'n',
            "lines",
            "[+]NUM",
            "output the last NUM lines, instead of the last 10;\nor use -n +NUM to skip NUM-1 lines at the start",
        ),
        Opt::value(
            '\0',
            "pid",
            "PID",
            "with -f, terminate after process ID, PID dies",
        ),
        Opt::flag('q', "quiet", "never output headers giving file names"),
        Opt::flag('\0', "silent", "same as --quiet"),
        Opt::flag(
            '\0',
            "retry",
            "keep trying to open a file if it is inaccessible",
        ),
        Opt::value(
            's',
            "sleep-interval",
            "N",
            "with -f, sleep for approximately N seconds\n(default: at once) between iterations",
        ),
        Opt::flag('v', "verbose", "always output headers giving file names"),
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
    FromLine(u64),
    FromByte(u64),
}

struct Follow {
    by_name: bool,
    retry: bool,
    interval: Duration,
    pid: Option<Pid>,
}

fn main(process: &Process) -> io::Result<i32> {
    let given = process.args().get(1..).unwrap_or_default();
    let args = modern(given);
    let parsed = USAGE.parse_args(process, &args);
    if args != given && parsed.operands.len() > 1 {
        let option = given
            .first()
            .map(|first| first.get(1..).unwrap_or_default());
        let option = option.unwrap_or_default().as_bstr();
        process.complain(format!("option used in invalid context -- {option}"));
        return Ok(1);
    }
    let mut part = Part::Lines(10);
    for (name, value) in parsed.iter() {
        if let ("bytes" | "lines", Some(value)) = (name, value) {
            part = amount(process, name == "bytes", value);
        }
    }
    if matches!(part, Part::Lines(0) | Part::Bytes(0)) && !parsed.has("follow") && !parsed.has("F")
    {
        // Nothing of anything: the files are not even looked for.
        return Ok(0);
    }
    let follow = (parsed.has("follow") || parsed.has("F")).then(|| following(process, &parsed));
    let stdin = [BString::from("-")];
    let names = if parsed.operands.is_empty() {
        &stdin
    } else {
        parsed.operands.as_slice()
    };
    let headers = match parsed.last_of(&["quiet", "silent", "verbose"]) {
        Some("verbose") => true,
        Some(_) => false,
        None => names.len() > 1,
    };
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let mut out = process.stdout();
    let mut is_first = true;
    let mut code = 0;
    let mut ends = Vec::new();
    for name in names {
        let input = match process.open_input(name) {
            Ok(input) => input,
            Err(error) => {
                code = 1;
                complain_of_opening(process, name, &error);
                ends.push(None);
                continue;
            }
        };
        if headers {
            header(&mut out, name, &mut is_first)?;
        }
        let stream = input.stream().clone();
        let shown = match part {
            Part::Lines(count) => last_lines(process, input, &mut out, count, end),
            Part::Bytes(count) => last_bytes(process, input, &mut out, count),
            Part::FromLine(line) => from_line(process, input, &mut out, line, end),
            Part::FromByte(byte) => from_byte(input, &mut out, byte),
        };
        if let Err(error) = shown {
            complain_of(process, name, &error);
            code = 1;
        }
        ends.push(stream.file().is_some().then_some(stream));
    }
    out.flush()?;
    if let Some(follow) = follow {
        self::follow(process, &mut out, names, ends, &follow, headers)?;
    }
    Ok(code)
}

fn header(out: &mut Output<'_>, name: &BString, is_first: &mut bool) -> io::Result<()> {
    let name = if name == "-" {
        BStr::new("standard input")
    } else {
        name.as_bstr()
    };
    let gap = if std::mem::take(is_first) { "" } else { "\n" };
    write!(out, "{gap}==> ")?;
    out.write_all(name)?;
    out.write_all(b" <==\n")
}

fn following(process: &Process, parsed: &crate::Parsed) -> Follow {
    let by_name = parsed.has("F") || parsed.value("follow").is_some_and(|how| how == "name");
    if let Some(how) = parsed
        .value("follow")
        .filter(|how| *how != "name" && *how != "descriptor")
    {
        USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(how).as_slice(),
                b" for '--follow'",
            ]
            .concat(),
        );
    }
    let seconds = parsed
        .value("sleep-interval")
        .map_or(Some(0.0), |text| text.to_str().ok()?.parse::<f64>().ok());
    let interval = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let Some(interval) = interval else {
        let text = parsed.value("sleep-interval").unwrap_or_default();
        process.complain([b"invalid number of seconds: ", quote(text).as_slice()].concat());
        process.exit(1);
    };
    let pid = parsed.value("pid").map(|text| {
        match text.to_str().ok().and_then(|text| text.parse().ok()) {
            Some(pid) => Pid(pid),
            None => {
                process.complain([b"invalid PID: ", quote(text).as_slice()].concat());
                process.exit(1);
            }
        }
    });
    Follow {
        by_name,
        retry: parsed.has("F") || parsed.has("retry"),
        // GNU tail is told of changes where nobody asks for an interval; looking often comes to the same.
        interval: interval.clamp(Duration::from_millis(10), Duration::from_hours(1)),
        pid,
    }
}

/// Prints what is added to the files, for ever.
fn follow(
    process: &Process,
    out: &mut Output<'_>,
    names: &[BString],
    mut streams: Vec<Option<std::sync::Arc<dyn hotcell_process::Stream>>>,
    follow: &Follow,
    headers: bool,
) -> io::Result<()> {
    let mut last = names.len().checked_sub(1);
    let mut is_first = false;
    let mut buffer = vec![0; 64 << 10];
    if streams.iter().all(Option::is_none) && !follow.retry {
        return Ok(());
    }
    loop {
        for (index, (name, stream)) in names.iter().zip(&mut streams).enumerate() {
            if (stream.is_none() && follow.retry)
                || (follow.by_name && was_replaced(process, name, stream.as_deref()))
            {
                *stream = process
                    .open_input(name)
                    .ok()
                    .map(|input| input.stream().clone());
            }
            let Some(stream) = stream else { continue };
            // What has no place to go back to, such as a device or a pipe, is never cut short.
            if let Ok(at) = stream.seek(SeekFrom::Current(0))
                && stream.metadata()?.size < at
            {
                process.complain([name.as_slice(), b": file truncated"].concat());
                stream.seek(SeekFrom::Start(0))?;
            }
            loop {
                let count = process.read(stream, &mut buffer)?;
                if count == 0 {
                    break;
                }
                if headers && last != Some(index) {
                    header(out, name, &mut is_first)?;
                    last = Some(index);
                }
                out.write_all(buffer.get(..count).unwrap_or_default())?;
            }
        }
        out.flush()?;
        if follow.pid.is_some_and(|pid| !process.is_alive(pid)) {
            return Ok(());
        }
        process.sleep(follow.interval);
    }
}

/// Whether the name leads to another file by now.
fn was_replaced(
    process: &Process,
    name: &BString,
    stream: Option<&dyn hotcell_process::Stream>,
) -> bool {
    let Some(old) = stream.and_then(|stream| stream.metadata().ok()) else {
        return true;
    };
    let new = process.vfs().stat(&process.resolve(name));
    new.is_ok_and(|new| (new.dev, new.ino) != (old.dev, old.ino))
}

/// `-5`, `+5`, `-5c`, `-5f` as they were written before there was `-n`.
fn modern(args: &[BString]) -> Vec<BString> {
    let mut args = args.to_vec();
    let Some(first) = args.first() else {
        return args;
    };
    let (sign, digits) = match first.as_slice() {
        [sign @ (b'-' | b'+'), digits @ ..] if digits.first().is_some_and(u8::is_ascii_digit) => {
            (*sign, digits)
        }
        _ => return args,
    };
    let split = digits
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(digits.len());
    let (count, letters) = digits.split_at(split);
    if !letters.iter().all(|letter| b"bclf".contains(letter)) {
        return args;
    }
    let unit = if letters.contains(&b'c') { "-c" } else { "-n" };
    let plus = if sign == b'+' { "+" } else { "" };
    let mut new = vec![BString::from(
        [unit.as_bytes(), plus.as_bytes(), count].concat(),
    )];
    if letters.contains(&b'f') {
        new.push("-f".into());
    }
    args.splice(..1, new);
    args
}

fn amount(process: &Process, is_bytes: bool, value: &BStr) -> Part {
    let (digits, is_from) = match value.as_bytes() {
        [b'+', digits @ ..] => (digits, true),
        [b'-', digits @ ..] => (digits, false),
        digits => (digits, false),
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
    match (is_bytes, is_from) {
        (false, false) => Part::Lines(count),
        (false, true) => Part::FromLine(count),
        (true, false) => Part::Bytes(count),
        (true, true) => Part::FromByte(count),
    }
}

/// How much is read at once, from the end of a file backwards.
const PIECE: u64 = 32 << 10;

/// A file is read from its end, so that the size of what comes before costs nothing.
fn last_lines(
    process: &Process,
    mut input: Input<'_>,
    out: &mut Output<'_>,
    count: u64,
    end: u8,
) -> io::Result<()> {
    let start = input.stream_position();
    let (Some(file), Ok(start)) = (input.stream().file().cloned(), start) else {
        return last_lines_of_stream(process, input, out, count, end);
    };
    let size = file.stat().map_err(hotcell_process::file_error)?.size;
    if !file.is_seekable() || size <= start {
        return last_lines_of_stream(process, input, out, count, end);
    }
    let mut at = size;
    let mut left = count;
    let mut buffer = Vec::new();
    let mut is_end = true;
    let mut from = start;
    'search: while at > start {
        let piece = PIECE.min(at - start);
        at -= piece;
        buffer.resize(usize::try_from(piece).unwrap_or(0), 0);
        input.seek(SeekFrom::Start(at))?;
        input.read_exact(&mut buffer)?;
        let mut text = buffer.as_slice();
        if std::mem::take(&mut is_end) {
            // The end of the last line begins no other.
            text = text.strip_suffix(&[end]).unwrap_or(text);
        }
        for found in memchr::memrchr_iter(end, text) {
            process.spend(1);
            if left <= 1 {
                from = if left == 0 {
                    size
                } else {
                    at + found as u64 + 1
                };
                break 'search;
            }
            left -= 1;
        }
    }
    if count == 0 {
        from = size;
    }
    input.seek(SeekFrom::Start(from))?;
    io::copy(&mut input, out).map(|_| ())
}

fn last_lines_of_stream(
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
        if held.len() >= count {
            let Some(oldest) = held.pop_front() else {
                continue;
            };
            charge.shrink(room_of(&oldest));
        }
        charge.grow(room_of(line)).map_err(limit_error)?;
        // Not in the room of the oldest, which may be that of a much longer line.
        held.push_back(line.to_vec());
    }
    held.iter().try_for_each(|line| out.write_all(line))
}

fn last_bytes(
    process: &Process,
    mut input: Input<'_>,
    out: &mut Output<'_>,
    count: u64,
) -> io::Result<()> {
    let is_file = input.stream().file().is_some_and(|file| file.is_seekable());
    if is_file {
        let start = input.stream_position()?;
        let size = input.stream().metadata()?.size;
        if size > start {
            input.seek(SeekFrom::Start(size.saturating_sub(count).max(start)))?;
            return io::copy(&mut input, out).map(|_| ());
        }
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held: VecDeque<u8> = VecDeque::new();
    let mut charge = process.charge(0)?;
    let mut pieces = Piece::default();
    loop {
        let piece = pieces.read(&mut input)?;
        if piece.is_empty() {
            break;
        }
        charge
            .resize(held.len() + piece.len())
            .map_err(limit_error)?;
        held.extend(&*piece);
        held.drain(..held.len().saturating_sub(count));
    }
    let (first, second) = held.as_slices();
    out.write_all(first)?;
    out.write_all(second)
}

fn from_line(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    line: u64,
    end: u8,
) -> io::Result<()> {
    let mut input = input;
    let mut skip = line.saturating_sub(1);
    let mut pieces = Piece::default();
    loop {
        let piece = pieces.read(&mut input)?;
        if piece.is_empty() {
            return Ok(());
        }
        let mut from = 0;
        if skip > 0 {
            from = piece.len();
            for found in memchr::memchr_iter(end, piece) {
                process.spend(1);
                skip -= 1;
                if skip == 0 {
                    from = found + 1;
                    break;
                }
            }
        }
        out.write_all(piece.get(from..).unwrap_or_default())?;
    }
}

fn from_byte(mut input: Input<'_>, out: &mut Output<'_>, byte: u64) -> io::Result<()> {
    io::copy(
        &mut input.by_ref().take(byte.saturating_sub(1)),
        &mut io::sink(),
    )?;
    io::copy(&mut input, out).map(|_| ())
}
