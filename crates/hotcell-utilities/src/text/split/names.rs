//! The names of the pieces: `xaa`, `xab` and so on.

use bstr::{BString, ByteSlice};

use crate::{Parsed, quote::quote};

/// Names in their order.
pub(super) struct Names {
    prefix: BString,
    extra: BString,
    digits: &'static [u8],
    /// The digits of the next name.
    next: Option<Vec<usize>>,
    /// Names may get longer when they run out.
    grows: bool,
}

impl Names {
    /// From the options; an error is what is wrong with them. `files` is how many there will be, if that is known.
    pub(super) fn from_options(
        parsed: &Parsed,
        prefix: BString,
        files: Option<u64>,
    ) -> Result<Self, BString> {
        let extra = parsed.value("additional-suffix").unwrap_or_default();
        if extra.contains(&b'/') {
            return Err([
                b"invalid suffix ",
                quote(extra).as_slice(),
                b", contains directory separator",
            ]
            .concat()
            .into());
        }
        let (digits, from): (&[u8], _) =
            match parsed.last_of(&["d", "numeric-suffixes", "x", "hex-suffixes"]) {
                Some("x" | "hex-suffixes") => (b"0123456789abcdef", parsed.value("hex-suffixes")),
                Some(_) => (b"0123456789", parsed.value("numeric-suffixes")),
                None => (b"abcdefghijklmnopqrstuvwxyz", None),
            };
        let mut start = Vec::new();
        for digit in from.map_or(&b""[..], |from| from.as_bytes()) {
            let value = digits.iter().position(|known| known == digit);
            let invalid = || {
                [
                    b"invalid start value ",
                    quote(from.unwrap_or_default()).as_slice(),
                ]
                .concat()
            };
            start.push(value.ok_or_else(|| BString::from(invalid()))?);
        }
        let asked = match parsed.value("suffix-length") {
            None => None,
            Some(text) => {
                let length = text
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse::<usize>().ok());
                let invalid =
                    || BString::from([b"invalid suffix length: ", quote(text).as_slice()].concat());
                Some(length.filter(|length| *length < 256).ok_or_else(invalid)?)
            }
        };
        let base = digits.len() as u64;
        let needed = files.map_or(0, |files| {
            let mut length = 1;
            let mut room = base;
            while room < files {
                room = room.saturating_mul(base);
                length += 1;
            }
            length
        });
        let asked = asked.filter(|length| *length > 0);
        if asked.is_some_and(|length| length < needed) {
            return Err(format!("the suffix length needs to be at least {needed}").into());
        }
        let length = asked.unwrap_or(2).max(needed).max(start.len());
        let mut next = vec![0; length - start.len()];
        next.extend(start);
        Ok(Self {
            prefix,
            extra: extra.into(),
            digits,
            next: Some(next),
            grows: asked.is_none() && files.is_none() && from.is_none(),
        })
    }
}

impl Iterator for Names {
    type Item = BString;

    fn next(&mut self) -> Option<BString> {
        let now = self.next.take()?;
        let mut name = self.prefix.clone();
        name.extend(now.iter().filter_map(|digit| self.digits.get(*digit)));
        name.extend_from_slice(&self.extra);
        let mut next = now;
        let mut at = next.len();
        let last = self.digits.len() - 1;
        loop {
            let Some(before) = at.checked_sub(1) else {
                return Some(name);
            };
            at = before;
            let Some(digit) = next.get_mut(at) else {
                return Some(name);
            };
            if *digit < last {
                *digit += 1;
                break;
            }
            *digit = 0;
        }
        if self.grows && next.first() == Some(&last) && next.iter().skip(1).all(|digit| *digit == 0)
        {
            // `yz` is followed by `zaaa`, so that names stay in order.
            let length = next.len();
            next = vec![last; length - 1];
            next.extend([0; 3]);
            next.truncate(length + 2);
        }
        self.next = Some(next);
        Some(name)
    }
}
