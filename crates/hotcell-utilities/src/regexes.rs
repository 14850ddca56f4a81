//! Regular expressions, on the time and memory of a process.

use bstr::{BStr, ByteSlice};
use hotcell_process::Process;
use hotcell_regex::{Flavor, Means, Options, Regex, RegexError};

/// Compiles a pattern.
pub(crate) fn compile(
    process: &Process,
    pattern: &[u8],
    flavor: Flavor,
    options: Options,
) -> Result<Regex, RegexError> {
    let spend = |units| process.spend(units);
    Regex::new(
        pattern,
        flavor,
        options,
        &Means::new(process.account(), &spend),
    )
}

/// How much of a pattern is told that is wrong.
const SHOWN: usize = 1000;

/// A pattern as messages show it: nobody would read all of a long one.
pub(crate) fn shown(pattern: &[u8]) -> &BStr {
    pattern.get(..SHOWN).unwrap_or(pattern).as_bstr()
}
