//! `dirname`.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::Process;

use crate::{Opt, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "dirname",
    synopsis: "[OPTION] NAME...",
    summary: "Output each NAME with its last non-slash component and trailing slashes\n\
              removed; if NAME contains no /'s, output '.' (meaning the current directory).",
    options: &[Opt::flag(
        'z',
        "zero",
        "end each output line with NUL, not newline",
    )],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let mut out = process.stdout();
    for name in &parsed.operands {
        out.write_all(folder(name))?;
        out.write_all(if parsed.has("zero") { b"\0" } else { b"\n" })?;
    }
    out.flush()?;
    Ok(0)
}

fn folder(name: &[u8]) -> &[u8] {
    let trimmed = name.trim_end_with(|c| c == '/');
    if trimmed.is_empty() && !name.is_empty() {
        return b"/";
    }
    match trimmed.rfind_byte(b'/') {
        None => b".",
        Some(slash) => {
            let folder = trimmed
                .get(..slash)
                .unwrap_or_default()
                .trim_end_with(|c| c == '/');
            if folder.is_empty() { b"/" } else { folder }
        }
    }
}
