//! `fmt`.
//!
//! `reader` takes lines apart into words and finds where paragraphs begin and end, `layout` finds the breaks that cost least,
//! `pen` writes lines.

mod layout;
mod pen;
mod reader;

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use crate::{
    Opt, Usage, Utility,
    operands::{complain_of_opening, each_input_or},
    quote::quote,
};
use reader::Reader;

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "fmt",
    synopsis: "[-WIDTH] [OPTION]... [FILE]...",
    summary: "Reformat each paragraph in the FILE(s), writing to standard output.\n\
              The option -WIDTH is an abbreviated form of --width=DIGITS.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag(
            'c',
            "crown-margin",
            "preserve indentation of first two lines",
        ),
        Opt::value(
            'p',
            "prefix",
            "STRING",
            "reformat only lines beginning with STRING,\nreattaching the prefix to reformatted lines",
        ),
        Opt::flag('s', "split-only", "split long lines, but do not refill"),
        Opt::flag(
            't',
            "tagged-paragraph",
            "indentation of first line different from second",
        ),
        Opt::flag(
            'u',
            "uniform-spacing",
            "one space between words, two after sentences",
        ),
        Opt::value(
            'w',
            "width",
            "WIDTH",
            "maximum line width (default of 75 columns)",
        ),
        Opt::value('g', "goal", "WIDTH", "goal width (default of 93% of width)"),
    ],
    ..Usage::DEFAULT
};

/// What the options ask for.
struct Style {
    crown: bool,
    tagged: bool,
    split: bool,
    uniform: bool,
    prefix: Prefix,
    width: usize,
    goal: usize,
}

/// `-p`: what lines begin with.
struct Prefix {
    /// Blanks in front of it.
    lead: usize,
    text: Vec<u8>,
    /// How long it is with the blanks behind it.
    whole: usize,
}

impl Prefix {
    fn new(text: &[u8]) -> Self {
        let lead = text.iter().take_while(|byte| **byte == b' ').count();
        let text = text.get(lead..).unwrap_or_default();
        let end = text.iter().rposition(|byte| *byte != b' ');
        Self {
            lead,
            text: text
                .get(..end.map_or(0, |last| last + 1))
                .unwrap_or_default()
                .to_vec(),
            whole: text.len(),
        }
    }
}

/// A word of a paragraph.
struct Word {
    text: Vec<u8>,
    /// Columns between it and the next, if they are on one line.
    space: usize,
    /// It ends with a period, question mark or exclamation mark, quotes and brackets aside.
    has_period: bool,
    /// It ends a sentence.
    is_final: bool,
    /// It ends with punctuation of any kind.
    has_punctuation: bool,
    /// It begins with a bracket or a quote.
    opens: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    let number = |name: &str, most: usize| {
        parsed.value(name).map(|text| {
            match text
                .to_str()
                .ok()
                .and_then(|text| text.parse::<usize>().ok())
            {
                Some(number) if number <= most => number,
                _ => {
                    process.complain([b"invalid width: ", quote(text).as_slice()].concat());
                    process.exit(1)
                }
            }
        })
    };
    let goal = number("goal", 2500);
    let width = number("width", 2500).unwrap_or_else(|| goal.map_or(75, |goal| goal + 10));
    let style = Style {
        crown: parsed.has("crown-margin"),
        tagged: parsed.has("tagged-paragraph"),
        split: parsed.has("split-only"),
        uniform: parsed.has("uniform-spacing"),
        prefix: Prefix::new(parsed.value("prefix").unwrap_or_default()),
        width,
        goal: goal.unwrap_or(width * 187 / 200),
    };
    let mut out = process.stdout();
    let code = each_input_or(
        process,
        &parsed.operands,
        complain_of_opening,
        |_, input| Reader::new(process, input, &style)?.format(&mut out),
    );
    out.flush()?;
    Ok(code)
}

/// `-60` is `-w60`, as the first argument.
fn modern(args: &[BString]) -> Vec<BString> {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && first.len() > 1
        && first.starts_with(b"-")
        && first.iter().skip(1).all(u8::is_ascii_digit)
    {
        *first = [b"-w", first.get(1..).unwrap_or_default()].concat().into();
    }
    args
}
