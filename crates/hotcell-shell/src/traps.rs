//! What happens when a signal comes, or the shell exits, fails, returns, or runs a command.

use std::{collections::BTreeMap, sync::Arc};

use bstr::{BStr, BString};
use hotcell_process::{Disposition, Process, Signal};

use crate::{
    ast::Text,
    flow::{Flow, Outcome},
    settings::Setting,
    shell::{Current, Shell},
    text::Origin,
};

/// What a trap is for: 0 is `EXIT`, then signals by number, then the others. The order is that of `trap -p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Condition(u8);

impl Condition {
    pub(crate) const EXIT: Self = Self(0);
    pub(crate) const DEBUG: Self = Self(65);
    pub(crate) const ERR: Self = Self(66);
    pub(crate) const RETURN: Self = Self(67);

    /// The condition of this name or number.
    pub(crate) fn parse(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        if let Ok(number) = name.parse::<i32>() {
            return match number {
                0 => Some(Self::EXIT),
                number => Signal::from_number(number).map(Self::from),
            };
        }
        match name.to_ascii_uppercase().as_str() {
            "EXIT" => Some(Self::EXIT),
            "DEBUG" => Some(Self::DEBUG),
            "ERR" => Some(Self::ERR),
            "RETURN" => Some(Self::RETURN),
            upper => Signal::from_name(upper).map(Self::from),
        }
    }

    /// The name that `trap -p` prints.
    pub(crate) fn name(self) -> String {
        match self {
            Self::EXIT => "EXIT".into(),
            Self::DEBUG => "DEBUG".into(),
            Self::ERR => "ERR".into(),
            Self::RETURN => "RETURN".into(),
            Self(_) => self
                .signal()
                .map(|signal| format!("SIG{}", signal.name()))
                .unwrap_or_default(),
        }
    }

    /// The signal, if it is one.
    pub(crate) fn signal(self) -> Option<Signal> {
        Signal::from_number(i32::from(self.0))
    }

    /// A bit of its own among the conditions that are not signals.
    fn running_bit(self) -> u8 {
        match self {
            Self::DEBUG => 1,
            Self::ERR => 2,
            Self::RETURN => 4,
            _ => 0,
        }
    }
}

impl From<Signal> for Condition {
    fn from(signal: Signal) -> Self {
        // Numbers of signals are below 32.
        Self(u8::try_from(signal.number()).unwrap_or(0))
    }
}

/// The traps of a shell. A clone shares the table until one of them changes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traps {
    table: Arc<BTreeMap<Condition, Text>>,
    /// In a subshell: they are shown, but only what is ignored, and what these say, is in force.
    is_inherited: bool,
    keeps_error: bool,
    keeps_debug: bool,
    /// Which of `DEBUG`, `ERR`, `RETURN` are being run, and are not for their own commands.
    running: u8,
    /// How many traps are being run within each other.
    depth: u32,
}

/// Traps that a function does not see.
pub(crate) struct Hidden(Vec<(Condition, Text)>);

impl Traps {
    /// What is done on a condition; empty if it is ignored.
    pub(crate) fn get(&self, condition: Condition) -> Option<&Text> {
        if self.table.is_empty() {
            return None;
        }
        let action = self.table.get(&condition)?;
        let is_in_force = !self.is_inherited
            || action.is_empty()
            || match condition {
                Condition::ERR => self.keeps_error,
                Condition::DEBUG | Condition::RETURN => self.keeps_debug,
                _ => false,
            };
        is_in_force.then_some(action)
    }

    /// Sets what is done on a condition, or that it is as if nobody had said anything.
    pub(crate) fn set(&mut self, condition: Condition, action: Option<Text>) {
        self.own();
        let table = Arc::make_mut(&mut self.table);
        match action {
            Some(action) => table.insert(condition, action),
            None => table.remove(&condition),
        };
    }

    /// Forgets what a subshell only shows.
    fn own(&mut self) {
        if !self.is_inherited {
            return;
        }
        let kept: BTreeMap<Condition, Text> = self
            .table
            .keys()
            .filter_map(|condition| Some((*condition, self.get(*condition)?.clone())))
            .collect();
        self.table = Arc::new(kept);
        self.is_inherited = false;
    }

