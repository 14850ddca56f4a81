//! Times of files, as people read and write them.

use bstr::BStr;
use hotcell_process::Process;
use hotcell_vfs::Timestamp;

use crate::calendar::{self, Zone};

/// How wide a conversion may be.
const MAX_WIDTH: usize = 4096;

/// The time zone of the environment's `TZ`, else UTC.
pub(crate) fn zone(process: &Process) -> Zone {
    calendar::zone_of(process)
}

/// A time in the format of `strftime`.
pub(crate) fn show(time: Timestamp, zone: &Zone, format: &str) -> String {
    let mut text = Vec::new();
    if let Some(time) = calendar::at(time.seconds(), time.subsec_nanos(), zone) {
        calendar::format(&mut text, format.as_bytes(), &time, MAX_WIDTH);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A time as a person writes it, in the zone of the environment unless it says another.
pub(crate) fn parse(process: &Process, text: &BStr) -> Option<Timestamp> {
    process.spend(text.len());
    let now = process.now();
    let now = (now.seconds(), now.subsec_nanos());
    let (seconds, nanoseconds) = calendar::parse(text, now, &zone(process))?;
    Some(Timestamp::from_parts(seconds, nanoseconds))
}

/// When the day of a time begins.
pub(crate) fn start_of_day(time: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let day = calendar::at(time.seconds(), 0, zone)?.civil.date();
    let seconds = calendar::seconds_of(day.at(0, 0, 0, 0), zone)?;
    Some(Timestamp::from_parts(seconds, 0))
}
