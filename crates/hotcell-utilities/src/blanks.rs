//! Many blanks.

use std::io::{self, Write};

const SOME: &[u8] = &[b' '; 128];

/// Writes so many blanks. The standard library's `{:width$}` panics beyond 65,535, and a width may be the guest's.
pub(crate) fn put_blanks(out: &mut impl Write, count: usize) -> io::Result<()> {
    let mut left = count;
    while left > 0 {
        let some = SOME.get(..left).unwrap_or(SOME);
        out.write_all(some)?;
        left -= some.len();
    }
    Ok(())
}
