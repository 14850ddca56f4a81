//! `truncate`.

use std::io;

use bstr::BStr;
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::OpenOptions;

use crate::{Opt, Usage, Utility, number, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "truncate",
    synopsis: "OPTION... FILE...",
    summary: "Shrink or extend the size of each FILE to the specified size.\n\n\
              A FILE argument that does not exist is created.",
    options: &[
        Opt::flag('c', "no-create", "do not create any files"),
        Opt::flag(
            'o',
            "io-blocks",
            "treat SIZE as number of IO blocks instead of bytes",
        ),
        Opt::value('r', "reference", "RFILE", "base size on RFILE"),
        Opt::value(
            's',
            "size",
            "SIZE",
            "set or adjust the file size by SIZE bytes",
        ),
    ],
    notes: "SIZE may also be prefixed by one of the following modifying characters:\n\
            '+' extend by, '-' reduce by, '<' at most, '>' at least, '/' round down to multiple of,\n\
            '%' round up to multiple of.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let size = parsed.value("size");
    if size.is_none() && !parsed.has("reference") {
        USAGE.fail(process, "you must specify either '--size' or '--reference'");
    }
    let (operator, mut amount) = match size.map(adjustment) {
        None => (b'+', 0),
        Some(Some(adjustment)) => adjustment,
        Some(None) => {
            process.complain(
                [
                    b"Invalid number: ",
                    quote(size.unwrap_or_default()).as_slice(),
                ]
                .concat(),
            );
            return Ok(1);
        }
    };
    if parsed.has("io-blocks") {
        amount = amount.saturating_mul(4096);
    }
    if b"/%".contains(&operator) && amount == 0 {
        process.complain("division by zero");
        return Ok(1);
    }
    if parsed.has("reference") && size.is_some() && operator == b'=' {
        USAGE.fail(
            process,
            "you must specify a relative '--size' with '--reference'",
        );
    }
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing file operand");
    }
    let reference = match parsed.value("reference") {
        None => None,
        Some(name) => match process
            .vfs()
            .stat(&process.resolve(name))
            .map_err(file_error)
        {
            Ok(meta) => Some(meta.size),
            Err(error) => {
                process.complain(
                    [
                        b"cannot stat ",
                        quote(name).as_slice(),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                return Ok(1);
            }
        },
    };
    let mut code = 0;
    for name in &parsed.operands {
        let options = OpenOptions::write().mode(0o666);
        let options = if parsed.has("no-create") {
            options
        } else {
            options.create()
        };
        let file = match process.open_file(name, &options) {
            Ok(file) => file,
            Err(error) if parsed.has("no-create") && error.kind() == io::ErrorKind::NotFound => {
                continue;
            }
            Err(error) => {
                let text = [
                    b"cannot open ",
                    quote(name).as_slice(),
                    b" for writing: ",
                    error_text(&error).as_bytes(),
                ]
                .concat();
                process.complain(text);
                code = 1;
                continue;
            }
        };
        let now = file.stat().map_or(0, |meta| meta.size);
        let base = reference.unwrap_or(now);
        let new = match operator {
            b'+' => base.saturating_add(amount),
            b'-' => base.saturating_sub(amount),
            b'<' => base.min(amount),
            b'>' => base.max(amount),
            b'/' => base / amount * amount,
            b'%' => base.div_ceil(amount).saturating_mul(amount),
            _ => amount,
        };
        if let Err(error) = file.truncate(new).map_err(file_error) {
            let text = format!(
                "failed to truncate {} at {new} bytes: {}",
                quote(name),
                error_text(&error)
            );
            process.complain(text);
            code = 1;
        }
    }
    Ok(code)
}

fn adjustment(text: &BStr) -> Option<(u8, u64)> {
    let text = text.trim_ascii_start();
    let (operator, digits) = match text.split_first()? {
        (operator, digits) if b"+-<>/%".contains(operator) => (*operator, digits),
        _ => (b'=', text),
    };
    Some((operator, number::with_suffix(digits.trim_ascii_start())?))
}
