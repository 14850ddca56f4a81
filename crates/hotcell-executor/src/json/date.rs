//! Times as JavaScript prints and reads them: ISO 8601, years of four digits, or of six with a sign.

const DAY: i64 = 86_400_000;
/// The furthest time that a `Date` can hold, on either side of the epoch.
const MAX_TIME: i64 = 8_640_000_000_000_000;

/// What `toISOString` prints, unless the time is one that no `Date` can hold.
pub(crate) fn to_iso(time: f64) -> Option<String> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "compared with the original; the range fits both"
    )]
    let millis =
        (time.fract() == 0.0 && time.abs() <= MAX_TIME as f64 && time.to_bits() != MINUS_ZERO)
            .then_some(time as i64)?;
    let (year, month, day) = civil_from_days(millis.div_euclid(DAY));
    let rest = millis.rem_euclid(DAY);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{year:+07}"),
    };
    Some(format!(
        "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"
    ))
}

const MINUS_ZERO: u64 = (-0.0f64).to_bits();

/// Reads a date and time with a zone. What is finer than milliseconds is dropped, as `Date` does.
pub(super) fn from_iso(text: &str) -> Option<f64> {
    let mut rest = Rest(text.as_bytes());
    let year = rest.year()?;
    let month = rest.after(b'-')?.digits(2)?;
    let day = rest.after(b'-')?.digits(2)?;
    if !matches!(rest.byte()?, b'T' | b't' | b' ') {
        return None;
    }
    let hour = rest.digits(2)?;
    let minute = rest.after(b':')?.digits(2)?;
    let mut second = 0;
    let mut milli = 0;
    if rest.after(b':').is_some() {
        second = rest.digits(2)?;
        if rest.after(b'.').is_some() {
            milli = rest.fraction()?;
        }
    }
    let zone = rest.zone()?;
    if !rest.0.is_empty()
        || !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
        || minute > 59
        || second > 59
        // Midnight may be written as the end of the day.
        || hour > 24
        || (hour == 24 && (minute, second, milli) != (0, 0, 0))
    {
        return None;
    }
    let time = days_from_civil(year, month, day) * DAY
        + (hour * 60 + minute - zone) * 60_000
        + second * 1000
        + milli;
    #[expect(clippy::cast_precision_loss, reason = "at most 8.64e15, below 2^53")]
    (time.abs() <= MAX_TIME).then_some(time as f64)
}

struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    /// Goes past `byte` if it is the next one.
    fn after(&mut self, byte: u8) -> Option<&mut Self> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(self)
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |n, digit| {
            digit
                .is_ascii_digit()
                .then(|| n * 10 + i64::from(digit - b'0'))
        })
    }

    fn year(&mut self) -> Option<i64> {
        match self.0.first()? {
            b'+' => self.after(b'+')?.digits(6),
            b'-' => self
                .after(b'-')?
                .digits(6)
                .filter(|year| *year != 0)
                .map(|year| -year),
            _ => self.digits(4),
        }
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        (count > 0).then(|| {
            (0..3).fold(0, |n, i| {
                n * 10 + i64::from(digits.get(i).map_or(0, |digit| digit - b'0'))
            })
        })
    }

    /// Minutes east of Greenwich.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.byte()? {
            b'Z' | b'z' => return Some(0),
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let hours = self.digits(2)?;
        self.after(b':');
        let minutes = self.digits(2)?;
        (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year.rem_euclid(4) == 0
            && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) =>
        {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. Years begin in March here, so that the leap day is the last of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
