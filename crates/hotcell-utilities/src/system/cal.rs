//! `cal`, as BSD has it and Debian ships it.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use crate::{
    Opt, Parsed, Usage, Utility,
    calendar::{self, month_names, zone_of},
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cal",
    synopsis: "[-13hjy] [-A NUMBER] [-B NUMBER] [-d YYYY-MM] [[MONTH] YEAR]\n\
               [-13hj] [-A NUMBER] [-B NUMBER] -m MONTH [YEAR]",
    summary: "Display a calendar: of this month, of a month, or of a year.",
    options: &[
        Opt::flag('1', "", "display a single month (the default)"),
        Opt::flag('3', "", "display the previous, this and the next month"),
        Opt::value('A', "", "NUMBER", "display so many months after it, too"),
        Opt::value('B', "", "NUMBER", "display so many months before it, too"),
        Opt::value('d', "", "YYYY-MM", "use that as the current month"),
        Opt::flag('h', "", "accepted; today is never highlighted"),
        Opt::flag('j', "", "number days from the first of January"),
        Opt::value(
            'm',
            "",
            "MONTH",
            "display that month, by its number or name",
        ),
        Opt::flag('y', "", "display the whole year"),
    ],
    notes: "The 2nd of September 1752 is followed by the 14th.",
    error_code: 64,
    ..Usage::DEFAULT
};

/// Months are counted from the first of the year 0.
type Month = i64;

/// The last year there is.
const LAST_YEAR: i64 = 9999;

struct Style {
    /// Days are numbered through the year.
    is_julian: bool,
    /// The year stands beside the names of months.
    has_years: bool,
}

impl Style {
    fn day_width(&self) -> usize {
        if self.is_julian { 3 } else { 2 }
    }

    /// How wide a month is, without the gap to the next.
    fn width(&self) -> usize {
        7 * (self.day_width() + 1) - 1
    }

