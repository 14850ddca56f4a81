//! Searching a file and printing what is found.

use std::{
    io::{self, Read},
    time::Instant,
};

use bstr::{BString, ByteSlice};
use grep_matcher::LineTerminator;
use grep_printer::{
    JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use hotcell_meter::Charge;
use hotcell_process::{Input, Process, error_text};
use termcolor::WriteColor;

use super::{
    counted::{Counted, Lines},
    hold,
    options::{Mode, Settings},
    rules::os_path,
    walk::Found,
};

/// The longest line, or the longest file if matches may go beyond lines; what is held is charged besides.
const HELD_MAX: usize = 1 << 30;

pub(super) struct Search<'p, W: WriteColor> {
    process: &'p Process,
    settings: &'p Settings,
    matcher: &'p Counted<'p>,
    searcher: Searcher,
    printer: Printer<W>,
    charge: Charge,
    stats: Stats,
    began: Instant,
    pub(super) has_matched: bool,
    pub(super) has_failed: bool,
}

enum Printer<W: WriteColor> {
    Lines(Standard<W>),
    Summary(Summary<W>),
    Json(JSON<W>),
}

impl<'p, W: WriteColor> Search<'p, W> {
    pub(super) fn new(
        process: &'p Process,
        settings: &'p Settings,
        matcher: &'p Counted<'p>,
        out: W,
    ) -> io::Result<Self> {
        let mut builder = SearcherBuilder::new();
        builder
            .invert_match(settings.has("invert-match"))
            .line_number(settings.shows_numbers)
            .multi_line(settings.is_multiline)
            .before_context(settings.before)
            .after_context(settings.after)
            .passthru(settings.has("passthru") || settings.has("passthrough"))
            .stop_on_nonmatch(settings.has("stop-on-nonmatch"))
            .max_matches(settings.max_count)
            .heap_limit(Some(HELD_MAX));
        if settings.has("crlf") {
            builder.line_terminator(LineTerminator::crlf());
        }
        if settings.has("null-data") {
            builder.line_terminator(LineTerminator::byte(0));
        }
        Ok(Self {
            process,
            settings,
            matcher,
            searcher: builder.build(),
            printer: Printer::new(settings, out),
            charge: process.charge(128 << 10)?,
            stats: Stats::new(),
            began: Instant::now(),
            has_matched: false,
            has_failed: false,
        })
    }

    /// Searches a file; whether to go on.
    pub(super) fn file(&mut self, found: &Found) -> io::Result<bool> {
        let binary = if self.settings.has("text") || self.settings.has("null-data") {
            BinaryDetection::none()
        } else if found.is_named || self.settings.searches_binary {
            BinaryDetection::convert(0)
        } else {
            BinaryDetection::quit(0)
        };
        self.searcher.set_binary_detection(binary);
        let input = match self.process.open_input(&found.shown) {
            Ok(input) => input,
            Err(error) => {
                self.complain(&found.shown, &error);
                return Ok(true);
            }
        };
        let reader = Held {
            input,
            charge: &mut self.charge,
            held: 0,
            holds_all: self.settings.is_multiline,
        };
        let shown: &[u8] = if found.shown == "-" {
            b"<stdin>"
        } else {
            &found.shown
        };
        let path = os_path(shown);
        let searched = match &mut self.printer {
            Printer::Lines(printer) => {
                let printer = printer.sink_with_path(self.matcher, &*path);
                let mut sink = Lines {
                    counted: self.matcher,
                    printer,
                };
                let done = self.searcher.search_reader(self.matcher, reader, &mut sink);
                done.map(|()| (sink.printer.has_match(), sink.printer.stats().cloned()))
            }
            Printer::Summary(printer) => {
                let printer = printer.sink_with_path(self.matcher, &*path);
                let mut sink = Lines {
                    counted: self.matcher,
                    printer,
                };
                let done = self.searcher.search_reader(self.matcher, reader, &mut sink);
                done.map(|()| (sink.printer.has_match(), sink.printer.stats().cloned()))
            }
            Printer::Json(printer) => {
                let printer = printer.sink_with_path(self.matcher, &*path);
                let mut sink = Lines {
                    counted: self.matcher,
                    printer,
                };
                let done = self.searcher.search_reader(self.matcher, reader, &mut sink);
                done.map(|()| (sink.printer.has_match(), Some(sink.printer.stats().clone())))
            }
        };
        match searched {
            Ok((has_match, stats)) => {
                self.has_matched |= has_match;
                if let Some(stats) = stats {
                    self.stats += stats;
                }
            }
            Err(error) => self.complain(&found.shown, &error),
        }
        Ok(!(self.settings.is_quiet && self.has_matched && !self.settings.has("stats")))
    }

    fn complain(&mut self, name: &BString, error: &io::Error) {
        self.has_failed = true;
        if !self.settings.has("no-messages") {
            let text = match error.raw_os_error() {
                Some(number) => format!("{} (os error {number})", error_text(error)),
                None => error.to_string(),
            };
            self.process
                .complain([name.as_bytes(), b": ", text.as_bytes()].concat());
        }
    }

