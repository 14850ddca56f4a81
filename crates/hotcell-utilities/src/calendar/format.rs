//! `strftime`, with what GNU adds to it.

use std::io::Write;

use jiff::{Zoned, civil::Weekday};

use super::Zone;

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What stands between the percent sign and the letter.
#[derive(Default)]
struct Flags {
    /// `_`, `-`, `0` or `+`: what to fill up with.
    fill: Option<u8>,
    is_upper: bool,
    is_swapped: bool,
    width: Option<usize>,
    colons: usize,
}

/// Puts a time at the end of `out` as a format says. The format's widths are cut at `most`.
pub(crate) fn format(out: &mut Vec<u8>, format: &[u8], time: &Zoned, zone: &Zone, most: usize) {
    let mut rest = format;
    while let Some(percent) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(rest.get(..percent).unwrap_or_default());
        let conversion = rest.get(percent..).unwrap_or_default();
        let (flags, length) = flags(conversion, most);
        let Some(letter) = conversion.get(length) else {
            out.extend_from_slice(conversion);
            return;
        };
        let start = out.len();
        if convert(out, *letter, &flags, time, zone, most) {
            change_case(out, start, *letter, &flags);
        } else {
            out.truncate(start);
            out.extend_from_slice(conversion.get(..=length).unwrap_or(conversion));
        }
        rest = conversion.get(length + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// The flags, and how long they are with the percent sign.
fn flags(conversion: &[u8], most: usize) -> (Flags, usize) {
    let mut flags = Flags::default();
    let mut at = 1;
    while let Some(byte) = conversion.get(at) {
        match byte {
            b'_' | b'-' | b'0' | b'+' => flags.fill = Some(*byte),
            b'^' => flags.is_upper = true,
            b'#' => flags.is_swapped = true,
            _ => break,
        }
        at += 1;
    }
    while let Some(digit) = conversion.get(at).filter(|byte| byte.is_ascii_digit()) {
        let width = flags.width.unwrap_or(0);
        let wider = width
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'));
        flags.width = Some(wider.min(most));
        at += 1;
    }
    while conversion.get(at) == Some(&b':') {
        flags.colons += 1;
        at += 1;
    }
    if matches!(conversion.get(at), Some(b'E' | b'O')) {
        at += 1;
    }
    (flags, at)
}

fn change_case(out: &mut [u8], start: usize, letter: u8, flags: &Flags) {
    let Some(text) = out.get_mut(start..) else {
        return;
    };
    if flags.is_upper || (flags.is_swapped && b"aAbBh".contains(&letter)) {
        text.make_ascii_uppercase();
    } else if flags.is_swapped && b"pZ".contains(&letter) {
        text.make_ascii_lowercase();
    }
}

fn convert(
    out: &mut Vec<u8>,
    letter: u8,
    flags: &Flags,
    time: &Zoned,
    zone: &Zone,
    most: usize,
) -> bool {
    let weekday = i64::from(time.weekday().to_sunday_zero_offset());
    let hour = i64::from(time.hour());
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let year = i64::from(time.year());
    let iso = time.date().iso_week_date();
    let mut number =
        |value: i64, width: usize, fill: u8| put_number(out, flags, value, width, fill);
    match letter {
        b'd' => number(i64::from(time.day()), 2, b'0'),
        b'e' => number(i64::from(time.day()), 2, b' '),
        b'H' => number(hour, 2, b'0'),
        b'k' => number(hour, 2, b' '),
        b'I' => number(twelve, 2, b'0'),
        b'l' => number(twelve, 2, b' '),
        b'j' => number(i64::from(time.day_of_year()), 3, b'0'),
        b'm' => number(i64::from(time.month()), 2, b'0'),
        b'M' => number(i64::from(time.minute()), 2, b'0'),
        b'S' => number(i64::from(time.second()), 2, b'0'),
        b'y' => number(year.rem_euclid(100), 2, b'0'),
        b'C' => number(year.div_euclid(100), 2, b'0'),
        b'Y' => number(year, if flags.fill == Some(b'+') { 4 } else { 1 }, b'0'),
        b'G' => number(i64::from(iso.year()), 1, b'0'),
        b'g' => number(i64::from(iso.year()).rem_euclid(100), 2, b'0'),
        b'V' => number(i64::from(iso.week()), 2, b'0'),
        b'U' => number(week(time, weekday), 2, b'0'),
        b'W' => number(week(time, (weekday + 6) % 7), 2, b'0'),
        b'u' => number(if weekday == 0 { 7 } else { weekday }, 1, b'0'),
        b'w' => number(weekday, 1, b'0'),
        b'q' => number(i64::from(time.month() - 1) / 3 + 1, 1, b'0'),
        b's' => number(
            time.timestamp().as_second() - i64::from(time.timestamp().subsec_nanosecond() < 0),
            1,
            b'0',
        ),
        b'N' => put_nanoseconds(out, flags, time),
        _ => return convert_text(out, letter, flags, time, zone, most),
    }
    true
}

/// Conversions that give text.
fn convert_text(
    out: &mut Vec<u8>,
    letter: u8,
    flags: &Flags,
    time: &Zoned,
    zone: &Zone,
    most: usize,
) -> bool {
    let day = DAYS.get(usize::from(
        time.weekday().to_sunday_zero_offset().unsigned_abs(),
    ));
    let day = *day.unwrap_or(&"");
    let month = MONTHS.get(usize::from(time.month().unsigned_abs()).wrapping_sub(1));
    let month = *month.unwrap_or(&"");
    let half = if time.hour() < 12 { "AM" } else { "PM" };
    let composed = match letter {
        b'c' => "%a %b %e %H:%M:%S %Y",
        b'D' | b'x' => "%m/%d/%y",
        b'F' => "%Y-%m-%d",
        b'r' => "%I:%M:%S %p",
        b'R' => "%H:%M",
        b'T' | b'X' => "%H:%M:%S",
        b'v' => "%e-%b-%Y",
        _ => "",
    };
    if !composed.is_empty() {
        let start = out.len();
        // The date in the order of ISO 8601 gives its width to the year.
        if letter == b'F' && (flags.fill == Some(b'+') || flags.width.is_some()) {
            let width = flags.width.unwrap_or(0).saturating_sub(6);
            let year = Flags {
                fill: flags.fill,
                width: Some(width),
                ..Flags::default()
            };
            put_number(out, &year, i64::from(time.year()), 1, b'0');
            format(out, b"-%m-%d", time, zone, most);
        } else {
            format(out, composed.as_bytes(), time, zone, most);
        }
        pad(out, start, flags, b' ');
        return true;
    }
    let start = out.len();
    match letter {
        b'a' => out.extend_from_slice(day.get(..3).unwrap_or(day).as_bytes()),
        b'A' => out.extend_from_slice(day.as_bytes()),
        b'b' | b'h' => out.extend_from_slice(month.get(..3).unwrap_or(month).as_bytes()),
        b'B' => out.extend_from_slice(month.as_bytes()),
        b'p' => out.extend_from_slice(half.as_bytes()),
        b'P' => out.extend_from_slice(half.to_ascii_lowercase().as_bytes()),
        b'n' => out.push(b'\n'),
        b't' => out.push(b'\t'),
        b'%' => out.push(b'%'),
        b'z' => {
            if flags.colons > 3 {
                return false;
            }
            put_offset(out, flags, time.offset().seconds());
            return true;
        }
        b'Z' => {
            let info = time.time_zone().to_offset_info(time.timestamp());
            let name = zone.name.as_deref().unwrap_or(info.abbreviation());
            out.extend_from_slice(name.as_bytes());
        }
        _ => return false,
    }
    if flags.colons > 0 {
        return false;
    }
    pad(out, start, flags, b' ');
    true
}

/// The week of the year, if weeks begin so many days before today.
fn week(time: &Zoned, days_into_week: i64) -> i64 {
    (i64::from(time.day_of_year()) - 1 + 7 - days_into_week) / 7
}

/// Fills up on the left to the width that was asked for.
fn pad(out: &mut Vec<u8>, start: usize, flags: &Flags, fill: u8) {
    let Some(width) = flags.width else { return };
    let fill = match flags.fill {
        Some(b'0' | b'+') => b'0',
        Some(b'_') => b' ',
        Some(b'-') => return,
        _ => fill,
    };
    let missing = width.saturating_sub(out.len() - start);
    out.splice(start..start, std::iter::repeat_n(fill, missing));
}

fn put_number(out: &mut Vec<u8>, flags: &Flags, value: i64, digits: usize, fill: u8) {
    let width = flags.width.unwrap_or(digits);
    let fill = match flags.fill {
        Some(b'-') if flags.width.is_none() => None,
        Some(b'-') => None,
        Some(b'_') => Some(b' '),
        Some(_) => Some(b'0'),
        None => Some(fill),
    };
    let text = value.unsigned_abs().to_string();
    let has_plus =
        flags.fill == Some(b'+') && value >= 0 && (width > digits.max(4) || text.len() > 4);
    let sign: &[u8] = match (value < 0, has_plus) {
        (true, _) => b"-",
        (false, true) => b"+",
        (false, false) => b"",
    };
    let missing = width.saturating_sub(text.len() + sign.len());
    match fill {
        Some(b' ') => {
            out.extend(std::iter::repeat_n(b' ', missing));
            out.extend_from_slice(sign);
        }
        Some(fill) => {
            out.extend_from_slice(sign);
            out.extend(std::iter::repeat_n(fill, missing));
        }
        None => out.extend_from_slice(sign),
    }
    out.extend_from_slice(text.as_bytes());
}

/// `%N`: the width is how many digits are wanted.
fn put_nanoseconds(out: &mut Vec<u8>, flags: &Flags, time: &Zoned) {
    let nanoseconds = time
        .timestamp()
        .subsec_nanosecond()
        .rem_euclid(1_000_000_000);
    let digits = format!("{nanoseconds:09}");
    let width = flags.width.unwrap_or(9);
    let kept = digits.as_bytes().get(..width.min(9)).unwrap_or_default();
    match flags.fill {
        Some(b'-') => {
            let last = kept.iter().rposition(|digit| *digit != b'0');
            out.extend_from_slice(
                kept.get(..last.map_or(0, |last| last + 1))
                    .unwrap_or_default(),
            );
        }
        _ => {
            out.extend_from_slice(kept);
            let fill = if flags.fill == Some(b'_') { b' ' } else { b'0' };
            out.extend(std::iter::repeat_n(fill, width.saturating_sub(9)));
        }
    }
}

/// `+hhmm`, with as many colons as there were in the conversion.
fn put_offset(out: &mut Vec<u8>, flags: &Flags, seconds: i32) {
    let sign = if seconds < 0 { b'-' } else { b'+' };
    let all = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let mut tail = Vec::new();
    let _ = match (flags.colons, minutes, seconds) {
        (0, ..) => write!(tail, "{minutes:02}"),
        (1, ..) => write!(tail, ":{minutes:02}"),
        (2, ..) => write!(tail, ":{minutes:02}:{seconds:02}"),
        (_, 0, 0) => Ok(()),
        (_, _, 0) => write!(tail, ":{minutes:02}"),
        _ => write!(tail, ":{minutes:02}:{seconds:02}"),
    };
    let digits = flags.width.unwrap_or(0).saturating_sub(tail.len() + 1);
    match flags.fill {
        Some(b'-') => {
            out.push(sign);
            let _ = write!(out, "{hours}");
        }
        Some(b'_') => {
            let text = hours.to_string();
            let missing = digits.max(2).saturating_sub(text.len());
            out.extend(std::iter::repeat_n(b' ', missing));
            out.push(sign);
            out.extend_from_slice(text.as_bytes());
        }
        _ => {
            out.push(sign);
            let digits = digits.max(2);
            let _ = write!(out, "{hours:0digits$}");
        }
    }
    out.extend_from_slice(&tail);
}

/// The names of days, from Sunday.
pub(crate) fn day_name(day: Weekday) -> &'static str {
    DAYS.get(usize::from(day.to_sunday_zero_offset().unsigned_abs()))
        .unwrap_or(&"")
}

/// The names of months, from January.
pub(crate) const fn month_names() -> [&'static str; 12] {
    MONTHS
}
