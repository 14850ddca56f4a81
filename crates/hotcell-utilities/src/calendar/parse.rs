//! Dates as people write them: what `date -d` and `touch -d` take.
//!
//! The grammar is that of GNU, with its consequences: a number behind a time is a zone (`10:30 +1 hour` is 10:30 an hour
//! east of Greenwich, and an hour more), and a number behind a month is a year.

use jiff::civil::{Date, DateTime, Time};

use super::{
    Zone, seconds_of,
    words::{Half, Token, Unit, local_names, tokens},
};

/// Seconds since 1970, and nanoseconds.
pub(crate) type Moment = (i64, u32);

/// The time that a text stands for, seen from `now` in a zone.
pub(crate) fn parse(text: &[u8], now: Moment, zone: &Zone) -> Option<Moment> {
    let (text, own_zone) = own_zone(text)?;
    let zone = own_zone.as_ref().unwrap_or(zone);
    let tokens = tokens(text, &local_names(zone, now.0))?;
    if let [Token::Mark(b'@'), rest @ ..] = tokens.as_slice() {
        return match rest {
            [Token::Number(seconds, _) | Token::Signed(seconds, _)] => Some((*seconds, 0)),
            [
                Token::Decimal {
                    seconds,
                    nanoseconds,
                    ..
                },
            ] => Some((*seconds, u32::try_from(*nanoseconds).ok()?)),
            _ => None,
        };
    }
    let mut items = Items {
        tokens: &tokens,
        ..Items::default()
    };
    while !items.tokens.is_empty() {
        items.item()?;
    }
    items.resolve(now, zone)
}

/// `TZ="name"` before a date is the zone of that date.
fn own_zone(text: &[u8]) -> Option<(&[u8], Option<Zone>)> {
    let start = text
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(text.len());
    let text = text.get(start..)?;
    let Some(rest) = text.strip_prefix(b"TZ=\"") else {
        return Some((text, None));
    };
    let end = memchr::memchr(b'"', rest)?;
    let (name, rest) = rest.split_at(end);
    Some((rest.get(1..)?, Some(Zone::named(name))))
}

/// What was found in a date.
#[derive(Default)]
struct Items<'t> {
    tokens: &'t [Token],
    year: Option<(i64, usize)>,
    month_day: Option<(i64, i64)>,
    time: Option<(i64, i64, i64, i64)>,
    /// A day of the week, and which one of them.
    weekday: Option<(i64, i64)>,
    zone: Option<i64>,
    relative: Relative,
    dates: usize,
    times: usize,
    days: usize,
    zones: usize,
    relatives: usize,
}

#[derive(Default)]
struct Relative {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    nanoseconds: i64,
}

