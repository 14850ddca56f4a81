//! How installed programs are called, where their command line is not the one that people know.

mod php;

use bstr::BString;
use hotcell_process::Process;
use serde::{Deserialize, Serialize};

/// A command line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Front {
    /// That of `php`, for a `php-cgi`.
    Php,
}

/// How a module is called.
pub(crate) struct Call {
    pub(crate) args: Vec<BString>,
    /// Variables that it needs, beside those of its manifest.
    pub(crate) environment: Vec<(BString, BString)>,
}

impl Front {
    /// What the arguments of a process come to; an exit code if there is nothing to run, which was told.
    pub(crate) fn call(self, process: &Process) -> Result<Call, i32> {
        match self {
            Self::Php => php::call(process),
        }
    }
}

/// The arguments of the process, behind those that the program always gets.
pub(crate) fn plain(process: &Process, first: &[String]) -> Call {
    let mut args = process.args().to_vec();
    args.splice(
        1.min(args.len())..1.min(args.len()),
        first
            .iter()
            .map(|argument| BString::from(argument.as_str())),
    );
    Call {
        args,
        environment: Vec::new(),
    }
}
