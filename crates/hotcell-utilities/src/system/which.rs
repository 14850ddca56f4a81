//! `which`.

use std::io::{self, Write};

use hotcell_process::Process;

use crate::{Opt, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "which",
    synopsis: "[-a] filename ...",
    summary: "Locate a command.",
    options: &[
        Opt::flag('a', "all", "print all matching pathnames of each argument"),
        Opt::flag('s', "", "say nothing; the exit status tells"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut out = process.stdout();
    let mut code = 0;
    for name in &parsed.operands {
        match process.which(name) {
            Some(path) if !parsed.has("s") => {
                out.write_all(path.as_bytes())?;
                out.write_all(b"\n")?;
            }
            Some(_) => {}
            None => code = 1,
        }
    }
    out.flush()?;
    Ok(if parsed.operands.is_empty() { 1 } else { code })
}
