//! The options of `grep`.

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::invalid;
use crate::{Opt, Parsed, Usage, quote::quote};

pub(super) const USAGE: Usage = Usage {
    name: "grep",
    synopsis: "[OPTION]... PATTERNS [FILE]...",
    summary: "Search for PATTERNS in each FILE.\nExample: grep -i 'hello world' menu.h main.c\n\
              PATTERNS can contain multiple patterns separated by newlines.",
    options: &[
        Opt::flag(
            'E',
            "extended-regexp",
            "PATTERNS are extended regular expressions",
        ),
        Opt::flag('F', "fixed-strings", "PATTERNS are strings"),
        Opt::flag(
            'G',
            "basic-regexp",
            "PATTERNS are basic regular expressions",
        ),
        Opt::flag('P', "perl-regexp", "PATTERNS are Perl regular expressions"),
        Opt::value('e', "regexp", "PATTERNS", "use PATTERNS for matching"),
        Opt::value('f', "file", "FILE", "take PATTERNS from FILE"),
        Opt::flag(
            'i',
            "ignore-case",
            "ignore case distinctions in patterns and data",
        ),
        Opt::flag('y', "", "same as -i"),
        Opt::flag(
            '\0',
            "no-ignore-case",
            "do not ignore case distinctions (default)",
        ),
        Opt::flag('w', "word-regexp", "match only whole words"),
        Opt::flag('x', "line-regexp", "match only whole lines"),
        Opt::flag('z', "null-data", "a data line ends in 0 byte, not newline"),
        Opt::flag('s', "no-messages", "suppress error messages"),
        Opt::flag('v', "invert-match", "select non-matching lines"),
        Opt::flag('V', "", "display version information and exit"),
        Opt::value('m', "max-count", "NUM", "stop after NUM selected lines"),
        Opt::flag(
            'b',
            "byte-offset",
            "print the byte offset with output lines",
        ),
        Opt::flag('n', "line-number", "print line number with output lines"),
        Opt::flag('\0', "line-buffered", "flush output on every line"),
        Opt::flag('H', "with-filename", "print file name with output lines"),
        Opt::flag(
            'h',
            "no-filename",
            "suppress the file name prefix on output",
        ),
        Opt::value(
            '\0',
            "label",
            "LABEL",
            "use LABEL as the standard input file name prefix",
        ),
        Opt::flag(
            'o',
            "only-matching",
            "show only nonempty parts of lines that match",
        ),
        Opt::flag('q', "quiet", "suppress all normal output"),
        Opt::flag('\0', "silent", "same as --quiet"),
        Opt::value(
            '\0',
            "binary-files",
            "TYPE",
            "assume that binary files are TYPE;\nTYPE is 'binary', 'text', or 'without-match'",
        ),
        Opt::flag('a', "text", "equivalent to --binary-files=text"),
        Opt::flag('I', "", "equivalent to --binary-files=without-match"),
        Opt::value(
            'd',
            "directories",
            "ACTION",
            "how to handle directories;\nACTION is 'read', 'recurse', or 'skip'",
        ),
        Opt::value(
            'D',
            "devices",
            "ACTION",
            "how to handle devices, FIFOs and sockets;\nACTION is 'read' or 'skip'",
        ),
        Opt::flag('r', "recursive", "like --directories=recurse"),
        Opt::flag(
            'R',
            "dereference-recursive",
            "likewise, but follow all symlinks",
        ),
        Opt::value(
            '\0',
            "include",
            "GLOB",
            "search only files that match GLOB (a file pattern)",
        ),
        Opt::value('\0', "exclude", "GLOB", "skip files that match GLOB"),
        Opt::value(
            '\0',
            "exclude-from",
            "FILE",
            "skip files that match any file pattern from FILE",
        ),
        Opt::value(
            '\0',
            "exclude-dir",
            "GLOB",
            "skip directories that match GLOB",
        ),
        Opt::flag(
            'L',
            "files-without-match",
            "print only names of FILEs with no selected lines",
        ),
        Opt::flag(
            'l',
            "files-with-matches",
            "print only names of FILEs with selected lines",
        ),
        Opt::flag(
            'c',
            "count",
            "print only a count of selected lines per FILE",
        ),
        Opt::flag('T', "initial-tab", "make tabs line up (if needed)"),
        Opt::flag('Z', "null", "print 0 byte after FILE name"),
        Opt::value(
            'B',
            "before-context",
            "NUM",
            "print NUM lines of leading context",
        ),
        Opt::value(
            'A',
            "after-context",
            "NUM",
            "print NUM lines of trailing context",
        ),
        Opt::value('C', "context", "NUM", "print NUM lines of output context"),
        Opt::value(
            '\0',
            "group-separator",
            "SEP",
            "print SEP on line between matches with context",
        ),
        Opt::flag(
            '\0',
            "no-group-separator",
            "do not print separator for matches with context",
        ),
        Opt::optional(
            '\0',
            "color",
            "WHEN",
            "use markers to highlight the matching strings;\nWHEN is 'always', 'never', or 'auto'",
        ),
        Opt::optional('\0', "colour", "WHEN", "same as --color"),
        Opt::flag(
            'U',
            "binary",
            "do not strip CR characters at EOL (MSDOS/Windows)",
        ),
    ],
    notes: "When FILE is '-', read standard input.  With no FILE, read '.' if\n\
            recursive, '-' otherwise.  With fewer than two FILEs, assume -h.\n\
            Exit status is 0 if any line is selected, 1 otherwise;\n\
            if any error occurs and -q is not given, the exit status is 2.",
    error_code: 2,
    shows_synopsis: true,
    ..Usage::DEFAULT
};

