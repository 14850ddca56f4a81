//! `touch`.

use std::io;

use bstr::{BStr, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, OpenOptions, SetTime, Times, Timestamp};

use crate::{Opt, Usage, Utility, operands::complain_that_cannot, quote::quote, time};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "touch",
    synopsis: "[OPTION]... FILE...",
    summary: "Update the access and modification times of each FILE to the current time.\n\n\
              A FILE argument that does not exist is created empty, unless -c or -h is supplied.",
    options: &[
        Opt::flag('a', "", "change only the access time"),
        Opt::flag('c', "no-create", "do not create any files"),
        Opt::value(
            'd',
            "date",
            "STRING",
            "parse STRING and use it instead of current time",
        ),
        Opt::flag('f', "", "(ignored)"),
        Opt::flag(
            'h',
            "no-dereference",
            "affect each symbolic link instead of any referenced file",
        ),
        Opt::flag('m', "", "change only the modification time"),
        Opt::value(
            'r',
            "reference",
            "FILE",
            "use this file's times instead of current time",
        ),
        Opt::value(
            't',
            "",
            "STAMP",
            "use [[CC]YY]MMDDhhmm[.ss] instead of current time",
        ),
        Opt::value(
            '\0',
            "time",
            "WORD",
            "change the specified time: access, atime, use (like -a),\nmodify, mtime (like -m)",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let (mut access, mut modify) = (parsed.has("a"), parsed.has("m"));
    match parsed.value("time").map(|word| word.as_bytes()) {
        None => {}
        Some(b"access" | b"atime" | b"use") => access = true,
        Some(b"modify" | b"mtime") => modify = true,
        Some(other) => USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(other).as_slice(),
                b" for '--time'",
            ]
            .concat(),
        ),
    }
    if !access && !modify {
        (access, modify) = (true, true);
    }
    let mut times = (SetTime::Now, SetTime::Now);
    if let Some(reference) = parsed.value("reference") {
        match process
            .vfs()
            .stat(&process.resolve(reference))
            .map_err(file_error)
        {
            Ok(meta) => times = (SetTime::At(meta.accessed), SetTime::At(meta.modified)),
            Err(error) => {
                let text = [
                    b"failed to get attributes of ",
                    quote(reference).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat();
                process.complain(text);
                return Ok(1);
            }
        }
    }
    if let Some(text) = parsed.value("t") {
        let Some(time) = stamp(process, text) else {
            process.complain([b"invalid date format ", quote(text).as_slice()].concat());
            return Ok(1);
        };
        times = (SetTime::At(time), SetTime::At(time));
    }
    if let Some(text) = parsed.value("date") {
        let Some(time) = time::parse(process, text) else {
            process.complain([b"invalid date format ", quote(text).as_slice()].concat());
            return Ok(1);
        };
        times = (SetTime::At(time), SetTime::At(time));
    }
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing file operand");
    }
    let times = Times {
        accessed: if access { times.0 } else { SetTime::Keep },
        modified: if modify { times.1 } else { SetTime::Keep },
    };
    // A link is not made, either, but one that is missing is an error unless that is said.
    let is_wanted = !parsed.has("no-create");
    let creates = is_wanted && !parsed.has("no-dereference");
    let mut code = 0;
    for name in &parsed.operands {
        process.spend(64);
        if name == "-" {
            continue;
        }
        if let Err(error) = touch(
            process,
            name.as_bstr(),
            times,
            creates,
            !parsed.has("no-dereference"),
        ) && (is_wanted || error.raw_os_error() != Some(Errno::ENOENT.code()))
        {
            complain_that_cannot(process, "touch", name, &error);
            code = 1;
        }
    }
    Ok(code)
}

fn touch(
    process: &Process,
    name: &BStr,
    times: Times,
    creates: bool,
    follows: bool,
) -> io::Result<()> {
    let vfs = process.vfs();
    let path = process.resolve(name);
    let missing = match vfs.set_times(&path, times, follows) {
        Ok(()) => return Ok(()),
        Err(error) if error.errno() == Errno::ENOENT => error,
        Err(error) => return Err(file_error(error)),
    };
    if !creates {
        return if follows {
            Ok(())
        } else {
            Err(file_error(missing))
        };
    }
    if name.ends_with(b"/") {
        return Err(file_error(missing));
    }
    process.open(name, &OpenOptions::write().create().mode(0o666))?;
    let is_now = matches!(
        (times.accessed, times.modified),
        (SetTime::Now, SetTime::Now)
    );
    if is_now {
        return Ok(());
    }
    vfs.set_times(&path, times, follows).map_err(file_error)
}

/// `[[CC]YY]MMDDhhmm[.ss]`.
fn stamp(process: &Process, text: &BStr) -> Option<Timestamp> {
    let (digits, seconds) = match text.split_once_str(".") {
        Some((digits, seconds)) => (digits, seconds),
        None => (text.as_bytes(), &b"00"[..]),
    };
    if !digits.iter().chain(seconds).all(u8::is_ascii_digit) || seconds.len() != 2 {
        return None;
    }
    let digits = digits.to_str().ok()?;
    let now = time::show(process.now(), &time::zone(process), "%Y");
    let full = match digits.len() {
        8 => format!("{now}{digits}"),
        10 => {
            let century = if digits.get(..2)?.parse::<u32>().ok()? >= 69 {
                "19"
            } else {
                "20"
            };
            format!("{century}{digits}")
        }
        12 => digits.to_owned(),
        _ => return None,
    };
    let part = |from: usize, to: usize| full.get(from..to);
    let iso = format!(
        "{}-{}-{}T{}:{}:{}",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        seconds.to_str().ok()?
    );
    time::parse(process, BStr::new(&iso))
}
