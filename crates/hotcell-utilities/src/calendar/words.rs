//! The words of dates that people write.

use super::Zone;

/// A part of a date, as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// Without a sign: the value, and how many digits it has.
    Number(i64, usize),
    /// With a sign.
    Signed(i64, usize),
    /// With a fraction, in nanoseconds, and whether there is a sign.
    Decimal {
        seconds: i64,
        nanoseconds: i64,
        is_signed: bool,
    },
    Meridian(Half),
    Month(i64),
    /// From Sunday, which is 0.
    Day(i64),
    Unit(Unit, i64),
    /// `first`, `next`, `last`.
    Ordinal(i64),
    /// `tomorrow`, `today`.
    DayShift(i64),
    /// `ago` is -1, `hence` 1.
    Ago(i64),
    /// Seconds east of Greenwich.
    Zone(i64),
    /// The letter that stands between date and time, or for a zone.
    T,
    Dst,
    Mark(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Morning,
    Afternoon,
    Day,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

const MONTHS_AND_DAYS: [(&str, Token); 24] = [
    ("JANUARY", Token::Month(1)),
    ("FEBRUARY", Token::Month(2)),
    ("MARCH", Token::Month(3)),
    ("APRIL", Token::Month(4)),
    ("MAY", Token::Month(5)),
    ("JUNE", Token::Month(6)),
    ("JULY", Token::Month(7)),
    ("AUGUST", Token::Month(8)),
    ("SEPTEMBER", Token::Month(9)),
    ("SEPT", Token::Month(9)),
    ("OCTOBER", Token::Month(10)),
    ("NOVEMBER", Token::Month(11)),
    ("DECEMBER", Token::Month(12)),
    ("SUNDAY", Token::Day(0)),
    ("MONDAY", Token::Day(1)),
    ("TUESDAY", Token::Day(2)),
    ("TUES", Token::Day(2)),
    ("WEDNESDAY", Token::Day(3)),
    ("WEDNES", Token::Day(3)),
    ("THURSDAY", Token::Day(4)),
    ("THUR", Token::Day(4)),
    ("THURS", Token::Day(4)),
    ("FRIDAY", Token::Day(5)),
    ("SATURDAY", Token::Day(6)),
];

const UNITS: [(&str, Unit, i64); 10] = [
    ("YEAR", Unit::Year, 1),
    ("MONTH", Unit::Month, 1),
    ("FORTNIGHT", Unit::Day, 14),
    ("WEEK", Unit::Day, 7),
    ("DAY", Unit::Day, 1),
    ("HOUR", Unit::Hour, 1),
    ("MINUTE", Unit::Minute, 1),
    ("MIN", Unit::Minute, 1),
    ("SECOND", Unit::Second, 1),
    ("SEC", Unit::Second, 1),
];

const RELATIVE: [(&str, Token); 20] = [
    ("TOMORROW", Token::DayShift(1)),
    ("YESTERDAY", Token::DayShift(-1)),
    ("TODAY", Token::DayShift(0)),
    ("NOW", Token::DayShift(0)),
    ("LAST", Token::Ordinal(-1)),
    ("THIS", Token::Ordinal(0)),
    ("NEXT", Token::Ordinal(1)),
    ("FIRST", Token::Ordinal(1)),
    ("THIRD", Token::Ordinal(3)),
    ("FOURTH", Token::Ordinal(4)),
    ("FIFTH", Token::Ordinal(5)),
    ("SIXTH", Token::Ordinal(6)),
    ("SEVENTH", Token::Ordinal(7)),
    ("EIGHTH", Token::Ordinal(8)),
    ("NINTH", Token::Ordinal(9)),
    ("TENTH", Token::Ordinal(10)),
    ("ELEVENTH", Token::Ordinal(11)),
    ("TWELFTH", Token::Ordinal(12)),
    ("AGO", Token::Ago(-1)),
    ("HENCE", Token::Ago(1)),
];

/// Zones that are known by their letters, in minutes east.
const ZONES: [(&str, i64); 53] = [
    ("GMT", 0),
    ("UT", 0),
    ("UTC", 0),
    ("WET", 0),
    ("WEST", 60),
    ("BST", 60),
    ("ART", -180),
    ("BRT", -180),
    ("BRST", -120),
    ("NST", -210),
    ("NDT", -150),
    ("AST", -240),
    ("ADT", -180),
    ("CLT", -240),
    ("CLST", -180),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("AKDT", -480),
    ("HST", -600),
    ("HAST", -600),
    ("HADT", -540),
    ("SST", -720),
    ("WAT", 60),
    ("CET", 60),
    ("CEST", 120),
    ("MET", 60),
    ("MEZ", 60),
    ("MEST", 120),
    ("MESZ", 120),
    ("EET", 120),
    ("EEST", 180),
    ("CAT", 120),
    ("SAST", 120),
    ("EAT", 180),
    ("MSK", 180),
    ("MSD", 240),
    ("IST", 330),
    ("SGT", 480),
    ("KST", 540),
    ("JST", 540),
    ("GST", 600),
    ("NZST", 720),
    ("NZDT", 780),
    ("ACST", 570),
    ("AEST", 600),
    ("AWST", 480),
];

/// Takes a text apart; `None` if there is something in it that is no part of a date.
pub(super) fn tokens(text: &[u8], local: &[(String, i64)]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => at += 1,
            b'0'..=b'9' => {
                let (token, end) = number(text, at, None)?;
                tokens.push(token);
                at = end;
            }
            b'+' | b'-' => {
                let rest = text.get(at + 1..).unwrap_or_default();
                let blanks = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_whitespace())
                    .count();
                // A sign without a number is nothing.
                if !rest.get(blanks).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                    continue;
                }
                let (token, end) = number(text, at + 1 + blanks, Some(*byte == b'-'))?;
                tokens.push(token);
                at = end;
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let rest = text.get(at..).unwrap_or_default();
                let length = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.')
                    .count();
                let word = rest.get(..length)?.to_ascii_uppercase();
                tokens.push(word_token(std::str::from_utf8(&word).ok()?, local)?);
                at += length;
            }
            b'(' => at = behind_comment(text, at)?,
            other => {
                tokens.push(Token::Mark(*other));
                at += 1;
            }
        }
        // Nobody writes more than this, and all of it is looked at several times.
        if tokens.len() > 1000 {
            return None;
        }
    }
    Some(tokens)
}

