//! Dates and times of day, for `date` and whoever else prints or reads them.

mod format;
mod zone;

pub(crate) use format::format;
pub(crate) use zone::{Zone, zone_of};

use jiff::{Timestamp, Zoned};

/// A point in time in a zone; `None` if it lies in a year of more than four digits.
pub(crate) fn at(seconds: i64, nanoseconds: u32, zone: &Zone) -> Option<Zoned> {
    let nanoseconds = i32::try_from(nanoseconds).ok()?;
    let timestamp = Timestamp::new(seconds, nanoseconds).ok()?;
    Some(timestamp.to_zoned(zone.zone.clone()))
}
