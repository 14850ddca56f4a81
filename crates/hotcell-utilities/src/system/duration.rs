//! Lengths of time in arguments.

use std::time::Duration;

use bstr::ByteSlice;

/// `1.5`, `2m`, `inf`.
pub(super) fn parse(text: &[u8]) -> Option<Duration> {
    let (number, unit) = match text.split_last()? {
        (b's', number) => (number, 1.0),
        (b'm', number) => (number, 60.0),
        (b'h', number) => (number, 3600.0),
        (b'd', number) => (number, 86_400.0),
        _ => (text, 1.0),
    };
    let number = number.to_str().ok()?;
    // Rust takes more words for numbers than C does, and fewer signs of space.
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || number.eq_ignore_ascii_case("inf")
        || number.eq_ignore_ascii_case("infinity");
    if !is_number {
        return None;
    }
    let seconds = number.parse::<f64>().ok()? * unit;
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
