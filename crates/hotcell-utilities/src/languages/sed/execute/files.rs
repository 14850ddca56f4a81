//! The lines of all files.

use std::io;

use bstr::BString;
use hotcell_process::error_text;

use super::Sed;
use crate::languages::sed::{
    input::Lines,
    output::{InPlace, Out},
    script::Script,
};

impl Sed<'_> {
    /// Reads the next line into the pattern space, or behind what is in it.
    #[inline]
    pub(super) fn read_line(&mut self, script: &Script, appends: bool) -> io::Result<bool> {
        if !self.appended.is_empty() {
            self.write_appended()?;
        }
        self.is_replaced = false;
        loop {
            if let Some(lines) = &mut self.lines {
                if !appends {
                    self.pattern.clear();
                }
                let length = self.pattern.len();
                let read = lines.next(self.setup.end, &mut self.pattern);
                match read {
                    Ok(Some(has_end)) => {
                        self.has_end = has_end;
                        self.line += 1;
                        if let Some(name) = self.next_name.take() {
                            self.name = name;
                        }
                        self.process.spend((self.pattern.len() - length) / 16 + 1);
                        self.check_room(0)?;
                        return Ok(true);
                    }
                    Ok(None) => self.finish_file()?,
                    Err(error) => return Err(self.read_failed(&error)),
                }
            }
            if !self.open_next(script)? {
                return Ok(false);
            }
        }
    }

    fn read_failed(&self, error: &io::Error) -> io::Error {
        io::Error::new(
            error.kind(),
            format!("read error on {}: {}", self.name, error_text(error)),
        )
    }

    /// Opens the next file; false if there is none.
    fn open_next(&mut self, script: &Script) -> io::Result<bool> {
        loop {
            self.process.spend(1);
            let Some(name) = self.names.next() else {
                return Ok(false);
            };
            let is_edited = self.setup.in_place.is_some() && name != "-";
            if is_edited && !self.is_regular(&name) {
                self.process
                    .complain(format!("couldn't edit {name}: not a regular file"));
                self.code = 4;
                continue;
            }
            match self.process.open_input(&name) {
                Ok(input) => self.lines = Some(Lines::new(self.process, input)?),
                Err(error) if error.raw_os_error() == Some(hotcell_vfs::Errno::EISDIR.code()) => {
                    self.name = name;
                    return Err(self.read_failed(&error));
                }
                Err(error) => {
                    self.process
                        .complain(format!("can't read {name}: {}", error_text(&error)));
                    self.code = 2;
                    continue;
                }
            }
            if is_edited {
                let begun = InPlace::begin(self.process, &name, self.setup.follows_links);
                match begun {
                    Ok((file, output)) => {
                        let out = Out::new(output, self.setup.end, false);
                        self.edited = Some((file, out));
                    }
                    Err(error) => {
                        self.process.complain(format!(
                            "couldn't open temporary file beside {name}: {}",
                            error_text(&error)
                        ));
                        self.process.exit(4);
                    }
                }
            }
            if self.setup.is_separate {
                self.begin_anew(script)?;
            }
            self.name = name;
            return Ok(true);
        }
    }

    /// A file that is considered separately finds everything as the first one did.
    fn begin_anew(&mut self, script: &Script) -> io::Result<()> {
        self.line = 0;
        self.hold.clear();
        self.hold_has_end = true;
        self.read.clear();
        self.reset_ranges(script);
        self.stdout.complete()
    }

    /// Whether it can be edited. What is not there at all is refused when it is opened.
    fn is_regular(&self, name: &BString) -> bool {
        let meta = self.process.vfs().stat(&self.process.resolve(name));
        meta.map_or(true, |meta| meta.is_file())
    }

    /// The file that was read is done with: what was made of it takes its place.
    pub(super) fn finish_file(&mut self) -> io::Result<()> {
        self.lines = None;
        if let Some((file, mut out)) = self.edited.take() {
            out.flush()?;
            drop(out);
            file.finish(
                self.setup
                    .in_place
                    .as_ref()
                    .map_or(&b""[..], |suffix| suffix),
            )?;
        }
        Ok(())
    }

    /// Whether the line is the last one: of its file, or of all.
    pub(super) fn is_last(&mut self) -> io::Result<bool> {
        loop {
            if let Some(lines) = &mut self.lines
                && lines.has_more()?
            {
                return Ok(false);
            }
            if self.setup.is_separate {
                return Ok(true);
            }
            // Files that are empty, or not there, have no lines.
            let Some(name) = self.names.next() else {
                return Ok(true);
            };
            match self.process.open_input(&name) {
                Ok(input) => {
                    self.lines = Some(Lines::new(self.process, input)?);
                    self.next_name = Some(name);
                }
                Err(error) => {
                    self.process
                        .complain(format!("can't read {name}: {}", error_text(&error)));
                    self.code = 2;
                }
            }
        }
    }
}
