//! `grep`: lines by regular expression.

mod reader;
mod report;

use std::ops::ControlFlow;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use hotcell_vfs::{OpenOptions, Vfs, VfsFile, VfsPath};

use crate::error::FileToolError;
use crate::glob::PathGlob;
use crate::limits::{GREP_LIMIT, GREP_LINE_CHARS, MAX_BYTES};
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
/// How long a line of a longer file may be, and how much memory an automaton for the pattern may take.
const MEMORY_MAX: usize = 16 * 1024 * 1024;
/// How many of the files that could not be searched are named.
const NAMED: usize = 3;

pub(crate) fn grep(tools: &FileTools, params: &GrepParams) -> Result<ToolResult, FileToolError> {
    crate::args::require_some("grep", "limit", params.limit)?;
    let path = crate::args::or_workspace(params.path.as_deref());
    let named = || shown(path.as_bytes());
    let matcher = matcher(params)?;
    let glob = params.glob.as_deref().map(Filter::new).transpose()?;
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return Err(FileToolError::PathNotFound { path: named() });
    };
    let limit = crate::args::limit(params.limit, GREP_LIMIT);
    // More lines than bytes are never shown.
    let context = crate::args::limit(params.context, 0).min(MAX_BYTES);
    let mut search = Search {
        tools,
        vfs: place.vfs,
        matcher,
        searcher: SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(MEMORY_MAX))
            .binary_detection(BinaryDetection::quit(0))
            .build(),
        report: Report::new(limit, context),
        buffer: vec![0; WHOLE],
        failed: Vec::new(),
        unnamed: 0,
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

fn matcher(params: &GrepParams) -> Result<RegexMatcher, FileToolError> {
    let bad = |reason: String| FileToolError::BadPattern {
        what: "regular expression",
        pattern: params.pattern.clone(),
        reason,
    };
    if params.pattern.contains('\n') {
        return Err(bad(
            "matches lie within one line, so that it cannot contain a line break".to_owned(),
        ));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(params.ignore_case)
        .fixed_strings(params.literal)
        .line_terminator(Some(b'\n'))
        .size_limit(MEMORY_MAX)
        .dfa_size_limit(MEMORY_MAX)
        .build(&params.pattern)
        .map_err(|error| {
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
            let reader = FileReader::new(file, || self.tools.is_cancelled());
            self.searcher
                .search_reader(&self.matcher, reader, &mut self.report)
        }
        .map_err(Stopped::from)
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
