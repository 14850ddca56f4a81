//! `id`.

use std::io::{self, Write};

use hotcell_process::Process;

use crate::{
    Opt, Usage, Utility,
    identity::{ID, NAME},
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "id",
    synopsis: "[OPTION]... [USER]...",
    summary: "Print user and group information for each specified USER,\n\
              or (when USER omitted) for the current process.",
    options: &[
        Opt::flag('a', "", "ignore, for compatibility with other versions"),
        Opt::flag('g', "group", "print only the effective group ID"),
        Opt::flag('G', "groups", "print all group IDs"),
        Opt::flag('n', "name", "print a name instead of a number, for -ugG"),
        Opt::flag(
            'r',
            "real",
            "print the real ID instead of the effective ID, with -ugG",
        ),
        Opt::flag('u', "user", "print only the effective user ID"),
        Opt::flag(
            'z',
            "zero",
            "delimit entries with NUL characters, not whitespace",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let kinds = ["group", "groups", "user"]
        .iter()
        .filter(|kind| parsed.has(kind))
        .count();
    if kinds > 1 {
        USAGE.fail(process, "cannot print \"only\" of more than one choice");
    }
    if kinds == 0 && (parsed.has("name") || parsed.has("real")) {
        USAGE.fail(
            process,
            "cannot print only names or real IDs in default format",
        );
    }
    if kinds == 0 && parsed.has("zero") {
        USAGE.fail(process, "option --zero not permitted in default format");
    }
    let mut out = process.stdout();
    let mut code = 0;
    let answers = parsed.operands.len().max(1);
    for at in 0..answers {
        if let Some(user) = parsed.operands.get(at)
            && user != NAME
            && *user != ID.to_string()
        {
            process.complain([quote(user).as_slice(), b": no such user"].concat());
            code = 1;
            continue;
        }
        match (kinds, parsed.has("name")) {
            (0, _) => write!(out, "uid={ID}({NAME}) gid={ID}({NAME}) groups={ID}({NAME})")?,
            (_, true) => out.write_all(NAME.as_bytes())?,
            (_, false) => write!(out, "{ID}")?,
        }
        out.write_all(if parsed.has("zero") { b"\0" } else { b"\n" })?;
    }
    out.flush()?;
    Ok(code)
}
