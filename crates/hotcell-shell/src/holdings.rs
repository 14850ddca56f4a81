//! What a shell keeps beside its variables, charged to the account of its run: functions, aliases, history, traps and the
//! like.
//!
//! None of these is large in a script that somebody wrote, and all of them may be in one that somebody wrote for that purpose.
//! So they are weighed as a whole, but only after as much has been added as there was: what that costs is a part of what adding
//! cost.

use hotcell_process::Process;

use crate::{flow::Flow, shell::Shell};

/// Less than this is not worth weighing.
const STEP: usize = 64 << 10;

/// What an entry takes beside its text.
const ENTRY: usize = 128;

/// What the holdings of a shell weighed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Holdings {
    /// When they were last weighed.
    weight: usize,
    /// What may have been added since.
    added: usize,
    /// Whether there was no room for what it keeps: then the run leaves nothing of its shell behind.
    is_over: bool,
}

impl Shell {
    /// Something of about so many bytes is now kept by the shell.
    pub(crate) fn hold(&mut self, process: &Process, bytes: usize) -> Result<(), Flow> {
        self.holdings.added = self.holdings.added.saturating_add(bytes + ENTRY);
        if self.holdings.added <= self.holdings.weight.max(STEP) {
            return Ok(());
        }
        let weight = self.weigh();
        process.spend(weight / 16);
        self.variables.replace(self.holdings.weight, weight);
        self.holdings = Holdings {
            weight,
            added: 0,
            is_over: false,
        };
        // It is kept already. So nothing goes on that could add more, no `eval` either, and the next command finds the shell
        // as it was before.
        let settled = self.settle_variables(process);
        self.holdings.is_over = settled.is_err();
        settled.map_err(Flow::aborting)
    }

    /// Whether the shell keeps more than there is room for.
    pub(crate) fn is_over(&self) -> bool {
        self.holdings.is_over
    }

    fn weigh(&self) -> usize {
        let functions = self.functions.iter();
        let functions = functions.map(|(name, function)| name.len() + function.weight);
        let aliases = self.aliases.iter().chain(self.completions.iter());
        let aliases = aliases.map(|(name, value)| name.len() + value.len());
        let hashed = self.hashed.iter();
        let hashed = hashed.map(|(name, (path, _))| name.len() + path.len());
        let traps = self.traps.shown().map(|(_, action)| action.len());
        let lists = [&**self.history, &*self.directories, &*self.arguments];
        let lists = lists.into_iter().flatten().map(|text| text.len());
        let all = functions
            .chain(aliases)
            .chain(hashed)
            .chain(traps)
            .chain(lists);
        all.map(|bytes| bytes + ENTRY).sum()
    }
}