    fn columns(&self) -> usize {
        if self.is_julian { 2 } else { 3 }
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let (months, is_year) = months(process, &parsed);
    let style = Style {
        is_julian: parsed.has("j"),
        has_years: !is_year,
    };
    let mut out = process.stdout();
    if is_year {
        let year = months.0 / 12;
        let text = year.to_string();
        let width = style.columns() * style.width();
        let spaces = " ".repeat(width.saturating_sub(text.len()) / 2);
        writeln!(out, "{spaces}{text}")?;
    }
    let mut first = months.0;
    while first <= months.1 {
        process.spend(1000);
        if first > months.0 {
            writeln!(out)?;
        }
        let columns = i64::try_from(style.columns()).unwrap_or(3);
        let last = (first + columns - 1).min(months.1);
        for line in row(first..=last, &style) {
            writeln!(out, "{line}")?;
        }
        first = last + 1;
    }
    out.flush()?;
    Ok(0)
}

/// The first and the last month, and whether their year stands above them.
fn months(process: &Process, parsed: &Parsed) -> ((Month, Month), bool) {
    let number = |name: &str| {
        let value = parsed.value(name)?;
        let count: Option<i64> = value.to_str().ok().and_then(|digits| digits.parse().ok());
        match count {
            Some(count) if (0..=LAST_YEAR * 12).contains(&count) => Some(count),
            _ => fail(process, &format!("Argument to -{name} must be positive")),
        }
    };
    let now = match parsed.value("d") {
        Some(value) => given_month(process, value),
        None => this_month(process),
    };
    let mut month = now;
    let mut is_year = parsed.has("y");
    match (parsed.operands.as_slice(), parsed.value("m")) {
        ([], None) => {}
        ([], Some(name)) => month = now - now.rem_euclid(12) + month_number(process, name),
        ([year], None) => {
            month = year_number(process, year) * 12;
            is_year = true;
        }
        ([year] | [_, year], Some(name)) => {
            month = year_number(process, year) * 12 + month_number(process, name);
        }
        ([name, year], None) => {
            month = year_number(process, year) * 12 + month_number(process, name.as_ref());
        }
        _ => USAGE.fail(process, "too many operands"),
    }
    if is_year {
        let first = month - month.rem_euclid(12);
        return ((first, first + 11), true);
    }
    let around = i64::from(parsed.has("3"));
    let before = number("B").unwrap_or(around);
    let after = number("A").unwrap_or(around);
    let first = (month - before).max(12);
    let last = (month + after).min(LAST_YEAR * 12 + 11);
    // Three months of one year have that year above them, as a whole year has.
    let is_one_year = parsed.has("3") && first / 12 == last / 12;
    ((first, last), is_one_year)
}

fn fail(process: &Process, message: &str) -> ! {
    process.complain(message);
    process.exit(64)
}

fn this_month(process: &Process) -> Month {
    let now = process.now();
    let zone = zone_of(process);
    match calendar::at(now.seconds(), now.subsec_nanos(), &zone) {
        Some(time) => i64::from(time.civil.year()) * 12 + i64::from(time.civil.month()) - 1,
        None => 1970 * 12,
    }
}

/// `YYYY-MM`
fn given_month(process: &Process, text: &BStr) -> Month {
    let parts = text.split_once_str("-").and_then(|(year, month)| {
        let year: i64 = year.to_str().ok()?.parse().ok()?;
        let month: i64 = month.to_str().ok()?.parse().ok()?;
        let is_month = (1..=LAST_YEAR).contains(&year) && (1..=12).contains(&month);
        is_month.then_some(year * 12 + month - 1)
    });
    parts.unwrap_or_else(|| USAGE.fail(process, format!("invalid month: {text}")))
}

fn year_number(process: &Process, text: &BString) -> i64 {
    let year = text.to_str().ok().and_then(|digits| digits.parse().ok());
    match year {
        Some(year) if (1..=LAST_YEAR).contains(&year) => year,
        _ => fail(
            process,
            &format!("year `{text}' not in range 1..{LAST_YEAR}"),
        ),
    }
}

/// A month by its number or the beginning of its name, from 0.
fn month_number(process: &Process, text: &BStr) -> i64 {
    let number = text.to_str().ok().and_then(|digits| digits.parse().ok());
    if let Some(number @ 1..=12) = number {
        return number - 1;
    }
    let lower = text.to_ascii_lowercase();
    let named = month_names().iter().position(|name| {
        let name = name.to_ascii_lowercase();
        text.len() >= 3 && name.as_bytes().starts_with(&lower)
    });
    match named.and_then(|place| i64::try_from(place).ok()) {
        Some(number) => number,
        None => fail(
            process,
            &format!("{text} is neither a month number (1..12) nor a name"),
        ),
    }
}

/// The lines of some months beside each other.
fn row(months: std::ops::RangeInclusive<Month>, style: &Style) -> Vec<String> {
    let mut lines = vec![String::new(); 8];
    for month in months {
        for (line, part) in lines.iter_mut().zip(lines_of(month, style)) {
            line.push_str(&part);
            line.push_str("  ");
        }
    }
    lines
}

/// Title, days of the week, and six weeks.
fn lines_of(month: Month, style: &Style) -> Vec<String> {
    let (year, number) = (month / 12, month % 12);
    let name = usize::try_from(number)
        .ok()
        .and_then(|number| month_names().get(number).copied())
        .unwrap_or("");
    let title = if style.has_years {
        format!("{name} {year}")
    } else {
        name.to_owned()
    };
    let (width, day_width) = (style.width(), style.day_width());
    let before = width.saturating_sub(title.len()) / 2;
    let title = format!("{:before$}{title}", "");
    let names = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"];
    let names = names.map(|name| format!("{name:>day_width$}")).join(" ");
    let mut lines = vec![format!("{title:width$}"), names];
    let first = day_number(year, number, 1);
    let mut cells = vec![String::new(); usize::try_from((first + 1).rem_euclid(7)).unwrap_or(0)];
    for day in days_of(year, number) {
        let shown = if style.is_julian {
            day_number(year, number, day) - day_number(year, 0, 1) + 1
        } else {
            day
        };
        cells.push(shown.to_string());
    }
    cells.resize(42, String::new());
    for week in cells.chunks(7) {
        let week: Vec<String> = week
            .iter()
            .map(|cell| format!("{cell:>day_width$}"))
            .collect();
        lines.push(week.join(" "));
    }
    lines
}

/// The days that a month has, from its first.
fn days_of(year: i64, month: i64) -> Vec<i64> {
    let (next_year, next_month) = if month == 11 {
        (year + 1, 0)
    } else {
        (year, month + 1)
    };
    let count = day_number(next_year, next_month, 1) - day_number(year, month, 1);
    if (year, month) == (1752, 8) {
        // Eleven days were left out.
        return (1..=2).chain(14..=30).collect();
    }
    (1..=count).collect()
}

/// The number of a day, counted so that those of Mondays are multiples of seven less one.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let is_new_style = (year, month, day) >= (1752, 8, 14);
    let is_leap = |year: i64| {
        if year > 1752 {
            year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        } else {
            year % 4 == 0
        }
    };
    let past = year - 1;
    let mut days = past * 365 + past / 4;
    if is_new_style {
        // Centuries without a leap day, those since the new style, and the eleven days.
        days -= (past / 100 - 17) - (past / 400 - 4) + 11;
    }
    let before = usize::try_from(month)
        .ok()
        .and_then(|month| BEFORE.get(month));
    days += before.copied().unwrap_or(0) + i64::from(month > 1 && is_leap(year));
    // The first day of the year 1 was a Saturday.
    days + day + 4
}
