//! `grep`: lines by regular expression.

mod reader;
mod report;

use std::ops::ControlFlow;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use hotcell_vfs::{OpenOptions, Vfs, VfsFile, VfsPath};

use crate::error::FileToolError;
use crate::glob::{PathGlob, shortened};
use crate::limits::{GREP_LIMIT, GREP_LINE_CHARS, MAX_BYTES, PATTERN_MAX};
use crate::params::GrepParams;
use crate::result::ToolResult;
use crate::shown::shown;
use crate::tools::FileTools;
use crate::walk::walk;
use reader::{FileReader, Stopped};
use report::Report;

const ACTION: &str = "search";
/// Files up to this length are searched where they were read to; longer ones pass by in pieces.
const WHOLE: usize = 256 * 1024;
/// How long a line of a longer file may be.
const LINE_MAX: usize = 16 * 1024 * 1024;
/// How much memory an automaton for the pattern may take: most need less than the first, and are charged no more.
const SIZE_USUAL: usize = 256 * 1024;
const SIZE_MAX: usize = 4 * 1024 * 1024;
/// What a byte of a pattern takes while it is parsed, about.
const PARSED: usize = 300;
/// How many of the files that could not be searched are named.
const NAMED: usize = 3;

pub(crate) fn grep(tools: &FileTools, params: &GrepParams) -> Result<ToolResult, FileToolError> {
    crate::args::require_some("grep", "limit", params.limit)?;
    let path = crate::args::or_workspace(params.path.as_deref());
    let named = || shown(path.as_bytes());
    let matcher = matcher(tools, params)?;
    let glob = params.glob.as_deref().map(Filter::new).transpose()?;
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return Err(FileToolError::PathNotFound { path: named() });
    };
    let limit = crate::args::limit(params.limit, GREP_LIMIT);
    // More lines than bytes are never shown.
    let context = crate::args::limit(params.context, 0).min(MAX_BYTES);
    tools.take(2 * WHOLE)?;
    let mut search = Search {
        tools,
        vfs: place.vfs,
        matcher,
        searcher: SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(LINE_MAX))
            .binary_detection(BinaryDetection::quit(0))
            .build(),
        report: Report::new(limit, context),
        buffer: vec![0; WHOLE],
        failed: Vec::new(),
        unnamed: 0,
        held: 0,
    };
    let mut notices = match place.meta {
        Some(meta) if meta.is_dir() => walk(tools, &place, |entry| {
            let wanted = entry.kind.is_file()
                && glob
                    .as_ref()
                    .is_none_or(|glob| glob.matches(entry.below, entry.name));
            if wanted {
                search.file(entry.path, entry.shown)?;
            }
            Ok(if search.report.is_done() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?,
        Some(meta) if meta.is_file() => {
            search.file(&place.real, place.relative().as_bytes())?;
            if search.report.binary {
                vec![format!(
                    "{} is a binary file and was not searched to its end",
                    named()
                )]
            } else {
                Vec::new()
            }
        }
        _ => return Err(FileToolError::NotRegular { path: named() }),
    };
    notices.extend(search.notices());
    let report = search.report;
    if report.more {
        let twice = limit.saturating_mul(2);
        notices.insert(
            0,
            format!("{limit} matches limit reached. Use limit={twice} for more, or refine pattern"),
        );
    }
    if report.cut {
        notices.push(format!(
            "Some lines truncated to {GREP_LINE_CHARS} chars. Use read to see full lines"
        ));
    }
    Ok(report.listing.finish(
        "No matches found",
        notices,
        "Refine the pattern or search a smaller path",
    ))
}

fn matcher(tools: &FileTools, params: &GrepParams) -> Result<RegexMatcher, FileToolError> {
    let pattern = &params.pattern;
    let bad = |reason: String| FileToolError::BadPattern {
        what: "regular expression",
        pattern: shortened(pattern),
        reason,
    };
    if pattern.contains('\n') {
        return Err(bad(
            "matches lie within one line, so that it cannot contain a line break".to_owned(),
        ));
    }
    if pattern.len() > PATTERN_MAX {
        return Err(bad(format!("it is longer than {PATTERN_MAX} bytes")));
    }
    let parsed = pattern.len() * PARSED;
    tools.take(parsed)?;
    let mut size = SIZE_USUAL;
    let built = loop {
        // Two automata, one for each direction, and for each what it remembers as it goes.
        tools.take(4 * size)?;
        tools.check_cancelled()?;
        let built = RegexMatcherBuilder::new()
            .case_insensitive(params.ignore_case)
            .fixed_strings(params.literal)
            .line_terminator(Some(b'\n'))
            .size_limit(size)
            .dfa_size_limit(size)
            .build(pattern);
        if built.is_ok() || size == SIZE_MAX {
            break built;
        }
        tools.give_back(4 * size);
        size = SIZE_MAX;
    };
    tools.give_back(parsed);
    built.map_err(|error| {
        bad(format!(
            "{}; set literal to true to search for it as plain text",
            error.to_string().trim_end()
        ))
    })
}

/// The `glob` of a search: files that match, or with `!` those that do not.
struct Filter {
    glob: PathGlob,
    wanted: bool,
}

impl Filter {
    fn new(pattern: &str) -> Result<Self, FileToolError> {
        let (pattern, wanted) = match pattern.strip_prefix('!') {
            Some(rest) => (rest, false),
            None => (pattern, true),
        };
        Ok(Self {
            glob: PathGlob::new(pattern)?,
            wanted,
        })
    }

    fn matches(&self, path: &[u8], name: &[u8]) -> bool {
        self.glob.matches(path, name, false) == self.wanted
    }
}

struct Search<'a> {
    tools: &'a FileTools,
    vfs: &'a dyn Vfs,
    matcher: RegexMatcher,
    searcher: Searcher,
    report: Report,
    buffer: Vec<u8>,
    /// Files that could not be searched to their end, and why.
    failed: Vec<String>,
    /// How many more could not be.
    unnamed: usize,
    /// The longest line that there is room for.
    held: usize,
}

impl Search<'_> {
    fn file(&mut self, path: &VfsPath, shown_as: &[u8]) -> Result<(), FileToolError> {
        let file = match self.vfs.open(path, &OpenOptions::read().no_follow()) {
            Ok(file) => file,
            Err(error) => {
                self.fail(shown_as, error.errno().message());
                return Ok(());
            }
        };
        self.report.begin(shown_as);
        match self.content(&*file) {
            Ok(()) => Ok(()),
            Err(Stopped::Cancelled) => Err(FileToolError::Cancelled),
            Err(Stopped::Told(error)) => Err(error),
            Err(Stopped::Failed(reason)) => {
                self.fail(shown_as, &reason);
                Ok(())
            }
        }
    }

    fn content(&mut self, file: &dyn VfsFile) -> Result<(), Stopped> {
        let count = file
            .read_at(0, &mut self.buffer)
            .map_err(|error| Stopped::Failed(error.errno().message().to_owned()))?;
        let whole = self.buffer.get(..count).unwrap_or_default();
        if count < self.buffer.len() {
            self.searcher
                .search_slice(&self.matcher, whole, &mut self.report)
        } else {
            let size = file.stat().map_or(u64::MAX, |meta| meta.size);
            self.hold(usize::try_from(size).unwrap_or(usize::MAX))?;
            let reader = FileReader::new(file, || self.tools.is_cancelled());
            self.searcher
                .search_reader(&self.matcher, reader, &mut self.report)
        }
        .map_err(Stopped::from)
    }

    /// Takes room for a line as long as the file: the searcher keeps what it once took.
    fn hold(&mut self, size: usize) -> Result<(), Stopped> {
        let wanted = size.min(LINE_MAX);
        if let Some(more) = wanted.checked_sub(self.held) {
            self.tools.take(more).map_err(Stopped::Told)?;
            self.held = wanted;
        }
        Ok(())
    }

    fn fail(&mut self, path: &[u8], reason: &str) {
        if self.failed.len() == NAMED {
            self.unnamed += 1;
            return;
        }
        let path = shown(path);
        self.failed
            .push(format!("{path} was not searched to its end: {reason}"));
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.failed);
        if self.unnamed > 0 {
            let others = self.unnamed;
            notices.push(format!(
                "{others} more files were not searched to their end"
            ));
        }
        notices
    }
}
