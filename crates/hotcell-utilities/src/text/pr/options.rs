//! What `pr` was asked for.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use super::USAGE;
use crate::{Parsed, quote::quote};

/// What was asked for, as it was asked for; what follows from it is a [`Layout`](super::layout::Layout).
pub(super) struct Options {
    pub(super) first_page: u64,
    pub(super) last_page: u64,
    pub(super) columns: usize,
    pub(super) merges: bool,
    pub(super) is_across: bool,
    pub(super) shows: Shows,
    pub(super) is_double: bool,
    pub(super) date_format: BString,
    /// What is expanded to tab stops besides tabs, and their distance, where it was asked for.
    pub(super) input_tabs: (u8, i64),
    pub(super) expands: bool,
    pub(super) output_tabs: (u8, i64),
    pub(super) compresses: bool,
    pub(super) ends_with_form_feed: bool,
    pub(super) header: Option<BString>,
    pub(super) joins: bool,
    pub(super) page_length: i64,
    pub(super) numbers: Option<Numbers>,
    pub(super) first_number: Option<i64>,
    pub(super) margin: i64,
    pub(super) ignores_missing: bool,
    pub(super) separator: Option<BString>,
    pub(super) has_header: bool,
    pub(super) keeps_form_feeds: bool,
    pub(super) width: i64,
    pub(super) truncates: bool,
}

/// How line numbers look.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) separator: u8,
    pub(super) digits: i64,
}

/// How what cannot be printed is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    AsItIs,
    Hats,
    Octal,
}

impl Options {
    /// What the arguments say, and the files.
    pub(super) fn parse(process: &Process) -> (Self, Vec<BString>) {
        let args = modern(process.args().get(1..).unwrap_or_default());
        let parsed = USAGE.parse_args(process, &args);
        let options = Self::new(process, &parsed);
        (options, parsed.operands)
    }

    fn new(process: &Process, parsed: &Parsed) -> Self {
        let number = |name: &str, least: i64, what: &str| {
            parsed
                .value(name)
                .map(|text| number(process, text, least, what))
        };
        let (first_page, last_page) = match parsed.value("pages") {
            None => (1, u64::MAX),
            Some(text) => page_range(text).unwrap_or_else(|| {
                process.complain([b"invalid page range ", quote(text).as_slice()].concat());
                process.exit(1)
            }),
        };
        let columns = number("columns", 1, "invalid number of columns");
        let page_length = number("length", 1, "'-l PAGE_LENGTH' invalid number of lines");
        let what = "'-N NUMBER' invalid starting line number";
        let first_number = number("first-line-number", i64::from(i32::MIN), what);
        let margin = number("indent", 0, "'-o MARGIN' invalid line offset");
        let narrow = number("width", 1, "'-w PAGE_WIDTH' invalid number of characters");
        let what = "'-W PAGE_WIDTH' invalid number of characters";
        let wide = number("page-width", 1, what);
        let tabs = |name: &str, letter: char| match parsed.value(name) {
            Some(text) => letter_and_number(process, letter, text, (b'\t', 8)),
            None => (b'\t', 8),
        };
        let merges = parsed.has("merge");
        let is_across = parsed.has("across");
        if merges && columns.is_some() {
            process.complain("cannot specify number of columns when printing in parallel");
            process.exit(1);
        }
        if merges && is_across {
            process.complain("cannot specify both printing across and printing in parallel");
            process.exit(1);
        }
        let numbers = parsed.has("number-lines").then(|| {
            let given = parsed.value("number-lines").unwrap_or_default();
            let (separator, digits) = letter_and_number(process, 'n', given, (b'\t', 5));
            Numbers { separator, digits }
        });
        let environment = process.env("POSIXLY_CORRECT");
        let usual_date = if environment.is_some() {
            "%b %e %H:%M %Y"
        } else {
            "%Y-%m-%d %H:%M"
        };
        let mut options = Self {
            first_page,
            last_page,
            columns: usize::try_from(columns.unwrap_or(1)).unwrap_or(1),
            merges,
            is_across,
            shows: if parsed.has("show-nonprinting") {
                Shows::Octal
            } else if parsed.has("show-control-chars") {
                Shows::Hats
            } else {
                Shows::AsItIs
            },
            is_double: parsed.has("double-space"),
            date_format: parsed
                .value("date-format")
                .map_or_else(|| usual_date.into(), BStr::to_owned),
            input_tabs: tabs("expand-tabs", 'e'),
            expands: parsed.has("expand-tabs"),
            output_tabs: tabs("output-tabs", 'i'),
            compresses: parsed.has("output-tabs"),
            ends_with_form_feed: parsed.has("form-feed") || parsed.has("f"),
            header: parsed.value("header").map(BStr::to_owned),
            joins: parsed.has("join-lines"),
            page_length: page_length.unwrap_or(66),
            numbers,
            first_number,
            margin: margin.unwrap_or(0),
            ignores_missing: parsed.has("no-file-warnings"),
            separator: None,
            has_header: !parsed.has("omit-header") && !parsed.has("omit-pagination"),
            keeps_form_feeds: parsed.last_of(&["omit-header", "omit-pagination"])
                == Some("omit-header"),
            width: wide.or(narrow).unwrap_or(72),
            truncates: wide.is_some(),
        };
        options.combine(parsed, columns.is_some() || merges);
        options
    }