impl Items<'_> {
    fn skip(&mut self, count: usize) {
        self.tokens = self.tokens.get(count..).unwrap_or_default();
    }

    /// Takes one item off the front.
    fn item(&mut self) -> Option<()> {
        match *self.tokens {
            [Token::Number(..), ..] => self.begins_with_number(),
            [Token::Signed(count, _), Token::Unit(unit, size), ..] => {
                self.skip(2);
                self.relative(count, unit, size)
            }
            [Token::Decimal { .. }, Token::Unit(Unit::Second, _), ..] => self.fraction(),
            [Token::Ordinal(count), Token::Unit(unit, size), ..] => {
                self.skip(2);
                self.relative(count, unit, size)
            }
            [Token::Ordinal(count), Token::Day(day), ..] => {
                self.skip(2);
                self.weekday(day, count)
            }
            [Token::Unit(unit, size), ..] => {
                self.skip(1);
                self.relative(1, unit, size)
            }
            [Token::DayShift(days), ..] => {
                self.skip(1);
                self.relatives += 1;
                self.relative.days = self.relative.days.checked_add(days)?;
                Some(())
            }
            [Token::Day(day), ..] => {
                self.skip(1);
                if let [Token::Mark(b','), ..] = self.tokens {
                    self.skip(1);
                }
                self.weekday(day, 0)
            }
            [Token::Month(_), ..] => self.begins_with_month(),
            [Token::Zone(_) | Token::T, ..] => self.named_zone(),
            _ => None,
        }
    }

    fn begins_with_number(&mut self) -> Option<()> {
        match *self.tokens {
            [Token::Number(..), Token::Mark(b':'), ..] => self.clock(),
            [Token::Number(hour, _), Token::Meridian(half), ..] => {
                self.skip(2);
                self.set_time(hour, 0, 0, 0, half)
            }
            [
                Token::Number(first, digits),
                Token::Mark(b'/'),
                Token::Number(second, _),
                Token::Mark(b'/'),
                Token::Number(third, third_digits),
                ..,
            ] => {
                self.skip(5);
                if digits >= 4 {
                    self.set_date(Some((first, digits)), second, third)
                } else {
                    self.set_date(Some((third, third_digits)), first, second)
                }
            }
            [
                Token::Number(month, _),
                Token::Mark(b'/'),
                Token::Number(day, _),
                ..,
            ] => {
                self.skip(3);
                self.set_date(None, month, day)
            }
            [
                Token::Number(day, _),
                Token::Month(month),
                Token::Signed(year, digits),
                ..,
            ] => {
                self.skip(3);
                self.set_date(Some((-year, digits)), month, day)
            }
            [
                Token::Number(day, _),
                Token::Month(month),
                Token::Number(year, digits),
                ..,
            ] => {
                self.skip(3);
                self.set_date(Some((year, digits)), month, day)
            }
            [Token::Number(day, _), Token::Month(month), ..] => {
                self.skip(2);
                self.set_date(None, month, day)
            }
            [
                Token::Number(year, digits),
                Token::Signed(month, _),
                Token::Signed(day, _),
                ..,
            ] => {
                self.skip(3);
                self.set_date(Some((year, digits)), -month, -day)?;
                // `T` between date and time belongs to them.
                if let [Token::T, rest @ ..] = self.tokens {
                    self.tokens = rest;
                    return match rest {
                        [Token::Number(..), Token::Mark(b':') | Token::Signed(..), ..] => {
                            self.clock()
                        }
                        _ => None,
                    };
                }
                Some(())
            }
            [
                Token::Number(number, digits),
                Token::Signed(count, _),
                Token::Unit(unit, size),
                ..,
            ] => {
                self.skip(3);
                self.number(number, digits)?;
                self.relative(count, unit, size)
            }
            [Token::Number(..), Token::Signed(..), ..] => self.clock(),
            [Token::Number(count, _), Token::Unit(unit, size), ..] => {
                self.skip(2);
                self.relative(count, unit, size)
            }
            [Token::Number(count, _), Token::Day(day), ..] => {
                self.skip(2);
                self.weekday(day, count)
            }
            [Token::Number(number, digits), ..] => {
                self.skip(1);
                self.number(number, digits)
            }
            _ => None,
        }
    }

    /// A number that nothing says anything about: a year, a date, or a time.
    fn number(&mut self, number: i64, digits: usize) -> Option<()> {
        let may_be_year = self.dates > 0 && self.year.is_none() && self.relatives == 0;
        if may_be_year && (self.times > 0 || digits > 2) {
            self.year = Some((number, digits));
            return Some(());
        }
        if digits > 4 {
            let year = (number / 10_000, digits - 4);
            return self.set_date(Some(year), number / 100 % 100, number % 100);
        }
        let (hour, minute) = if digits <= 2 {
            (number, 0)
        } else {
            (number / 100, number % 100)
        };
        self.set_time(hour, minute, 0, 0, Half::Day)
    }

    /// `10:30:15.5 pm`, `10:30+02:00`, `10-5`.
    fn clock(&mut self) -> Option<()> {
        let [Token::Number(hour, _), ..] = *self.tokens else {
            return None;
        };
        self.skip(1);
        let (mut minute, mut second, mut nanosecond) = (0, 0, 0);
        if let [Token::Mark(b':'), Token::Number(value, _), ..] = *self.tokens {
            minute = value;
            self.skip(2);
            match *self.tokens {
                [Token::Mark(b':'), Token::Number(value, _), ..] => {
                    second = value;
                    self.skip(2);
                }
                [
                    Token::Mark(b':'),
                    Token::Decimal {
                        seconds,
                        nanoseconds,
                        is_signed: false,
                    },
                    ..,
                ] => {
                    (second, nanosecond) = (seconds, nanoseconds);
                    self.skip(2);
                }
                [Token::Mark(b':'), ..] => return None,
                _ => {}
            }
        } else if let [Token::Mark(b':'), ..] = *self.tokens {
            return None;
        }
        let mut half = Half::Day;
        match *self.tokens {
            [Token::Meridian(given), ..] => {
                half = given;
                self.skip(1);
            }
            [Token::Signed(offset, digits), ..] => {
                self.skip(1);
                let seconds = self.offset(offset, digits)?;
                self.set_zone(seconds);
            }
            _ => {}
        }
        self.set_time(hour, minute, second, nanosecond, half)
    }

    /// `+05:30`, `+0530` and `+5`, in seconds.
    fn offset(&mut self, value: i64, digits: usize) -> Option<i64> {
        let minutes = if let [Token::Mark(b':'), Token::Number(minutes, _), ..] = *self.tokens {
            self.skip(2);
            value.checked_mul(60)? + if value < 0 { -minutes } else { minutes }
        } else if digits <= 2 {
            value.checked_mul(60)?
        } else {
            value / 100 * 60 + value % 100
        };
        (minutes.abs() <= 24 * 60).then_some(minutes * 60)
    }

    fn set_zone(&mut self, seconds: i64) {
        self.zones += 1;
        self.zone = Some(seconds);
    }

    fn named_zone(&mut self) -> Option<()> {
        let seconds = match *self.tokens {
            [Token::Zone(seconds), ..] => seconds,
            // The letter T is a zone of soldiers, too.
            _ => -7 * 3600,
        };
        self.skip(1);
        match *self.tokens {
            [Token::Dst, ..] => {
                self.skip(1);
                self.set_zone(seconds + 3600);
            }
            [Token::Signed(count, _), Token::Unit(unit, size), ..] => {
                self.skip(2);
                self.set_zone(seconds);
                self.relative(count, unit, size)?;
            }
            [Token::Signed(offset, digits), ..] => {
                self.skip(1);
                let more = self.offset(offset, digits)?;
                self.set_zone(seconds + more);
            }
            _ => self.set_zone(seconds),
        }
        Some(())
    }

    fn begins_with_month(&mut self) -> Option<()> {
        match *self.tokens {
            [
                Token::Month(month),
                Token::Number(day, _),
                Token::Mark(b','),
                Token::Number(year, digits),
                ..,
            ] => {
                self.skip(4);
                self.set_date(Some((year, digits)), month, day)
            }
            [Token::Month(month), Token::Number(day, _), ..] => {
                self.skip(2);
                self.set_date(None, month, day)
            }
            [
                Token::Month(month),
                Token::Signed(day, _),
                Token::Signed(year, digits),
                ..,
            ] => {
                self.skip(3);
                self.set_date(Some((-year, digits)), month, -day)
            }
            _ => None,
        }
    }

    fn set_date(&mut self, year: Option<(i64, usize)>, month: i64, day: i64) -> Option<()> {
        self.dates += 1;
        if year.is_some() {
            self.year = year;
        }
        self.month_day = Some((month, day));
        Some(())
    }

    fn set_time(
        &mut self,
        hour: i64,
        minute: i64,
        second: i64,
        nanosecond: i64,
        half: Half,
    ) -> Option<()> {
        let hour = match (half, hour) {
            (Half::Morning, 12) => 0,
            (Half::Morning, 1..=11) => hour,
            (Half::Afternoon, 12) => 12,
            (Half::Afternoon, 1..=11) => hour + 12,
            (Half::Day, 0..=23) => hour,
            _ => return None,
        };
        self.times += 1;
        self.time = Some((hour, minute, second, nanosecond));
        Some(())
    }

    fn weekday(&mut self, day: i64, ordinal: i64) -> Option<()> {
        self.days += 1;
        self.weekday = Some((day, ordinal));
        Some(())
    }

    /// So many of a unit, before or after.
    fn relative(&mut self, count: i64, unit: Unit, size: i64) -> Option<()> {
        let count = self.with_ago(count)?.checked_mul(size)?;
        self.relatives += 1;
        let place = match unit {
            Unit::Year => &mut self.relative.years,
            Unit::Month => &mut self.relative.months,
            Unit::Day => &mut self.relative.days,
            Unit::Hour => &mut self.relative.hours,
            Unit::Minute => &mut self.relative.minutes,
            Unit::Second => &mut self.relative.seconds,
        };
        *place = place.checked_add(count)?;
        Some(())
    }

    /// Turned around, if `ago` follows.
    fn with_ago(&mut self, count: i64) -> Option<i64> {
        if let [Token::Ago(sign), ..] = *self.tokens {
            self.skip(1);
            return count.checked_mul(sign);
        }
        Some(count)
    }

    fn fraction(&mut self) -> Option<()> {
        let [
            Token::Decimal {
                seconds,
                nanoseconds,
                ..
            },
            _,
            ..,
        ] = *self.tokens
        else {
            return None;
        };
        self.skip(2);
        let sign = self.with_ago(1)?;
        self.relatives += 1;
        self.relative.seconds = self
            .relative
            .seconds
            .checked_add(seconds.checked_mul(sign)?)?;
        self.relative.nanoseconds += nanoseconds * sign;
        Some(())
    }

    /// What all of it comes to.
    fn resolve(&self, now: Moment, zone: &Zone) -> Option<Moment> {
        let counts = [self.dates, self.times, self.days, self.zones];
        if counts.iter().any(|count| *count > 1) {
            return None;
        }
        let local = super::at(now.0, now.1, zone)?.civil;
        let today = local.date();
        let year = match self.year {
            None => i64::from(today.year()),
            Some((year, 2)) if year < 69 => year + 2000,
            Some((year, 2)) => year + 1900,
            Some((year, _)) => year,
        };
        let (month, day) = self
            .month_day
            .unwrap_or((i64::from(today.month()), i64::from(today.day())));
        let date = Date::new(
            i16::try_from(year).ok()?,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
        )
        .ok()?;
        let (hour, minute, second, nanosecond) = match self.time {
            Some(time) => time,
            // Only what is relative leaves the time of day as it is.
            None if self.relatives > 0 && self.dates == 0 && self.days == 0 => (
                i64::from(local.hour()),
                i64::from(local.minute()),
                i64::from(local.second()),
                i64::from(now.1),
            ),
            None => (0, 0, 0, 0),
        };
        let time = Time::new(
            i8::try_from(hour).ok()?,
            i8::try_from(minute).ok()?,
            i8::try_from(second).ok()?,
            0,
        )
        .ok()?;
        let mut civil = date.to_datetime(time);
        let mut start = seconds_of(civil, zone)?;
        // A time that the clock skips is none.
        if super::at(start, 0, zone)?.civil != civil {
            return None;
        }
        if let Some((weekday, ordinal)) = self.weekday
            && self.dates == 0
        {
            let today = i64::from(civil.weekday().to_sunday_zero_offset());
            let is_other = today != weekday;
            let weeks = ordinal - i64::from(ordinal > 0 && is_other);
            let days = (weekday - today + 7) % 7 + 7 * weeks;
            civil = moved(civil, 0, days)?;
            start = seconds_of(civil, zone)?;
        }
        let relative = &self.relative;
        if (relative.years, relative.months, relative.days) != (0, 0, 0) {
            let months = relative
                .years
                .checked_mul(12)?
                .checked_add(relative.months)?;
            civil = moved(civil, months, relative.days)?;
            start = seconds_of(civil, zone)?;
        }
        if let Some(offset) = self.zone {
            let own = i64::from(super::at(start, 0, zone)?.offset);
            start = start.checked_sub(offset - own)?;
        }
        let seconds = start
            .checked_add(relative.hours.checked_mul(3600)?)?
            .checked_add(relative.minutes.checked_mul(60)?)?
            .checked_add(relative.seconds)?;
        let nanoseconds = nanosecond + relative.nanoseconds;
        let seconds = seconds.checked_add(nanoseconds.div_euclid(1_000_000_000))?;
        let nanoseconds = u32::try_from(nanoseconds.rem_euclid(1_000_000_000)).ok()?;
        Some((seconds, nanoseconds))
    }
}

/// So many months and days later. A day that a month does not have is one of the next month.
fn moved(civil: DateTime, months: i64, days: i64) -> Option<DateTime> {
    let date = civil.date();
    let all = (i64::from(date.year()) * 12 + i64::from(date.month()) - 1).checked_add(months)?;
    let first = Date::new(
        i16::try_from(all.div_euclid(12)).ok()?,
        i8::try_from(all.rem_euclid(12) + 1).ok()?,
        1,
    )
    .ok()?;
    let days = (i64::from(date.day()) - 1).checked_add(days)?;
    let span = jiff::Span::new().try_days(days).ok()?;
    Some(first.checked_add(span).ok()?.to_datetime(civil.time()))
}
