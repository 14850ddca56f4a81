//! Lists of fields or bytes, as `cut -f 1,3-5` has them.

/// Whole numbers from 1 on, as sorted ranges that do not touch.
#[derive(Debug, Clone)]
pub(crate) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Takes a list apart; an error is what is wrong with it, in GNU's words. `what` is what the numbers count.
    pub(crate) fn parse(list: &[u8], what: &str) -> Result<Self, String> {
        let mut ranges = Vec::new();
        for part in list.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
            ranges.push(range(part, what)?);
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Ok(Self(merged))
    }

    /// All the numbers that are not in it.
    pub(crate) fn complement(&self) -> Self {
        let mut rest = Vec::new();
        let mut from = 1u64;
        for (low, high) in &self.0 {
            if from < *low {
                rest.push((from, low - 1));
            }
            from = high.saturating_add(1);
        }
        if from < u64::MAX {
            rest.push((from, u64::MAX));
        }
        Self(rest)
    }

    /// Whether a number is in it. Questions in rising order are quickest.
    pub(crate) fn contains(&self, number: u64) -> bool {
        let at = self.0.partition_point(|(_, high)| *high < number);
        self.0.get(at).is_some_and(|(low, _)| *low <= number)
    }

    /// The ranges, from low to high.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().copied()
    }
}

fn range(part: &[u8], what: &str) -> Result<(u64, u64), String> {
    let shown = || String::from_utf8_lossy(part).into_owned();
    let number = |digits: &[u8]| -> Result<u64, String> {
        let text = std::str::from_utf8(digits).unwrap_or("?");
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return Err(format!("invalid {what} value '{}'", shown()));
        }
        match text.parse::<u64>() {
            Ok(0) => Err(format!("{what}s are numbered from 1")),
            Ok(number) if number < u64::MAX => Ok(number),
            _ => Err(format!("{what} number '{text}' is too large")),
        }
    };
    let Some(dash) = part.iter().position(|byte| *byte == b'-') else {
        let number = number(part)?;
        return Ok((number, number));
    };
    let (low, high) = (
        part.get(..dash).unwrap_or_default(),
        part.get(dash + 1..).unwrap_or_default(),
    );
    if low.is_empty() && high.is_empty() {
        return Err("invalid range with no endpoint: -".into());
    }
    let from = if low.is_empty() { 1 } else { number(low)? };
    let to = if high.is_empty() {
        u64::MAX
    } else {
        number(high)?
    };
    if from > to {
        return Err("invalid decreasing range".into());
    }
    Ok((from, to))
}