    /// All of them, as `trap -p` shows them.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (Condition, &Text)> {
        self.table
            .iter()
            .map(|(condition, action)| (*condition, action))
    }

    /// In a subshell traps are back to what they were, except that what is ignored stays ignored.
    pub(crate) fn enter_subshell(&mut self, keeps_error: bool, keeps_debug: bool) {
        self.own();
        self.is_inherited = true;
        self.keeps_error = keeps_error;
        self.keeps_debug = keeps_debug;
    }

    /// Takes away what a function does not inherit.
    pub(crate) fn hide(&mut self, keeps_error: bool, keeps_debug: bool) -> Hidden {
        let mut hidden = Hidden(Vec::new());
        if self.table.is_empty() {
            return hidden;
        }
        for (condition, keeps) in [
            (Condition::ERR, keeps_error),
            (Condition::DEBUG, keeps_debug),
            (Condition::RETURN, keeps_debug),
        ] {
            if keeps {
                continue;
            }
            if let Some(action) = self.get(condition).cloned() {
                self.set(condition, None);
                hidden.0.push((condition, action));
            }
        }
        hidden
    }

    /// Brings back what a function did not inherit, unless it has set its own.
    pub(crate) fn unhide(&mut self, hidden: Hidden) {
        for (condition, action) in hidden.0 {
            if self.get(condition).is_none() {
                self.set(condition, Some(action));
            }
        }
    }
}

impl Shell {
    /// Sets a trap, and what becomes of the signal.
    pub(crate) fn set_trap(
        &mut self,
        process: &Process,
        condition: Condition,
        action: Option<&BStr>,
    ) {
        if let Some(signal) = condition.signal() {
            let disposition = match action {
                None => Disposition::Default,
                Some(action) if action.is_empty() => Disposition::Ignore,
                Some(_) => Disposition::Catch,
            };
            process.set_disposition(signal, disposition);
        }
        self.traps
            .set(condition, action.map(|action| Text::from(&**action)));
        if condition == Condition::EXIT {
            self.watch_for_the_end(process);
        }
    }

    /// With an `EXIT` trap, signals that would end the shell end it after the trap.
    fn watch_for_the_end(&self, process: &Process) {
        let has_exit_trap = self
            .traps
            .get(Condition::EXIT)
            .is_some_and(|action| !action.is_empty());
        for signal in [
            Signal::HUP,
            Signal::INT,
            Signal::ALRM,
            Signal::TERM,
            Signal::USR1,
            Signal::USR2,
        ] {
            let now = process.disposition(signal);
            if self.traps.get(signal.into()).is_some() {
                continue;
            }
            match now {
                Disposition::Default if has_exit_trap => {
                    process.set_disposition(signal, Disposition::Interrupt);
                }
                Disposition::Interrupt if !has_exit_trap => {
                    process.set_disposition(signal, Disposition::Default);
                }
                _ => {}
            }
        }
    }

    /// Runs the traps of the signals that came.
    #[cold]
    pub(crate) fn run_signal_traps(&mut self, process: &Process) -> Result<(), Flow> {
        while let Some(signal) = process.take_caught() {
            process.spend(1);
            if let Some(action) = self.traps.get(signal.into()).cloned() {
                self.run_trap(process, &action, 1)?;
            } else {
                self.killed_by = Some(signal);
                // What the `EXIT` trap sees as `$?` is what was there before.
                return Err(Flow::Exit(self.status));
            }
        }
        Ok(())
    }

    /// Runs the `DEBUG` trap before a compound command; `text` is what `BASH_COMMAND` says then.
    #[inline]
    pub(crate) fn before_compound(
        &mut self,
        process: &Process,
        text: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), Flow> {
        if self.traps.get(Condition::DEBUG).is_none() {
            return Ok(());
        }
        if !self.is_in_trap() {
            self.current = Some(Current::Text(text().into()));
        }
        self.run_debug_trap(process).map(drop)
    }

    /// Runs the `DEBUG` trap before a command; says whether the command is to be left out.
    #[inline]
    pub(crate) fn run_debug_trap(&mut self, process: &Process) -> Result<bool, Flow> {
        if self.traps.get(Condition::DEBUG).is_none() {
            return Ok(false);
        }
        let status = self.run_condition_trap(process, Condition::DEBUG)?;
        Ok(status != 0 && self.has(Setting::ExtDebug))
    }

