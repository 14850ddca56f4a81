//! The shell among the programs that can be run by name.

use std::sync::Arc;

use bstr::BString;
use hotcell_process::{Process, Program, Programs};

use crate::invoke::Interpreter;

/// What the shell is called.
const NAMES: [&str; 2] = ["bash", "sh"];

/// Programs, with `bash` and `sh` among them: so `bash -c`, `#!/bin/bash` and `xargs sh -c` work.
pub struct ShellPrograms {
    inner: Arc<dyn Programs>,
}

impl ShellPrograms {
    /// These programs and the shell.
    pub fn new(inner: Arc<dyn Programs>) -> Self {
        Self { inner }
    }
}

impl Programs for ShellPrograms {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        if NAMES.iter().any(|own| own.as_bytes() == name) {
            return Some(Arc::new(Interpreter));
        }
        self.inner.find(name)
    }

    fn for_file(&self, path: &hotcell_vfs::VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name)
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        names.extend(NAMES.map(BString::from));
        names.sort();
        names.dedup();
        names
    }
}

/// Runs the shell as if it had been called with the arguments of a process: `bash -c COMMAND`, `bash SCRIPT`.
pub fn run_shell(process: &Process) -> std::io::Result<i32> {
    Interpreter.run(process)
}