pub(super) const EGREP_USAGE: Usage = Usage {
    name: "egrep",
    ..USAGE
};
pub(super) const FGREP_USAGE: Usage = Usage {
    name: "fgrep",
    ..USAGE
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BinaryFiles {
    Binary,
    Text,
    WithoutMatch,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum List {
    None,
    WithMatch,
    WithoutMatch,
}

#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(super) struct Options {
    pub(super) invert: bool,
    pub(super) count: bool,
    pub(super) list: List,
    pub(super) quiet: bool,
    pub(super) no_messages: bool,
    pub(super) only_matching: bool,
    pub(super) names: bool,
    pub(super) numbers: bool,
    pub(super) offsets: bool,
    pub(super) initial_tab: bool,
    pub(super) null_names: bool,
    pub(super) color: bool,
    /// Lines around matches were asked for, if only none: groups are set apart.
    pub(super) wants_groups: bool,
    pub(super) line_buffered: bool,
    pub(super) recursive: bool,
    pub(super) follows: bool,
    pub(super) skips_directories: bool,
    pub(super) skips_devices: bool,
    pub(super) binary_files: BinaryFiles,
    pub(super) end: u8,
    pub(super) most: u64,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) separator: Option<BString>,
    pub(super) label: BString,
    /// Whether a name is in or out, in the order of the options: the last that matches decides.
    globs: Vec<(bool, BString)>,
    exclude_dirs: Vec<BString>,
}

