//! Tab stops, for `expand` and `unexpand`.

use bstr::{BStr, BString, ByteSlice};

/// Where tabs lead.
#[derive(Debug, Clone)]
pub(super) struct Tabs {
    stops: Vec<usize>,
    /// What stops are multiples of behind the last one.
    every: Option<usize>,
    /// What stops are apart behind the last one.
    then: Option<usize>,
}

impl Tabs {
    /// Every eight columns.
    pub(super) fn usual() -> Self {
        Self {
            stops: Vec::new(),
            every: Some(8),
            then: None,
        }
    }

    /// `4`, `2,6,10`, `2,6,/4`, `2,+3`; an error is GNU's message.
    pub(super) fn parse<'a>(lists: impl Iterator<Item = &'a BStr>) -> Result<Self, BString> {
        let mut stops: Vec<usize> = Vec::new();
        let (mut every, mut then) = (None, None);
        for part in lists.flat_map(|list| list.split(|byte| matches!(byte, b',' | b' ' | b'\t'))) {
            if part.is_empty() {
                continue;
            }
            let (kind, digits) = match part.split_first() {
                Some((kind @ (b'/' | b'+'), digits)) => (Some(*kind), digits),
                _ => (None, part),
            };
            let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            if !is_number {
                let bad = digits
                    .iter()
                    .position(|byte| !byte.is_ascii_digit())
                    .unwrap_or(0);
                let rest = digits.get(bad..).unwrap_or_default();
                return Err([b"tab size contains invalid character(s): '", rest, b"'"]
                    .concat()
                    .into());
            }
            let number = digits
                .to_str()
                .ok()
                .and_then(|digits| digits.parse::<usize>().ok());
            let Some(number) = number.filter(|number| *number <= 1 << 31) else {
                return Err([b"tab stop is too large '", digits, b"'"].concat().into());
            };
            match kind {
                Some(b'/') if every.is_some() => {
                    return Err("'/' specifier only allowed with the last value".into());
                }
                Some(b'/') => every = (number > 0).then_some(number),
                Some(_) if then.is_some() => {
                    return Err("'+' specifier only allowed with the last value".into());
                }
                Some(_) => then = (number > 0).then_some(number),
                None if number == 0 => return Err("tab size cannot be 0".into()),
                None => {
                    if stops.last().is_some_and(|last| *last >= number) {
                        return Err("tab sizes must be ascending".into());
                    }
                    stops.push(number);
                }
            }
        }
        if let ([one], None, None) = (stops.as_slice(), every, then) {
            return Ok(Self {
                every: Some(*one),
                stops: Vec::new(),
                then: None,
            });
        }
        Ok(Self { stops, every, then })
    }

    /// The first stop behind a column, or none if there is no more.
    pub(super) fn next(&self, column: usize) -> Option<usize> {
        let at = self.stops.partition_point(|stop| *stop <= column);
        if let Some(stop) = self.stops.get(at) {
            return Some(*stop);
        }
        if let Some(every) = self.every {
            return Some((column / every + 1) * every);
        }
        let then = self.then?;
        let last = self.stops.last().copied().unwrap_or(0);
        Some(last + ((column - last) / then + 1) * then)
    }
}

/// `-4` and `-2,6` as they were written before there was `-t`.
pub(super) fn modern(args: &[BString]) -> Vec<BString> {
    let is_old = |arg: &BString| {
        arg.len() > 1
            && arg.starts_with(b"-")
            && arg.get(1).is_some_and(u8::is_ascii_digit)
            && arg
                .iter()
                .skip(1)
                .all(|byte| byte.is_ascii_digit() || *byte == b',')
    };
    let change = |arg: &BString| {
        if is_old(arg) {
            [b"-t", arg.get(1..).unwrap_or_default()].concat().into()
        } else {
            arg.clone()
        }
    };
    args.iter().map(change).collect()
}
