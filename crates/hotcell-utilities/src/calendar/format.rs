//! `strftime`, with what GNU adds to it.

use bstr::ByteSlice;

use super::Time;

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
pub(crate) fn format(out: &mut Vec<u8>, format: &[u8], time: &Time, most: usize) {
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
        let is_known = flags.colons == 0 || *letter == b'z';
        if is_known && convert(out, *letter, &flags, time, most) {
            change_case(out, start, *letter, &flags);
        } else {
            out.truncate(start);
            out.extend_from_slice(conversion.get(..=length).unwrap_or(conversion));
        }
        rest = conversion.get(length + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// The widths that a format asks for.
pub(crate) fn widths(format: &[u8]) -> impl Iterator<Item = usize> {
    let mut rest = format;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once_str("%")?;
            if let Some(after) = after.strip_prefix(b"%") {
                rest = after;
                continue;
            }
            rest = after;
            let flags = after.iter().take_while(|byte| b"_-0+^#".contains(byte));
            let digits = after.get(flags.count()..).unwrap_or_default().iter();
            let digits = digits.take_while(|byte| byte.is_ascii_digit());
            return Some(digits.fold(0, |width: usize, digit| {
                let width = width.saturating_mul(10);
                width.saturating_add(usize::from(digit - b'0'))
            }));
        }
    })
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

fn convert(out: &mut Vec<u8>, letter: u8, flags: &Flags, time: &Time, most: usize) -> bool {
    let weekday = i64::from(time.civil.weekday().to_sunday_zero_offset());
    let hour = i64::from(time.civil.hour());
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let year = i64::from(time.civil.year());
    let iso = time.civil.date().iso_week_date();
    let mut number =
        |value: i64, width: usize, fill: u8| put_number(out, flags, value, width, fill);
    match letter {
        b'd' => number(i64::from(time.civil.day()), 2, b'0'),
        b'e' => number(i64::from(time.civil.day()), 2, b' '),
        b'H' => number(hour, 2, b'0'),
        b'k' => number(hour, 2, b' '),
        b'I' => number(twelve, 2, b'0'),
        b'l' => number(twelve, 2, b' '),
        b'j' => number(i64::from(time.civil.day_of_year()), 3, b'0'),
        b'm' => number(i64::from(time.civil.month()), 2, b'0'),
        b'M' => number(i64::from(time.civil.minute()), 2, b'0'),
        b'S' => number(i64::from(time.civil.second()), 2, b'0'),
        b'y' => number(year.rem_euclid(100), 2, b'0'),
        b'C' => number(year.div_euclid(100), 2, b'0'),
        b'Y' => number(year, 4, b'0'),
        b'G' => number(i64::from(iso.year()), 4, b'0'),
        b'g' => number(i64::from(iso.year()).rem_euclid(100), 2, b'0'),
        b'V' => number(i64::from(iso.week()), 2, b'0'),
        b'U' => number(week(time, weekday), 2, b'0'),
        b'W' => number(week(time, (weekday + 6) % 7), 2, b'0'),
        b'u' => number(if weekday == 0 { 7 } else { weekday }, 1, b'0'),
        b'w' => number(weekday, 1, b'0'),
        b'q' => number(i64::from(time.civil.month() - 1) / 3 + 1, 1, b'0'),
        b's' => number(time.seconds, 1, b'0'),
        b'N' => put_nanoseconds(out, flags, time),
        _ => return convert_text(out, letter, flags, time, most),
    }
    true
}

/// Conversions that give text.
fn convert_text(out: &mut Vec<u8>, letter: u8, flags: &Flags, time: &Time, most: usize) -> bool {
    let day = DAYS.get(usize::from(
        time.civil.weekday().to_sunday_zero_offset().unsigned_abs(),
    ));
    let day = *day.unwrap_or(&"");
    let month = MONTHS.get(usize::from(time.civil.month().unsigned_abs()).wrapping_sub(1));
    let month = *month.unwrap_or(&"");
    let half = if time.civil.hour() < 12 { "AM" } else { "PM" };
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
            put_number(out, &year, i64::from(time.civil.year()), 4, b'0');
            format(out, b"-%m-%d", time, most);
        } else {
            format(out, composed.as_bytes(), time, most);
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
            put_offset(out, flags, time.offset);
            return true;
        }
        b'Z' => out.extend_from_slice(time.zone_name.as_bytes()),
        _ => return false,
    }
    pad(out, start, flags, b' ');
    true
}

/// The week of the year, if weeks begin so many days before today.
fn week(time: &Time, days_into_week: i64) -> i64 {
    (i64::from(time.civil.day_of_year()) - 1 + 7 - days_into_week) / 7
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
fn put_nanoseconds(out: &mut Vec<u8>, flags: &Flags, time: &Time) {
    let mut digits = format!("{:09}", time.nanoseconds).into_bytes();
    let width = flags.width.unwrap_or(9);
    digits.resize(width, b'0');
    if flags.fill == Some(b'_') {
        // Zeros at the end are blanks.
        let used = digits.iter().rposition(|digit| *digit != b'0').unwrap_or(0);
        for digit in digits.iter_mut().skip(used + 1) {
            *digit = b' ';
        }
    }
    out.extend_from_slice(&digits);
}

/// `+hhmm`, with as many colons as there were in the conversion: a number with a sign, and filled up like one.
fn put_offset(out: &mut Vec<u8>, flags: &Flags, seconds: i32) {
    let sign = if seconds < 0 { b'-' } else { b'+' };
    let all = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let (text, width) = match (flags.colons, minutes, seconds) {
        (0, ..) => ((hours * 100 + minutes).to_string(), 5),
        (1, ..) => (format!("{hours}:{minutes:02}"), 6),
        (2, ..) => (format!("{hours}:{minutes:02}:{seconds:02}"), 9),
        (_, 0, 0) => (hours.to_string(), 3),
        (_, _, 0) => (format!("{hours}:{minutes:02}"), 6),
        _ => (format!("{hours}:{minutes:02}:{seconds:02}"), 9),
    };
    let missing = flags.width.unwrap_or(width).saturating_sub(text.len() + 1);
    match flags.fill {
        Some(b'-') => out.push(sign),
        Some(b'_') => {
            out.extend(std::iter::repeat_n(b' ', missing));
            out.push(sign);
        }
        _ => {
            out.push(sign);
            out.extend(std::iter::repeat_n(b'0', missing));
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// The names of months, from January.
pub(crate) const fn month_names() -> [&'static str; 12] {
    MONTHS
}
