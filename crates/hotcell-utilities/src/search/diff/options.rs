//! The options of `diff`.

use bstr::{BString, ByteSlice};
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options as RegexOptions, Regex};

use super::groups::Formats;
use crate::{
    Opt, Parsed, Usage,
    quote::quote,
    regexes::{compile, shown},
};

pub(super) const USAGE: Usage = Usage {
    name: "diff",
    letters: b"v",
    synopsis: "[OPTION]... FILES",
    summary: "Compare FILES line by line.",
    options: &[
        Opt::flag('\0', "normal", "output a normal diff (the default)"),
        Opt::flag('q', "brief", "report only when files differ"),
        Opt::flag(
            's',
            "report-identical-files",
            "report when two files are the same",
        ),
        Opt::flag('c', "", "output 3 lines of copied context"),
        Opt::optional(
            'C',
            "context",
            "NUM",
            "output NUM (default 3) lines of copied context",
        ),
        Opt::flag('u', "", "output 3 lines of unified context"),
        Opt::optional(
            'U',
            "unified",
            "NUM",
            "output NUM (default 3) lines of unified context",
        ),
        Opt::flag('e', "ed", "output an ed script"),
        Opt::flag('n', "rcs", "output an RCS format diff"),
        Opt::flag('y', "side-by-side", "output in two columns"),
        Opt::value(
            'W',
            "width",
            "NUM",
            "output at most NUM (default 130) print columns",
        ),
        Opt::flag(
            '\0',
            "left-column",
            "output only the left column of common lines",
        ),
        Opt::flag('\0', "suppress-common-lines", "do not output common lines"),
        Opt::flag(
            'p',
            "show-c-function",
            "show which C function each change is in",
        ),
        Opt::value(
            'F',
            "show-function-line",
            "RE",
            "show the most recent line matching RE",
        ),
        Opt::value(
            '\0',
            "label",
            "LABEL",
            "use LABEL instead of file name and timestamp\n(can be repeated)",
        ),
        Opt::flag('t', "expand-tabs", "expand tabs to spaces in output"),
        Opt::flag('T', "initial-tab", "make tabs line up by prepending a tab"),
        Opt::value(
            '\0',
            "tabsize",
            "NUM",
            "tab stops every NUM (default 8) print columns",
        ),
        Opt::flag(
            'r',
            "recursive",
            "recursively compare any subdirectories found",
        ),
        Opt::flag('\0', "no-dereference", "don't follow symbolic links"),
        Opt::flag('N', "new-file", "treat absent files as empty"),
        Opt::flag(
            '\0',
            "unidirectional-new-file",
            "treat absent first files as empty",
        ),
        Opt::flag(
            '\0',
            "ignore-file-name-case",
            "ignore case when comparing file names",
        ),
        Opt::flag(
            '\0',
            "no-ignore-file-name-case",
            "consider case when comparing file names",
        ),
        Opt::value('x', "exclude", "PAT", "exclude files that match PAT"),
        Opt::value(
            'X',
            "exclude-from",
            "FILE",
            "exclude files that match any pattern in FILE",
        ),
        Opt::value(
            'S',
            "starting-file",
            "FILE",
            "start with FILE when comparing directories",
        ),
        Opt::flag(
            'i',
            "ignore-case",
            "ignore case differences in file contents",
        ),
        Opt::flag(
            'E',
            "ignore-tab-expansion",
            "ignore changes due to tab expansion",
        ),
        Opt::flag(
            'Z',
            "ignore-trailing-space",
            "ignore white space at line end",
        ),
        Opt::flag(
            'b',
            "ignore-space-change",
            "ignore changes in the amount of white space",
        ),
        Opt::flag('w', "ignore-all-space", "ignore all white space"),
        Opt::flag(
            'B',
            "ignore-blank-lines",
            "ignore changes where lines are all blank",
        ),
        Opt::value(
            'I',
            "ignore-matching-lines",
            "RE",
            "ignore changes where all lines match RE",
        ),
        Opt::value(
            'D',
            "ifdef",
            "NAME",
            "output merged file with '#ifdef NAME' diffs",
        ),
        Opt::value('\0', "old-group-format", "GFMT", "format lines from FILE1"),
        Opt::value('\0', "new-group-format", "GFMT", "format lines from FILE2"),
        Opt::value(
            '\0',
            "unchanged-group-format",
            "GFMT",
            "format lines common to FILE1 and FILE2",
        ),
        Opt::value(
            '\0',
            "changed-group-format",
            "GFMT",
            "format lines that differ",
        ),
        Opt::value(
            '\0',
            "line-format",
            "LFMT",
            "format all input lines with LFMT",
        ),
        Opt::value('\0', "old-line-format", "LFMT", "format lines from FILE1"),
        Opt::value('\0', "new-line-format", "LFMT", "format lines from FILE2"),
        Opt::value(
            '\0',
            "unchanged-line-format",
            "LFMT",
            "format lines common to FILE1 and FILE2;\nGFMT may contain %< %> %= (lines), numbers such as %df, and %(A=B?T:E);\nLFMT %L (line), %l (without its newline), %dn (its number)",
        ),
        Opt::flag('a', "text", "treat all files as text"),
        Opt::flag(
            '\0',
            "strip-trailing-cr",
            "strip trailing carriage return on input",
        ),
        Opt::flag('d', "minimal", "try hard to find a smaller set of changes"),
        Opt::flag(
            'H',
            "speed-large-files",
            "assume large files and many scattered small changes",
        ),
        Opt::optional(
            '\0',
            "color",
            "WHEN",
            "color output; WHEN is 'never', 'always', or 'auto'",
        ),
    ],
    notes: "FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.\n\
            If a FILE is '-', read standard input.\n\
            Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
    error_code: 2,
    hint: "NAME: Try 'NAME --help' for more information.",
    ..Usage::DEFAULT
};

