//! Dates and times of day, for `date` and whoever else prints or reads them.

mod format;
mod parse;
mod words;
mod zone;

pub(crate) use format::{format, month_names, widths};
pub(crate) use parse::{Moment, parse};
pub(crate) use zone::{Zone, zone_of};

use jiff::{
    Span, Timestamp,
    civil::{DateTime, date},
};

/// A point in time, as it is seen in a zone.
pub(crate) struct Time {
    pub(crate) civil: DateTime,
    /// Since 1970, with these nanoseconds.
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
    /// Seconds east of Greenwich.
    pub(crate) offset: i32,
    pub(crate) zone_name: String,
}

/// A point in time in a zone; `None` if it lies in a year of more than four digits.
pub(crate) fn at(seconds: i64, nanoseconds: u32, zone: &Zone) -> Option<Time> {
    let info = zone.zone.to_offset_info(nearest(seconds));
    let offset = info.offset().seconds();
    let zone_name = match &zone.name {
        Some(name) => name.clone(),
        None => info.abbreviation().to_owned(),
    };
    let local = seconds.checked_add(i64::from(offset))?;
    let (days, rest) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let day = date(1970, 1, 1)
        .checked_add(Span::new().try_days(days).ok()?)
        .ok()?;
    let civil = day.at(
        i8::try_from(rest / 3600).ok()?,
        i8::try_from(rest / 60 % 60).ok()?,
        i8::try_from(rest % 60).ok()?,
        0,
    );
    Some(Time {
        civil,
        seconds,
        nanoseconds,
        offset,
        zone_name,
    })
}

/// A time of the clock in a zone as seconds. One that the clock skips is an hour later.
pub(crate) fn seconds_of(civil: DateTime, zone: &Zone) -> Option<i64> {
    if let Ok(zoned) = civil.to_zoned(zone.zone.clone()) {
        return Some(zoned.timestamp().as_second());
    }
    // The last day that there is, and the first, lie outside of what can be in a zone.
    let days = date(1970, 1, 1).until(civil.date()).ok()?.get_days();
    let of_day =
        i64::from(civil.hour()) * 3600 + i64::from(civil.minute()) * 60 + i64::from(civil.second());
    let seconds = i64::from(days) * 86_400 + of_day;
    let offset = zone.zone.to_offset(nearest(seconds)).seconds();
    seconds.checked_sub(i64::from(offset))
}

/// The time, or the last or first for which zones are known.
fn nearest(seconds: i64) -> Timestamp {
    let end = if seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_second(seconds).unwrap_or(end)
}
