//! `pr`.

mod header;
mod input;
mod layout;
mod line;
mod options;
mod page;
mod pen;

use std::io::{self, Write};

use bstr::BString;
use hotcell_process::Process;

use self::{input::Source, layout::Layout, options::Options, page::Printer};
use crate::{Opt, Usage, Utility, operands::complain_of};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "pr",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Divide FILEs into pages for printing, with headers, or into columns.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            '\0',
            "pages",
            "FIRST[:LAST]",
            "print pages FIRST to LAST only; also +FIRST[:LAST]",
        ),
        Opt::value(
            '\0',
            "columns",
            "COLUMN",
            "fill COLUMN columns, from top to bottom unless -a is given;\nalso -COLUMN",
        ),
        Opt::flag('a', "across", "fill columns row by row"),
        Opt::flag('b', "", "balance columns, which is done anyway"),
        Opt::flag(
            'c',
            "show-control-chars",
            "show control characters as ^X, others as octal numbers",
        ),
        Opt::flag('d', "double-space", "an empty line after each line"),
        Opt::value(
            'D',
            "date-format",
            "FORMAT",
            "how the header shows its date",
        ),
        Opt::optional(
            'e',
            "expand-tabs",
            "CHAR[WIDTH]",
            "expand CHAR (a tab) in the input to columns of WIDTH (8)",
        ),
        Opt::flag(
            'F',
            "form-feed",
            "pages end with a form feed, not with empty lines; also -f",
        ),
        Opt::flag('f', "", "the same as -F"),
        Opt::value('h', "header", "HEADER", "HEADER instead of the file's name"),
        Opt::optional(
            'i',
            "output-tabs",
            "CHAR[WIDTH]",
            "write spaces as CHAR (a tab) of WIDTH (8) where possible",
        ),
        Opt::flag(
            'J',
            "join-lines",
            "do not cut lines or align columns; separate them only",
        ),
        Opt::value(
            'l',
            "length",
            "PAGE_LENGTH",
            "lines of a page (66); 10 and fewer leave no room for headers",
        ),
        Opt::flag('m', "merge", "print all files beside each other"),
        Opt::optional(
            'n',
            "number-lines",
            "SEP[DIGITS]",
            "number lines with DIGITS (5) digits, then SEP (a tab)",
        ),
        Opt::value(
            'N',
            "first-line-number",
            "NUMBER",
            "the number of the first line that is printed",
        ),
        Opt::value('o', "indent", "MARGIN", "MARGIN spaces before each line"),
        Opt::flag(
            'r',
            "no-file-warnings",
            "say nothing of files that cannot be opened",
        ),
        Opt::optional(
            's',
            "separator",
            "CHAR",
            "separate columns by CHAR (a tab), and do not align them\nunless -w is given",
        ),
        Opt::optional('S', "sep-string", "STRING", "separate columns by STRING"),
        Opt::flag('t', "omit-header", "neither headers nor trailers"),
        Opt::flag(
            'T',
            "omit-pagination",
            "the same, and form feeds of the input are dropped",
        ),
        Opt::flag(
            'v',
            "show-nonprinting",
            "show what cannot be printed as octal numbers",
        ),
        Opt::value(
            'w',
            "width",
            "PAGE_WIDTH",
            "width of a page with several columns (72)",
        ),
        Opt::value(
            'W',
            "page-width",
            "PAGE_WIDTH",
            "width of a page in any case; longer lines are cut",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let (mut options, files) = Options::parse(process);
    let mut out = process.stdout();
    let mut all_opened = true;
    let stdin = [BString::from("-")];
    let groups: Vec<&[BString]> = if files.is_empty() {
        options.merges = false;
        vec![&stdin]
    } else if options.merges {
        vec![&files]
    } else {
        files.chunks(1).collect()
    };
    for group in groups {
        let columns = if options.merges {
            group.len()
        } else {
            options.columns
        };
        // What is wrong with the layout is told before files are opened.
        let mut layout = Layout::new(process, &options, columns);
        let mut sources = Vec::new();
        for name in group {
            match Source::open(process, name) {
                Ok(source) => sources.push(source),
                Err(error) => {
                    all_opened = false;
                    if !options.ignores_missing {
                        complain_of(process, name, &error);
                    }
                }
            }
        }
        if sources.is_empty() {
            continue;
        }
        if options.merges {
            layout.columns = sources.len();
        }
        let title = if options.merges || files.is_empty() {
            None
        } else {
            group.first()
        };
        let header = header::Header::new(process, &options, title, sources.first());
        Printer::new(process, &options, &layout, header, sources, &mut out)?.print()?;
    }
    out.flush()?;
    Ok(i32::from(!all_opened))
}
