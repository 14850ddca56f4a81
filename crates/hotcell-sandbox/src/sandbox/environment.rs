//! Environment variables.

use bstr::BString;

use super::Sandbox;
use crate::error::{Result, SandboxError};

impl Sandbox {
    /// The value of a variable of the shell, exported or not.
    pub fn get_env(&self, name: impl AsRef<[u8]>) -> Result<Option<BString>> {
        self.with(|live| live.shell.get_env(name.as_ref()))
    }

    /// Sets a variable, and exports it. A command that is under way does not notice, and does not undo it.
    pub fn set_env(&self, name: impl Into<BString>, value: impl Into<BString>) -> Result<()> {
        self.change_env(name.into(), Some(value.into()))
    }

    /// Removes a variable.
    pub fn unset_env(&self, name: impl Into<BString>) -> Result<()> {
        self.change_env(name.into(), None)
    }

    /// Everything that programs find in their environment, by name.
    pub fn env(&self) -> Result<Vec<(BString, BString)>> {
        let shell = self.with(|live| live.shell.clone())?;
        Ok(shell.exported())
    }

    fn change_env(&self, name: BString, value: Option<BString>) -> Result<()> {
        if let Some(value) = &value
            && value.contains(&0)
        {
            return Err(SandboxError::Invalid(format!(
                "the value of {name} has a NUL byte, which no environment can hold"
            )));
        }
        let mut state = self.0.lock();
        let is_running = state.line.current().is_some();
        let live = state.live.as_mut().ok_or(SandboxError::Destroyed)?;
        let done = match &value {
            Some(value) => live.shell.set_env(&name, value.clone()),
            None => {
                live.shell.unset_env(&name);
                true
            }
        };
        if !done {
            return Err(SandboxError::Invalid(format!(
                "{name:?} cannot be the name of a variable: letters, digits and _, and no digit first"
            )));
        }
        if is_running {
            live.changes.push((name, value));
        }
        Ok(())
    }
}