    /// The statistics, if they are wanted.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let took = self.began.elapsed();
        let stats = &self.stats;
        let text = if self.settings.mode == Mode::Json {
            format!(
                "{{\"data\":{{\"elapsed_total\":{},\"stats\":{{\"bytes_printed\":{},\"bytes_searched\":{},\"elapsed\":{},\"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}}},\"type\":\"summary\"}}\n",
                elapsed(took),
                stats.bytes_printed(),
                stats.bytes_searched(),
                elapsed(stats.elapsed()),
                stats.matched_lines(),
                stats.matches(),
                stats.searches(),
                stats.searches_with_match()
            )
        } else if self.settings.has("stats") {
            format!(
                "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes searched\n{:0.6} seconds spent searching\n{:0.6} seconds total\n",
                stats.matches(),
                stats.matched_lines(),
                stats.searches_with_match(),
                stats.searches(),
                stats.bytes_printed(),
                stats.bytes_searched(),
                stats.elapsed().as_secs_f64(),
                took.as_secs_f64()
            )
        } else {
            String::new()
        };
        self.printer.finish(text.as_bytes())
    }
}

fn elapsed(time: std::time::Duration) -> String {
    format!(
        "{{\"human\":\"{:0.6}s\",\"nanos\":{},\"secs\":{}}}",
        time.as_secs_f64(),
        time.subsec_nanos(),
        time.as_secs()
    )
}

impl<W: WriteColor> Printer<W> {
    fn new(settings: &Settings, out: W) -> Self {
        let nul = settings.ends_paths_with_nul.then_some(0);
        let has_stats = settings.has("stats");
        let kind = match settings.mode {
            Mode::Json if !settings.is_quiet => {
                let mut builder = JSONBuilder::new();
                let replacement = settings.parsed.value("replace");
                builder.replacement(replacement.map(|text| text.to_vec()));
                return Self::Json(builder.build(out));
            }
            Mode::WithoutMatch if settings.is_quiet => SummaryKind::QuietWithoutMatch,
            _ if settings.is_quiet => SummaryKind::QuietWithMatch,
            Mode::Count => SummaryKind::Count,
            Mode::CountMatches => SummaryKind::CountMatches,
            Mode::WithMatches => SummaryKind::PathWithMatch,
            Mode::WithoutMatch => SummaryKind::PathWithoutMatch,
            Mode::Lines | Mode::Json => return Self::Lines(standard(settings, out)),
        };
        let mut builder = SummaryBuilder::new();
        builder
            .kind(kind)
            .color_specs(settings.colors.clone())
            .stats(has_stats)
            .path(settings.shows_path)
            .exclude_zero(!settings.has("include-zero"))
            .separator_field(b":".to_vec())
            .path_terminator(nul);
        Self::Summary(builder.build(out))
    }

    fn finish(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::Lines(printer) => finish(printer.get_mut(), text),
            Self::Summary(printer) => finish(printer.get_mut(), text),
            Self::Json(printer) => finish(printer.get_mut(), text),
        }
    }
}

fn finish(out: &mut impl io::Write, text: &[u8]) -> io::Result<()> {
    out.write_all(text)?;
    out.flush()
}

fn standard<W: WriteColor>(settings: &Settings, out: W) -> Standard<W> {
    let is_vimgrep = settings.has("vimgrep");
    let has_context = settings.before > 0 || settings.after > 0;
    let context = (!settings.has("no-context-separator"))
        .then(|| settings.separator("context-separator", "--"));
    let between = if settings.has_heading {
        Some(Vec::new())
    } else if has_context {
        context.clone()
    } else {
        None
    };
    let replacement = settings.parsed.value("replace");
    let mut builder = StandardBuilder::new();
    builder
        .color_specs(settings.colors.clone())
        .stats(settings.has("stats"))
        .heading(settings.has_heading)
        .path(settings.shows_path)
        .only_matching(settings.has("only-matching"))
        .per_match(is_vimgrep)
        .per_match_one_line(true)
        .replacement(replacement.map(|text| text.to_vec()))
        .max_columns(settings.max_columns)
        .max_columns_preview(settings.has("max-columns-preview"))
        .column(settings.has("column") || is_vimgrep)
        .byte_offset(settings.has("byte-offset"))
        .trim_ascii(settings.has("trim"))
        .separator_search(between)
        .separator_context(context)
        .separator_field_match(settings.separator("field-match-separator", ":"))
        .separator_field_context(settings.separator("field-context-separator", "-"))
        .path_terminator(settings.ends_paths_with_nul.then_some(0));
    builder.build(out)
}

/// A file that charges what the searcher holds of it: the line that it is in, or all of it.
struct Held<'a> {
    input: Input<'a>,
    charge: &'a mut Charge,
    held: usize,
    holds_all: bool,
}

impl Read for Held<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buf)?;
        let piece = buf.get(..count).unwrap_or_default();
        self.held = match memchr::memrchr(b'\n', piece) {
            Some(end) if !self.holds_all => count - end,
            _ => self.held + count,
        };
        // A buffer doubles as it grows.
        hold(self.charge, self.held.saturating_mul(2))?;
        Ok(count)
    }
}
