//! Where what a host isolates runs.

/// Where the code of an executor runs, or the processes of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// On threads of this program: the wall is WebAssembly's, and Rust's.
    #[default]
    Thread,
    /// In a jailed process of their own, which is killed when it has to be (Linux only).
    Process,
}

impl Isolation {
    /// The name that other languages know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Process => "process",
        }
    }

    /// What has that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Thread, Self::Process]
            .into_iter()
            .find(|one| one.name() == name)
    }
}
