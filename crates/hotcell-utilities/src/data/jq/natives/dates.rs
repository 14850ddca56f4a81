//! Points in time, as seconds and as "broken down": year, month from 0, day, hours, minutes, seconds, day of week, day of year.

use jiff::civil::{Date, DateTime, Time};

use super::{
    super::{eval::Machine, stop::Stop, value::Value},
    Table, arg, wrong,
};
use crate::calendar::{self, Zone, zone_of};

pub(super) const TABLE: Table = &[
    ("now", 0, |machine, _, _| {
        let now = machine.process.now();
        #[allow(clippy::cast_precision_loss, reason = "doubles are what there is")]
        Ok(Value::Number(now.as_nanos() as f64 / 1e9))
    }),
    ("gmtime", 0, |machine, value, _| {
        broken_down(machine, &value, &Zone::UTC)
    }),
    ("localtime", 0, |machine, value, _| {
        broken_down(machine, &value, &zone_of(machine.process))
    }),
    ("mktime", 0, |_, value, _| {
        let Value::Array(_) = &value else {
            return Err(Stop::message("mktime requires array of 6 numbers"));
        };
        seconds(&value, &Zone::UTC, "mktime").map(Value::Number)
    }),
    ("strftime", 1, |machine, value, args| {
        formatted(machine, &value, arg(args, 0), &Zone::UTC, "strftime/1")
    }),
    ("strflocaltime", 1, |machine, value, args| {
        formatted(
            machine,
            &value,
            arg(args, 0),
            &zone_of(machine.process),
            "strflocaltime/1",
        )
    }),
    ("strptime", 1, parsed),
];

fn broken_down(machine: &Machine<'_, '_>, value: &Value, zone: &Zone) -> Result<Value, Stop> {
    let Some(number) = value.as_number() else {
        return Err(Stop::message("gmtime() requires a number"));
    };
    let whole = number.floor();
    let time = calendar::at(whole as i64, 0, zone).ok_or_else(|| {
        Stop::message("error converting number of seconds since epoch to datetime")
    })?;
    array(machine, time.civil, number - whole)
}

fn array(machine: &Machine<'_, '_>, civil: DateTime, fraction: f64) -> Result<Value, Stop> {
    let numbers = [
        f64::from(civil.year()),
        f64::from(civil.month()) - 1.0,
        f64::from(civil.day()),
        f64::from(civil.hour()),
        f64::from(civil.minute()),
        f64::from(civil.second()) + fraction,
        f64::from(civil.weekday().to_sunday_zero_offset()),
        f64::from(civil.day_of_year()) - 1.0,
    ];
    machine
        .heap
        .array(numbers.into_iter().map(Value::Number).collect())
}

/// Seconds of broken down time; what is too large for its place is carried over.
fn seconds(value: &Value, zone: &Zone, name: &str) -> Result<f64, Stop> {
    let Value::Array(array) = value else {
        return Err(Stop::message(format!(
            "{name} requires parsed datetime inputs"
        )));
    };
    if array.items.len() < 6 {
        return Err(Stop::message(format!("{name} requires array of 6 numbers")));
    }
    let mut numbers = [0i64; 6];
    for (slot, item) in numbers.iter_mut().zip(&array.items) {
        let number = item
            .as_number()
            .ok_or_else(|| Stop::message(format!("{name} requires parsed datetime inputs")))?;
        *slot = number.floor() as i64;
    }
    let [year, month, day, hour, minute, second] = numbers;
    let invalid = || Stop::message("invalid gmtime representation");
    let (year, month) = (
        year.saturating_add(month.div_euclid(12)),
        month.rem_euclid(12) + 1,
    );
    let first = Date::new(
        i16::try_from(year).map_err(|_| invalid())?,
        i8::try_from(month).map_err(|_| invalid())?,
        1,
    )
    .map_err(|_| invalid())?;
    let start =
        calendar::seconds_of(first.to_datetime(Time::midnight()), zone).ok_or_else(invalid)?;
    let rest = (day.saturating_sub(1))
        .saturating_mul(86_400)
        .saturating_add(hour.saturating_mul(3600))
        .saturating_add(minute.saturating_mul(60))
        .saturating_add(second);
    #[allow(clippy::cast_precision_loss, reason = "doubles are what there is")]
    Ok(start.saturating_add(rest) as f64)
}

fn formatted(
    machine: &Machine<'_, '_>,
    value: &Value,
    format: &Value,
    zone: &Zone,
    name: &str,
) -> Result<Value, Stop> {
    let number = match value {
        Value::Number(_) | Value::Literal(_) => value.as_number().unwrap_or(0.0),
        Value::Array(_) => seconds(value, zone, name)?,
        _ => {
            return Err(Stop::message(format!(
                "{name} requires parsed datetime inputs"
            )));
        }
    };
    let Value::String(format) = format else {
        return Err(Stop::message(format!("{name} requires a string format")));
    };
    let time = calendar::at(number.floor() as i64, 0, zone).ok_or_else(|| {
        Stop::message("error converting number of seconds since epoch to datetime")
    })?;
    let mut out = Vec::new();
    machine.process.spend(format.text.len() * 16);
    calendar::format(&mut out, format.text.as_bytes(), &time, 1024);
    machine
        .heap
        .string(String::from_utf8_lossy(&out).into_owned())
}

fn parsed(machine: &Machine<'_, '_>, value: Value, args: &[Value]) -> Result<Value, Stop> {
    let Value::String(text) = &value else {
        return Err(wrong(&value, "cannot be parsed as a date"));
    };
    let Value::String(format) = arg(args, 0) else {
        return Err(Stop::message("strptime/1 requires a string format"));
    };
    machine
        .process
        .spend((text.text.len() + format.text.len()) * 8);
    let failed = || {
        Stop::message(format!(
            "date \"{}\" does not match format \"{}\"",
            text.text, format.text
        ))
    };
    // `Z` in a format is only a letter, but a zone's name or offset may be there for `%Z`.
    let format_text = format
        .text
        .replace("%Z", "%Q")
        .replace("%e", "%d")
        .replace("%k", "%H")
        .replace("%l", "%I");
    let mut subject = text.text.clone();
    let mut pattern = format_text;
    if pattern.ends_with("%Q") && subject.ends_with(|c: char| c.is_ascii_alphabetic()) {
        subject.truncate(
            subject
                .trim_end_matches(|c: char| c.is_ascii_alphabetic())
                .len(),
        );
        pattern.truncate(pattern.len() - 2);
    }
    let found = jiff::fmt::strtime::parse(&pattern, &subject).map_err(|_| failed())?;
    let civil = match found.to_datetime() {
        Ok(civil) => civil,
        Err(_) => match (found.to_date(), found.to_time(), found.timestamp()) {
            (_, _, Some(stamp)) => stamp.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            (Ok(date), Err(_), _) => date.to_datetime(Time::midnight()),
            (Err(_), Ok(time), _) => jiff::civil::date(1900, 1, 1).to_datetime(time),
            _ => return Err(failed()),
        },
    };
    array(machine, civil, 0.0)
}
