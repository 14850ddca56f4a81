//! Time zones, as `TZ` names them.

use bstr::ByteSlice;
use hotcell_process::Process;
use jiff::tz::TimeZone;

/// A time zone, and what to call it if it has no name of its own.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    pub(crate) zone: TimeZone,
    /// What `%Z` prints, if it is not what the zone says.
    pub(crate) name: Option<String>,
}

impl Zone {
    /// Coordinated universal time.
    pub(crate) const UTC: Self = Self {
        zone: TimeZone::UTC,
        name: None,
    };

    /// The zone of a value of `TZ`. What is no zone is universal time of that name, as in the C library.
    pub(crate) fn named(name: &[u8]) -> Self {
        let name = name.strip_prefix(b":").unwrap_or(name);
        let Ok(name) = name.to_str() else {
            return Self::UTC;
        };
        if name.is_empty() {
            return Self::UTC;
        }
        if let Ok(zone) = TimeZone::get(name) {
            return Self { zone, name: None };
        }
        if let Ok(zone) = TimeZone::posix(name) {
            return Self { zone, name: None };
        }
        let letters: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
        Self {
            zone: TimeZone::UTC,
            name: Some(letters).filter(|letters| letters.len() >= 3),
        }
    }
}

/// The zone that a process is in.
pub(crate) fn zone_of(process: &Process) -> Zone {
    process
        .env("TZ")
        .map_or(Zone::UTC, |name| Zone::named(&name))
}
