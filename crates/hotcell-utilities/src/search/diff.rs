//! `diff` and `sdiff`.

mod compare;
mod edits;
mod files;
mod groups;
mod hunks;
mod kinds;
mod options;
mod print;
mod side;

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::Process;
use options::{Options, Style};

use crate::{Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &options::USAGE,
    main: |process| main(process, &options::USAGE, None),
};
pub(crate) const SDIFF: Utility = Utility {
    usage: &options::SDIFF_USAGE,
    main: |process| main(process, &options::SDIFF_USAGE, Some(Style::SideBySide)),
};

fn main(process: &Process, usage: &Usage, style: Option<Style>) -> io::Result<i32> {
    let args = options::modern(process.args().get(1..).unwrap_or_default());
    let parsed = usage.parse_args(process, &args);
    let options = Options::new(process, usage, &parsed, style);
    let (one, other) = match parsed.operands.as_slice() {
        [one, other] => (one.as_bstr(), other.as_bstr()),
        [] => usage.fail(
            process,
            format!("missing operand after '{}'", process.name()),
        ),
        [only] => usage.fail(
            process,
            [b"missing operand after ", quote(only).as_slice()].concat(),
        ),
        [_, _, extra, ..] => usage.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    let mut out = process.stdout();
    let code = files::named(process, &options, one, other, &mut out)?;
    out.flush()?;
    Ok(code)
}
