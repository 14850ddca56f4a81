//! `nl`.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_meter::Pace;
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options, Regex};

use crate::{
    Opt, Usage, Utility, blanks::put_blanks, lines::Lines, operands::each_input, quote::quote,
    regexes::compile,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "nl",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Write each FILE to standard output, with line numbers added.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'b',
            "body-numbering",
            "STYLE",
            "use STYLE for numbering body lines",
        ),
        Opt::value(
            'd',
            "section-delimiter",
            "CC",
            "use CC for logical page delimiters",
        ),
        Opt::value(
            'f',
            "footer-numbering",
            "STYLE",
            "use STYLE for numbering footer lines",
        ),
        Opt::value(
            'h',
            "header-numbering",
            "STYLE",
            "use STYLE for numbering header lines",
        ),
        Opt::value(
            'i',
            "line-increment",
            "NUMBER",
            "line number increment at each line",
        ),
        Opt::value(
            'l',
            "join-blank-lines",
            "NUMBER",
            "group of NUMBER empty lines counted as one",
        ),
        Opt::value(
            'n',
            "number-format",
            "FORMAT",
            "insert line numbers according to FORMAT: ln, rn or rz",
        ),
        Opt::flag(
            'p',
            "no-renumber",
            "do not reset line numbers for each section",
        ),
        Opt::value(
            's',
            "number-separator",
            "STRING",
            "add STRING after (possible) line number",
        ),
        Opt::value(
            'v',
            "starting-line-number",
            "NUMBER",
            "first line number for each section",
        ),
        Opt::value(
            'w',
            "number-width",
            "NUMBER",
            "use NUMBER columns for line numbers",
        ),
    ],
    notes: "STYLE is one of: a (all lines), t (only nonempty lines), n (no lines),\n\
            pBRE (only lines that contain a match for the basic regular expression, BRE).",
    ..Usage::DEFAULT
};

/// Which lines are numbered.
enum Style {
    All,
    NotEmpty,
    None,
    Matching(Box<Regex>),
}

#[derive(Clone, Copy)]
enum Format {
    Left,
    Right,
    Zeros,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let number = |name: &str, what: &str, default: i64, least: i64| match parsed.value(name) {
        None => default,
        Some(text) => {
            let value = text.to_str().ok().and_then(|text| text.parse::<i64>().ok());
            value.filter(|value| *value >= least).unwrap_or_else(|| {
                let range: &[u8] = if value.is_some() {
                    b": Numerical result out of range"
                } else {
                    b""
                };
                let shown = quote(text);
                let text = [format!("invalid {what}: ").as_bytes(), &shown, range].concat();
                process.complain(text);
                process.exit(1)
            })
        }
    };
    let style = |name: &str, what: &str, default: &'static [u8]| {
        let text = parsed.value(name).map_or(default, |text| text.as_bytes());
        match text {
            b"a" => Style::All,
            b"t" => Style::NotEmpty,
            b"n" => Style::None,
            [b'p', pattern @ ..] => {
                match compile(process, pattern, Flavor::Basic, Options::default()) {
                    Ok(regex) => Style::Matching(Box::new(regex)),
                    Err(error) => {
                        process.complain(error.to_string());
                        process.exit(1)
                    }
                }
            }
            other => USAGE.fail(
                process,
                [
                    format!("invalid {what} numbering style: ").as_bytes(),
                    &quote(other),
                ]
                .concat(),
            ),
        }
    };
    let styles = [
        style("header-numbering", "header", b"n"),
        style("body-numbering", "body", b"t"),
        style("footer-numbering", "footer", b"n"),
    ];
    let increment = number("line-increment", "line number increment", 1, i64::MIN);
    let join = number("join-blank-lines", "line number of blank lines", 1, 1);
    let first = number("starting-line-number", "starting line number", 1, i64::MIN);
    let width =
        usize::try_from(number("number-width", "line number field width", 6, 1)).unwrap_or(6);
    let format = match parsed
        .value("number-format")
        .map(|format| format.as_bytes())
    {
        None | Some(b"rn") => Format::Right,
        Some(b"ln") => Format::Left,
        Some(b"rz") => Format::Zeros,
        Some(other) => USAGE.fail(
            process,
            [b"invalid line numbering format: ", quote(other).as_slice()].concat(),
        ),
    };
    if width > usize::from(u16::MAX) {
        process.complain("line number field width is too large");
        return Ok(1);
    }
    let separator = parsed.value("number-separator").unwrap_or(BStr::new("\t"));
    let delimiter: Vec<u8> = match parsed
        .value("section-delimiter")
        .map(|text| text.as_bytes())
    {
        None => b"\\:".to_vec(),
        Some([one]) => vec![*one, b':'],
        Some(other) => other.to_vec(),
    };
    let mut pace = Pace::new(process.stop_token());
    let mut out = process.stdout();
    let mut section = 1;
    let mut line_number = first;
    let mut blanks = 0;
    let mut overflowed = false;
    let code = each_input(process, &parsed.operands, |_, input| {
        let mut lines = Lines::new(process, input)?;
        while let Some(line) = lines.next_line()? {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if let Some(kind) = section_of(text, &delimiter) {
                section = kind;
                if !parsed.has("no-renumber") {
                    line_number = first;
                }
                out.write_all(b"\n")?;
                continue;
            }
            let is_numbered = match styles.get(section) {
                Some(Style::All) if text.is_empty() && join > 1 => {
                    blanks += 1;
                    if blanks == join {
                        blanks = 0;
                    }
                    blanks == 0
                }
                Some(Style::All) => {
                    blanks = 0;
                    true
                }
                Some(Style::NotEmpty) => !text.is_empty(),
                Some(Style::Matching(regex)) => {
                    regex.is_match(text, &mut pace).map_err(io::Error::other)?
                }
                Some(Style::None) | None => false,
            };
            if is_numbered {
                if overflowed {
                    return Err(io::Error::other("line number overflow"));
                }
                match format {
                    Format::Left => write!(out, "{line_number:<width$}")?,
                    Format::Right => write!(out, "{line_number:>width$}")?,
                    Format::Zeros => write!(out, "{line_number:0width$}")?,
                }
                out.write_all(separator)?;
                match line_number.checked_add(increment) {
                    Some(next) => line_number = next,
                    None => overflowed = true,
                }
            } else {
                put_blanks(&mut out, width + separator.len())?;
            }
            out.write_all(text)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    });
    out.flush()?;
    Ok(code)
}

/// Which section a delimiter line begins: three times for the header, twice for the body, once for the footer.
fn section_of(text: &[u8], delimiter: &[u8]) -> Option<usize> {
    if delimiter.is_empty()
        || !text.starts_with(delimiter)
        || !text.len().is_multiple_of(delimiter.len())
    {
        return None;
    }
    let times = text.len() / delimiter.len();
    let repeats = text.chunks(delimiter.len()).all(|piece| piece == delimiter);
    (repeats && times <= 3).then(|| 3 - times)
}