pub(super) const SDIFF_USAGE: Usage = Usage {
    name: "sdiff",
    letters: b"v",
    synopsis: "[OPTION]... FILE1 FILE2",
    summary: "Side-by-side comparison of FILE1 and FILE2.",
    options: &[
        Opt::flag(
            'i',
            "ignore-case",
            "consider upper- and lower-case to be the same",
        ),
        Opt::flag(
            'E',
            "ignore-tab-expansion",
            "ignore changes due to tab expansion",
        ),
        Opt::flag(
            'Z',
            "ignore-trailing-space",
            "ignore white space at line end",
        ),
        Opt::flag(
            'b',
            "ignore-space-change",
            "ignore changes in the amount of white space",
        ),
        Opt::flag('W', "ignore-all-space", "ignore all white space"),
        Opt::flag(
            'B',
            "ignore-blank-lines",
            "ignore changes whose lines are all blank",
        ),
        Opt::value(
            'I',
            "ignore-matching-lines",
            "RE",
            "ignore changes where all lines match RE",
        ),
        Opt::flag(
            '\0',
            "strip-trailing-cr",
            "strip trailing carriage return on input",
        ),
        Opt::flag('a', "text", "treat all files as text"),
        Opt::value(
            'w',
            "width",
            "NUM",
            "output at most NUM (default 130) print columns",
        ),
        Opt::flag(
            'l',
            "left-column",
            "output only the left column of common lines",
        ),
        Opt::flag('s', "suppress-common-lines", "do not output common lines"),
        Opt::flag('t', "expand-tabs", "expand tabs to spaces in output"),
        Opt::value(
            '\0',
            "tabsize",
            "NUM",
            "tab stops at every NUM (default 8) print columns",
        ),
        Opt::flag('d', "minimal", "try hard to find a smaller set of changes"),
        Opt::flag(
            'H',
            "speed-large-files",
            "assume large files, many scattered small changes",
        ),
    ],
    ..USAGE
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Style {
    Normal,
    Context(usize),
    Unified(usize),
    Ed,
    Rcs,
    SideBySide,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Blanks {
    Matter,
    TrailingIgnored,
    AmountIgnored,
    Ignored,
}

#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(super) struct Options {
    pub(super) style: Style,
    pub(super) formats: Option<Formats>,
    pub(super) brief: bool,
    pub(super) reports_same: bool,
    pub(super) recursive: bool,
    pub(super) new_files: bool,
    pub(super) new_first_files: bool,
    pub(super) follows: bool,
    pub(super) ignores_case: bool,
    pub(super) ignores_tabs: bool,
    pub(super) blanks: Blanks,
    pub(super) ignores_blank_lines: bool,
    pub(super) ignored: Vec<Regex>,
    pub(super) text: bool,
    pub(super) strips_cr: bool,
    pub(super) expands_tabs: bool,
    pub(super) initial_tab: bool,
    pub(super) tab: usize,
    pub(super) width: usize,
    pub(super) left_column: bool,
    pub(super) suppresses_common: bool,
    pub(super) function: Option<Regex>,
    pub(super) labels: Vec<BString>,
    pub(super) color: bool,
    excluded: Vec<BString>,
    pub(super) starting: Option<BString>,
    /// The options as they were given, for the headers of a recursive comparison.
    pub(super) words: Vec<BString>,
}

impl Options {
    /// Whether lines are compared as something that is made of them.
    pub(super) fn copies(&self) -> bool {
        self.ignores_case
            || self.ignores_tabs
            || matches!(self.blanks, Blanks::Ignored | Blanks::AmountIgnored)
    }

    pub(super) fn new(
        process: &Process,
        usage: &Usage,
        parsed: &Parsed,
        style: Option<Style>,
    ) -> Self {
        let number = |name: &str, default: usize| match parsed.value(name) {
            None => default,
            Some(text) => match text.to_str().ok().and_then(|text| text.parse().ok()) {
                Some(number) => number,
                None => usage.fail(
                    process,
                    [
                        b"invalid ",
                        name.as_bytes(),
                        b" length ",
                        quote(text).as_slice(),
                    ]
                    .concat(),
                ),
            },
        };
        let mut chosen = style;
        for (name, _) in parsed.iter() {
            let next = match name {
                "normal" => Style::Normal,
                "c" => Style::Context(3),
                "context" => Style::Context(number("context", 3)),
                "u" => Style::Unified(3),
                "unified" => Style::Unified(number("unified", 3)),
                "ed" => Style::Ed,
                "rcs" => Style::Rcs,
                "side-by-side" => Style::SideBySide,
                _ => continue,
            };
            let kind = |style: &Style| std::mem::discriminant(style);
            if let Some(before) = chosen.filter(|before| kind(before) != kind(&next)) {
                let _ = before;
                usage.fail(process, "conflicting output style options");
            }
            chosen = Some(match (chosen, next) {
                (Some(Style::Unified(one)), Style::Unified(other)) => {
                    Style::Unified(one.max(other))
                }
                (Some(Style::Context(one)), Style::Context(other)) => {
                    Style::Context(one.max(other))
                }
                (_, next) => next,
            });
        }
        let regex =
            |text: &[u8]| match compile(process, text, Flavor::Grep, RegexOptions::default()) {
                Ok(regex) => regex,
                Err(error) => {
                    process.complain(
                        [shown(text).as_bytes(), b": ", error.to_string().as_bytes()].concat(),
                    );
                    process.exit(2)
                }
            };
        let function = match (
            parsed.value("show-function-line"),
            parsed.has("show-c-function"),
        ) {
            (Some(text), _) => Some(regex(text)),
            (None, true) => Some(regex(b"^[[:alpha:]$_]")),
            (None, false) => None,
        };
        if function.is_some() && chosen.is_none() {
            chosen = Some(Style::Context(3));
        }
        let blanks = if parsed.has("ignore-all-space") {
            Blanks::Ignored
        } else if parsed.has("ignore-space-change") {
            Blanks::AmountIgnored
        } else if parsed.has("ignore-trailing-space") {
            Blanks::TrailingIgnored
        } else {
            Blanks::Matter
        };
        let mut excluded: Vec<BString> = parsed.values("exclude").map(Into::into).collect();
        for file in parsed.values("exclude-from") {
            match process.vfs().read_file(&process.resolve(file)) {
                Ok(text) => excluded.extend(text.lines().map(BString::from)),
                Err(error) => {
                    let error = hotcell_process::file_error(error);
                    process.complain(
                        [
                            file.as_bytes(),
                            b": ",
                            hotcell_process::error_text(&error).as_bytes(),
                        ]
                        .concat(),
                    );
                    process.exit(2)
                }
            }
        }
        // What the line above a file of two folders shows: everything but the operands.
        let mut words: Vec<BString> = process.args().iter().skip(1).cloned().collect();
        for operand in parsed.operands.iter().rev() {
            if let Some(at) = words.iter().rposition(|word| word == operand) {
                words.remove(at);
            }
        }
        Self {
            style: chosen.unwrap_or(Style::Normal),
            formats: Formats::of(parsed),
            brief: parsed.has("brief"),
            reports_same: parsed.has("report-identical-files"),
            recursive: parsed.has("recursive"),
            new_files: parsed.has("new-file"),
            new_first_files: parsed.has("unidirectional-new-file"),
            follows: !parsed.has("no-dereference"),
            ignores_case: parsed.has("ignore-case"),
            ignores_tabs: parsed.has("ignore-tab-expansion"),
            blanks,
            ignores_blank_lines: parsed.has("ignore-blank-lines"),
            ignored: parsed
                .values("ignore-matching-lines")
                .map(|text| regex(text))
                .collect(),
            text: parsed.has("text"),
            strips_cr: parsed.has("strip-trailing-cr"),
            expands_tabs: parsed.has("expand-tabs"),
            initial_tab: parsed.has("initial-tab"),
            tab: number("tabsize", 8).max(1),
            width: number("width", 130).max(1),
            left_column: parsed.has("left-column"),
            suppresses_common: parsed.has("suppress-common-lines"),
            function,
            labels: parsed.values("label").map(Into::into).collect(),
            color: parsed.has("color") && parsed.value("color").is_none_or(|when| when == "always"),
            excluded,
            starting: parsed.value("starting-file").map(Into::into),
            words,
        }
    }

    pub(super) fn excludes(&self, name: &[u8]) -> bool {
        self.excluded
            .iter()
            .any(|pattern| crate::wildcard::matches(pattern, name))
    }
}

/// `-5` is five lines of context.
pub(super) fn modern(args: &[BString]) -> Vec<BString> {
    let is_old = |arg: &BString| {
        arg.len() > 1 && arg.starts_with(b"-") && arg.iter().skip(1).all(u8::is_ascii_digit)
    };
    let mut result: Vec<BString> = Vec::new();
    for arg in args {
        match arg.as_slice() {
            _ if is_old(arg) => {
                let is_unified = args.iter().any(|arg| arg == "-u");
                let letter: &[u8] = if is_unified { b"-U" } else { b"-C" };
                result.push([letter, arg.get(1..).unwrap_or_default()].concat().into());
            }
            // `-U 3`: the number is a value of its own here.
            b"-U" | b"-C" => result.push(arg.clone()),
            _ => match result.last_mut() {
                Some(last) if *last == "-U" || *last == "-C" => last.extend_from_slice(arg),
                _ => result.push(arg.clone()),
            },
        }
    }
    result
}
