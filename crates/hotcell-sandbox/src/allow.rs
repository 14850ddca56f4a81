//! A list of the programs that may be run.

use std::{collections::BTreeSet, io, sync::Arc};

use bstr::{BStr, BString};
use hotcell_process::{Capability, Denial, Notice, Process, Program, Programs};
use hotcell_vfs::VfsPath;

/// How many of the allowed programs a message names.
const SHOWN: usize = 40;

/// Programs, of which those on a list can be run, and the others say that they are not on it.
///
/// It is about programs. Builtins of the shell are part of its language, and reach nothing that a program does not; functions are
/// what commands made of what was allowed.
pub(crate) struct AllowList {
    inner: Arc<dyn Programs>,
    allowed: Arc<BTreeSet<BString>>,
}

impl AllowList {
    pub(crate) fn new(inner: Arc<dyn Programs>, allowed: Arc<BTreeSet<BString>>) -> Self {
        Self { inner, allowed }
    }

    fn is_allowed(&self, name: &[u8]) -> bool {
        self.allowed.contains(BStr::new(name))
    }

    /// The name that a file goes by on `PATH`.
    fn without_suffix<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let suffix = self.inner.suffix().unwrap_or_default();
        name.strip_suffix(suffix.as_bytes()).unwrap_or(name)
    }

    fn refused(&self) -> Arc<dyn Program> {
        Arc::new(Refused {
            allowed: Arc::clone(&self.allowed),
        })
    }
}

impl Programs for AllowList {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        let found = self.inner.find(name)?;
        Some(if self.is_allowed(name) {
            found
        } else {
            self.refused()
        })
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        let found = self.inner.for_file(path, head)?;
        let is_allowed = path.file_name().is_some_and(|name| {
            self.is_allowed(name) || self.is_allowed(self.without_suffix(name))
        });
        Some(if is_allowed { found } else { self.refused() })
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        let advice = self.inner.advice(name)?;
        self.is_allowed(name).then_some(advice)
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        names.retain(|name| self.is_allowed(name));
        names
    }
}

/// What runs in the place of a program that is not allowed.
struct Refused {
    allowed: Arc<BTreeSet<BString>>,
}

impl Program for Refused {
    fn run(&self, process: &Process) -> io::Result<i32> {
        process.notice(Notice::Denied(Denial {
            capability: Capability::Program,
            subject: process.name().to_string(),
            reason: "it is not on the list of allowed commands".into(),
        }));
        let mut text = String::from("not allowed in this sandbox");
        if self.allowed.is_empty() {
            text.push_str("; only what the shell itself can do is");
        } else {
            text.push_str("; allowed are:");
            for name in self.allowed.iter().take(SHOWN) {
                text.push(' ');
                text.push_str(&name.to_string());
            }
            if self.allowed.len() > SHOWN {
                text.push_str(" …");
            }
        }
        process.complain(text);
        Ok(126)
    }
}
