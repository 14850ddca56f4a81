//! `cat`.

use std::io::{self, Write};

use hotcell_process::{Input, Output, Process, error_text};

use crate::{
    Opt, Usage, Utility,
    lines::Lines,
    operands::{each_input, is_output},
    piece::Piece,
    quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cat",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Concatenate FILE(s) to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('A', "show-all", "equivalent to -vET"),
        Opt::flag(
            'b',
            "number-nonblank",
            "number nonempty output lines, overrides -n",
        ),
        Opt::flag('e', "", "equivalent to -vE"),
        Opt::flag('E', "show-ends", "display $ at end of each line"),
        Opt::flag('n', "number", "number all output lines"),
        Opt::flag('s', "squeeze-blank", "suppress repeated empty output lines"),
        Opt::flag('t', "", "equivalent to -vT"),
        Opt::flag('T', "show-tabs", "display TAB characters as ^I"),
        Opt::flag('u', "", "(ignored)"),
        Opt::flag(
            'v',
            "show-nonprinting",
            "use ^ and M- notation, except for LFD and TAB",
        ),
    ],
    ..Usage::DEFAULT
};

/// What is done to lines. Nothing at all is the usual case, and is copied in large pieces.
#[derive(Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
struct Style {
    numbers: bool,
    numbers_if_not_blank: bool,
    squeezes: bool,
    shows_ends: bool,
    shows_tabs: bool,
    shows_nonprinting: bool,
}

/// Where `cat` is, over all its files.
#[derive(Default)]
struct State {
    line: u64,
    after_blank: bool,
    in_line: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let all = parsed.has("show-all");
    let style = Style {
        numbers: parsed.has("number"),
        numbers_if_not_blank: parsed.has("number-nonblank"),
        squeezes: parsed.has("squeeze-blank"),
        shows_ends: all || parsed.has("e") || parsed.has("show-ends"),
        shows_tabs: all || parsed.has("t") || parsed.has("show-tabs"),
        shows_nonprinting: all
            || parsed.has("e")
            || parsed.has("t")
            || parsed.has("show-nonprinting"),
    };
    if let Err(error) = process.descriptor(1) {
        process.complain(format!("standard output: {}", error_text(&error)));
        return Ok(1);
    }
    let mut out = process.stdout();
    let mut state = State::default();
    let mut is_refused = false;
    let code = each_input(process, &parsed.operands, |name, mut input| {
        if is_output(process, &mut input) {
            out.flush()?;
            let shown = quote::name(name);
            process.complain([shown.as_slice(), b": input file is output file"].concat());
            is_refused = true;
            return Ok(());
        }
        if style == Style::default() {
            copy(input, &mut out)
        } else {
            show(process, input, &mut out, &style, &mut state)
        }
    });
    out.flush()?;
    Ok(if is_refused { 1 } else { code })
}

fn copy(mut input: Input<'_>, out: &mut Output<'_>) -> io::Result<()> {
    let mut pieces = Piece::default();
    loop {
        let piece = pieces.read(&mut input)?;
        if piece.is_empty() {
            return Ok(());
        }
        out.write_all(piece)?;
        // Somebody may wait for an answer to what came.
        out.flush()?;
    }
}

fn show(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    style: &Style,
    state: &mut State,
) -> io::Result<()> {
    let mut lines = Lines::new(process, input)?;
    while let Some(line) = lines.next_line()? {
        let (text, has_end) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line, false),
        };
        let is_blank = text.is_empty() && has_end && !state.in_line;
        if is_blank && state.after_blank && style.squeezes {
            continue;
        }
        state.after_blank = is_blank;
        let numbered = if style.numbers_if_not_blank {
            !is_blank
        } else {
            style.numbers
        };
        if numbered && !state.in_line {
            state.line += 1;
            write!(out, "{:6}\t", state.line)?;
        }
        put(text, out, style)?;
        state.in_line = !has_end;
        if has_end {
            out.write_all(if style.shows_ends { b"$\n" } else { b"\n" })?;
        }
    }
    Ok(())
}

fn put(text: &[u8], out: &mut Output<'_>, style: &Style) -> io::Result<()> {
    for byte in text {
        match *byte {
            b'\t' if style.shows_tabs => out.write_all(b"^I")?,
            b'\t' => out.write_all(b"\t")?,
            byte if style.shows_nonprinting => {
                if byte >= 0x80 {
                    out.write_all(b"M-")?;
                }
                match byte & 0x7f {
                    0x7f => out.write_all(b"^?")?,
                    low @ 0..0x20 => out.write_all(&[b'^', low + 0x40])?,
                    low => out.write_all(&[low])?,
                }
            }
            byte => out.write_all(&[byte])?,
        }
    }
    Ok(())
}
