//! Dates as HTTP and cookies write them.

use jiff::{
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

/// Seconds since 1970 of a date, in any of the forms that servers use: the rules of RFC 6265, which look for parts.
pub(crate) fn parse(text: &[u8]) -> Option<i64> {
    const MONTHS: [&[u8]; 12] = [
        b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov",
        b"dec",
    ];
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b':';
    for part in text
        .split(|byte| !is_part(byte))
        .filter(|part| !part.is_empty())
    {
        let number = std::str::from_utf8(part)
            .ok()
            .and_then(|text| text.parse::<i16>().ok());
        let lower = part.to_ascii_lowercase();
        let named = MONTHS.iter().position(|name| lower.starts_with(name));
        if time.is_none() && part.contains(&b':') {
            time = Some(clock(part)?);
        } else if let (None, Some(named)) = (month, named) {
            month = i8::try_from(named + 1).ok();
        } else if let (None, Some(number @ 1..=31), 1..=2) = (day, number, part.len()) {
            day = i8::try_from(number).ok();
        } else if let (None, Some(number)) = (year, number) {
            year = Some(match (part.len(), number) {
                (1..=2, 70..=99) => number + 1900,
                (1..=2, 0..=69) => number + 2000,
                (_, number) => number,
            });
        }
    }
    let date = Date::new(year?, month?, day?).ok()?;
    let instant = DateTime::from_parts(date, time.unwrap_or_else(Time::midnight));
    Some(
        instant
            .to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp()
            .as_second(),
    )
}

fn clock(text: &[u8]) -> Option<Time> {
    let mut numbers = std::str::from_utf8(text)
        .ok()?
        .split(':')
        .map(|part| part.parse::<i8>().ok());
    let (hour, minute) = (numbers.next()??, numbers.next()??);
    let second = numbers.next().flatten().unwrap_or(0);
    Time::new(hour, minute, second, 0).ok()
}

/// A date as HTTP has it: `Wed, 21 Oct 2015 07:28:00 GMT`.
pub(crate) fn format(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.to_zoned(TimeZone::UTC)
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_three_forms_and_others() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06-Nov-1994 08:49:37 UTC",
            "6 November 1994 08:49:37",
        ] {
            assert_eq!(parse(text.as_bytes()), Some(784_111_777), "{text}");
        }
        assert_eq!(format(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        for wrong in [
            "",
            "tomorrow",
            "32 Nov 1994",
            "6 Nov",
            "6 Nov 1994 25:00:00",
            "6 Nov 99999",
        ] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
