//! Where what is received goes.

use std::{io, sync::Arc};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, Stream, error_text};
use hotcell_vfs::{OpenOptions, SetTime, Times, Timestamp, VfsPath};
use percent_encoding::percent_decode;
use url::Url;

use super::{
    config::{Config, Output},
    failure::Failure,
};
use crate::http::response::ResponseHead;

/// Names that are tried with `--no-clobber`.
const MAX_TRIES: u32 = 100;

/// Where what is received goes.
pub(super) struct Sink {
    target: Target,
    stream: Option<Arc<dyn Stream>>,
    is_appending: bool,
    is_exclusive: bool,
    keeps_files: bool,
    creates_directories: bool,
    pub(super) warnings: Vec<String>,
}

enum Target {
    Stdout,
    File(BString),
}

impl Sink {
    /// Where a transfer is to go to. `patterns` stand for `#1`, `#2` … in the name.
    pub(super) fn new(
        config: &Config,
        output: Option<&Output>,
        url: &Url,
        patterns: &[BString],
    ) -> Result<Self, Failure> {
        let output = match output {
            None if config.uses_remote_names => Some(&Output::RemoteName),
            output => output,
        };
        let target = match output {
            None => Target::Stdout,
            Some(Output::File(name)) if name == "-" => Target::Stdout,
            Some(Output::File(name)) => {
                Target::File(in_directory(config, &substitute(name, patterns)))
            }
            Some(Output::RemoteName) => match remote_name(url) {
                Some(name) => Target::File(in_directory(config, &name)),
                None => {
                    return Err(Failure::new(
                        23,
                        "Failed writing received data to disk/application",
                    ));
                }
            },
        };
        Ok(Self {
            target,
            stream: None,
            is_appending: false,
            is_exclusive: false,
            keeps_files: config.keeps_files,
            creates_directories: config.creates_directories,
            warnings: Vec::new(),
        })
    }

    pub(super) fn is_stdout(&self) -> bool {
        matches!(self.target, Target::Stdout)
    }

    /// The name of the file.
    pub(super) fn file(&self) -> Option<&BString> {
        match &self.target {
            Target::Stdout => None,
            Target::File(path) => Some(path),
        }
    }

    /// Goes on at the end of the file.
    pub(super) fn append(&mut self) {
        self.is_appending = true;
    }

    /// Takes the name that the server gives, if it gives one. Nothing is overwritten then: it is not the user's name.
    pub(super) fn rename(&mut self, config: &Config, head: &ResponseHead) {
        if let (Target::File(_), Some(name)) = (&self.target, head.file_name()) {
            self.target = Target::File(in_directory(config, &name));
            self.is_exclusive = true;
        }
    }

    pub(super) fn write(&mut self, process: &Process, data: &[u8]) -> Result<(), Failure> {
        let stream = self.open(process)?;
        let written = process.write_all(&stream, data);
        written.map_err(|error| Failure::writing("body", Some(&error)))
    }

    /// Opens the file, also if nothing was written to it.
    pub(super) fn open(&mut self, process: &Process) -> Result<Arc<dyn Stream>, Failure> {
        if let Some(stream) = &self.stream {
            return Ok(Arc::clone(stream));
        }
        let stream = match &self.target {
            Target::Stdout => process.descriptor(1).map_err(|_| Failure::opening())?,
            Target::File(path) => self.open_file(process, &path.clone())?,
        };
        self.stream = Some(Arc::clone(&stream));
        Ok(stream)
    }

    fn open_file(&mut self, process: &Process, path: &BString) -> Result<Arc<dyn Stream>, Failure> {
        if self.creates_directories
            && let Some(parent) = VfsPath::new(path).parent()
        {
            let parent = process.resolve(parent.as_bytes());
            if let Err(error) = process.vfs().mkdir_all(&parent, 0o755) {
                self.warnings.push(format!(
                    "The directory name {parent} can't be created: {error}"
                ));
                return Err(Failure::opening());
            }
        }
        let options = match (self.is_appending, self.is_exclusive || self.keeps_files) {
            (true, _) => OpenOptions::append().create(),
            (false, true) => OpenOptions::write().create_new(),
            (false, false) => OpenOptions::write().create().truncate(),
        };
        let mut opened = process.open(path, &options);
        if self.keeps_files && !self.is_appending {
            // The first name that is free.
            let mut number = 1;
            while let Err(error) = &opened
                && error.raw_os_error() == Some(hotcell_vfs::Errno::EEXIST.code())
                && number <= MAX_TRIES
            {
                let name = format!("{path}.{number}");
                opened = process.open(&name, &options);
                self.target = Target::File(name.into());
                number += 1;
            }
        }
        opened.map_err(|error| {
            self.warnings.push(format!(
                "Failed to open the file {path}: {}",
                error_text(&error)
            ));
            if self.is_exclusive {
                Failure::writing("header", None)
            } else {
                Failure::opening()
            }
        })
    }

    /// Sets the time of the file to the one that the server gave.
    pub(super) fn set_time(&self, process: &Process, seconds: i64) {
        if let Target::File(path) = &self.target {
            let times = Times::both(SetTime::At(Timestamp::from_parts(seconds, 0)));
            // As with curl, the time is not worth failing for.
            let _ = process.vfs().set_times(&process.resolve(path), times, true);
        }
    }

    /// Takes away what was written.
    pub(super) fn remove(&mut self, process: &Process) {
        if let (Target::File(path), true) = (&self.target, self.stream.is_some()) {
            let _ = process.vfs().unlink(&process.resolve(path));
        }
    }
}

/// How long a file is; nothing if it is not there.
pub(super) fn size_of(process: &Process, path: &BString) -> u64 {
    process
        .metadata(path, true)
        .map_or(0, |metadata| metadata.size)
}

fn in_directory(config: &Config, name: &[u8]) -> BString {
    match &config.output_dir {
        Some(directory) => [directory.as_slice(), b"/", name].concat().into(),
        None => name.into(),
    }
}

/// The last part of a URL's path.
fn remote_name(url: &Url) -> Option<BString> {
    let path = url.path().as_bytes();
    let start = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    let name = path.get(start..)?;
    (!name.is_empty()).then(|| name.into())
}

/// `#1` for the first pattern of the URL, and so on.
fn substitute(name: &[u8], patterns: &[BString]) -> BString {
    let mut text = BString::default();
    let mut rest = name;
    while let Some((byte, after)) = rest.split_first() {
        let digits = after
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = after
            .get(..digits)
            .and_then(|digits| digits.to_str().ok()?.parse::<usize>().ok());
        let pattern = number.and_then(|number| patterns.get(number.checked_sub(1)?));
        match (byte, pattern) {
            (b'#', Some(pattern)) => {
                text.extend_from_slice(pattern);
                rest = after.get(digits..).unwrap_or_default();
            }
            _ => {
                text.push(*byte);
                rest = after;
            }
        }
    }
    text
}

/// A text of a URL as it was before it was encoded.
pub(crate) fn decoded(text: &str) -> BString {
    percent_decode(text.as_bytes()).collect::<Vec<u8>>().into()
}

/// A stream that `-D`, `-c` and `--stderr` write to: `-` is standard output.
pub(super) fn open_or_stdout(process: &Process, name: &BString) -> io::Result<Arc<dyn Stream>> {
    if name == "-" {
        return process.descriptor(1);
    }
    process.open(name, &OpenOptions::write().create().truncate())
}
