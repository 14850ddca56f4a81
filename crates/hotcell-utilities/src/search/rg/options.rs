//! What was asked for.

use std::io;

use bstr::{BStr, BString, ByteSlice, ByteVec};
use grep_printer::{ColorSpecs, UserColorSpec, default_color_specs};
use hotcell_process::{Process, error_text, limit_error};
use hotcell_vfs::FileType;
use ignore::{
    overrides::{Override, OverrideBuilder},
    types::{Types, TypesBuilder},
};

use super::{rules::os_path, usage::USAGE};
use crate::{Parsed, lines::Lines, list::room_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Search,
    Files,
    Types,
}

/// What is printed of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Lines,
    Count,
    CountMatches,
    WithMatches,
    WithoutMatch,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
    Smart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortBy {
    Path,
    Modified,
    Accessed,
    Created,
}

pub(super) struct Settings {
    pub(super) parsed: Parsed,
    pub(super) task: Task,
    pub(super) mode: Mode,
    pub(super) patterns: Vec<String>,
    pub(super) paths: Vec<BString>,
    /// Nobody named the working directory.
    pub(super) is_implied: bool,
    pub(super) case: Case,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) shows_path: bool,
    pub(super) shows_numbers: bool,
    pub(super) has_heading: bool,
    pub(super) is_colored: bool,
    pub(super) colors: ColorSpecs,
    pub(super) is_quiet: bool,
    pub(super) is_multiline: bool,
    pub(super) ends_paths_with_nul: bool,
    pub(super) max_count: Option<u64>,
    pub(super) max_columns: Option<u64>,
    pub(super) max_depth: usize,
    pub(super) max_size: Option<u64>,
    pub(super) shows_hidden: bool,
    pub(super) obeys_rules: bool,
    pub(super) searches_binary: bool,
    pub(super) sort: (SortBy, bool),
    pub(super) globs: Override,
    pub(super) types: Types,
}

impl Settings {
    /// Reads the arguments; what is wrong with them is the inner error.
    pub(super) fn new(process: &Process) -> io::Result<Result<Self, String>> {
        let parsed = USAGE.parse(process);
        let mut patterns = Vec::new();
        let mut has_patterns = false;
        for (name, value) in parsed.iter() {
            match (name, value) {
                ("regexp", Some(text)) => {
                    has_patterns = true;
                    patterns.push(text.to_owned());
                }
                ("file", Some(file)) => {
                    has_patterns = true;
                    let read = process
                        .open_input(file)
                        .and_then(|input| lines_of(process, input, &mut patterns));
                    if let Err(error) = read {
                        return Ok(Err(format!("{file}: {}", error_text(&error))));
                    }
                }
                _ => {}
            }
        }
        Ok(Self::with(process, parsed, patterns, has_patterns))
    }

