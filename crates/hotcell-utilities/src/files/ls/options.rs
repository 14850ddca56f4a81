//! The options of `ls`, and what they come to.

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::style::{Quoting, Style};
use crate::{Opt, Parsed, Usage, quote::quote, size};

pub(super) const USAGE: Usage = Usage {
    name: "ls",
    synopsis: "[OPTION]... [FILE]...",
    summary: "List information about the FILEs (the current directory by default).\n\
              Sort entries alphabetically if none of -cftuvSUX nor --sort is specified.",
    options: &[
        Opt::flag('a', "all", "do not ignore entries starting with ."),
        Opt::flag('A', "almost-all", "do not list implied . and .."),
        Opt::flag(
            'b',
            "escape",
            "print C-style escapes for nongraphic characters",
        ),
        Opt::value(
            '\0',
            "block-size",
            "SIZE",
            "with -l, scale sizes by SIZE when printing them",
        ),
        Opt::flag(
            'B',
            "ignore-backups",
            "do not list implied entries ending with ~",
        ),
        Opt::flag(
            'c',
            "",
            "with -lt: sort by, and show, ctime; with -l: show ctime;\notherwise: sort by ctime, newest first",
        ),
        Opt::flag('C', "", "list entries by columns"),
        Opt::optional(
            '\0',
            "color",
            "WHEN",
            "color the output WHEN: always, auto, never",
        ),
        Opt::flag(
            'd',
            "directory",
            "list directories themselves, not their contents",
        ),
        Opt::flag('f', "", "list all entries in directory order"),
        Opt::optional_long(
            'F',
            "classify",
            "WHEN",
            "append indicator (one of */=>@|) to entries WHEN",
        ),
        Opt::flag('\0', "file-type", "likewise, except do not append '*'"),
        Opt::value(
            '\0',
            "format",
            "WORD",
            "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, vertical -C",
        ),
        Opt::flag('\0', "full-time", "like -l --time-style=full-iso"),
        Opt::flag('g', "", "like -l, but do not list owner"),
        Opt::flag(
            '\0',
            "group-directories-first",
            "group directories before files",
        ),
        Opt::flag(
            'G',
            "no-group",
            "in a long listing, don't print group names",
        ),
        Opt::flag(
            'h',
            "human-readable",
            "with -l and -s, print sizes like 1K 234M 2G etc.",
        ),
        Opt::flag('\0', "si", "likewise, but use powers of 1000 not 1024"),
        Opt::flag(
            'H',
            "dereference-command-line",
            "follow symbolic links listed on the command line",
        ),
        Opt::flag(
            '\0',
            "dereference-command-line-symlink-to-dir",
            "follow each command line symbolic link\nthat points to a directory",
        ),
        Opt::value(
            '\0',
            "hide",
            "PATTERN",
            "do not list implied entries matching shell PATTERN",
        ),
        Opt::value(
            '\0',
            "indicator-style",
            "WORD",
            "append indicator with style WORD to entry names:\nnone, slash (-p), file-type, classify (-F)",
        ),
        Opt::flag('i', "inode", "print the index number of each file"),
        Opt::value(
            'I',
            "ignore",
            "PATTERN",
            "do not list implied entries matching shell PATTERN",
        ),
        Opt::flag(
            'k',
            "kibibytes",
            "default to 1024-byte blocks for file system usage",
        ),
        Opt::flag('l', "", "use a long listing format"),
        Opt::flag(
            'L',
            "dereference",
            "show information for the file a symbolic link references",
        ),
        Opt::flag('m', "", "fill width with a comma separated list of entries"),
        Opt::flag(
            'n',
            "numeric-uid-gid",
            "like -l, but list numeric user and group IDs",
        ),
        Opt::flag('N', "literal", "print entry names without quoting"),
        Opt::flag('o', "", "like -l, but do not list group information"),
        Opt::flag('p', "", "append / indicator to directories"),
        Opt::flag(
            'q',
            "hide-control-chars",
            "print ? instead of nongraphic characters",
        ),
        Opt::flag(
            '\0',
            "show-control-chars",
            "show nongraphic characters as-is",
        ),
        Opt::flag('Q', "quote-name", "enclose entry names in double quotes"),
        Opt::value(
            '\0',
            "quoting-style",
            "WORD",
            "use quoting style WORD for entry names: literal,\nshell, shell-always, shell-escape, c, escape",
        ),
        Opt::flag('r', "reverse", "reverse order while sorting"),
        Opt::flag('R', "recursive", "list subdirectories recursively"),
        Opt::flag(
            's',
            "size",
            "print the allocated size of each file, in blocks",
        ),
        Opt::flag('S', "", "sort by file size, largest first"),
        Opt::value(
            '\0',
            "sort",
            "WORD",
            "sort by WORD instead of name: none (-U), size (-S),\ntime (-t), version (-v), extension (-X), width",
        ),
        Opt::value(
            '\0',
            "time",
            "WORD",
            "change the default of using modification times:\natime, access, use, ctime, status, mtime, modification",
        ),
        Opt::value(
            '\0',
            "time-style",
            "TIME_STYLE",
            "time/date format with -l: full-iso, long-iso, iso, locale, +FORMAT",
        ),
        Opt::flag('t', "", "sort by time, newest first"),
        Opt::value(
            'T',
            "tabsize",
            "COLS",
            "assume tab stops at each COLS instead of 8",
        ),
        Opt::flag(
            'u',
            "",
            "with -lt: sort by, and show, access time; with -l: show\naccess time; otherwise: sort by access time",
        ),
        Opt::flag('U', "", "do not sort; list entries in directory order"),
        Opt::flag('v', "", "natural sort of (version) numbers within text"),
        Opt::value(
            'w',
            "width",
            "COLS",
            "set output width to COLS.  0 means no limit",
        ),
        Opt::flag('x', "", "list entries by lines instead of by columns"),
        Opt::flag('X', "", "sort alphabetically by entry extension"),
        Opt::flag('\0', "author", "with -l, print the author of each file"),
        Opt::flag('\0', "zero", "end each output line with NUL, not newline"),
        Opt::flag('1', "", "list one file per line"),
    ],
    error_code: 2,
    ..Usage::DEFAULT
};

