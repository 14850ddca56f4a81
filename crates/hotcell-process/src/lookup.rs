//! From a name to a program.

use std::{io, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use hotcell_vfs::{Errno, OpenOptions, VfsPathBuf};

use crate::{
    error::{errno, error_text},
    process::Process,
    program::Program,
    spec::Spec,
    status::Status,
};

/// Where built-in programs seem to be.
const SYSTEM: [&[u8]; 4] = [b"/usr/bin", b"/bin", b"/usr/local/bin", b"/sbin"];

/// Where names are looked up if nobody says.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/usr/bin:/bin";

/// How much of a file tells what it is.
const HEAD: usize = 256;

/// How many `#!` may lead to each other.
const MAX_INTERPRETERS: usize = 4;

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// Nothing of that name on `PATH`.
    #[error("command not found")]
    NotFound,
    /// The same, for one that could be there, with what to do about it.
    #[error("command not found ({0})")]
    NotInstalled(String),
    /// A path that does not lead to a file, with the words for it.
    #[error("{0}")]
    NoFile(String),
    /// A path that leads to something that cannot be run.
    #[error("{0}")]
    NotRunnable(String),
}

impl LookupError {
    /// The exit code that a shell has for it.
    pub fn code(&self) -> i32 {
        match self {
            Self::NotFound | Self::NotInstalled(_) | Self::NoFile(_) => 127,
            Self::NotRunnable(_) => 126,
        }
    }

    /// Whether there is nothing of that name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound | Self::NotInstalled(_))
    }
}

/// A program, and the arguments that it needs before its own.
pub(crate) struct Found {
    pub(crate) program: Arc<dyn Program>,
    /// What takes the place of the first argument: a script's interpreter with its argument, and the script.
    pub(crate) first: Vec<BString>,
}