fn behind_comment(text: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A number at a place, and where it ends.
fn number(text: &[u8], start: usize, sign: Option<bool>) -> Option<(Token, usize)> {
    let rest = text.get(start..)?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_negative = sign == Some(true);
    let mut value = 0i64;
    for digit in rest.get(..length)? {
        value = value
            .checked_mul(10)?
            .checked_add(i64::from(digit - b'0'))?;
    }
    let value = if is_negative { -value } else { value };
    let has_fraction = matches!(rest.get(length), Some(b'.' | b','))
        && rest.get(length + 1).is_some_and(u8::is_ascii_digit);
    if has_fraction {
        let digits = rest.get(length + 1..)?;
        let count = digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let mut nanoseconds = 0i64;
        for place in 0..9 {
            let digit = digits.get(place).filter(|_| place < count);
            nanoseconds = nanoseconds * 10 + i64::from(digit.map_or(0, |digit| digit - b'0'));
        }
        let (mut seconds, mut nanoseconds) = (value, nanoseconds);
        if is_negative && nanoseconds > 0 {
            seconds = seconds.checked_sub(1)?;
            nanoseconds = 1_000_000_000 - nanoseconds;
        }
        let token = Token::Decimal {
            seconds,
            nanoseconds,
            is_signed: sign.is_some(),
        };
        return Some((token, start + length + 1 + count));
    }
    let token = match sign {
        None => Token::Number(value, length),
        Some(_) => Token::Signed(value, length),
    };
    Some((token, start + length))
}

/// What a word in capitals means.
fn word_token(word: &str, local: &[(String, i64)]) -> Option<Token> {
    match word {
        "AM" | "A.M." => return Some(Token::Meridian(Half::Morning)),
        "PM" | "P.M." => return Some(Token::Meridian(Half::Afternoon)),
        "DST" => return Some(Token::Dst),
        _ => {}
    }
    let is_short = word.len() == 3 || (word.len() == 4 && word.ends_with('.'));
    let month_or_day = MONTHS_AND_DAYS.iter().find(|(name, _)| {
        if is_short {
            name.get(..3) == word.get(..3)
        } else {
            *name == word
        }
    });
    if let Some((_, token)) = month_or_day {
        return Some(*token);
    }
    if let Some(zone) = zone(word, local) {
        return Some(zone);
    }
    let unit = |word: &str| UNITS.iter().find(|(name, ..)| *name == word);
    let singular = word.strip_suffix('S').unwrap_or(word);
    if let Some((_, unit, count)) = unit(word).or_else(|| unit(singular)) {
        return Some(Token::Unit(*unit, *count));
    }
    if let Some((_, token)) = RELATIVE.iter().find(|(name, _)| *name == word) {
        return Some(*token);
    }
    if let [letter] = word.as_bytes() {
        return military(*letter, local);
    }
    let without_periods = word.replace('.', "");
    if without_periods.len() < word.len() {
        return zone(&without_periods, local);
    }
    None
}

fn zone(word: &str, local: &[(String, i64)]) -> Option<Token> {
    let own = local.iter().find(|(name, _)| name == word);
    if let Some((_, seconds)) = own {
        return Some(Token::Zone(*seconds));
    }
    let known = ZONES.iter().find(|(name, _)| *name == word);
    known.map(|(_, minutes)| Token::Zone(minutes * 60))
}

/// The letters that soldiers have for zones.
fn military(letter: u8, local: &[(String, i64)]) -> Option<Token> {
    let hours = match letter {
        b'A'..=b'I' => i64::from(letter - b'A') + 1,
        b'K'..=b'M' => i64::from(letter - b'K') + 10,
        b'N'..=b'S' => -i64::from(letter - b'N') - 1,
        b'T' => return Some(Token::T),
        b'U'..=b'Y' => -i64::from(letter - b'U') - 8,
        b'Z' => 0,
        b'J' => return local.first().map(|(_, seconds)| Token::Zone(*seconds)),
        _ => return None,
    };
    Some(Token::Zone(hours * 3600))
}

/// The names that a zone has for itself around a time.
pub(super) fn local_names(zone: &Zone, seconds: i64) -> Vec<(String, i64)> {
    const HALF_YEAR: i64 = 182 * 86_400;
    let times = [
        seconds,
        seconds.saturating_add(HALF_YEAR),
        seconds.saturating_sub(HALF_YEAR),
    ];
    let names = times.into_iter().filter_map(|seconds| {
        let timestamp = jiff::Timestamp::from_second(seconds).ok()?;
        let info = zone.zone.to_offset_info(timestamp);
        let name = info.abbreviation().to_ascii_uppercase();
        Some((name, i64::from(info.offset().seconds())))
    });
    names.collect()
}
