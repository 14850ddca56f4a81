//! `.` and `source`

use bstr::BString;
use hotcell_process::{Process, error_text};
use hotcell_vfs::OpenOptions;

use super::{
    Builtin, Run,
    arguments::{USAGE, complain},
};
use crate::{
    flow::{Flow, Outcome},
    settings::Setting,
    shell::{Frame, FrameKind, Shell},
    substitute::read_all,
    text::Origin,
};

pub(super) const DOT: Builtin = Builtin {
    name: ".",
    synopsis: ". filename [arguments]",
    help: "Run the commands of a file in this shell. A name without a slash is looked for on PATH, then in the working\n\
           directory. With arguments, these are the positional parameters meanwhile.",
    is_special: true,
    run: Run::Fields(|shell, process, fields| run(&DOT, shell, process, fields)),
};

pub(super) const SOURCE: Builtin = Builtin {
    name: "source",
    synopsis: "source filename [arguments]",
    run: Run::Fields(|shell, process, fields| run(&SOURCE, shell, process, fields)),
    ..DOT
};

/// A file with more NULs than this is no text; fewer are left out.
const MOST_NULS: usize = 256;

fn run(builtin: &Builtin, shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = match builtin.parse(shell, process, fields, "") {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let Some((name, arguments)) = parsed.operands.split_first() else {
        builtin.complain(shell, process, "filename argument required");
        builtin.usage(process);
        return if shell.has(Setting::Posix) {
            Err(Flow::Exit(USAGE))
        } else {
            Ok(USAGE)
        };
    };
    let path = find(shell, process, name);
    let mut text = Vec::new();
    let read = process
        .open(&path, &OpenOptions::read())
        .and_then(|stream| {
            if stream.file().is_some() && stream.metadata()?.is_dir() {
                return Err(hotcell_process::errno(hotcell_vfs::Errno::EISDIR));
            }
            read_all(process, stream, &mut text)
        });
    if let Err(error) = read {
        if error.raw_os_error() == Some(hotcell_vfs::Errno::EISDIR.code()) {
            let message = [path.as_slice(), b": is a directory"].concat();
            complain(shell, process, builtin.name, message);
        } else if shell.has(Setting::Posix) && !name.contains(&b'/') {
            let message = [path.as_slice(), b": file not found"].concat();
            complain(shell, process, builtin.name, message);
        } else {
            let message = [path.as_slice(), b": ", error_text(&error).as_bytes()].concat();
            shell.complain(process, message);
        }
        if shell.has(Setting::Posix) {
            return Err(Flow::Exit(1));
        }
        return Ok(1);
    }
    let length = text.len();
    text.retain(|byte| *byte != 0);
    if length - text.len() > MOST_NULS {
        let message = [path.as_slice(), b": cannot execute binary file"].concat();
        complain(shell, process, builtin.name, message);
        return Ok(126);
    }
    shell.source(process, path, &text, arguments)
}

/// Where a file is that is to be sourced.
fn find(shell: &mut Shell, process: &Process, name: &BString) -> BString {
    if name.contains(&b'/') || !shell.has(Setting::SourcePath) {
        return name.clone();
    }
    let path = shell.search_path(process);
    let mut directories = bstr::ByteSlice::split_str(path.as_slice(), ":");
    let found = directories.find_map(|directory| {
        let candidate = if directory.is_empty() {
            name.clone()
        } else {
            [directory, b"/", name].concat().into()
        };
        let metadata = process.vfs().stat(&process.resolve(&candidate));
        metadata
            .is_ok_and(|metadata| metadata.is_file())
            .then_some(candidate)
    });
    found.unwrap_or_else(|| name.clone())
}

impl Shell {
    /// Runs a text as if it were part of this script, from another file.
    pub(crate) fn source(
        &mut self,
        process: &Process,
        path: BString,
        text: &[u8],
        arguments: &[BString],
    ) -> Outcome {
        let line = self.line;
        self.frames.push(Frame {
            name: "source".into(),
            source: path,
            called_from: line,
            arguments: arguments.into(),
            kind: FrameKind::Source,
        });
        let own = (!arguments.is_empty())
            .then(|| std::mem::replace(&mut self.arguments, arguments.into()));
        let is_traced = self.has(Setting::FuncTrace);
        let hidden = self.traps.hide(true, is_traced);
        self.trace_depth += 1;
        let sets_arguments = std::mem::take(&mut self.sets_arguments);
        let outcome = self.run_text(process, text, Origin::Source);
        let outcome = match outcome {
            Err(Flow::Return(status)) => Ok(self.set_status(status)),
            other => other,
        };
        self.traps.unhide(hidden);
        let outcome = self.run_return_trap(process).and(outcome);
        self.trace_depth -= 1;
        // Unless the file has set them itself.
        let has_set = std::mem::replace(&mut self.sets_arguments, sets_arguments);
        if let Some(own) = own
            && !has_set
        {
            self.arguments = own;
        }
        self.frames.pop();
        self.line = line;
        outcome
    }
}
