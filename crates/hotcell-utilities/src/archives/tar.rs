//! `tar`.

mod change;
mod create;
mod extract;
mod list;
mod names;
mod options;
mod source;
mod stored;

use std::io::{self, Write};

use bstr::BString;
use hotcell_process::{Process, error_text};
use options::{Mode, Options};

use crate::Utility;

pub(crate) const UTILITY: Utility = Utility {
    usage: &options::USAGE,
    main,
};

/// The exit code for what stops everything.
const FATAL: i32 = 2;

fn main(process: &Process) -> io::Result<i32> {
    let args = options::modern(process.args().get(1..).unwrap_or_default());
    let parsed = options::USAGE.parse_args(process, &args);
    let options = Options::new(process, &args, parsed);
    let mut tar = Tar {
        process,
        options,
        code: 0,
        told_of_root: false,
    };
    let done = match tar.options.mode {
        Mode::Create => create::create(&mut tar),
        Mode::Append | Mode::Update => create::append(&mut tar),
        Mode::List => list::list(&mut tar),
        Mode::Extract => extract::extract(&mut tar),
        Mode::Compare => extract::compare(&mut tar),
        Mode::Delete => change::delete(&mut tar),
        Mode::Concatenate => change::concatenate(&mut tar),
    };
    match done {
        Ok(()) if tar.code == FATAL => {
            process.complain("Exiting with failure status due to previous errors");
            Ok(FATAL)
        }
        Ok(()) => Ok(tar.code),
        Err(error) => {
            process.complain(match error.kind() {
                io::ErrorKind::UnexpectedEof => "Unexpected EOF in archive".to_owned(),
                _ => error_text(&error),
            });
            process.complain("Error is not recoverable: exiting now");
            Ok(FATAL)
        }
    }
}

struct Tar<'p> {
    process: &'p Process,
    options: Options,
    code: i32,
    told_of_root: bool,
}

impl Tar<'_> {
    fn fail(&mut self, text: impl AsRef<[u8]>) {
        self.process.complain(text);
        self.code = FATAL;
    }

    /// Says on the stream that is not the archive what is being done.
    fn say(&self, line: &[u8], to_stderr: bool) -> io::Result<()> {
        let text = [line, b"\n"].concat();
        if to_stderr {
            self.process.stderr().write_all(&text)
        } else {
            self.process.stdout().write_all(&text)
        }
    }

    /// A name that cannot lead out of where it belongs: without the slashes at its beginning, and what is before `..`.
    fn safe_name(&mut self, name: &[u8]) -> BString {
        if self.options.absolute {
            return name.into();
        }
        let (safe, removed) = names::relative(name);
        if !removed.is_empty() && !std::mem::replace(&mut self.told_of_root, true) {
            let text = [
                b"Removing leading `",
                removed.as_slice(),
                b"' from member names",
            ]
            .concat();
            self.process.complain(text);
        }
        safe
    }
}
