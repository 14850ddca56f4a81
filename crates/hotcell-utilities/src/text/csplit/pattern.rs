//! Where pieces end.

use bstr::{BString, ByteSlice, ByteVec};
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options, Regex};

use crate::{
    quote::quote,
    regexes::{compile, shown},
};

pub(super) struct Pattern {
    /// As it was given.
    pub(super) text: BString,
    pub(super) aim: Aim,
    /// How often it is repeated; none is for ever.
    pub(super) times: Option<u64>,
}

pub(super) enum Aim {
    /// Before a line, or a multiple of its number.
    Line(u64),
    /// So many lines behind one that matches.
    Match {
        regex: Box<Regex>,
        offset: i64,
        is_skipped: bool,
    },
}

/// Takes all patterns with their repetitions; an error is GNU's message.
pub(super) fn parse(process: &Process, args: &[BString]) -> Result<Vec<Pattern>, BString> {
    let mut patterns = Vec::new();
    let mut last_line = 0;
    let mut args = args.iter().peekable();
    while let Some(text) = args.next() {
        let aim = match text.split_first() {
            Some((b'/', rest)) => matching(process, text, rest, b'/')?,
            Some((b'%', rest)) => matching(process, text, rest, b'%')?,
            _ => {
                let line = line_number(process, text, last_line)?;
                last_line = line;
                Aim::Line(line)
            }
        };
        let times = match args.next_if(|next| next.starts_with(b"{")) {
            None => Some(0),
            Some(count) => repeats(count)?,
        };
        patterns.push(Pattern {
            text: text.clone(),
            aim,
            times,
        });
    }
    Ok(patterns)
}

fn line_number(process: &Process, text: &BString, last: u64) -> Result<u64, BString> {
    let Some(line) = unsigned(text) else {
        return Err(format!("{}: invalid pattern", quote(text)).into());
    };
    if line == 0 {
        let mut message = text.clone();
        message.push_str(": line number must be greater than zero");
        return Err(message);
    }
    if line < last {
        return Err(format!(
            "line number {} is smaller than preceding line number, {last}",
            quote(text)
        )
        .into());
    }
    if line == last {
        process.complain(format!(
            "warning: line number {} is the same as preceding line number",
            quote(text)
        ));
    }
    Ok(line)
}

fn matching(process: &Process, text: &BString, rest: &[u8], delimiter: u8) -> Result<Aim, BString> {
    let Some(end) = rest.rfind_byte(delimiter) else {
        let mut message = text.clone();
        message.push_str(": closing delimiter '");
        message.push_byte(delimiter);
        message.push_str("' missing");
        return Err(message);
    };
    let (regex, after) = rest.split_at(end);
    let regex = match compile(process, regex, Flavor::Basic, Options::default()) {
        Ok(regex) => Box::new(regex),
        Err(error) => {
            return Err(format!(
                "{}: invalid regular expression: {error}",
                quote(shown(text))
            )
            .into());
        }
    };
    let offset = match after.get(1..).unwrap_or_default() {
        b"" => 0,
        after => match after.to_str().ok().and_then(|after| after.parse().ok()) {
            Some(offset) => offset,
            None => {
                return Err(format!("{}: integer expected after delimiter", quote(text)).into());
            }
        },
    };
    Ok(Aim::Match {
        regex,
        offset,
        is_skipped: delimiter == b'%',
    })
}

/// `{3}` or `{*}`.
fn repeats(text: &BString) -> Result<Option<u64>, BString> {
    let Some(count) = text
        .strip_prefix(b"{")
        .and_then(|rest| rest.strip_suffix(b"}"))
    else {
        return Err(format!("{}: '}}' is required in repeat count", quote(text)).into());
    };
    if count == b"*" {
        return Ok(None);
    }
    match unsigned(count) {
        Some(count) => Ok(Some(count)),
        None => {
            let shown = text.strip_suffix(b"}").unwrap_or(text);
            Err(format!("{}}}: integer required between '{{' and '}}'", quote(shown)).into())
        }
    }
}

/// A number as `strtoumax` takes it.
fn unsigned(text: &[u8]) -> Option<u64> {
    let text = text.trim_start();
    let number = text.to_str().ok()?.parse::<i64>().ok()?;
    u64::try_from(number).ok()
}
