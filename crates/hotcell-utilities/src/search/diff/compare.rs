//! Lines, and when two of them are the same.

use std::{borrow::Cow, collections::HashMap};

use hotcell_process::Process;

use super::options::{Blanks, Options};

/// A file as lines.
pub(super) struct Text<'t> {
    pub(super) lines: Vec<&'t [u8]>,
    /// The last line has no newline.
    pub(super) is_cut: bool,
}

impl<'t> Text<'t> {
    pub(super) fn new(process: &Process, bytes: &'t [u8]) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            process.spend(4);
            lines.push(bytes.get(start..end).unwrap_or_default());
            start = end + 1;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        if !rest.is_empty() {
            lines.push(rest);
        }
        Self {
            lines,
            is_cut: !rest.is_empty(),
        }
    }
}

/// Numbers for lines: equal ones have equal numbers.
pub(super) fn number<'t>(
    process: &Process,
    options: &Options,
    texts: [&Text<'t>; 2],
) -> [Vec<u32>; 2] {
    let mut known: HashMap<(Cow<'t, [u8]>, bool), u32> = HashMap::new();
    texts.map(|text| {
        let count = text.lines.len();
        text.lines
            .iter()
            .enumerate()
            .map(|(at, line)| {
                process.spend(line.len() / 4 + 8);
                // A line without its newline is another one, unless blanks at the end do not matter.
                let is_cut = text.is_cut && at + 1 == count && options.blanks == Blanks::Matter;
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                *known
                    .entry((canonical(line, options), is_cut))
                    .or_insert(next)
            })
            .collect()
    })
}

/// A line as it is compared.
pub(super) fn canonical<'t>(line: &'t [u8], options: &Options) -> Cow<'t, [u8]> {
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
pub(super) fn expand(line: &[u8], tab: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut column = 0;
    for byte in line {
        if *byte == b'\t' {
            let next = (column / tab + 1) * tab;
            out.extend(std::iter::repeat_n(b' ', next - column));
            column = next;
        } else {
            out.push(*byte);
            column += 1;
        }
    }
    out
}
