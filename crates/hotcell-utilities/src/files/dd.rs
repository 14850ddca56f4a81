//! `dd`.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    time::Instant,
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text};
use hotcell_vfs::OpenOptions;

use crate::{Usage, Utility, quote::quote, size};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "dd",
    synopsis: "[OPERAND]...\nOPTION",
    summary: "Copy a file, converting and formatting according to the operands.\n\n  \
              bs=BYTES        read and write up to BYTES bytes at a time\n  \
              cbs=BYTES       convert BYTES bytes at a time\n  \
              conv=CONVS      convert the file as per the comma separated symbol list:\n                  \
              ascii block unblock lcase ucase sparse swab sync excl nocreat notrunc noerror fdatasync fsync\n  \
              count=N         copy only N input blocks\n  \
              ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n  \
              if=FILE         read from FILE instead of stdin\n  \
              iflag=FLAGS     read as per the comma separated symbol list: fullblock count_bytes skip_bytes\n  \
              obs=BYTES       write BYTES bytes at a time (default: 512)\n  \
              of=FILE         write to FILE instead of stdout\n  \
              oflag=FLAGS     write as per the comma separated symbol list: append seek_bytes\n  \
              seek=N          skip N obs-sized output blocks\n  \
              skip=N          skip N ibs-sized input blocks\n  \
              status=LEVEL    what to print to stderr: none, noxfer, progress",
    ..Usage::DEFAULT
};

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one symbol")]
struct Plan {
    input: Option<BString>,
    output: Option<BString>,
    ibs: usize,
    obs: usize,
    cbs: usize,
    count: Option<u64>,
    skip: u64,
    seek: u64,
    conversions: Vec<BString>,
    full_block: bool,
    count_bytes: bool,
    skip_bytes: bool,
    seek_bytes: bool,
    appends: bool,
    status: Option<BString>,
    one_size: bool,
}

