//! A second sandbox of the same.

use std::sync::Arc;

use hotcell_process::Programs;

use super::{Live, Sandbox, new_account};
use crate::{
    audit::Origin,
    error::{Result, SandboxError},
    options::SandboxOptions,
};

impl Sandbox {
    /// A second sandbox in the same state: files, shell, history. Neither notices the other from then on. It takes microseconds
    /// however much there is, because both share what neither changes.
    ///
    /// It can be had at any time. While a command runs it has the files as they are at that moment, and the shell as it was
    /// before the command. Host directories that are mounted read-write cannot be forked: that is an error.
    pub fn fork(&self) -> Result<Self> {
        let programs = Some(Arc::clone(&self.0.programs));
        self.fork_as(Arc::clone(&self.0.options), programs)
    }

    /// The same with other options: a helper that may do less, say, or with commands of its own. What is mounted and what was made
    /// stays; files, mounts and variables among the options are for beginners only.
    pub fn fork_with(&self, change: impl FnOnce(SandboxOptions) -> SandboxOptions) -> Result<Self> {
        let options = change((*self.0.options).clone());
        self.fork_as(Arc::new(options), None)
    }

    fn fork_as(
        &self,
        options: Arc<SandboxOptions>,
        programs: Option<Arc<dyn Programs>>,
    ) -> Result<Self> {
        let account = new_account(&options.limits);
        let (world, shell, history) = self.with(|live| {
            let shell = live.shell.fork(&account);
            (live.world.clone(), shell, live.history.clone())
        })?;
        // Forking a file system may be the host's code.
        let world = world.fork(&options)?;
        let shell = shell.map_err(|full| SandboxError::Limit(full.to_string()))?;
        let live = Live::new(world, shell, history);
        let origin = Origin::Fork(self.id());
        Ok(Self::on(account, options, programs, live, origin))
    }
}
