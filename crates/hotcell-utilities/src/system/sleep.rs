//! `sleep`.

use std::{io, time::Duration};

use hotcell_process::Process;

use super::duration;
use crate::{Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "sleep",
    synopsis: "NUMBER[SUFFIX]...\nOPTION",
    summary: "Pause for NUMBER seconds.  SUFFIX may be 's' for seconds (the default),\n\
              'm' for minutes, 'h' for hours or 'd' for days.  NUMBER need not be an\n\
              integer.  Given two or more arguments, pause for the amount of time\n\
              specified by the sum of their values.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let mut total = Duration::ZERO;
    let mut is_wrong = false;
    for operand in &parsed.operands {
        match duration::parse(operand) {
            Some(duration) => total = total.saturating_add(duration),
            None => {
                process.complain([b"invalid time interval ", quote(operand).as_slice()].concat());
                is_wrong = true;
            }
        }
    }
    if is_wrong {
        use std::io::Write;
        let _ = writeln!(process.stderr(), "Try 'sleep --help' for more information.");
        return Ok(1);
    }
    process.sleep(total);
    Ok(0)
}
