//! What can be run by name.

use std::{io, sync::Arc};

use bstr::BString;
use hotcell_vfs::VfsPath;

use crate::process::Process;

/// Something that can be run by name.
pub trait Program: Send + Sync {
    /// Runs to its end and returns the exit code. An error is printed as `NAME: TEXT` and is code 1.
    fn run(&self, process: &Process) -> io::Result<i32>;

    /// Whether it has to be a process that others can send signals to, as a shell does. Others may run on the stack of
    /// whoever calls them.
    fn needs_process(&self) -> bool {
        false
    }
}

impl<F: Fn(&Process) -> io::Result<i32> + Send + Sync> Program for F {
    fn run(&self, process: &Process) -> io::Result<i32> {
        self(process)
    }
}

/// Where programs are found.
pub trait Programs: Send + Sync {
    /// The built-in program of this name. Names here have no slash; they are as if in `/usr/bin`.
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>>;

    /// A program that runs the file at `path`, an absolute one, which begins with `head`: a WebAssembly module, say. Scripts
    /// are dealt with elsewhere.
    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        let (_, _) = (path, head);
        None
    }

    /// What the name of a file may end with and be found on `PATH` without: `.wasm`, say.
    fn suffix(&self) -> Option<&'static str> {
        None
    }

    /// What to do about a name that leads nowhere: how to install the program, say.
    fn advice(&self, name: &[u8]) -> Option<String> {
        let _ = name;
        None
    }

    /// The names of all built-in programs, sorted.
    fn names(&self) -> Vec<BString>;
}

/// No programs at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPrograms;

impl Programs for NoPrograms {
    fn find(&self, _name: &[u8]) -> Option<Arc<dyn Program>> {
        None
    }

    fn names(&self) -> Vec<BString> {
        Vec::new()
    }
}