impl Options {
    pub(super) fn new(process: &Process, usage: &Usage, parsed: &Parsed, operands: usize) -> Self {
        let lines = |name: &str| {
            parsed.value(name).map(|text| {
                match text
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse::<usize>().ok())
                {
                    Some(number) => number,
                    None => {
                        process.complain(format!("{text}: invalid context length argument"));
                        process.exit(2)
                    }
                }
            })
        };
        let context = lines("context").unwrap_or(0);
        let most = parsed.value("max-count").map(|text| {
            match text.to_str().ok().and_then(|text| text.parse::<i64>().ok()) {
                Some(number) => u64::try_from(number).unwrap_or(u64::MAX),
                None => {
                    process.complain("invalid max count");
                    process.exit(2)
                }
            }
        });
        let directories = parsed.value("directories").map(|action| action.as_bytes());
        let recursive = parsed.has("recursive")
            || parsed.has("dereference-recursive")
            || directories == Some(b"recurse");
        if let Some(other) =
            directories.filter(|action| !matches!(*action, b"read" | b"recurse" | b"skip"))
        {
            invalid(process, usage, "directories", other);
        }
        let color = ["color", "colour"]
            .iter()
            .find(|name| parsed.has(name))
            .map(|name| parsed.value(name).map(|when| when.as_bytes()));
        let color = match color {
            None | Some(Some(b"never" | b"no" | b"none")) => false,
            Some(None | Some(b"auto" | b"tty" | b"if-tty")) => {
                process.stdout().stream().is_terminal()
            }
            Some(Some(b"always" | b"yes" | b"force")) => true,
            Some(Some(other)) => invalid(process, usage, "color", other),
        };
        let binary_files = match parsed.last_of(&["text", "I", "binary-files"]) {
            Some("text") => BinaryFiles::Text,
            Some("I") => BinaryFiles::WithoutMatch,
            Some(_) => match parsed.value("binary-files").unwrap_or_default().as_bytes() {
                b"binary" => BinaryFiles::Binary,
                b"text" => BinaryFiles::Text,
                b"without-match" => BinaryFiles::WithoutMatch,
                _ => {
                    process.complain("unknown binary-files type");
                    process.exit(2)
                }
            },
            None => BinaryFiles::Binary,
        };
        let names = match parsed.last_of(&["with-filename", "no-filename"]) {
            Some("with-filename") => true,
            Some(_) => false,
            None => operands > 1 || recursive,
        };
        let mut globs = Vec::new();
        for (name, value) in parsed.iter() {
            let value = value.unwrap_or_default();
            match name {
                "include" => globs.push((true, value.into())),
                "exclude" => globs.push((false, value.into())),
                "exclude-from" => match process.vfs().read_file(&process.resolve(value)) {
                    Ok(text) => globs.extend(text.lines().map(|line| (false, BString::from(line)))),
                    Err(error) => {
                        let error = hotcell_process::file_error(error);
                        process.complain(
                            [
                                value.as_bytes(),
                                b": ",
                                hotcell_process::error_text(&error).as_bytes(),
                            ]
                            .concat(),
                        );
                        process.exit(2)
                    }
                },
                _ => {}
            }
        }
        let devices = parsed.value("devices").map(|action| action.as_bytes());
        if let Some(other) = devices.filter(|action| !matches!(*action, b"read" | b"skip")) {
            let _ = quote(other);
            process.complain("unknown devices method");
            process.exit(2);
        }
        let quiet = parsed.has("quiet") || parsed.has("silent");
        Self {
            invert: parsed.has("invert-match"),
            count: parsed.has("count"),
            list: match parsed.last_of(&["files-with-matches", "files-without-match"]) {
                Some("files-with-matches") => List::WithMatch,
                Some(_) => List::WithoutMatch,
                None => List::None,
            },
            quiet,
            no_messages: parsed.has("no-messages"),
            only_matching: parsed.has("only-matching"),
            names,
            numbers: parsed.has("line-number"),
            offsets: parsed.has("byte-offset"),
            initial_tab: parsed.has("initial-tab"),
            null_names: parsed.has("null"),
            color,
            wants_groups: ["before-context", "after-context", "context"]
                .iter()
                .any(|name| parsed.has(name)),
            line_buffered: parsed.has("line-buffered"),
            recursive,
            follows: parsed.has("dereference-recursive"),
            skips_directories: directories == Some(b"skip"),
            skips_devices: devices == Some(b"skip") || devices.is_none() && recursive,
            binary_files,
            end: if parsed.has("null-data") { 0 } else { b'\n' },
            most: most.unwrap_or(u64::MAX),
            before: lines("before-context").unwrap_or(context),
            after: lines("after-context").unwrap_or(context),
            separator: match parsed.last_of(&["group-separator", "no-group-separator"]) {
                Some("no-group-separator") => None,
                Some(_) => parsed.value("group-separator").map(Into::into),
                None => Some("--".into()),
            },
            label: parsed
                .value("label")
                .map_or_else(|| "(standard input)".into(), Into::into),
            globs,
            exclude_dirs: parsed
                .values("exclude-dir")
                .map(|glob| glob.trim_end_with(|c| c == '/').into())
                .collect(),
        }
    }

    /// Whether a file is searched.
    pub(super) fn includes(&self, name: &[u8]) -> bool {
        let base = name.rsplit_str("/").next().unwrap_or(name);
        let matches = |glob: &BString| {
            let against = if glob.contains(&b'/') { name } else { base };
            crate::wildcard::matches(glob, against)
        };
        let last = self.globs.iter().rev().find(|(_, glob)| matches(glob));
        match last {
            Some((is_included, _)) => *is_included,
            // With nothing but exclusions, all others are in.
            None => !self.globs.iter().any(|(is_included, _)| *is_included),
        }
    }

    /// Whether a directory is gone through.
    pub(super) fn enters(&self, name: &[u8]) -> bool {
        let base = name.rsplit_str("/").next().unwrap_or(name);
        !self.exclude_dirs.iter().any(|glob| {
            crate::wildcard::matches(glob, base) || crate::wildcard::matches(glob, name)
        })
    }
}

/// `-5` is `-C 5`; digits may stand among other letters.
pub(super) fn modern(args: &[BString]) -> Vec<BString> {
    let mut result = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            result.push(arg.clone());
            result.extend(rest.by_ref().cloned());
            break;
        }
        let is_old =
            arg.len() > 1 && arg.starts_with(b"-") && arg.get(1).is_some_and(u8::is_ascii_digit);
        if is_old {
            let digits: Vec<u8> = arg
                .iter()
                .skip(1)
                .copied()
                .take_while(u8::is_ascii_digit)
                .collect();
            let letters = arg.get(1 + digits.len()..).unwrap_or_default();
            result.push([b"-C", digits.as_slice()].concat().into());
            if !letters.is_empty() {
                result.push([b"-", letters].concat().into());
            }
            continue;
        }
        result.push(arg.clone());
    }
    result
}
