//! What a process begins with.

use std::{collections::BTreeMap, sync::Arc};

use bstr::BString;
use hotcell_vfs::VfsPathBuf;

use crate::{
    descriptors::{Descriptors, Fd},
    null::Null,
    signal::Signal,
    stream::Stream,
};

/// Environment variables, by name.
pub type Environment = BTreeMap<BString, BString>;

/// What a process begins with.
#[derive(Clone)]
pub struct Spec {
    /// The name it was called by, and its arguments.
    pub args: Vec<BString>,
    /// Its environment.
    pub env: Arc<Environment>,
    /// Where relative paths begin.
    pub cwd: VfsPathBuf,
    /// Bits that new files do not get.
    pub umask: u32,
    /// Its streams.
    pub descriptors: Descriptors,
    /// Signals that it ignores from the beginning, as bits by number.
    pub ignored: u32,
}

impl Spec {
    /// A process in `/` with these arguments, of which the first is its name, no environment, and no one to talk to.
    pub fn new<A: Into<BString>>(args: impl IntoIterator<Item = A>) -> Self {
        let mut descriptors = Descriptors::new();
        for fd in 0..3 {
            descriptors.set(fd, Arc::new(Null));
        }
        Self {
            args: args.into_iter().map(Into::into).collect(),
            env: Arc::default(),
            cwd: VfsPathBuf::root(),
            umask: 0o022,
            descriptors,
            ignored: 0,
        }
    }

    /// With this stream as its descriptor `fd`.
    #[must_use]
    pub fn descriptor(mut self, fd: Fd, stream: Arc<dyn Stream>) -> Self {
        self.descriptors.set(fd, stream);
        self
    }

    /// With this standard input.
    #[must_use]
    pub fn stdin(self, stream: Arc<dyn Stream>) -> Self {
        self.descriptor(0, stream)
    }

    /// With this standard output.
    #[must_use]
    pub fn stdout(self, stream: Arc<dyn Stream>) -> Self {
        self.descriptor(1, stream)
    }

    /// With this standard error.
    #[must_use]
    pub fn stderr(self, stream: Arc<dyn Stream>) -> Self {
        self.descriptor(2, stream)
    }

    /// With this signal ignored.
    #[must_use]
    pub fn ignoring(mut self, signal: Signal) -> Self {
        self.ignored |= signal.bit();
        self
    }

    /// In this directory, which is an absolute path.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<VfsPathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// With this environment.
    #[must_use]
    pub fn env(mut self, env: Arc<Environment>) -> Self {
        self.env = env;
        self
    }
}
