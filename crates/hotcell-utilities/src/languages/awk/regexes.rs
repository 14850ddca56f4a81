//! Regular expressions of a program, compiled once.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    io,
};

use hotcell_meter::Pace;
use hotcell_process::Process;
use hotcell_regex::{Captures, Flavor, Match, Options, Regex, RegexError, SearchError};

use crate::regexes::{compile, shown};

/// How many patterns that were made at run time are kept.
const KEPT: usize = 256;

/// A regular expression that is written down in the program.
pub(crate) struct Constant {
    pub(crate) source: Vec<u8>,
    /// As it is, and without regard to case.
    compiled: [OnceCell<Regex>; 2],
}

impl Constant {
    pub(crate) fn new(source: Vec<u8>) -> Self {
        Self {
            source,
            compiled: Default::default(),
        }
    }
}

/// Compiles and searches, on the time and memory of one process.
pub(crate) struct Regexes<'p> {
    process: &'p Process,
    is_bytes: bool,
    pub(crate) ignores_case: bool,
    pace: RefCell<Pace<'p>>,
    made: HashMap<(bool, Vec<u8>), Regex>,
}

impl<'p> Regexes<'p> {
    pub(crate) fn new(process: &'p Process, is_bytes: bool) -> Self {
        Self {
            process,
            is_bytes,
            ignores_case: false,
            pace: RefCell::new(Pace::new(process.stop_token())),
            made: HashMap::new(),
        }
    }

    fn compile(&self, source: &[u8]) -> Result<Regex, RegexError> {
        let options = Options {
            icase: self.ignores_case,
            bytes: self.is_bytes,
            ..Options::default()
        };
        compile(self.process, source, Flavor::Awk, options)
    }

    /// The compiled form of one that is written down.
    pub(crate) fn constant(&self, constant: &Constant) -> Result<Regex, String> {
        let [plain, without_case] = &constant.compiled;
        let cell = if self.ignores_case {
            without_case
        } else {
            plain
        };
        if let Some(regex) = cell.get() {
            return Ok(regex.clone());
        }
        let regex = self
            .compile(&constant.source)
            .map_err(|error| describe(error, &constant.source))?;
        Ok(cell.get_or_init(|| regex).clone())
    }

    /// The compiled form of one that a program has made.
    pub(crate) fn dynamic(&mut self, source: &[u8]) -> Result<Regex, String> {
        // A key without a copy would need a map of our own; the copy is small beside the search.
        let key = (self.ignores_case, source.to_vec());
        if let Some(regex) = self.made.get(&key) {
            return Ok(regex.clone());
        }
        if self.made.len() >= KEPT {
            self.made.clear();
        }
        let regex = self.compile(source).map_err(|error| {
            let described = describe(error, source);
            format!("invalid regexp: {described}")
        })?;
        self.made.insert(key, regex.clone());
        Ok(regex)
    }

    pub(crate) fn is_match(&self, regex: &Regex, text: &[u8]) -> io::Result<bool> {
        self.process.spend(text.len() / 16 + 1);
        let found = regex.is_match(text, &mut self.pace.borrow_mut());
        found.map_err(|error| self.failed(error))
    }

    pub(crate) fn find(
        &self,
        regex: &Regex,
        text: &[u8],
        start: usize,
    ) -> io::Result<Option<Match>> {
        self.process.spend(1);
        let found = regex.find_at(text, start, &mut self.pace.borrow_mut());
        let found = found.map_err(|error| self.failed(error))?;
        let end = found.map_or(text.len(), |found| found.end);
        self.process.spend(end.saturating_sub(start) / 16);
        Ok(found)
    }

    pub(crate) fn captures(
        &self,
        regex: &Regex,
        text: &[u8],
        start: usize,
    ) -> io::Result<Option<Captures>> {
        self.process.spend(text.len().saturating_sub(start) / 4 + 1);
        let found = regex.captures_at(text, start, &mut self.pace.borrow_mut());
        found.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: SearchError) -> io::Error {
        if let SearchError::Stopped(_) = error {
            // The process ends here.
            self.process.spend(usize::MAX);
        }
        io::Error::other(error)
    }
}

fn describe(error: RegexError, source: &[u8]) -> String {
    format!("{error}: /{}/", shown(source))
}

/// The expression that matches these characters and nothing else.
pub(crate) fn quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(text.len() + 4);
    for byte in text {
        if b"\\^$.[]|()*+?{}/".contains(byte) {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted
}