    /// What `-s` and `-w` mean depends on each other, and on whether there are columns.
    fn combine(&mut self, parsed: &Parsed, has_columns: bool) {
        // The first -s counts before the first -S, and the last -S in any case.
        let last_string = parsed
            .iter()
            .filter(|(name, _)| *name == "sep-string")
            .last();
        let single = parsed.iter().filter(|(name, _)| *name == "separator");
        let single_comes_first = parsed.iter().find_map(|(name, _)| match name {
            "separator" => Some(true),
            "sep-string" => Some(false),
            _ => None,
        });
        let is_single = parsed.last_of(&["separator", "sep-string"]) == Some("separator")
            || (single_comes_first == Some(true) && last_string.is_none());
        let letter = single.filter_map(|(_, value)| value).last();
        self.separator = last_string.map(|(_, value)| value.unwrap_or_default().to_owned());
        let letter = letter.map(BStr::to_owned);
        let has_string = last_string.is_some();
        let is_narrow =
            parsed.has("width") && parsed.last_of(&["width", "page-width"]) == Some("width");
        if is_narrow {
            if has_columns {
                self.truncates = true;
                if is_single && !has_string {
                    self.separator = Some(letter.unwrap_or_default());
                }
            } else {
                self.joins = true;
            }
        } else if !has_string && is_single && has_columns {
            if self.truncates {
                self.separator = Some(letter.unwrap_or_default());
            } else {
                self.joins = true;
                self.separator = letter.filter(|letter| !letter.is_empty());
            }
        }
    }
}

/// `-3` becomes `--columns=3`, and `+2:5` `--pages=2:5`. All else stays as it is.
fn modern(args: &[BString]) -> Vec<BString> {
    let mut result = Vec::new();
    let mut columns = BString::default();
    let mut has_pages = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_slice() {
            b"--" => {
                result.push(arg.clone());
                break;
            }
            [b'-', b'-', long @ ..] => {
                has_pages |= long.starts_with(b"pa") && !long.starts_with(b"page-w");
                result.push(arg.clone());
                let wants_value = ["pages", "columns", "date-format", "header", "length"]
                    .into_iter()
                    .chain(["first-line-number", "indent", "width", "page-width"])
                    .any(|name| name.as_bytes() == long);
                if wants_value {
                    result.extend(args.next().cloned());
                }
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                let mut kept = BString::from("-");
                let mut rest = letters;
                while let Some((letter, after)) = rest.split_first() {
                    rest = after;
                    if letter.is_ascii_digit() {
                        columns.push(*letter);
                        continue;
                    }
                    kept.push(*letter);
                    if b"DhlNowWeinsS".contains(letter) {
                        kept.extend_from_slice(rest);
                        break;
                    }
                }
                let last = kept.last().copied().unwrap_or_default();
                let wants_value = rest.is_empty() && b"DhlNowW".contains(&last);
                if kept.len() > 1 {
                    result.push(kept);
                }
                if !columns.is_empty() {
                    result.push([b"--columns=", columns.as_slice()].concat().into());
                    columns.clear();
                }
                if wants_value {
                    // The value has to stay behind its letter.
                    if let Some(value) = args.next() {
                        let at = result.len()
                            - usize::from(
                                result
                                    .last()
                                    .is_some_and(|last| last.starts_with(b"--columns=")),
                            );
                        result.insert(at, value.clone());
                    }
                }
            }
            [b'+', range @ ..] if !has_pages && page_range(range).is_some() => {
                has_pages = true;
                result.push([b"--pages=", range].concat().into());
            }
            _ => result.push(arg.clone()),
        }
    }
    result.extend(args.cloned());
    result
}

/// `FIRST[:LAST]`.
fn page_range(text: &[u8]) -> Option<(u64, u64)> {
    let page = |text: &[u8]| text.to_str().ok()?.parse::<u64>().ok();
    let (first, last) = match text.split_once_str(":") {
        Some((first, last)) => (page(first)?, page(last)?),
        None => (page(text)?, u64::MAX),
    };
    (first >= 1 && first <= last).then_some((first, last))
}

/// A number that fits into 32 bits.
fn number(process: &Process, text: &BStr, least: i64, what: &str) -> i64 {
    let digits = text.trim_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
    let reason = if unsigned.is_empty() || !unsigned.iter().all(u8::is_ascii_digit) {
        ""
    } else {
        let value = digits
            .to_str()
            .ok()
            .and_then(|text| text.parse::<i64>().ok());
        match value {
            Some(value) if (least..=i64::from(i32::MAX)).contains(&value) => return value,
            Some(value) if value <= i64::from(i32::MAX) => ": Numerical result out of range",
            _ => ": Value too large for defined data type",
        }
    };
    process.complain(
        [
            what.as_bytes(),
            b": ",
            quote(text).as_slice(),
            reason.as_bytes(),
        ]
        .concat(),
    );
    process.exit(1)
}

/// `[CHAR[NUMBER]]`, as it stands behind `-e`, `-i` and `-n`.
fn letter_and_number(process: &Process, option: char, text: &[u8], usual: (u8, i64)) -> (u8, i64) {
    let (letter, rest) = match text.split_first() {
        None => return usual,
        Some((letter, rest)) if !letter.is_ascii_digit() => (*letter, rest),
        Some(_) => (usual.0, text),
    };
    if rest.is_empty() {
        return (letter, usual.1);
    }
    let number = rest.to_str().ok().and_then(|text| text.parse::<i32>().ok());
    match number.filter(|number| *number > 0) {
        Some(number) => (letter, i64::from(number)),
        None => {
            let what = format!("'-{option}' extra characters or invalid number in the argument: ");
            USAGE.fail(process, [what.as_bytes(), quote(rest).as_slice()].concat())
        }
    }
}
