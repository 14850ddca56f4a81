//! The time zones behind the guest's `Intl.DateTimeFormat`: offsets from the bundled IANA database.
//!
//! The database is compiled in (`jiff` with `tzdb-bundle-always`), so that a cell prints the same on every host and never
//! reads the host's files or its local zone.

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};

/// Minutes east of UTC that are in force in `zone` at `epoch_ms`, with their abbreviation (`EST`, `+0530`). `None` if there
/// is no such zone.
///
/// JavaScript's dates reach further than the database's; out there the nearest known offset holds.
pub(crate) fn offset(zone: &str, epoch_ms: f64) -> Option<(f64, String)> {
    let zone = find(zone)?;
    let earliest = Timestamp::MIN.as_millisecond();
    let latest = Timestamp::MAX.as_millisecond();
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and NaN, which no valid date has, is 0")]
    let ms = (epoch_ms.floor() as i64).clamp(earliest, latest);
    let info = zone.to_offset_info(Timestamp::from_millisecond(ms).ok()?);
    Some((f64::from(info.offset().seconds()) / 60.0, info.abbreviation().to_owned()))
}

/// The zone's name in the spelling of the database, for a name in any case. `None` if there is no such zone.
pub(crate) fn name(zone: &str) -> Option<String> {
    find(zone)?.iana_name().map(str::to_owned)
}

fn find(zone: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(zone).ok()
}
