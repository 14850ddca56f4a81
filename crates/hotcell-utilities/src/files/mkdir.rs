//! `mkdir`.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_process::{Process, file_error};
use hotcell_vfs::{Errno, VfsPathBuf};

use super::mode::ModeChange;
use crate::{Opt, Usage, Utility, operands::complain_that_cannot, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "mkdir",
    synopsis: "[OPTION]... DIRECTORY...",
    summary: "Create the DIRECTORY(ies), if they do not already exist.",
    options: &[
        Opt::value(
            'm',
            "mode",
            "MODE",
            "set file mode (as in chmod), not a=rwx - umask",
        ),
        Opt::flag(
            'p',
            "parents",
            "no error if existing, make parent directories as needed",
        ),
        Opt::flag('v', "verbose", "print a message for each created directory"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let change = parsed
        .value("mode")
        .map(|text| match ModeChange::parse(text) {
            Some(change) => change,
            None => {
                process.complain([b"invalid mode ", quote(text).as_slice()].concat());
                process.exit(1)
            }
        });
    let mode = change.map(|change| change.apply(0o777, true, process.umask()));
    let make = Make {
        process,
        mode,
        verbose: parsed.has("verbose"),
    };
    let mut code = 0;
    for name in &parsed.operands {
        let made = if parsed.has("parents") {
            make.with_parents(name.as_bstr())
        } else {
            make.one(name.as_bstr(), true)
        };
        if let Err(error) = made {
            complain_that_cannot(process, "create directory", name, &error);
            code = 1;
        }
    }
    Ok(code)
}

struct Make<'p> {
    process: &'p Process,
    mode: Option<u32>,
    verbose: bool,
}

impl Make<'_> {
    fn one(&self, name: &BStr, is_last: bool) -> io::Result<()> {
        if name.is_empty() {
            return Err(io::Error::from_raw_os_error(Errno::ENOENT.code()));
        }
        let path = self.process.resolve(name);
        let usual = 0o777 & !self.process.umask();
        let mode = self.mode.filter(|_| is_last).unwrap_or(usual);
        self.process.vfs().mkdir(&path, mode).map_err(file_error)?;
        if self.verbose {
            let line = [b"mkdir: created directory ", quote(name).as_slice(), b"\n"].concat();
            self.process.stdout().write_all(&line)?;
        }
        Ok(())
    }

    fn with_parents(&self, name: &BStr) -> io::Result<()> {
        if name.is_empty() {
            return Err(io::Error::from_raw_os_error(Errno::ENOENT.code()));
        }
        let mut path = VfsPathBuf::from_vec(if name.starts_with(b"/") {
            b"/".to_vec()
        } else {
            Vec::new()
        });
        let parts: Vec<&[u8]> = name
            .split_str("/")
            .filter(|part| !part.is_empty())
            .collect();
        for (at, part) in parts.iter().enumerate() {
            self.process.spend(64);
            path.push(part);
            let meta = self.process.vfs().stat(&self.process.resolve(&path));
            match meta {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) if at + 1 < parts.len() => {
                    let text = [
                        b"cannot create directory ",
                        quote(path.as_bytes()).as_slice(),
                        b": Not a directory",
                    ]
                    .concat();
                    self.process.complain(text);
                    self.process.exit(1);
                }
                _ => self.one(BStr::new(path.as_bytes()), at + 1 == parts.len())?,
            }
        }
        Ok(())
    }
}
