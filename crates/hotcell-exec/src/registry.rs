//! Programs by identity.
//!
//! A guest names a program by an id such as `tools/echo`, which is looked up here and nowhere else: it is never a path. What
//! stands behind an id is anything that runs as a process: a built-in utility, a function of the host's, a script for an
//! interpreter, or a file that somebody knows how to run (a WASI module).

use std::{collections::BTreeMap, fmt, io, sync::Arc};

use bstr::{BStr, BString};
use hotcell_process::{Process, Program, Programs};
use hotcell_vfs::{OpenOptions, Vfs, VfsPath, VfsPathBuf};

/// How much of a file tells what it is.
const HEAD: usize = 256;

/// Programs by identity.
#[derive(Clone, Default)]
pub struct Registry {
    programs: BTreeMap<String, Entry>,
}

#[derive(Clone)]
struct Entry {
    program: Arc<dyn Program>,
    /// What has to be there for it to run.
    needs: Option<Needs>,
}

#[derive(Clone)]
enum Needs {
    File(VfsPathBuf),
    Runnable(Arc<FileProgram>),
}

/// An identity that cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no program id: use letters, digits, _ and -, in parts between single slashes")]
pub struct BadId(pub String);

impl Registry {
    /// No programs.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this program.
    pub fn program(&mut self, id: &str, program: Arc<dyn Program>) -> Result<&mut Self, BadId> {
        self.insert(id, program, None)
    }

    /// With all of these programs, as `PREFIX/NAME`. Those whose names no id can have (`[`) are left out.
    pub fn programs(&mut self, prefix: &str, programs: &dyn Programs) -> &mut Self {
        for name in programs.names() {
            if let Some(program) = programs.find(&name) {
                let _ = self.program(&format!("{prefix}/{name}"), program);
            }
        }
        self
    }

    /// With a script: `interpreter` is called as `name FILE ARGUMENT…`.
    pub fn script(
        &mut self,
        id: &str,
        (name, interpreter): (&str, Arc<dyn Program>),
        file: impl Into<VfsPathBuf>,
    ) -> Result<&mut Self, BadId> {
        let file = file.into();
        let script = Script {
            name: name.into(),
            interpreter,
            file: file.clone(),
        };
        self.insert(id, Arc::new(script), Some(Needs::File(file)))
    }

    /// With a file that `programs` can run: a WASI module, say.
    pub fn file(
        &mut self,
        id: &str,
        programs: Arc<dyn Programs>,
        path: impl Into<VfsPathBuf>,
    ) -> Result<&mut Self, BadId> {
        let path = path.into();
        let file = Arc::new(FileProgram { programs, path });
        let program = Arc::clone(&file) as Arc<dyn Program>;
        self.insert(id, program, Some(Needs::Runnable(file)))
    }

    fn insert(
        &mut self,
        id: &str,
        program: Arc<dyn Program>,
        needs: Option<Needs>,
    ) -> Result<&mut Self, BadId> {
        if !is_prog_id(id) {
            return Err(BadId(id.to_owned()));
        }
        self.programs
            .insert(id.to_owned(), Entry { program, needs });
        Ok(self)
    }

    /// All identities, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(String::as_str)
    }

    /// The program of this id, if it and what it needs are there.
    pub(crate) fn find(&self, id: &str, vfs: &dyn Vfs) -> Option<Arc<dyn Program>> {
        let entry = self.programs.get(id)?;
        let is_there = match &entry.needs {
            None => true,
            Some(Needs::File(path)) => is_file(vfs, path),
            Some(Needs::Runnable(file)) => file.find(vfs).is_some(),
        };
        is_there.then(|| Arc::clone(&entry.program))
    }

    fn has(&self, id: &str) -> bool {
        self.programs.contains_key(id)
    }

    fn get(&self, id: &str) -> Option<Arc<dyn Program>> {
        Some(Arc::clone(&self.programs.get(id)?.program))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.programs.keys()).finish()
    }
}

/// Whether a text has the form of an id: letters, digits, `_` and `-`, in parts between single slashes.
pub(crate) fn is_prog_id(id: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    id.split('/')
        .all(|part| !part.is_empty() && part.bytes().all(is_letter))
}

fn is_file(vfs: &dyn Vfs, path: &VfsPath) -> bool {
    vfs.stat(path).is_ok_and(|meta| meta.is_file())
}

/// A file with an interpreter.
struct Script {
    name: BString,
    interpreter: Arc<dyn Program>,
    file: VfsPathBuf,
}

impl Program for Script {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let arguments = process.args().iter().skip(1).cloned();
        let file = BString::from(self.file.as_bytes());
        let spec = process.spec([self.name.clone(), file].into_iter().chain(arguments));
        let status = process.become_program(spec, |process| self.interpreter.run(process));
        Ok(status.code())
    }

    fn needs_process(&self) -> bool {
        self.interpreter.needs_process()
    }
}

/// A file that somebody knows how to run.
struct FileProgram {
    programs: Arc<dyn Programs>,
    path: VfsPathBuf,
}

impl FileProgram {
    fn find(&self, vfs: &dyn Vfs) -> Option<Arc<dyn Program>> {
        if !is_file(vfs, &self.path) {
            return None;
        }
        let file = vfs.open(&self.path, &OpenOptions::read()).ok()?;
        let mut head = [0; HEAD];
        let length = file.read_at(0, &mut head).ok()?;
        let head = head.get(..length).unwrap_or_default();
        self.programs.for_file(&self.path, head)
    }
}

impl Program for FileProgram {
    fn run(&self, process: &Process) -> io::Result<i32> {
        if let Some(program) = self.find(&**process.vfs()) {
            return program.run(process);
        }
        process.complain("cannot execute: the file is gone, or nothing runs it");
        Ok(126)
    }

    fn needs_process(&self) -> bool {
        true
    }
}

/// What programs find that start others by name: the identities that the guest may use itself, by the last part of their
/// ids. So no program is a way around the allowlist.
pub(crate) struct Allowed {
    registry: Arc<Registry>,
    /// The id for each name.
    by_name: BTreeMap<String, String>,
}

impl Allowed {
    pub(crate) fn new<'a>(
        registry: &Arc<Registry>,
        ids: impl IntoIterator<Item = &'a String>,
    ) -> Self {
        let mut by_name = BTreeMap::new();
        for id in ids.into_iter().filter(|id| registry.has(id)) {
            let name = id.rsplit('/').next().unwrap_or(id);
            // Of several, the first in the order of their ids.
            by_name.entry(name.to_owned()).or_insert_with(|| id.clone());
        }
        Self {
            registry: Arc::clone(registry),
            by_name,
        }
    }
}

impl Programs for Allowed {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        let id = self.by_name.get(std::str::from_utf8(name).ok()?)?;
        self.registry.get(id)
    }

    fn names(&self) -> Vec<BString> {
        let names = self.by_name.keys();
        names
            .map(|name| BStr::new(name.as_bytes()).to_owned())
            .collect()
    }
}
