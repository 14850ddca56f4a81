//! What `curl` says beside what it was asked for: errors, warnings, `-v`, progress.

use std::{io, sync::Arc};

use bstr::ByteSlice;
use hotcell_process::{Process, Stream};

use super::config::Global;
use crate::note::Note;

/// Standard error, and what is said there.
pub(super) struct Talk<'p> {
    process: &'p Process,
    stream: Arc<dyn Stream>,
    is_silent: bool,
    shows_errors: bool,
    pub(super) is_verbose: bool,
}

impl<'p> Talk<'p> {
    pub(super) fn new(process: &'p Process, global: &Global, stream: Arc<dyn Stream>) -> Self {
        Self {
            process,
            stream,
            is_silent: global.is_silent,
            shows_errors: global.shows_errors,
            is_verbose: global.is_verbose,
        }
    }

    pub(super) fn say(&self, text: impl AsRef<[u8]>) {
        // If standard error is gone, there is nobody left to tell.
        let _ = self.process.write_all(&self.stream, text.as_ref());
    }

    pub(super) fn fail(&self, text: &str) {
        if !self.is_silent || self.shows_errors {
            self.say(format!("curl: {text}\n"));
        }
    }

    /// `Warning: …`, in lines of 79 columns.
    pub(super) fn warn(&self, text: &str) {
        if self.is_silent {
            return;
        }
        let width = 79 - "Warning: ".len();
        let mut rest = text;
        while rest.len() > width {
            let cut = rest
                .char_indices()
                .map(|(index, _)| index)
                .take_while(|index| *index <= width)
                .last();
            let cut = cut.unwrap_or(rest.len());
            let cut = rest
                .get(..cut)
                .and_then(|line| line.rfind(' '))
                .map_or(cut, |space| space + 1);
            let (line, more) = rest.split_at(cut);
            self.say(format!("Warning: {line}\n"));
            rest = more;
        }
        self.say(format!("Warning: {rest}\n"));
    }

    /// A line of `-v` about what goes on.
    pub(super) fn note(&self, text: &str) {
        if self.is_verbose {
            self.say(format!("* {text}\n"));
        }
    }

    /// The lines of a head, each with a mark.
    pub(super) fn head(&self, mark: &str, head: &[u8]) {
        if !self.is_verbose {
            return;
        }
        let mut text = Vec::new();
        for line in head.lines() {
            text.extend_from_slice(mark.as_bytes());
            text.push(b' ');
            text.extend_from_slice(line);
            text.extend_from_slice(b"\r\n");
        }
        self.say(text);
    }

    /// How many bytes went by: `{` in, `}` out.
    pub(super) fn data(&self, mark: char, count: u64) {
        if self.is_verbose && count > 0 {
            self.say(format!("{mark} [{count} bytes data]\n"));
        }
    }

    /// What happens on the way to a connection.
    pub(super) fn connecting(&self, note: &Note, host: &str, number: u32) -> io::Result<()> {
        match note {
            Note::Resolving | Note::Resolved(_) => {}
            Note::Trying(address) => self.note(&format!("  Trying {address}...")),
            Note::Failed(address, why) => {
                self.note(&format!(
                    "connect to {} port {} failed: {why}",
                    address.ip(),
                    address.port()
                ));
            }
            Note::Connected(address) => {
                let (ip, port) = (address.ip(), address.port());
                self.note(&format!(
                    "Connected to {host} ({ip}) port {port} (#{number})"
                ));
            }
            Note::Reused => {}
            Note::Secured(version, cipher) => {
                self.note(&format!("SSL connection using {version} / {cipher}"))
            }
        }
        Ok(())
    }
}
