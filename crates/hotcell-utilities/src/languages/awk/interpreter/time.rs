//! `systime`, `mktime` and `strftime`.

use bstr::ByteSlice;
use jiff::civil::Date;

use super::{
    super::{
        array::Sought,
        syntax::{ENVIRON, PROCINFO, Variable},
        value::Value,
    },
    Interpreter, Result,
};
use crate::calendar::{self, Zone};

impl Interpreter<'_> {
    /// The zone that the program is in: it may have changed its environment.
    fn zone(&mut self) -> Result<Zone> {
        let environ = self.array_of(Variable::Global(ENVIRON))?;
        let name = environ.borrow().get(Sought::of(b"TZ")).cloned();
        let Some(name) = name else {
            return Ok(Zone::UTC);
        };
        let name = self.as_text(&name)?;
        Ok(Zone::named(name.as_bytes()))
    }

    pub(super) fn systime(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "seconds fit")]
        let seconds = self.process.now().seconds() as f64;
        seconds
    }

    pub(super) fn strftime(
        &mut self,
        format: Option<Value>,
        time: Option<f64>,
        is_utc: bool,
    ) -> Result<Value> {
        let format = match format {
            Some(format) => self.as_text(&format)?,
            None => {
                let procinfo = self.array_of(Variable::Global(PROCINFO))?;
                let format = procinfo.borrow().get(Sought::of(b"strftime")).cloned();
                self.as_text(&format.unwrap_or_default())?
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "conversions saturate")]
        let seconds = time.map_or_else(|| self.process.now().seconds(), |time| time.floor() as i64);
        let zone = if is_utc { Zone::UTC } else { self.zone()? };
        let Some(time) = calendar::at(seconds, 0, &zone) else {
            return Err("strftime: second argument out of range for time_t"
                .to_owned()
                .into());
        };
        let mut text = self.take_scratch();
        self.process.spend(format.as_bytes().len());
        calendar::format(&mut text, format.as_bytes(), &time, 4096);
        let value = self.text(&text)?;
        self.give_scratch(text);
        Ok(value)
    }

    /// `"YYYY MM DD HH MM SS [DST]"` as seconds; -1 if it is no such thing.
    pub(super) fn mktime(&mut self, text: &[u8], is_utc: bool) -> Result<Value> {
        let zone = if is_utc { Zone::UTC } else { self.zone()? };
        let numbers: Option<Vec<i64>> = text
            .fields()
            .map(|word| word.to_str().ok()?.parse().ok())
            .collect();
        let seconds = numbers.and_then(|numbers| seconds_of(&numbers, &zone));
        #[expect(clippy::cast_precision_loss, reason = "seconds fit")]
        Ok(Value::Number(
            seconds.map_or(-1.0, |seconds| seconds as f64),
        ))
    }
}

/// Numbers may be out of their range, and then count on: the 32nd of a month is a day of the next.
fn seconds_of(numbers: &[i64], zone: &Zone) -> Option<i64> {
    let [year, month, day, hour, minute, second, ..] = *numbers else {
        return None;
    };
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let first = Date::new(
        i16::try_from(months.div_euclid(12)).ok()?,
        i8::try_from(months.rem_euclid(12) + 1).ok()?,
        1,
    )
    .ok()?;
    let seconds = hour
        .checked_mul(3600)?
        .checked_add(minute.checked_mul(60)?)?
        .checked_add(second)?;
    let days = day
        .checked_sub(1)?
        .checked_add(seconds.div_euclid(86_400))?;
    let of_day = seconds.rem_euclid(86_400);
    let date = first
        .checked_add(jiff::Span::new().try_days(days).ok()?)
        .ok()?;
    let time = date.at(
        i8::try_from(of_day / 3600).ok()?,
        i8::try_from(of_day / 60 % 60).ok()?,
        i8::try_from(of_day % 60).ok()?,
        0,
    );
    let zoned = time.to_zoned(zone.zone.clone()).ok()?;
    Some(zoned.timestamp().as_second())
}
