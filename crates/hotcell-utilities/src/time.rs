//! Times as people read and write them.

use bstr::{BStr, ByteSlice};
use hotcell_process::Process;
use hotcell_vfs::Timestamp;
use jiff::{Timestamp as Instant, Zoned, civil, tz::TimeZone};

/// The time zone of the environment's `TZ`, else UTC.
pub(crate) fn zone(process: &Process) -> TimeZone {
    let name = process.env("TZ");
    let name = name
        .as_ref()
        .and_then(|name| name.to_str().ok())
        .map(|name| name.trim_start_matches(':'));
    match name {
        None | Some("") => TimeZone::UTC,
        Some(name) => TimeZone::get(name)
            .or_else(|_| TimeZone::posix(name))
            .unwrap_or(TimeZone::UTC),
    }
}

/// A time in a zone.
pub(crate) fn zoned(time: Timestamp, zone: &TimeZone) -> Zoned {
    let nanos = i32::try_from(time.subsec_nanos()).unwrap_or(0);
    let instant = Instant::new(time.seconds(), nanos).unwrap_or(Instant::UNIX_EPOCH);
    instant.to_zoned(zone.clone())
}

/// A time in the format of `strftime`.
pub(crate) fn show(time: Timestamp, zone: &TimeZone, format: &str) -> String {
    zoned(time, zone).strftime(format).to_string()
}

/// A time as a person writes it, in the zone of the environment unless it says another.
pub(crate) fn parse(process: &Process, text: &BStr) -> Option<Timestamp> {
    let text = text.to_str().ok()?.trim();
    if let Some(seconds) = text.strip_prefix('@') {
        let seconds: f64 = seconds.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "saturates, as it should")]
        return Some(Timestamp::from_nanos((seconds * 1e9) as i64));
    }
    let of = |instant: Instant| {
        Timestamp::from_parts(
            instant.as_second(),
            instant.subsec_nanosecond().unsigned_abs(),
        )
    };
    if let Ok(instant) = text.parse::<Instant>() {
        return Some(of(instant));
    }
    let local = text
        .parse::<civil::DateTime>()
        .or_else(|_| text.parse::<civil::Date>().map(civil::Date::into))
        .ok()?;
    Some(of(local.to_zoned(zone(process)).ok()?.timestamp()))
}
