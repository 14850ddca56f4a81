//! `tac`.

use std::io::{self, Read, Write};

use bstr::ByteSlice;
use hotcell_process::{Process, error_text, limit_error};
use hotcell_vfs::Errno;

use super::separator::Separator;
use crate::{
    Opt, Usage, Utility,
    operands::{complain_of_opening, each_input_or},
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tac",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Write each FILE to standard output, last line first.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag(
            'b',
            "before",
            "attach the separator before instead of after",
        ),
        Opt::flag(
            'r',
            "regex",
            "interpret the separator as a regular expression",
        ),
        Opt::value(
            's',
            "separator",
            "STRING",
            "use STRING as the separator instead of newline",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let separator = parsed
        .value("separator")
        .map_or(&b"\n"[..], |separator| separator.as_bytes());
    if separator.is_empty() {
        process.complain("separator cannot be empty");
        return Ok(1);
    }
    let separator = if parsed.has("regex") {
        Separator::regex(process, separator)
    } else {
        Separator::Text(separator.to_vec())
    };
    let mut out = process.stdout();
    let code = each_input_or(process, &parsed.operands, complain, |_, mut input| {
        let mut text = Vec::new();
        let mut charge = process.charge(0)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read = input.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            charge.grow(read).map_err(limit_error)?;
            text.extend_from_slice(buffer.get(..read).unwrap_or_default());
        }
        // What is between two separators is a record.
        let mut record_end = text.len();
        separator.each_from_end(process, &text, |start, end| {
            let cut = if parsed.has("before") { start } else { end };
            out.write_all(text.get(cut..record_end).unwrap_or_default())?;
            record_end = cut;
            Ok(())
        })?;
        out.write_all(text.get(..record_end).unwrap_or_default())?;
        Ok(())
    });
    out.flush()?;
    Ok(code)
}

/// GNU's says `failed to` where others of its kind say `cannot`.
fn complain(process: &Process, file: &[u8], error: &io::Error) {
    if error.raw_os_error() == Some(Errno::EISDIR.code()) {
        return complain_of_opening(process, file, error);
    }
    let (name, why) = (quote(file), error_text(error));
    process.complain(format!("failed to open {name} for reading: {why}"));
}
