//! What a process begins with.

use std::sync::Arc;

use bstr::BString;
use hotcell_vfs::VfsPathBuf;

use crate::{
    descriptors::{Descriptors, Fd},
    environment::Environment,
    null::Null,
    signal::Signal,
    stream::Stream,
};

/// An environment in the order in which its variables were given.
#[derive(Clone)]
pub(crate) struct Given {
    /// Another environment has no such order.
    of: Arc<Environment>,
    list: Arc<[(BString, BString)]>,
}

impl Given {
    /// The list, if `env` is what it is of.
    pub(crate) fn list_of(&self, env: &Arc<Environment>) -> Option<Arc<[(BString, BString)]>> {
        Arc::ptr_eq(&self.of, env).then(|| Arc::clone(&self.list))
    }
}

/// What a process begins with.
#[derive(Clone)]
pub struct Spec {
    /// The name it was called by, and its arguments.
    pub args: Arc<Vec<BString>>,
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
    /// The order of `env`, if somebody said one.
    pub(crate) given: Option<Given>,
}

impl Spec {
    /// A process in `/` with these arguments, of which the first is its name, no environment, and no one to talk to.
    pub fn new<A: Into<BString>>(args: impl IntoIterator<Item = A>) -> Self {
        let mut descriptors = Descriptors::new();
        for fd in 0..3 {
            descriptors.set(fd, Arc::new(Null));
        }
        Self {
            args: Arc::new(args.into_iter().map(Into::into).collect()),
            env: Arc::default(),
            cwd: VfsPathBuf::root(),
            umask: 0o022,
            descriptors,
            ignored: 0,
            given: None,
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

    /// With this environment, in this order, which [`Process::environ`](crate::Process::environ) keeps. Of several variables
    /// of one name the first counts, as it does for `getenv`.
    #[must_use]
    pub fn environ(mut self, list: Vec<(BString, BString)>) -> Self {
        let mut env = Environment::new();
        for (name, value) in &list {
            env.entry(name.clone()).or_insert_with(|| value.clone());
        }
        self.env = Arc::new(env);
        self.given = Some(Given {
            of: Arc::clone(&self.env),
            list: list.into(),
        });
        self
    }
}
