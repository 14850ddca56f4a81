//! What is asked of each file.

use bstr::BString;
use hotcell_regex::Regex;
use hotcell_vfs::{FileType, Timestamp};

use super::{format::Format, walk::Follow};

/// Everything that the command line says.
pub(super) struct Query {
    pub(super) root: Node,
    pub(super) follow: Follow,
    pub(super) depth_first: bool,
    pub(super) least_depth: usize,
    pub(super) most_depth: usize,
    pub(super) one_file_system: bool,
    pub(super) files: Option<BString>,
    /// Files that are written to, by name.
    pub(super) outputs: Vec<BString>,
    /// Commands that collect their arguments.
    pub(super) batches: Vec<Command>,
}

pub(super) enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    /// `,`: all are done, the last one counts.
    List(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
    Action(Action),
}

impl Node {
    /// Whether it asks for more of a file than its name tells and what kind of file it is.
    pub(super) fn needs_metadata(&self) -> bool {
        match self {
            Self::And(nodes) | Self::Or(nodes) | Self::List(nodes) => {
                nodes.iter().any(Self::needs_metadata)
            }
            Self::Not(node) => node.needs_metadata(),
            Self::Test(test) => !matches!(
                test,
                Test::Always(_)
                    | Test::Name { .. }
                    | Test::Path { .. }
                    | Test::Link { .. }
                    | Test::Regex(_)
                    | Test::Kind { .. }
                    | Test::FileSystem(_)
            ),
            Self::Action(action) => {
                matches!(action, Action::Format { .. } | Action::List { .. })
            }
        }
    }
}

/// `+N`, `-N` or `N`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Amount {
    More(i64),
    Less(i64),
    Exactly(i64),
}

impl Amount {
    pub(super) fn fits(self, number: i64) -> bool {
        match self {
            Self::More(than) => number > than,
            Self::Less(than) => number < than,
            Self::Exactly(this) => number == this,
        }
    }
}

/// One of a file's times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    Accessed,
    Changed,
    Modified,
}

/// How permissions are compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Permissions {
    Exactly(u32),
    All(u32),
    Any(u32),
}

pub(super) enum Test {
    Always(bool),
    Name {
        pattern: BString,
        ignores_case: bool,
    },
    Path {
        pattern: BString,
        ignores_case: bool,
    },
    Link {
        pattern: BString,
        ignores_case: bool,
    },
    Regex(Box<Regex>),
    Kind {
        kinds: Vec<FileType>,
        follows: bool,
    },
    Size {
        amount: Amount,
        unit: u64,
    },
    Empty,
    /// Age in units of so many seconds, before `from` (or now).
    Age {
        which: Which,
        amount: Amount,
        unit: i64,
        from: Timestamp,
    },
    Newer {
        which: Which,
        than: Timestamp,
    },
    Used(Amount),
    Permissions {
        zero_umask: Permissions,
        for_dirs: Permissions,
    },
    Links(Amount),
    Inode(Amount),
    Owner(Amount),
    Same {
        dev: u64,
        ino: u64,
    },
    Access(u32),
    FileSystem(BString),
}

/// A command to run.
pub(super) struct Command {
    pub(super) words: Vec<BString>,
    /// In the directory of the file.
    pub(super) in_folder: bool,
}

pub(super) enum Action {
    Print {
        output: Option<usize>,
        end: u8,
    },
    Format {
        output: Option<usize>,
        format: Format,
    },
    List {
        output: Option<usize>,
    },
    Delete,
    Prune,
    Quit,
    Run {
        command: Command,
        asks: bool,
    },
    /// An argument for a command that takes many: which one.
    Batch(usize),
}
