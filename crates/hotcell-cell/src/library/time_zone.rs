//! The time zones behind the guest's `Intl.DateTimeFormat`: offsets from the bundled IANA database.
//!
//! The database is compiled in (`jiff` with `tzdb-bundle-always`), so that a cell prints the same on every host and never
//! reads the host's files or its local zone.

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};

/// The Gregorian calendar's cycle in seconds: 146,097 days, which are also whole weeks.
const FOUR_CENTURIES: i64 = 146_097 * 86_400;

/// Minutes east of UTC that are in force in `zone` at `epoch_ms`, with their abbreviation (`EST`, `+0530`). `None` if there
/// is no such zone.
///
/// JavaScript's dates reach further than the database's. Before it, the first offset of the zone holds; behind it, what
/// holds 400 years (or a multiple) earlier, since the calendar repeats itself after that time and the rules do not end.
pub(crate) fn offset(zone: &str, epoch_ms: f64) -> Option<(f64, String)> {
    let zone = find(zone)?;
    // Zones change at whole seconds, and the database's range ends within one that milliseconds do not reach.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, and NaN, which no valid date has, is 0"
    )]
    let second = (epoch_ms / 1000.0).floor() as i64;
    let (earliest, latest) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    let within = if second > latest {
        let start = latest - FOUR_CENTURIES;
        start + (second - start) % FOUR_CENTURIES
    } else {
        second.max(earliest)
    };
    let info = zone.to_offset_info(Timestamp::from_second(within).ok()?);
    Some((
        f64::from(info.offset().seconds()) / 60.0,
        info.abbreviation().to_owned(),
    ))
}

/// The zone's name in the spelling of the database, for a name in any case. `None` if there is no such zone.
pub(crate) fn name(zone: &str) -> Option<String> {
    find(zone)?.iana_name().map(str::to_owned)
}

/// No zone has a longer name, and no more is looked at.
const MAX_NAME: usize = 64;

fn find(zone: &str) -> Option<TimeZone> {
    if zone.len() > MAX_NAME {
        return None;
    }
    TimeZoneDatabase::bundled()
        .get(zone)
        .ok()
        .filter(|found| !found.is_unknown())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JANUARY: f64 = 1_705_320_000_000.0;
    const JULY: f64 = 1_721_044_800_000.0;

    #[test]
    fn offsets_follow_daylight_saving() {
        assert_eq!(
            offset("America/New_York", JANUARY),
            Some((-300.0, "EST".to_owned()))
        );
        assert_eq!(
            offset("America/New_York", JULY),
            Some((-240.0, "EDT".to_owned()))
        );
        assert_eq!(
            offset("Asia/Kolkata", JULY),
            Some((330.0, "IST".to_owned()))
        );
        assert_eq!(offset("UTC", JULY), Some((0.0, "UTC".to_owned())));
    }

    #[test]
    fn the_clock_changes_at_its_millisecond() {
        let change = 1_710_054_000_000.0;
        assert_eq!(
            offset("America/New_York", change - 1.0).map(|found| found.0),
            Some(-300.0)
        );
        assert_eq!(
            offset("America/New_York", change).map(|found| found.0),
            Some(-240.0)
        );
    }

    #[test]
    fn rules_go_on_behind_the_database() {
        // 275760-07-01 and 275760-01-01.
        let (summer, winter) = (8_639_993_606_400_000.0, 8_639_977_881_600_000.0);
        assert_eq!(
            offset("America/New_York", summer).map(|found| found.0),
            Some(-240.0)
        );
        assert_eq!(
            offset("America/New_York", winter).map(|found| found.0),
            Some(-300.0)
        );
    }

    #[test]
    fn names_are_found_in_any_case_and_told_in_the_databases() {
        assert_eq!(name("europe/berlin").as_deref(), Some("Europe/Berlin"));
        assert_eq!(name("US/Eastern").as_deref(), Some("US/Eastern"));
    }

    #[test]
    fn unknown_zones_are_none() {
        for zone in [
            "",
            "Mars/Olympus",
            "../../etc/passwd",
            "+05:30",
            "America/",
            "Europe/Berlin\0",
            "Etc/Unknown",
        ] {
            assert_eq!(name(zone), None, "{zone:?}");
            assert_eq!(offset(zone, JULY), None, "{zone:?}");
        }
    }

    #[test]
    fn every_number_has_an_offset() {
        for ms in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            8.64e15,
            -8.64e15,
            f64::MAX,
            f64::MIN_POSITIVE,
        ] {
            assert!(offset("Europe/Berlin", ms).is_some(), "{ms}");
        }
    }
}