pub(super) const DIR_USAGE: Usage = Usage {
    name: "dir",
    ..USAGE
};
pub(super) const VDIR_USAGE: Usage = Usage {
    name: "vdir",
    ..USAGE
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Format {
    Single,
    Columns,
    Across,
    Commas,
    Long,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    None,
    Name,
    Size,
    Time,
    Extension,
    Version,
    Width,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Which {
    Modified,
    Accessed,
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Dereference {
    Never,
    NamedFolders,
    Named,
    Always,
}

/// How sizes are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Units {
    Plain,
    Human,
    Si,
    Blocks(u64),
}

#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(super) struct Options {
    pub(super) format: Format,
    pub(super) sort: Sort,
    pub(super) which: Which,
    pub(super) reverse: bool,
    pub(super) recursive: bool,
    pub(super) directories_themselves: bool,
    pub(super) directories_first: bool,
    pub(super) shows_dots: bool,
    shows_hidden: bool,
    ignores_backups: bool,
    ignored: Vec<BString>,
    hidden: Vec<BString>,
    pub(super) dereference: Dereference,
    pub(super) inodes: bool,
    pub(super) sizes: bool,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) author: bool,
    pub(super) numeric: bool,
    pub(super) units: Units,
    pub(super) time_style: Option<String>,
    pub(super) width: usize,
    /// How far tabs are apart; 0 if there are none.
    pub(super) tab: usize,
    /// What ends a line.
    pub(super) end: u8,
    pub(super) style: Style,
}

