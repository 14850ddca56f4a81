//! `date`.

use std::io::{self, Write};

use bstr::{BStr, BString};
use hotcell_process::{Output, Process, file_error};
use hotcell_vfs::Timestamp;

use crate::{
    Opt, Parsed, Usage, Utility,
    calendar::{self, Moment, Zone, zone_of},
    lines::Lines,
    operands::complain_of,
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "date",
    synopsis: "[OPTION]... [+FORMAT]",
    summary: "Display date and time in the given FORMAT.",
    options: &[
        Opt::value(
            'd',
            "date",
            "STRING",
            "display time described by STRING, not 'now'",
        ),
        Opt::flag('\0', "debug", "not supported: refused"),
        Opt::value(
            'f',
            "file",
            "DATEFILE",
            "like --date; once for each line of DATEFILE",
        ),
        Opt::optional(
            'I',
            "iso-8601",
            "FMT",
            "output date/time in ISO 8601 format.\nFMT='date' for date only (the default),\n'hours', 'minutes', 'seconds', or 'ns'",
        ),
        Opt::flag(
            '\0',
            "resolution",
            "output the available resolution of timestamps",
        ),
        Opt::flag('R', "rfc-email", "output date and time in RFC 5322 format"),
        Opt::flag('\0', "rfc-822", "same as --rfc-email"),
        Opt::flag('\0', "rfc-2822", "same as --rfc-email"),
        Opt::value(
            '\0',
            "rfc-3339",
            "FMT",
            "output date/time in RFC 3339 format.\nFMT='date', 'seconds', or 'ns'",
        ),
        Opt::value(
            'r',
            "reference",
            "FILE",
            "display the last modification time of FILE",
        ),
        Opt::value('s', "set", "STRING", "set time: not permitted"),
        Opt::flag('u', "utc", "print Coordinated Universal Time (UTC)"),
        Opt::flag('\0', "universal", "same as --utc"),
    ],
    notes: "FORMAT controls the output. Interpreted sequences are those of strftime: %a %A %b %B %c %C %d %D %e %F %g %G\n\
            %h %H %I %j %k %l %m %M %n %N %p %P %q %r %R %s %S %t %T %u %U %V %w %W %x %X %y %Y %z %:z %::z %:::z %Z %%,\n\
            with the flags - _ 0 + ^ # and a width. Years have at most four digits.",
    ..Usage::DEFAULT
};

/// How wide a conversion may be.
const MAX_WIDTH: usize = 4096;

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.has("debug") {
        USAGE.fail(process, "option '--debug' is not supported");
    }
    let sources = ["date", "file", "reference", "resolution"];
    let given = sources.iter().filter(|name| parsed.has(name)).count();
    if given > 1 {
        USAGE.fail(
            process,
            "the options to specify dates for printing are mutually exclusive",
        );
    }
    if parsed.has("set") && given > 0 {
        USAGE.fail(
            process,
            "the options to print and set the time may not be used together",
        );
    }
    let format = format(process, &parsed, given > 0);
    let widths = || calendar::widths(&format);
    if let Some(width) = widths().find(|width| *width > MAX_WIDTH) {
        process.complain(format!("field width '{width}' is too large"));
        return Ok(1);
    }
    let _room = process.charge(widths().sum())?;
    let zone = if parsed.has("utc") || parsed.has("universal") {
        Zone::UTC
    } else {
        zone_of(process)
    };
    let mut work = Work {
        process,
        zone,
        format,
        out: process.stdout(),
    };
    let code = work.run(&parsed)?;
    work.out.flush()?;
    Ok(code)
}

/// What to print: options, or an operand with a plus.
fn format(process: &Process, parsed: &Parsed, has_source: bool) -> BString {
    let mut formats: Vec<BString> = Vec::new();
    for (option, value) in parsed.iter() {
        let format = match option {
            "iso-8601" => iso_format(process, value),
            "rfc-email" | "rfc-822" | "rfc-2822" => "%a, %d %b %Y %H:%M:%S %z",
            "rfc-3339" => rfc_format(process, value.unwrap_or_default()),
            "resolution" => "%s.%N",
            _ => continue,
        };
        formats.push(format.into());
    }
    match parsed.operands.as_slice() {
        [] => {}
        [_, extra, ..] => USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
        [operand] => match operand.strip_prefix(b"+") {
            Some(format) => formats.push(format.into()),
            None if has_source || parsed.has("set") => USAGE.fail(
                process,
                [
                    b"the argument ",
                    quote(operand).as_slice(),
                    b" lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'",
                ]
                .concat(),
            ),
            None => refuse_to_set(process, operand),
        },
    }
    if formats.len() > 1 {
        process.complain("multiple output formats specified");
        process.exit(1);
    }
    formats
        .pop()
        .unwrap_or_else(|| "%a %b %e %H:%M:%S %Z %Y".into())
}

