//! `basename`.

use std::io::{self, Write};

use bstr::BString;
use hotcell_process::Process;

use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "basename",
    synopsis: "NAME [SUFFIX]\nOPTION... NAME...",
    summary: "Print NAME with any leading directory components removed.\nIf specified, also remove a trailing SUFFIX.",
    options: &[
        Opt::flag(
            'a',
            "multiple",
            "support multiple arguments and treat each as a NAME",
        ),
        Opt::value(
            's',
            "suffix",
            "SUFFIX",
            "remove a trailing SUFFIX; implies -a",
        ),
        Opt::flag('z', "zero", "end each output line with NUL, not newline"),
    ],
    stops_at_operand: true,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut suffix = parsed.value("suffix");
    let mut names = parsed.operands.as_slice();
    if names.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    if !parsed.has("multiple") && suffix.is_none() {
        if let Some(extra) = names.get(2) {
            USAGE.fail(
                process,
                [b"extra operand ", quote(extra).as_slice()].concat(),
            );
        }
        suffix = names.get(1).map(std::convert::AsRef::as_ref);
        names = names.get(..1).unwrap_or(names);
    }
    let end = if parsed.has("zero") { 0 } else { b'\n' };
    let mut out = process.stdout();
    for name in names {
        let mut line = base(name, suffix.map_or(&b""[..], |suffix| suffix));
        line.push(end);
        out.write_all(&line)?;
    }
    out.flush()?;
    Ok(0)
}

fn base(name: &[u8], suffix: &[u8]) -> BString {
    let Some(last) = name.iter().rposition(|byte| *byte != b'/') else {
        // Nothing but slashes is the root.
        return name.get(..1).unwrap_or_default().into();
    };
    let name = name.get(..=last).unwrap_or(name);
    let start = name
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |slash| slash + 1);
    let base = name.get(start..).unwrap_or(name);
    // A name that is nothing but the suffix keeps it.
    let shorter = base
        .strip_suffix(suffix)
        .filter(|shorter| !shorter.is_empty());
    shorter.unwrap_or(base).into()
}