    fn with(
        process: &Process,
        parsed: Parsed,
        mut patterns: Vec<BString>,
        has_patterns: bool,
    ) -> Result<Self, String> {
        if parsed.has("pcre2") {
            return Err("PCRE2 is not available in this build of ripgrep".to_owned());
        }
        let task = match parsed.last_of(&["files", "type-list"]) {
            Some("files") => Task::Files,
            Some(_) => Task::Types,
            None => Task::Search,
        };
        let mut paths = parsed.operands.clone();
        if task == Task::Search && !has_patterns {
            if paths.is_empty() {
                return Err("ripgrep requires at least one pattern to execute a search".to_owned());
            }
            patterns.push(paths.remove(0));
        }
        let patterns = patterns
            .into_iter()
            .map(|pattern| String::from_utf8(pattern.into()))
            .collect::<Result<Vec<String>, _>>()
            .map_err(|_| "a pattern is not valid UTF-8".to_owned())?;
        let is_implied = paths.is_empty();
        if is_implied {
            let reads_input = task == Task::Search
                && process.stdin().stream().metadata().is_ok_and(|meta| {
                    matches!(
                        meta.kind,
                        FileType::Fifo | FileType::File | FileType::Socket
                    )
                });
            paths.push(if reads_input { "-" } else { "." }.into());
        }
        let is_one_file = match paths.as_slice() {
            [one] => one == "-" || process.metadata(one, true).is_ok_and(|meta| !meta.is_dir()),
            _ => false,
        };
        let number = |name: &str| {
            let Some(text) = parsed.value(name) else {
                return Ok(None);
            };
            match digits(text) {
                Some(number) => Ok(Some(number)),
                None => Err(format!(
                    "error parsing flag --{name}: value is not a valid number: {text}"
                )),
            }
        };
        let count = |name: &str| number(name).map(|number| number.map(as_size));
        let context = count("context")?.unwrap_or(0);
        let is_vimgrep = parsed.has("vimgrep");
        let is_pretty = parsed.has("pretty");
        let unrestricted = parsed.count("unrestricted");
        let mode = match parsed.last_of(&[
            "count",
            "count-matches",
            "files-with-matches",
            "files-without-match",
            "json",
        ]) {
            Some("count") if parsed.has("only-matching") => Mode::CountMatches,
            Some("count-matches") if parsed.has("invert-match") => Mode::Count,
            Some("count") => Mode::Count,
            Some("count-matches") => Mode::CountMatches,
            Some("files-with-matches") => Mode::WithMatches,
            Some("files-without-match") => Mode::WithoutMatch,
            Some(_) => Mode::Json,
            None => Mode::Lines,
        };
        let shows_numbers = match parsed.last_of(&["line-number", "no-line-number"]) {
            Some(name) => name == "line-number",
            None => parsed.has("column") || is_vimgrep || is_pretty || mode == Mode::Json,
        };
        let is_colored = match parsed.value("color").map(|when| when.to_vec()).as_deref() {
            Some(b"always" | b"ansi") => true,
            Some(b"never") => false,
            None | Some(b"auto") => is_pretty && mode != Mode::Json && takes_colors(process),
            Some(other) => {
                return Err(format!(
                    "error parsing flag --color: choice '{}' is unrecognized",
                    other.as_bstr()
                ));
            }
        };
        Ok(Self {
            task,
            mode,
            patterns,
            is_implied,
            case: match parsed.last_of(&["case-sensitive", "ignore-case", "smart-case"]) {
                Some("ignore-case") => Case::Insensitive,
                Some("smart-case") => Case::Smart,
                _ => Case::Sensitive,
            },
            before: count("before-context")?.unwrap_or(context),
            after: count("after-context")?.unwrap_or(context),
            shows_path: match parsed.last_of(&["with-filename", "no-filename"]) {
                Some(name) => name == "with-filename",
                None => is_vimgrep || !is_one_file,
            },
            shows_numbers,
            has_heading: match parsed.last_of(&["heading", "no-heading", "pretty"]) {
                Some(name) => name != "no-heading" && !is_vimgrep,
                None => false,
            },
            is_colored,
            colors: colors(&parsed)?,
            is_quiet: parsed.has("quiet"),
            is_multiline: parsed.last_of(&["multiline", "no-multiline"]) == Some("multiline"),
            ends_paths_with_nul: parsed.has("null"),
            max_count: number("max-count")?,
            max_columns: number("max-columns")?.filter(|columns| *columns > 0),
            max_depth: match count("max-depth")? {
                Some(depth) => depth,
                None => count("maxdepth")?.unwrap_or(usize::MAX),
            },
            max_size: match parsed.value("max-filesize") {
                Some(text) => Some(size(text)?),
                None => None,
            },
            shows_hidden: unrestricted >= 2
                || parsed.last_of(&["hidden", "no-hidden"]) == Some("hidden"),
            obeys_rules: unrestricted == 0 && !parsed.has("no-ignore"),
            searches_binary: unrestricted >= 3 || parsed.has("binary"),
            sort: sort(&parsed)?,
            globs: globs(process, &parsed)?,
            types: types(&parsed)?,
            paths,
            parsed,
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.parsed.has(name)
    }

    /// The text of a separator, with its escapes undone.
    pub(super) fn separator(&self, name: &str, usual: &str) -> Vec<u8> {
        let text = self.parsed.value(name);
        text.map_or_else(|| usual.as_bytes().to_vec(), unescape)
    }
}

/// Whether the terminal that the environment tells of shows colours.
fn takes_colors(process: &Process) -> bool {
    process.env("NO_COLOR").is_none() && process.env("TERM").is_some_and(|term| term != "dumb")
}

fn digits(text: &[u8]) -> Option<u64> {
    text.to_str().ok()?.parse().ok()
}

fn as_size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn lines_of(
    process: &Process,
    input: hotcell_process::Input<'_>,
    into: &mut Vec<BString>,
) -> io::Result<()> {
    let mut lines = Lines::new(process, input)?;
    // While they are read: what they take when they are compiled is charged then.
    let mut charge = process.charge(0)?;
    while let Some(line) = lines.next_line()? {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        charge.grow(room_of(line)).map_err(limit_error)?;
        into.push(line.strip_suffix(b"\r").unwrap_or(line).into());
    }
    Ok(())
}

/// `\t`, `\n`, `\\` and `\xHH`.
fn unescape(text: &BStr) -> Vec<u8> {
    Vec::unescape_bytes(text.to_str_lossy())
}

fn size(text: &BStr) -> Result<u64, String> {
    let bad = || format!("error parsing flag --max-filesize: invalid format for size '{text}'");
    let (number, unit) = match text.split_last() {
        Some((b'K', number)) => (number, 1 << 10),
        Some((b'M', number)) => (number, 1 << 20),
        Some((b'G', number)) => (number, 1 << 30),
        _ => (text.as_bytes(), 1u64),
    };
    let number = digits(number).ok_or_else(bad)?;
    number.checked_mul(unit).ok_or_else(bad)
}

fn sort(parsed: &Parsed) -> Result<(SortBy, bool), String> {
    let Some(name) = parsed.last_of(&["sort", "sortr"]) else {
        return Ok((SortBy::Path, false));
    };
    let text = parsed.value(name).map(|by| by.to_vec()).unwrap_or_default();
    let by = match text.as_slice() {
        b"path" => SortBy::Path,
        b"none" => return Ok((SortBy::Path, false)),
        b"modified" => SortBy::Modified,
        b"accessed" => SortBy::Accessed,
        b"created" => SortBy::Created,
        other => {
            return Err(format!(
                "error parsing flag --{name}: choice '{}' is unrecognized",
                other.as_bstr()
            ));
        }
    };
    Ok((by, name == "sortr"))
}

fn colors(parsed: &Parsed) -> Result<ColorSpecs, String> {
    let mut specs = default_color_specs();
    for text in parsed.values("colors") {
        let spec: UserColorSpec = text
            .to_str_lossy()
            .parse()
            .map_err(|error| format!("error parsing flag --colors: {error}"))?;
        specs.push(spec);
    }
    Ok(ColorSpecs::new(&specs))
}

/// So many globs times the bytes of all of them are compiled together: what the automaton takes grows with that.
const GLOBS_MAX: usize = 256 << 10;

/// An error if some globs would take too much together.
fn check_globs<'p>(globs: impl Iterator<Item = &'p BStr>) -> Result<(), String> {
    let (mut count, mut bytes) = (0_usize, 0_usize);
    for glob in globs {
        count += 1;
        bytes += glob.len();
    }
    if count.saturating_mul(bytes) > GLOBS_MAX {
        return Err(format!(
            "{count} globs of {bytes} bytes are too many: write rules to a file and name it with --ignore-file"
        ));
    }
    Ok(())
}

fn globs(process: &Process, parsed: &Parsed) -> Result<Override, String> {
    check_globs(parsed.values("glob").chain(parsed.values("iglob")))?;
    let cwd = process.cwd().to_owned();
    let mut builder = OverrideBuilder::new(os_path(cwd.as_bytes()));
    let all_insensitive = parsed.has("glob-case-insensitive");
    // Those that do not mind the case come last, as ripgrep has it.
    for (option, insensitive) in [("glob", all_insensitive), ("iglob", true)] {
        builder
            .case_insensitive(insensitive)
            .map_err(|error| error.to_string())?;
        for glob in parsed.values(option) {
            builder
                .add(&glob.to_str_lossy())
                .map_err(|error| error.to_string())?;
        }
    }
    builder.build().map_err(|error| error.to_string())
}

fn types(parsed: &Parsed) -> Result<Types, String> {
    check_globs(parsed.values("type-add"))?;
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for (name, value) in parsed.iter() {
        let Some(value) = value.map(|value| value.to_str_lossy()) else {
            continue;
        };
        match name {
            "type" => {
                builder.select(&value);
            }
            "type-not" => {
                builder.negate(&value);
            }
            "type-clear" => {
                builder.clear(&value);
            }
            "type-add" => builder.add_def(&value).map_err(|error| error.to_string())?,
            _ => {}
        }
    }
    builder.build().map_err(|error| error.to_string())
}