    /// Whether there is an `ERR` trap.
    pub(crate) fn has_error_trap(&self) -> bool {
        self.traps.get(Condition::ERR).is_some()
    }

    /// Whether a trap is being run: `BASH_COMMAND` is what it was before then.
    pub(crate) fn is_in_trap(&self) -> bool {
        self.traps.depth > 0
    }

    /// Runs the `ERR` trap.
    pub(crate) fn run_error_trap(&mut self, process: &Process) -> Result<(), Flow> {
        self.run_condition_trap(process, Condition::ERR).map(drop)
    }

    /// Runs the `RETURN` trap.
    pub(crate) fn run_return_trap(&mut self, process: &Process) -> Result<(), Flow> {
        self.run_condition_trap(process, Condition::RETURN)
            .map(drop)
    }

    /// Runs a trap unless it is running; its own status.
    fn run_condition_trap(&mut self, process: &Process, condition: Condition) -> Outcome {
        let Some(action) = self.traps.get(condition).cloned() else {
            return Ok(0);
        };
        let bit = condition.running_bit();
        if action.is_empty() || self.traps.running & bit != 0 {
            return Ok(0);
        }
        self.traps.running |= bit;
        let line = self.line;
        let result = self.run_trap(process, &action, line);
        self.line = line;
        self.traps.running &= !bit;
        result
    }

    /// Runs the text of a trap; `$?` is the same afterwards, and the status of the trap is returned.
    fn run_trap(&mut self, process: &Process, action: &Text, first_line: u32) -> Outcome {
        let status = self.status;
        let pipe_status = self.pipe_status.clone();
        let line = self.line;
        let current = self.current.clone();
        let forgiven = std::mem::take(&mut self.forgiven);
        self.traps.depth += 1;
        self.trace_depth += 1;
        let outcome = self.run_text(process, action, Origin::Trap(first_line));
        self.trace_depth -= 1;
        self.traps.depth -= 1;
        self.forgiven = forgiven;
        self.current = current;
        self.line = line;
        match outcome {
            Ok(own) => {
                self.status = status;
                self.pipe_status = pipe_status;
                Ok(own)
            }
            Err(flow) => Err(flow),
        }
    }

    /// What a process of this shell ends with: runs the `EXIT` trap, or the program that takes its place.
    pub(crate) fn finish(&mut self, process: &Process, outcome: Outcome) -> i32 {
        if outcome == Err(Flow::Exec)
            && let Some((spec, program)) = self.successor.take()
        {
            process.exec(spec, program);
        }
        let mut status = self.final_status(outcome);
        self.status = status;
        if let Some(action) = self.traps.get(Condition::EXIT).cloned() {
            self.traps.set(Condition::EXIT, None);
            self.watch_for_the_end(process);
            let killed_by = self.killed_by.take();
            self.traps.depth += 1;
            // As deep as bash shows it.
            if !self.is_subshell {
                self.trace_depth = 0;
            } else if !self.is_substitution {
                self.trace_depth += 1;
            }
            let outcome = self.run_text(process, &action, Origin::Trap(1));
            self.traps.depth -= 1;
            match outcome {
                Err(Flow::Exit(new)) => status = new,
                Err(Flow::Exec) => {
                    if let Some((spec, program)) = self.successor.take() {
                        process.exec(spec, program);
                    }
                }
                _ => {}
            }
            self.killed_by = killed_by;
        }
        if let Some(signal) = self.killed_by {
            process.die(signal);
        }
        status
    }

    /// The lines of `trap -p`.
    pub(crate) fn trap_lines(&self, only: Option<Condition>) -> BString {
        let mut lines = BString::default();
        for (condition, action) in self.traps.shown() {
            if only.is_some_and(|only| only != condition) {
                continue;
            }
            lines.extend_from_slice(b"trap -- ");
            lines.extend_from_slice(&crate::quote::single(action));
            lines.extend_from_slice(format!(" {}\n", condition.name()).as_bytes());
        }
        lines
    }
}
