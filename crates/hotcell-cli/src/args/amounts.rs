//! Times and sizes as people write them.

use std::time::Duration;

/// `500ms`, `1.5s`, `2m`, `1h`. A number alone could be seconds or milliseconds, so it is neither.
/// How long something may take; `None` for as long as it likes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeout(pub(crate) Option<Duration>);

/// A time, or none at all.
pub(super) fn parse_timeout(text: &str) -> Result<Timeout, String> {
    match text {
        "none" => Ok(Timeout(None)),
        _ => parse_duration(text).map(|time| Timeout(Some(time))),
    }
}

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    if text.starts_with('-') {
        return Err("expected a time from 1ms to 168h, and no sign before it".into());
    }
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "" => return Err("a unit is missing: write for example 500ms or 5s".into()),
        _ => return Err(format!("unknown unit {unit:?}: use ms, s, m or h")),
    };
    let seconds = number
        .parse::<f64>()
        .map_err(|_| "expected a number and a unit, such as 500ms or 5s".to_owned())?
        * seconds;
    // A week; what is longer is a mistake, and far from where timers overflow.
    if !(0.001..=604_800.0).contains(&seconds) {
        return Err("expected a time from 1ms to 168h".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `64MiB`, `64MB`, `1GiB`, `65536`. `K`, `M` and `G` alone are the powers of 1024, as in other tools.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    if text.starts_with('-') {
        return Err("expected a size such as 64MiB, and no sign before it".into());
    }
    let (number, unit) = split(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => {
            return Err(format!(
                "unknown unit {unit:?}: use for example KiB, MiB or GiB"
            ));
        }
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .filter(|size| *size > 0)
        .ok_or_else(|| "expected a whole number and a unit, such as 64MiB".into())
}

/// A size that logs can have.
pub(super) fn parse_log_size(text: &str) -> Result<u64, String> {
    let size = parse_size(text)?;
    if size < 1024 {
        return Err("expected at least 1KiB".into());
    }
    Ok(size)
}

/// A whole number, at least one.
pub(super) fn parse_count(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "expected a whole number of at least 1".into())
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}