impl Options {
    pub(super) fn new(
        process: &Process,
        usage: &Usage,
        parsed: &Parsed,
        format: Option<Format>,
    ) -> Self {
        let is_terminal = process.stdout().stream().is_terminal();
        let invalid = |option: &str, value: &[u8]| -> ! {
            usage.fail(
                process,
                [
                    b"invalid argument ",
                    quote(value).as_slice(),
                    format!(" for '--{option}'").as_bytes(),
                ]
                .concat(),
            )
        };
        let mut options = Self {
            format: format.unwrap_or(if is_terminal {
                Format::Columns
            } else {
                Format::Single
            }),
            sort: Sort::Name,
            which: Which::Modified,
            reverse: parsed.has("reverse"),
            recursive: parsed.has("recursive"),
            directories_themselves: parsed.has("directory"),
            directories_first: parsed.has("group-directories-first"),
            shows_dots: parsed.has("all") || parsed.has("f"),
            shows_hidden: parsed.has("all") || parsed.has("almost-all") || parsed.has("f"),
            ignores_backups: parsed.has("ignore-backups"),
            ignored: parsed.values("ignore").map(Into::into).collect(),
            hidden: parsed.values("hide").map(Into::into).collect(),
            dereference: Dereference::Never,
            inodes: parsed.has("inode"),
            sizes: parsed.has("size"),
            owner: !parsed.has("g"),
            group: !parsed.has("o") && !parsed.has("no-group"),
            author: parsed.has("author"),
            numeric: parsed.has("numeric-uid-gid"),
            units: Units::Plain,
            time_style: None,
            width: width(process, parsed),
            tab: tab(process, parsed),
            end: if parsed.has("zero") { 0 } else { b'\n' },
            style: Style::new(process, parsed, is_terminal, usage),
        };
        if parsed.last_of(&["all", "almost-all"]) == Some("almost-all") {
            options.shows_dots = false;
        }
        let mut sort = None;
        for (name, value) in parsed.iter() {
            let value = value.map(|value| value.as_bytes());
            match (name, value) {
                ("l" | "g" | "o" | "numeric-uid-gid", _) => options.format = Format::Long,
                ("C", _) => options.format = Format::Columns,
                ("x", _) => options.format = Format::Across,
                ("m", _) => options.format = Format::Commas,
                ("zero", _) if options.format != Format::Long => options.format = Format::Single,
                ("1", _) if options.format != Format::Long => options.format = Format::Single,
                ("format", Some(b"long" | b"verbose")) => options.format = Format::Long,
                ("format", Some(b"across" | b"horizontal")) => options.format = Format::Across,
                ("format", Some(b"commas")) => options.format = Format::Commas,
                ("format", Some(b"single-column")) => options.format = Format::Single,
                ("format", Some(b"vertical")) => options.format = Format::Columns,
                ("format", Some(other)) => invalid("format", other),
                ("S", _) | ("sort", Some(b"size")) => sort = Some(Sort::Size),
                ("t", _) | ("sort", Some(b"time")) => sort = Some(Sort::Time),
                ("X", _) | ("sort", Some(b"extension")) => sort = Some(Sort::Extension),
                ("v", _) | ("sort", Some(b"version")) => sort = Some(Sort::Version),
                ("U" | "f", _) | ("sort", Some(b"none")) => sort = Some(Sort::None),
                ("sort", Some(b"width")) => sort = Some(Sort::Width),
                ("sort", Some(b"name")) => sort = Some(Sort::Name),
                ("sort", Some(other)) => invalid("sort", other),
                ("c", _) | ("time", Some(b"ctime" | b"status")) => options.which = Which::Changed,
                ("u", _) | ("time", Some(b"atime" | b"access" | b"use")) => {
                    options.which = Which::Accessed;
                }
                ("time", Some(b"mtime" | b"modification")) => options.which = Which::Modified,
                ("time", Some(other)) => invalid("time", other),
                ("human-readable", _) => options.units = Units::Human,
                ("si", _) => options.units = Units::Si,
                ("block-size", Some(text)) => {
                    options.units = match text {
                        b"human-readable" => Units::Human,
                        b"si" => Units::Si,
                        _ => Units::Blocks(size::block_size(text).unwrap_or_else(|| {
                            process.complain(
                                [b"invalid --block-size argument ", quote(text).as_slice()]
                                    .concat(),
                            );
                            process.exit(2)
                        })),
                    };
                }
                ("full-time", _) => {
                    options.format = Format::Long;
                    options.time_style = Some("full-iso".into());
                }
                ("time-style", Some(text)) => {
                    options.time_style =
                        Some(time_style(text).unwrap_or_else(|| invalid("time-style", text)));
                }
                ("dereference", _) => options.dereference = Dereference::Always,
                ("dereference-command-line", _) => options.dereference = Dereference::Named,
                ("dereference-command-line-symlink-to-dir", _) => {
                    options.dereference = Dereference::NamedFolders;
                }
                _ => {}
            }
        }
        // The time that is shown is sorted by, unless it is shown.
        let by_time = options.which != Which::Modified && options.format != Format::Long;
        options.sort = sort.unwrap_or(if by_time { Sort::Time } else { Sort::Name });
        let is_long = options.format == Format::Long;
        if options.dereference == Dereference::Never
            && !is_long
            && !options.style.classifies()
            && !options.directories_themselves
        {
            options.dereference = Dereference::NamedFolders;
        }
        options
    }