impl Plan {
    fn converts(&self, name: &str) -> bool {
        self.conversions.iter().any(|conversion| conversion == name)
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let plan = plan(process, &parsed.operands);
    let mut input = match &plan.input {
        None => process.stdin(),
        Some(name) => match process.open(name, &OpenOptions::read()) {
            Ok(stream) => process.input(stream),
            Err(error) => {
                let text = [
                    b"failed to open ",
                    quote(name).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat();
                process.complain(text);
                return Ok(1);
            }
        },
    };
    let output = match &plan.output {
        None => process.descriptor(1),
        Some(name) => {
            let mut options = if plan.appends {
                OpenOptions::append()
            } else {
                OpenOptions::write()
            }
            .mode(0o666);
            if plan.converts("excl") {
                options = options.create_new();
            } else if !plan.converts("nocreat") {
                options = options.create();
            }
            if !plan.converts("notrunc") && plan.seek == 0 && !plan.appends {
                options = options.truncate();
            }
            process.open(name, &options)
        }
    };
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let name = plan
                .output
                .clone()
                .unwrap_or_else(|| "standard output".into());
            process.complain(
                [
                    b"failed to open ",
                    quote(&name).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
            return Ok(1);
        }
    };
    let began = Instant::now();
    let skip = if plan.skip_bytes {
        plan.skip
    } else {
        plan.skip.saturating_mul(plan.ibs as u64)
    };
    if skip > 0
        && (input.stream().file().is_none()
            || input
                .seek(SeekFrom::Current(i64::try_from(skip).unwrap_or(i64::MAX)))
                .is_err())
    {
        io::copy(&mut input.by_ref().take(skip), &mut io::sink())?;
    }
    if plan.seek > 0 {
        let seek = if plan.seek_bytes {
            plan.seek
        } else {
            plan.seek.saturating_mul(plan.obs as u64)
        };
        if !plan.converts("notrunc")
            && let Some(file) = output.file()
        {
            file.truncate(seek).map_err(hotcell_process::file_error)?;
        }
        if output.seek(SeekFrom::Start(seek)).is_err() {
            let name = plan
                .output
                .clone()
                .unwrap_or_else(|| "standard output".into());
            process.complain([quote(&name).as_slice(), b": cannot seek: Illegal seek"].concat());
            return Ok(1);
        }
    }
    let mut out = process.output(output).unbuffered();
    let mut counts = Counts::default();
    let copied = copy(process, &plan, &mut input, &mut out, &mut counts);
    let status = plan.status.as_ref().map(|status| status.as_slice());
    if status != Some(b"none") {
        let mut text = format!(
            "{}+{} records in\n{}+{} records out\n",
            counts.whole_in, counts.part_in, counts.whole_out, counts.part_out
        );
        if counts.truncated > 0 {
            text.push_str(&format!("{} truncated records\n", counts.truncated));
        }
        if status != Some(b"noxfer") {
            text.push_str(&speed(counts.bytes, began.elapsed().as_secs_f64()));
        }
        process.stderr().write_all(text.as_bytes())?;
    }
    match copied {
        Ok(()) => Ok(0),
        Err(error) => {
            let name = plan
                .output
                .clone()
                .unwrap_or_else(|| "standard output".into());
            process.complain(
                [
                    b"error writing ",
                    quote(&name).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
            Ok(1)
        }
    }
}

fn speed(bytes: u64, seconds: f64) -> String {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a speed for people"
    )]
    let rate = (bytes as f64 / seconds.max(1e-9)) as u64;
    let noun = if bytes == 1 { "byte" } else { "bytes" };
    let with_space = |text: String| {
        let split = text
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        format!("{number} {unit}")
    };
    let sizes = match bytes {
        0..1000 => String::new(),
        1000..1024 => format!(" ({}B)", with_space(size::human(bytes, 1000))),
        _ => format!(
            " ({}B, {}iB)",
            with_space(size::human(bytes, 1000)),
            with_space(size::human(bytes, 1024))
        ),
    };
    format!(
        "{bytes} {noun}{sizes} copied, {seconds:.6} s, {}B/s\n",
        with_space(size::human(rate, 1000))
    )
}

#[derive(Default)]
struct Counts {
    whole_in: u64,
    part_in: u64,
    whole_out: u64,
    part_out: u64,
    truncated: u64,
    bytes: u64,
}

fn copy(
    process: &Process,
    plan: &Plan,
    input: &mut impl Read,
    out: &mut impl Write,
    counts: &mut Counts,
) -> io::Result<()> {
    let _held = process.charge(plan.ibs.saturating_add(plan.obs))?;
    let mut block = vec![0; plan.ibs];
    let mut pending: Vec<u8> = Vec::new();
    let mut left = plan.count.unwrap_or(u64::MAX);
    let mut column = Column::default();
    while left > 0 {
        let wanted = if plan.count_bytes {
            usize::try_from(left).unwrap_or(usize::MAX).min(plan.ibs)
        } else {
            plan.ibs
        };
        let Some(target) = block.get_mut(..wanted) else {
            break;
        };
        let mut read = 0;
        loop {
            let more = input.read(target.get_mut(read..).unwrap_or_default())?;
            read += more;
            if more == 0 || read == wanted || !plan.full_block {
                break;
            }
        }
        if read == 0 {
            break;
        }
        left -= if plan.count_bytes { read as u64 } else { 1 };
        if read == plan.ibs {
            counts.whole_in += 1;
        } else {
            counts.part_in += 1;
        }
        let mut data = block.get(..read).unwrap_or_default().to_vec();
        if plan.converts("sync") {
            let filler = if plan.converts("block") || plan.converts("unblock") {
                b' '
            } else {
                0
            };
            data.resize(plan.ibs, filler);
        }
        convert(process, plan, &mut data, &mut column, counts);
        if plan.one_size
            && plan
                .conversions
                .iter()
                .all(|name| name == "notrunc" || name == "sync" || name == "noerror")
        {
            write_block(&data, plan, out, counts)?;
            continue;
        }
        pending.extend_from_slice(&data);
        while pending.len() >= plan.obs {
            let rest = pending.split_off(plan.obs);
            write_block(&pending, plan, out, counts)?;
            pending = rest;
        }
    }
    column.finish(plan, &mut pending);
    for piece in pending.chunks(plan.obs.max(1)) {
        write_block(piece, plan, out, counts)?;
    }
    Ok(())
}

fn write_block(
    data: &[u8],
    plan: &Plan,
    out: &mut impl Write,
    counts: &mut Counts,
) -> io::Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    out.write_all(data)?;
    counts.bytes += data.len() as u64;
    if data.len() == plan.obs {
        counts.whole_out += 1;
    } else {
        counts.part_out += 1;
    }
    Ok(())
}

/// Where `block` and `unblock` are.
#[derive(Default)]
struct Column {
    at: usize,
    blanks: usize,
}

impl Column {
    fn finish(&mut self, plan: &Plan, pending: &mut Vec<u8>) {
        if plan.converts("block") && self.at > 0 {
            pending.extend(std::iter::repeat_n(b' ', plan.cbs.saturating_sub(self.at)));
        }
        if plan.converts("unblock") && self.at > 0 {
            pending.push(b'\n');
        }
    }
}

fn convert(
    process: &Process,
    plan: &Plan,
    data: &mut Vec<u8>,
    column: &mut Column,
    counts: &mut Counts,
) {
    process.spend(data.len() / 8);
    if plan.converts("swab") {
        data.chunks_exact_mut(2).for_each(<[u8]>::reverse);
    }
    if plan.converts("lcase") {
        data.make_ascii_lowercase();
    }
    if plan.converts("ucase") {
        data.make_ascii_uppercase();
    }
    if plan.cbs > 0 && plan.converts("block") {
        let mut fixed = Vec::new();
        for byte in data.iter() {
            if *byte == b'\n' {
                fixed.extend(std::iter::repeat_n(
                    b' ',
                    plan.cbs.saturating_sub(column.at),
                ));
                column.at = 0;
            } else {
                if column.at == plan.cbs {
                    counts.truncated += 1;
                } else if column.at < plan.cbs {
                    fixed.push(*byte);
                }
                column.at += 1;
            }
        }
        *data = fixed;
    }
    if plan.cbs > 0 && plan.converts("unblock") {
        let mut lines = Vec::new();
        for byte in data.iter() {
            if column.at == plan.cbs {
                lines.push(b'\n');
                (column.at, column.blanks) = (0, 0);
            }
            column.at += 1;
            if *byte == b' ' {
                column.blanks += 1;
            } else {
                lines.extend(std::iter::repeat_n(
                    b' ',
                    std::mem::take(&mut column.blanks),
                ));
                lines.push(*byte);
            }
        }
        *data = lines;
    }
}

fn plan(process: &Process, operands: &[BString]) -> Plan {
    let mut plan = Plan {
        ibs: 512,
        obs: 512,
        ..Plan::default()
    };
    for operand in operands {
        let Some((name, value)) = operand.split_once_str("=") else {
            USAGE.fail(
                process,
                [b"unrecognized operand ", quote(operand).as_slice()].concat(),
            );
        };
        let number = || {
            amount(value.as_bstr()).unwrap_or_else(|| {
                process.complain([b"invalid number: ", quote(value).as_slice()].concat());
                process.exit(1)
            })
        };
        let block = || match usize::try_from(number()) {
            Ok(size) if size > 0 && size <= process.account().limit() => size,
            _ => {
                process.complain([b"invalid number: ", quote(value).as_slice()].concat());
                process.exit(1)
            }
        };
        let symbols = |known: &[&str], what: &str| -> Vec<BString> {
            let names = value.split_str(",").map(BString::from);
            let check = |name: BString| {
                if !known.iter().any(|known| name == *known) {
                    USAGE.fail(
                        process,
                        [format!("invalid {what}: ").as_bytes(), &quote(&name)].concat(),
                    );
                }
                name
            };
            names.map(check).collect()
        };
        match name {
            b"if" => plan.input = Some(value.into()),
            b"of" => plan.output = Some(value.into()),
            b"bs" => {
                (plan.ibs, plan.obs) = (block(), block());
                plan.one_size = true;
            }
            b"ibs" => plan.ibs = block(),
            b"obs" => plan.obs = block(),
            b"cbs" => plan.cbs = block(),
            b"count" => {
                plan.count_bytes |= value.ends_with(b"B");
                plan.count = Some(number());
            }
            b"skip" | b"iseek" => {
                plan.skip_bytes |= value.ends_with(b"B");
                plan.skip = number();
            }
            b"seek" | b"oseek" => {
                plan.seek_bytes |= value.ends_with(b"B");
                plan.seek = number();
            }
            b"status" => match value {
                b"none" | b"noxfer" | b"progress" => plan.status = Some(value.into()),
                _ => USAGE.fail(
                    process,
                    [b"invalid status level: ", quote(value).as_slice()].concat(),
                ),
            },
            b"conv" => {
                let known = [
                    "ascii",
                    "block",
                    "unblock",
                    "lcase",
                    "ucase",
                    "sparse",
                    "swab",
                    "sync",
                    "excl",
                    "nocreat",
                    "notrunc",
                    "noerror",
                    "fdatasync",
                    "fsync",
                ];
                plan.conversions.extend(symbols(&known, "conversion"));
            }
            b"iflag" => {
                let known = [
                    "fullblock",
                    "count_bytes",
                    "skip_bytes",
                    "direct",
                    "dsync",
                    "sync",
                    "nonblock",
                    "noatime",
                    "nocache",
                    "nofollow",
                    "binary",
                    "text",
                ];
                for flag in symbols(&known, "input flag") {
                    plan.full_block |= flag == "fullblock";
                    plan.count_bytes |= flag == "count_bytes";
                    plan.skip_bytes |= flag == "skip_bytes";
                }
            }
            b"oflag" => {
                let known = [
                    "append",
                    "seek_bytes",
                    "direct",
                    "dsync",
                    "sync",
                    "nonblock",
                    "noatime",
                    "nocache",
                    "nofollow",
                    "binary",
                    "text",
                ];
                for flag in symbols(&known, "output flag") {
                    plan.appends |= flag == "append";
                    plan.seek_bytes |= flag == "seek_bytes";
                }
            }
            _ => USAGE.fail(
                process,
                [b"unrecognized operand ", quote(operand).as_slice()].concat(),
            ),
        }
    }
    plan
}

/// `2x3K` is a product.
fn amount(text: &BStr) -> Option<u64> {
    text.split_str("x").try_fold(1u64, |product, part| {
        let part = part
            .strip_suffix(b"B")
            .filter(|digits| digits.iter().all(u8::is_ascii_digit))
            .unwrap_or(part);
        let number = match part.split_last() {
            Some((b'c', digits)) => crate::number::with_suffix(digits)?,
            Some((b'w', digits)) => crate::number::with_suffix(digits)?.saturating_mul(2),
            _ => crate::number::with_suffix(part)?,
        };
        Some(product.saturating_mul(number))
    })
}
