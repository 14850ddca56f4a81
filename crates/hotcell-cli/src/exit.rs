//! How the command ends.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hotcell::{ErrorCode, ExecutorError};

/// What the exit code says. `--help` documents these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    Failed = 1,
    Usage = 2,
    Suspended = 3,
    Timeout = 124,
    Cancelled = 125,
    Memory = 137,
}

impl Exit {
    pub(crate) fn of(error: &ExecutorError) -> Self {
        match error.code {
            ErrorCode::ExecTimeout => Self::Timeout,
            ErrorCode::Cancelled => Self::Cancelled,
            ErrorCode::MemoryLimit => Self::Memory,
            _ => Self::Failed,
        }
    }

    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command could not do its work: something around the code, not the code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("failed to {doing} {}", .path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{0} is not text in UTF-8")]
    NotText(String),
    #[error("{file} is not what it should be: {problem}")]
    Content { file: String, problem: String },
    #[error("cells do not work here (hotcell doctor tells more)")]
    Engine(#[from] hotcell::cell::CellError),
    #[error(transparent)]
    Program(#[from] hotcell::wasi::StoreError),
    #[error("{0}")]
    Executor(Box<ExecutorError>),
    #[error("{0}")]
    Usage(String),
    #[error("the terminal failed")]
    Terminal(#[source] rustyline::error::ReadlineError),
}

impl CliError {
    pub(crate) fn file(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File {
            doing,
            path,
            source,
        }
    }

    /// What somebody else says in words.
    pub(crate) fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<ExecutorError> for CliError {
    fn from(error: ExecutorError) -> Self {
        Self::Executor(Box::new(error))
    }
}
