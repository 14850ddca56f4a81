//! What a host reads and sets of a shell between two commands.

use bstr::BString;
use hotcell_meter::{Account, OverLimit};
use hotcell_vfs::VfsPath;

use crate::{
    names::is_name,
    shell::Shell,
    variables::{Attributes, Place, Value},
};

impl Shell {
    /// The value of a variable, exported or not; of an array, its element 0. What the shell makes up when it is asked, such
    /// as `RANDOM`, has none here.
    pub fn get_env(&self, name: &[u8]) -> Option<BString> {
        self.variables.get(name)?.scalar().cloned()
    }

    /// Sets a variable and exports it, whatever commands made of it before: a host has the last word, also over `readonly`.
    /// False if it cannot be the name of a variable.
    pub fn set_env(&mut self, name: &[u8], value: impl Into<BString>) -> bool {
        if !is_name(name) {
            return false;
        }
        let value = value.into();
        self.variables.update(name, Place::Global, |variable| {
            variable.value = Value::Scalar(value);
            variable.attributes = Attributes::EXPORT;
        });
        true
    }

    /// Removes a variable.
    pub fn unset_env(&mut self, name: &[u8]) {
        self.variables.remove(name, false);
    }

    /// Everything that programs find in their environment, in the order of names.
    pub fn exported(&self) -> Vec<(BString, BString)> {
        let exported = self.variables.exported();
        let mut exported: Vec<(BString, BString)> = exported
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        exported.sort_unstable();
        exported
    }

    /// Whether the last command ended the shell: by `exit`, `exec` or a signal. Who reads commands from a person stops then; who
    /// gives them by itself may go on.
    pub fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// Where the next command begins.
    pub fn cwd(&self) -> &VfsPath {
        &self.cwd
    }

    /// A copy that shares with this one what neither changes, and is charged to an account of its own for what it has from the
    /// beginning.
    pub fn fork(&self, account: &Account) -> Result<Self, OverLimit> {
        let mut copy = self.clone();
        copy.variables.charge_copy(&self.variables, account)?;
        Ok(copy)
    }
}
