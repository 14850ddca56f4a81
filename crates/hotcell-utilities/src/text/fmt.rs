//! `fmt`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Input, Output, Process, limit_error};

use crate::{
    Opt, Usage, Utility,
    lines::Lines,
    operands::{complain_of_opening, each_input_or},
    quote::quote,
};

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

/// The longest paragraph that is laid out as a whole; a longer one is cut there.
const MOST_WORDS: usize = 10_000;

struct Style {
    crown: bool,
    tagged: bool,
    split: bool,
    uniform: bool,
    prefix: Vec<u8>,
    width: usize,
    goal: usize,
}

struct Word {
    text: Vec<u8>,
    /// Blanks behind it if it is not the last of its line.
    space: usize,
    ends_sentence: bool,
    has_punctuation: bool,
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
        prefix: parsed
            .value("prefix")
            .unwrap_or_default()
            .trim_ascii()
            .to_vec(),
        width,
        goal: goal.unwrap_or(width * 187 / 200),
    };
    let mut out = process.stdout();
    let code = each_input_or(
        process,
        &parsed.operands,
        complain_of_opening,
        |_, input| format(process, input, &mut out, &style),
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

/// A line: how far it is indented, and its words.
struct Row {
    indent: usize,
    words: Vec<Word>,
}

fn format(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let mut lines = Lines::new(process, input)?;
    let mut paragraph: Vec<Row> = Vec::new();
    let mut charge = process.charge(0)?;
    let mut words = 0;
    while let Some(line) = lines.next_line()? {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        process.spend(text.len());
        let Some(row) = row(text, style).filter(|row| !row.words.is_empty()) else {
            flush(process, &mut paragraph, out, style)?;
            let blank = text.trim_ascii().is_empty();
            out.write_all(if blank { b"" } else { text })?;
            out.write_all(b"\n")?;
            (charge, words) = (process.charge(0)?, 0);
            continue;
        };
        let belongs = match paragraph.as_slice() {
            [] => true,
            _ if style.split => false,
            [first] if style.tagged => first.indent != row.indent,
            [_] if style.crown => true,
            [first] => first.indent == row.indent,
            [.., last] => last.indent == row.indent,
        };
        if !belongs || words >= MOST_WORDS {
            flush(process, &mut paragraph, out, style)?;
            (charge, words) = (process.charge(0)?, 0);
        }
        words += row.words.len();
        charge
            .grow(text.len() + row.words.len() * size_of::<Word>())
            .map_err(limit_error)?;
        paragraph.push(row);
    }
    flush(process, &mut paragraph, out, style)
}

fn row(text: &[u8], style: &Style) -> Option<Row> {
    let start = text
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(text.len());
    let mut indent = column(text.get(..start).unwrap_or_default(), 0);
    let mut rest = text.get(start..).unwrap_or_default();
    if !style.prefix.is_empty() {
        rest = rest.strip_prefix(style.prefix.as_slice())?;
        let blanks = rest
            .iter()
            .position(|byte| !matches!(byte, b' ' | b'\t'))
            .unwrap_or(rest.len());
        indent += blanks;
        rest = rest.get(blanks..).unwrap_or_default();
    }
    let mut words: Vec<Word> = Vec::new();
    while !rest.is_empty() {
        let end = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || *byte == 0x0b)
            .unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        let blanks = after
            .iter()
            .position(|byte| !(byte.is_ascii_whitespace() || *byte == 0x0b))
            .unwrap_or(after.len());
        let last = text.iter().rposition(|byte| !b"\"')]}".contains(byte));
        let period = last
            .and_then(|last| text.get(last))
            .is_some_and(|byte| b".?!".contains(byte));
        let at_end = after.len() == blanks;
        let ends_sentence = period && (at_end || blanks > 1);
        let space = if at_end || style.uniform {
            if ends_sentence { 2 } else { 1 }
        } else {
            blanks
        };
        words.push(Word {
            text: text.to_vec(),
            space,
            ends_sentence,
            has_punctuation: text.last().is_some_and(u8::is_ascii_punctuation),
            opens: text.first().is_some_and(|byte| b"('`\"[{".contains(byte)),
        });
        rest = after.get(blanks..).unwrap_or_default();
    }
    Some(Row { indent, words })
}

fn column(blanks: &[u8], from: usize) -> usize {
    blanks.iter().fold(from, |column, byte| {
        if *byte == b'\t' {
            column + 8 - column % 8
        } else {
            column + 1
        }
    })
}

