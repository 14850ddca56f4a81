//! `yes`.

use std::io::{self, Write};

use hotcell_process::Process;

use crate::{Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "yes",
    synopsis: "[STRING]...\nOPTION",
    summary: "Repeatedly output a line with all specified STRING(s), or 'y'.",
    ..Usage::DEFAULT
};

/// About as much as is written at once.
const PIECE: usize = 16 << 10;

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut line = if parsed.operands.is_empty() {
        b"y".to_vec()
    } else {
        bstr::join(" ", &parsed.operands)
    };
    line.push(b'\n');
    let piece = line.repeat((PIECE / line.len()).max(1));
    let mut out = process.stdout().unbuffered();
    loop {
        out.write_all(&piece)?;
    }
}
