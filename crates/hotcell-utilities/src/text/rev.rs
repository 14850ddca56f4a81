//! `rev`.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::Process;

use crate::{
    Opt, Usage, Utility,
    lines::Lines,
    operands::{complain_of_opening_shortly, each_file_or},
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "rev",
    letters: b"hV",
    synopsis: "[options] [<file> ...]",
    summary: "Reverse lines characterwise.",
    options: &[Opt::flag('0', "zero", "use NUL as line separator")],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let end = if parsed.has("zero") { 0 } else { b'\n' };
    let mut out = process.stdout();
    let mut reversed = Vec::new();
    let failed = each_file_or(
        process,
        &parsed.operands,
        complain_of_opening_shortly,
        |_, input| {
            let mut lines = Lines::ending_with(process, input, end)?;
            while let Some(line) = lines.next_line()? {
                let text = line.strip_suffix(&[end]).unwrap_or(line);
                let has_end = text.len() < line.len();
                process.spend(text.len());
                reversed.clear();
                // Characters stay whole; bytes that are none are turned round by themselves.
                for (start, stop, _) in text.char_indices().rev() {
                    reversed.extend_from_slice(text.get(start..stop).unwrap_or_default());
                }
                if has_end {
                    reversed.push(end);
                }
                out.write_all(&reversed)?;
            }
            Ok(())
        },
    );
    out.flush()?;
    Ok(i32::from(failed > 0))
}