/// Lays a paragraph out and writes it. The breaks are those that cost least: near the goal, behind sentences, without a
/// word alone.
fn flush(
    process: &Process,
    paragraph: &mut Vec<Row>,
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let rows = std::mem::take(paragraph);
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let (first_indent, other_indent) = match rows.get(1) {
        Some(second) if style.crown || style.tagged => (first.indent, second.indent),
        _ if style.tagged => (first.indent, first.indent + 3),
        _ => (first.indent, first.indent),
    };
    let words: Vec<Word> = rows.into_iter().flat_map(|row| row.words).collect();
    let breaks = layout(process, &words, first_indent, other_indent, style);
    let mut start = 0;
    for (number, end) in breaks.into_iter().enumerate() {
        let indent = if number == 0 {
            first_indent
        } else {
            other_indent
        };
        if style.prefix.is_empty() {
            write!(out, "{:indent$}", "")?;
        } else {
            out.write_all(&style.prefix)?;
            write!(out, "{:indent$}", "")?;
        }
        let line = words.get(start..end).unwrap_or_default();
        for (at, word) in line.iter().enumerate() {
            out.write_all(&word.text)?;
            if at + 1 < line.len() {
                write!(out, "{:1$}", "", word.space)?;
            }
        }
        out.write_all(b"\n")?;
        start = end;
    }
    Ok(())
}

/// Where each line ends, as indices into the words.
fn layout(
    process: &Process,
    words: &[Word],
    first_indent: usize,
    other_indent: usize,
    style: &Style,
) -> Vec<usize> {
    let square = |cost: i64| cost.saturating_mul(cost);
    let equivalent = |cost: i64| square(cost);
    let prefix = style.prefix.len();
    let count = words.len();
    // For each word: what it costs at best to go on from it, where its line ends, and how long that line is.
    let mut costs = vec![i64::MAX; count + 1];
    let mut ends = vec![count; count + 1];
    let mut lengths = vec![0usize; count + 1];
    costs[count] = 0;
    for start in (0..count).rev() {
        let indent = if start == 0 {
            first_indent
        } else {
            other_indent
        } + prefix;
        let mut length = indent;
        let mut end = start;
        while let Some(word) = words.get(end) {
            process.spend(1);
            length += word.text.len();
            end += 1;
            if length >= style.width && end > start + 1 {
                break;
            }
            let mut cost = 0i64;
            if end < count {
                let goal = i64::try_from(style.goal).unwrap_or(0);
                let off = goal - i64::try_from(length).unwrap_or(i64::MAX);
                cost = cost.saturating_add(square(off * 10));
                // A ragged edge: the next line should be about as long.
                if ends.get(end) != Some(&count) {
                    let next = i64::try_from(lengths.get(end).copied().unwrap_or(0)).unwrap_or(0);
                    let ragged = i64::try_from(length).unwrap_or(0) - next;
                    cost = cost.saturating_add(square(ragged * 10) / 2);
                }
            }
            cost = cost.saturating_add(costs.get(end).copied().unwrap_or(0));
            if cost < costs.get(start).copied().unwrap_or(i64::MAX) {
                costs[start] = cost;
                ends[start] = end;
                lengths[start] = length;
            }
            if length >= style.width {
                break;
            }
            length += word.space;
        }
        // What it costs to begin a line with this word.
        let mut base = equivalent(70);
        if let Some(before) = start.checked_sub(1).and_then(|before| words.get(before)) {
            if before.ends_sentence {
                base -= equivalent(50);
            } else if words.get(start).is_some_and(|word| word.opens) || before.has_punctuation {
                base -= equivalent(40);
            } else if let Some(last) = start.checked_sub(2).and_then(|last| words.get(last))
                && last.ends_sentence
            {
                base += equivalent(200) / (i64::try_from(before.text.len()).unwrap_or(1) + 2);
            }
        }
        if words.get(start).is_some_and(|word| word.ends_sentence) {
            base += equivalent(150)
                / (i64::try_from(words.get(start).map_or(1, |word| word.text.len())).unwrap_or(1)
                    + 2);
        }
        if let Some(cost) = costs.get_mut(start) {
            *cost = cost.saturating_add(base);
        }
    }
    let mut breaks = Vec::new();
    let mut at = 0;
    while at < count {
        at = ends.get(at).copied().unwrap_or(count).max(at + 1);
        breaks.push(at);
    }
    breaks
}