    /// Whether a file that was found is listed.
    pub(super) fn shows(&self, name: &BString) -> bool {
        if name.starts_with(b".") && !self.shows_hidden {
            return false;
        }
        if (name == "." || name == "..") && self.shows_dots {
            return true;
        }
        let matches = |patterns: &[BString]| {
            patterns
                .iter()
                .any(|pattern| crate::wildcard::matches(pattern, name))
        };
        !(self.ignores_backups && name.ends_with(b"~")
            || matches(&self.ignored)
            || !self.shows_hidden && matches(&self.hidden))
    }

    /// A size as it is shown; of blocks, if it is one that is allocated.
    pub(super) fn size(&self, bytes: u64, is_blocks: bool) -> String {
        match self.units {
            Units::Human => size::human(bytes, 1024),
            Units::Si => size::human(bytes, 1000),
            Units::Blocks(size) => bytes.div_ceil(size).to_string(),
            Units::Plain if is_blocks => bytes.div_ceil(1024).to_string(),
            Units::Plain => bytes.to_string(),
        }
    }
}

fn width(process: &Process, parsed: &Parsed) -> usize {
    let given = parsed
        .value("width")
        .map(BString::from)
        .or_else(|| process.env("COLUMNS"));
    let number = given
        .as_ref()
        .and_then(|text| text.to_str().ok()?.parse::<usize>().ok());
    if let (Some(text), None) = (parsed.value("width"), number) {
        process.complain([b"invalid line width: ", quote(text).as_slice()].concat());
        process.exit(2);
    }
    match number {
        Some(0) => usize::MAX,
        Some(width) => width,
        None => 80,
    }
}

fn tab(process: &Process, parsed: &Parsed) -> usize {
    let given = parsed.value("tabsize");
    let number = given.map_or(Some(8), |text| text.to_str().ok()?.parse().ok());
    number.unwrap_or_else(|| {
        let text = given.unwrap_or_default();
        process.complain([b"invalid tab size: ", quote(text).as_slice()].concat());
        process.exit(2)
    })
}

fn time_style(text: &[u8]) -> Option<String> {
    let text = text.strip_prefix(b"posix-").unwrap_or(text);
    let known =
        matches!(text, b"full-iso" | b"long-iso" | b"iso" | b"locale") || text.starts_with(b"+");
    known.then(|| String::from_utf8_lossy(text).into_owned())
}

pub(super) fn quoting(word: &[u8]) -> Option<Quoting> {
    Some(match word {
        b"literal" => Quoting::Literal,
        b"shell" | b"shell-escape" => Quoting::Shell,
        b"shell-always" | b"shell-escape-always" => Quoting::ShellAlways,
        b"c" | b"c-maybe" => Quoting::C,
        b"escape" => Quoting::Escape,
        _ => return None,
    })
}