impl Process {
    /// Where a name leads: the path of a file, or of a built-in program. As `command -v`.
    pub fn which(&self, name: &[u8]) -> Option<VfsPathBuf> {
        let path = self.env("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
        self.all_in(name, &path).next()
    }

    /// Where a name leads on another search path: all the places, in order.
    pub fn all_in<'a>(
        &'a self,
        name: &'a [u8],
        path: &'a [u8],
    ) -> impl Iterator<Item = VfsPathBuf> + 'a {
        let has_slash = name.contains(&b'/');
        let itself = has_slash.then(|| {
            let file = self.resolve(name);
            let is_there = self.is_system(&file).is_some() || self.is_executable(&file);
            is_there.then(|| VfsPathBuf::from(name))
        });
        let directories = path.split_str(":").filter(move |_| !has_slash);
        let found = directories.filter_map(move |directory| {
            let directory = if directory.is_empty() {
                b"."
            } else {
                directory
            };
            let file = self.resolve(directory).join(name);
            let shown = VfsPathBuf::from(directory).join(name);
            if self.is_executable(&file) || self.is_system(&file).is_some() {
                return Some(shown);
            }
            let suffix = self.kernel().0.options.programs.suffix()?.as_bytes();
            let with_suffix =
                |path: VfsPathBuf| VfsPathBuf::from([&path.into_bytes(), suffix].concat());
            self.is_executable(&with_suffix(file))
                .then(|| with_suffix(shown))
        });
        itself.flatten().into_iter().chain(found)
    }

    /// Runs a program by the name in `spec.args`, on this process's stack, and waits for it.
    pub fn execute(&self, spec: Spec) -> Result<Status, LookupError> {
        let (spec, program) = self.prepare(spec)?;
        self.call_program(spec, &program)
            .map_err(|error| LookupError::NotRunnable(error_text(&error)))
    }

    /// Runs a program, and waits for it: on this process's stack if it can, beside it if it must. Refused beyond the
    /// limit of processes.
    pub fn call_program(&self, spec: Spec, program: &Arc<dyn Program>) -> io::Result<Status> {
        if !program.needs_process() {
            return Ok(self.call(spec, |process| program.run(process)));
        }
        let program = Arc::clone(program);
        let pid = self.spawn(spec, move |process| program.run(process))?;
        let status = self.wait(pid);
        status.ok_or_else(|| errno(Errno::EIO))
    }

    /// Runs a program by the name in `spec.args` beside this process.
    pub fn execute_beside(&self, spec: Spec) -> Result<io::Result<crate::Pid>, LookupError> {
        let (spec, program) = self.prepare(spec)?;
        Ok(self.spawn(spec, move |process| program.run(process)))
    }

    /// Finds the program for a spec, and puts the arguments of interpreters in their place.
    pub fn prepare(&self, mut spec: Spec) -> Result<(Spec, Arc<dyn Program>), LookupError> {
        let name = spec.args.first().cloned().unwrap_or_default();
        let found = self.find(name.as_bstr())?;
        if !found.first.is_empty() {
            Arc::make_mut(&mut spec.args).splice(..1, found.first);
        }
        Ok((spec, found.program))
    }

    /// As [`Process::prepare`], with the program at a path, whatever it is called by.
    pub fn prepare_path(
        &self,
        mut spec: Spec,
        path: &[u8],
    ) -> Result<(Spec, Arc<dyn Program>), (Spec, LookupError)> {
        match self.find(path.as_bstr()) {
            Ok(found) => {
                if !found.first.is_empty() {
                    Arc::make_mut(&mut spec.args).splice(..1, found.first);
                }
                Ok((spec, found.program))
            }
            Err(error) => Err((spec, error)),
        }
    }

    fn find(&self, name: &BStr) -> Result<Found, LookupError> {
        let programs = &self.kernel().0.options.programs;
        let path = self.which(name);
        let Some(path) = path else {
            return Err(self.why_not(name));
        };
        let file = self.resolve(&path);
        if let Some(name) = self.is_system(&file)
            && let Some(program) = programs.find(&name)
        {
            return Ok(Found {
                program,
                first: Vec::new(),
            });
        }
        self.find_file(&path, MAX_INTERPRETERS)
    }

    /// What runs a file: the interpreter that it names, a runtime for its kind, or the shell.
    fn find_file(&self, path: &VfsPathBuf, interpreters: usize) -> Result<Found, LookupError> {
        let options = &self.kernel().0.options;
        let head = self
            .read_head(path)
            .map_err(|error| LookupError::NotRunnable(error_text(&error)))?;
        if let Some(program) = options.programs.for_file(&self.resolve(path), &head) {
            return Ok(Found {
                program,
                first: Vec::new(),
            });
        }
        let (interpreter, argument) = match interpreter(&head) {
            Some((interpreter, argument)) => (interpreter, argument),
            None if head.contains(&0) => {
                let text = "cannot execute binary file: Exec format error";
                return Err(LookupError::NotRunnable(text.into()));
            }
            None => ("/bin/sh".into(), None),
        };
        let missing = || {
            // In the words of bash, to which the script and not its interpreter is missing.
            LookupError::NoFile("cannot execute: required file not found".into())
        };
        if interpreters == 0 {
            return Err(LookupError::NotRunnable(
                "Too many levels of symbolic links".into(),
            ));
        }
        let interpreter_path = self.which(&interpreter).ok_or_else(missing)?;
        let mut first: Vec<BString> = vec![interpreter.clone()];
        first.extend(argument);
        first.push(path.as_bytes().into());
        let file = self.resolve(&interpreter_path);
        let program = self
            .is_system(&file)
            .and_then(|name| options.programs.find(&name));
        if let Some(program) = program {
            return Ok(Found { program, first });
        }
        let mut found = self.find_file(&interpreter_path, interpreters - 1)?;
        if found.first.is_empty() {
            // A program, which is called by the name that the script knows it by.
            found.first = first;
        } else {
            found.first.extend(first.split_off(1));
        }
        Ok(found)
    }

    fn read_head(&self, path: &VfsPathBuf) -> io::Result<Vec<u8>> {
        let file = self.open_file(path, &OpenOptions::read())?;
        let mut head = vec![0; HEAD];
        let count = file.read_at(0, &mut head).map_err(crate::file_error)?;
        head.truncate(count);
        Ok(head)
    }

    /// Whether a path looks like that of a built-in program: its name.
    pub(crate) fn is_system(&self, path: &VfsPathBuf) -> Option<BString> {
        let name = path.file_name()?;
        let directory = path.parent()?.as_bytes();
        let is_there =
            SYSTEM.contains(&directory) && self.kernel().0.options.programs.find(name).is_some();
        is_there.then(|| name.into())
    }

    fn is_executable(&self, path: &VfsPathBuf) -> bool {
        let meta = self.vfs().stat(path);
        meta.is_ok_and(|meta| meta.is_file() && meta.mode & 0o111 != 0)
    }

    /// Why a name or a path cannot be run.
    pub fn why_not(&self, path: &[u8]) -> LookupError {
        if !path.contains(&b'/') {
            let advice = self.kernel().0.options.programs.advice(path);
            return advice.map_or(LookupError::NotFound, LookupError::NotInstalled);
        }
        match self.vfs().stat(&self.resolve(path)) {
            Err(error) if error.errno() == Errno::ENOTDIR => {
                LookupError::NotRunnable("Not a directory".into())
            }
            Err(error) => LookupError::NoFile(error_text(&crate::file_error(error))),
            Ok(meta) if meta.is_dir() => LookupError::NotRunnable("Is a directory".into()),
            Ok(_) => LookupError::NotRunnable("Permission denied".into()),
        }
    }
}

/// `#!interpreter argument` at the beginning of a file.
fn interpreter(head: &[u8]) -> Option<(BString, Option<BString>)> {
    let line = head.strip_prefix(b"#!")?.lines().next()?.trim_ascii();
    let (interpreter, argument) = match line.find_byteset(b" \t") {
        Some(end) => (line.get(..end)?, line.get(end..)?.trim_ascii()),
        None => (line, &b""[..]),
    };
    if interpreter.is_empty() {
        return None;
    }
    Some((
        interpreter.into(),
        (!argument.is_empty()).then(|| argument.into()),
    ))
}
