//! Lines, and when two of them are the same.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    io::{self, Write},
};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

use super::options::{Blanks, Options};
use crate::list::List;

/// A file as lines.
pub(super) struct Text<'t> {
    pub(super) lines: List<&'t [u8]>,
    /// The last line has no newline.
    pub(super) is_cut: bool,
}

impl<'t> Text<'t> {
    pub(super) fn new(process: &Process, bytes: &'t [u8]) -> io::Result<Self> {
        let mut lines = List::new(process)?;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            process.spend(4);
            lines.push(bytes.get(start..end).unwrap_or_default())?;
            start = end + 1;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        if !rest.is_empty() {
            lines.push(rest)?;
        }
        Ok(Self {
            lines,
            is_cut: !rest.is_empty(),
        })
    }
}

/// What comparing takes for each line: its number, whether it changed, how far was come on its diagonal from both ends.
const PER_LINE: usize = size_of::<u32>() + size_of::<bool>() + 2 * size_of::<isize>();

/// What a line takes among those that are known, beside its bytes: twice, for a table is copied as it grows.
const KNOWN: usize = 2 * size_of::<((Cow<'_, [u8]>, bool), u32)>();

/// Numbers for lines: equal ones have equal numbers. What is charged is for all that compares them.
pub(super) fn number(
    process: &Process,
    options: &Options,
    texts: [&Text<'_>; 2],
) -> io::Result<([Vec<u32>; 2], Charge)> {
    let [left, right] = texts;
    let count = left.lines.len() + right.lines.len();
    let charge = process.charge(count.saturating_mul(PER_LINE))?;
    let mut known = Known {
        numbers: HashMap::new(),
        charge: process.charge(0)?,
    };
    let numbers = [
        known.all(process, options, left)?,
        known.all(process, options, right)?,
    ];
    Ok((numbers, charge))
}

/// Lines that were seen, with their numbers.
struct Known<'t> {
    numbers: HashMap<(Cow<'t, [u8]>, bool), u32>,
    charge: Charge,
}

impl<'t> Known<'t> {
    fn all(
        &mut self,
        process: &Process,
        options: &Options,
        text: &Text<'t>,
    ) -> io::Result<Vec<u32>> {
        let count = text.lines.len();
        let mut numbers = Vec::with_capacity(count);
        for (at, line) in text.lines.iter().enumerate() {
            // A line without its newline is another one, unless blanks at the end do not matter.
            let is_cut = text.is_cut && at + 1 == count && options.blanks == Blanks::Matter;
            let size = canonical_size(line, options);
            process.spend(size / 4 + 8);
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            // Before it is made: it may be a copy, and tabs may be wide.
            let copy = if options.copies() { size } else { 0 };
            self.charge.grow(KNOWN + copy).map_err(limit_error)?;
            match self.numbers.entry((canonical(line, options), is_cut)) {
                Entry::Occupied(known) => {
                    self.charge.shrink(KNOWN + copy);
                    numbers.push(*known.get());
                }
                Entry::Vacant(place) => numbers.push(*place.insert(next)),
            }
        }
        Ok(numbers)
    }
}

/// How long a line may be as it is compared.
fn canonical_size(line: &[u8], options: &Options) -> usize {
    if options.ignores_tabs {
        expanded_size(line, options.tab)
    } else {
        line.len()
    }
}

/// How long a line may be when its tabs are spaces.
fn expanded_size(line: &[u8], tab: usize) -> usize {
    let tabs = memchr::memchr_iter(b'\t', line).count();
    line.len().saturating_add(tabs.saturating_mul(tab))
}

/// A line as it is compared.
fn canonical<'t>(line: &'t [u8], options: &Options) -> Cow<'t, [u8]> {
    let line = if options.strips_cr {
        line.strip_suffix(b"\r").unwrap_or(line)
    } else {
        line
    };
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let mut result: Cow<'t, [u8]> = match options.blanks {
        Blanks::Matter => Cow::Borrowed(line),
        Blanks::TrailingIgnored => {
            let end = line
                .iter()
                .rposition(|byte| !is_blank(byte))
                .map_or(0, |last| last + 1);
            Cow::Borrowed(line.get(..end).unwrap_or_default())
        }
        Blanks::Ignored => line
            .iter()
            .copied()
            .filter(|byte| !is_blank(byte))
            .collect(),
        Blanks::AmountIgnored => {
            let mut short = Vec::with_capacity(line.len());
            let mut pending = false;
            for byte in line {
                if is_blank(byte) {
                    pending = true;
                    continue;
                }
                if std::mem::take(&mut pending) {
                    short.push(b' ');
                }
                short.push(*byte);
            }
            Cow::Owned(short)
        }
    };
    if options.ignores_tabs && result.contains(&b'\t') {
        result = Cow::Owned(expand(&result, options.tab));
    }
    if options.ignores_case {
        result = Cow::Owned(result.to_ascii_lowercase());
    }
    result
}

/// Tabs as spaces.
fn expand(line: &[u8], tab: usize) -> Vec<u8> {
    let mut out = Vec::new();
    // A vector takes what is written.
    let _ = put_expanded(&mut out, line, tab, usize::MAX);
    out
}

/// Writes a line with its tabs as spaces, at most so many columns of it. Returns how many it were.
pub(super) fn put_expanded(
    out: &mut impl Write,
    line: &[u8],
    tab: usize,
    most: usize,
) -> io::Result<usize> {
    let mut column = 0;
    for byte in line {
        if column >= most {
            break;
        }
        if *byte == b'\t' {
            let next = (column / tab + 1).saturating_mul(tab).min(most);
            put_spaces(out, next - column)?;
            column = next;
        } else {
            out.write_all(&[*byte])?;
            column += 1;
        }
    }
    Ok(column)
}

/// Writes spaces, which may be more than there is memory for.
pub(super) fn put_spaces(out: &mut impl Write, mut count: usize) -> io::Result<()> {
    while count > 0 {
        let some = count.min(64);
        out.write_all([b' '; 64].get(..some).unwrap_or_default())?;
        count -= some;
    }
    Ok(())
}