/// `MMDDhhmm[[CC]YY][.ss]` would set the clock, which is nobody's here.
fn refuse_to_set(process: &Process, operand: &BString) -> ! {
    let is_digit_or_point = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if operand.len() >= 8 && operand.iter().all(is_digit_or_point) {
        process.complain("cannot set date: Operation not permitted");
    } else {
        process.complain([b"invalid date ", quote(operand).as_slice()].concat());
    }
    process.exit(1)
}

fn iso_format(process: &Process, value: Option<&BStr>) -> &'static str {
    let formats = [
        ("hours", "%Y-%m-%dT%H%:z"),
        ("minutes", "%Y-%m-%dT%H:%M%:z"),
        ("date", "%Y-%m-%d"),
        ("seconds", "%Y-%m-%dT%H:%M:%S%:z"),
        ("ns", "%Y-%m-%dT%H:%M:%S,%N%:z"),
    ];
    match value {
        None => "%Y-%m-%d",
        Some(value) => choose(process, "--iso-8601", value, &formats),
    }
}

fn rfc_format(process: &Process, value: &BStr) -> &'static str {
    let formats = [
        ("date", "%Y-%m-%d"),
        ("seconds", "%Y-%m-%d %H:%M:%S%:z"),
        ("ns", "%Y-%m-%d %H:%M:%S.%N%:z"),
    ];
    choose(process, "--rfc-3339", value, &formats)
}

/// One of some words, or a beginning that only one of them has.
fn choose(
    process: &Process,
    option: &str,
    value: &BStr,
    choices: &[(&str, &'static str)],
) -> &'static str {
    let mut near = choices
        .iter()
        .filter(|(name, _)| name.as_bytes().starts_with(value));
    let exact = choices.iter().find(|(name, _)| name.as_bytes() == value);
    let only = match (near.next(), near.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    if let Some((_, format)) = exact.or(only) {
        return format;
    }
    let mut message = b"invalid argument ".to_vec();
    message.extend_from_slice(&quote(value));
    message.extend_from_slice(format!(" for '{option}'\nValid arguments are:").as_bytes());
    for (name, _) in choices {
        message.extend_from_slice(format!("\n  - '{name}'").as_bytes());
    }
    USAGE.fail(process, message)
}

struct Work<'p> {
    process: &'p Process,
    zone: Zone,
    format: BString,
    out: Output<'p>,
}

impl Work<'_> {
    fn run(&mut self, parsed: &Parsed) -> io::Result<i32> {
        if let Some(text) = parsed.value("set") {
            let Some(time) = self.read(text) else {
                return Ok(1);
            };
            self.process
                .complain("cannot set date: Operation not permitted");
            self.print(time)?;
            return Ok(1);
        }
        if let Some(file) = parsed.value("file") {
            return self.each_line(file);
        }
        let time = if let Some(text) = parsed.value("date") {
            self.read(text)
        } else if let Some(file) = parsed.value("reference") {
            self.modified(file)
        } else if parsed.has("resolution") {
            Some((0, 1))
        } else {
            Some(moment(self.process.now()))
        };
        match time {
            Some(time) => self.print(time),
            None => Ok(1),
        }
    }

    /// The time that a text stands for; what is none is told.
    fn read(&self, text: &[u8]) -> Option<Moment> {
        self.process.spend(text.len());
        let now = moment(self.process.now());
        let time = calendar::parse(text, now, &self.zone);
        if time.is_none() {
            self.process
                .complain([b"invalid date ", quote(text).as_slice()].concat());
        }
        time
    }

    fn modified(&self, file: &BStr) -> Option<Moment> {
        let path = self.process.resolve(file);
        match self.process.vfs().stat(&path) {
            Ok(meta) => Some(moment(meta.modified)),
            Err(error) => {
                complain_of(self.process, file, &file_error(error));
                None
            }
        }
    }

    fn each_line(&mut self, file: &BStr) -> io::Result<i32> {
        let input = match self.process.open_input(file) {
            Ok(input) => input,
            Err(error) => {
                complain_of(self.process, file, &error);
                return Ok(1);
            }
        };
        let mut lines = Lines::new(self.process, input)?;
        let mut code = 0;
        while let Some(line) = lines.next_line()? {
            let line = line.strip_suffix(b"\n").unwrap_or(line).to_vec();
            match self.read(&line) {
                Some(time) => code |= self.print(time)?,
                None => code = 1,
            }
        }
        Ok(code)
    }

    fn print(&mut self, (seconds, nanoseconds): Moment) -> io::Result<i32> {
        let Some(time) = calendar::at(seconds, nanoseconds, &self.zone) else {
            self.process
                .complain(format!("time '{seconds}' is out of range"));
            return Ok(1);
        };
        let mut line = Vec::new();
        self.process.spend(self.format.len());
        calendar::format(&mut line, &self.format, &time, MAX_WIDTH);
        line.push(b'\n');
        self.out.write_all(&line)?;
        Ok(0)
    }
}

fn moment(time: Timestamp) -> Moment {
    (time.seconds(), time.subsec_nanos())
}
