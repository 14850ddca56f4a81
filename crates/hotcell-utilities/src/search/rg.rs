//! `rg`: ripgrep's options and output over its own searcher and printer; the files are ours.
//!
//! Files come in the order of their paths, where ripgrep's come as its threads find them.

mod counted;
mod options;
mod patterns;
mod rules;
mod search;
mod usage;
mod walk;

use std::io;

use hotcell_process::{Process, limit_error};
use termcolor::{Ansi, NoColor, WriteColor};

use self::{
    counted::Counted,
    options::{Settings, Task},
    search::Search,
    usage::USAGE,
    walk::Walker,
};
use crate::Utility;

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

fn main(process: &Process) -> io::Result<i32> {
    let settings = match Settings::new(process)? {
        Ok(settings) => settings,
        Err(message) => {
            process.complain(message.trim_end());
            return Ok(2);
        }
    };
    if settings.is_colored {
        run(process, &settings, Ansi::new(process.stdout()))
    } else {
        run(process, &settings, NoColor::new(process.stdout()))
    }
}

fn run<W: WriteColor>(process: &Process, settings: &Settings, mut out: W) -> io::Result<i32> {
    match settings.task {
        Task::Types => {
            for definition in settings.types.definitions() {
                process.spend(64);
                writeln!(
                    out,
                    "{}: {}",
                    definition.name(),
                    definition.globs().join(", ")
                )?;
            }
            out.flush()?;
            Ok(0)
        }
        Task::Files => {
            let mut walker = Walker::new(process, settings)?;
            let mut any = false;
            walker.each(|file| {
                any = true;
                if !settings.is_quiet {
                    out.write_all(&file.shown)?;
                    out.write_all(&[if settings.ends_paths_with_nul {
                        0
                    } else {
                        b'\n'
                    }])?;
                }
                Ok(!settings.is_quiet)
            })?;
            out.flush()?;
            Ok(code(any, walker.has_failed, settings.is_quiet))
        }
        Task::Search => {
            let (matcher, _held) = match patterns::matcher(process, settings) {
                Ok(made) => made,
                Err(message) => {
                    process.complain(message);
                    return Ok(2);
                }
            };
            let mut walker = Walker::new(process, settings)?;
            let counted = Counted::new(process, settings, &matcher)?;
            let mut search = Search::new(process, settings, &counted, out)?;
            walker.each(|file| search.file(file))?;
            search.finish()?;
            let has_failed = walker.has_failed || search.has_failed;
            Ok(code(search.has_matched, has_failed, settings.is_quiet))
        }
    }
}

const fn code(has_matched: bool, has_failed: bool, is_quiet: bool) -> i32 {
    if has_matched && (is_quiet || !has_failed) {
        0
    } else if has_failed {
        2
    } else {
        1
    }
}

/// A charge that follows what is held.
fn hold(charge: &mut hotcell_meter::Charge, bytes: usize) -> io::Result<()> {
    if bytes > charge.bytes() {
        charge.resize(bytes).map_err(limit_error)?;
    }
    Ok(())
}
