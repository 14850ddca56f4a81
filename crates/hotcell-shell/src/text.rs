//! Running a text: a script, the argument of `eval`, a trap.

use std::io::Write;

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::Process;
use imbl::OrdMap;

use crate::{
    ast::{CompleteCommand, Text},
    flow::{Flow, Outcome},
    parse::{Aliases, ErrorKind, Options, Parser, SyntaxError},
    settings::Setting,
    shell::Shell,
};

/// Texts and trees of so many bytes are not worth asking the account.
const SMALL: usize = 64 << 10;

/// Where a text is from: what messages call it, and what an error in it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The script that the shell was started with, or its standard input: an error ends it.
    Script,
    /// `-c`
    Argument,
    /// `eval`, from this line on.
    Eval(u32),
    /// A trap, from this line on.
    Trap(u32),
    /// A sourced file.
    Source,
    /// What is between backquotes.
    Substitution,
}

impl Origin {
    fn first_line(self) -> u32 {
        match self {
            Self::Eval(line) | Self::Trap(line) => line,
            _ => 1,
        }
    }

    /// What stands behind the name of the shell in messages about syntax.
    fn label(self) -> Option<&'static str> {
        match self {
            Self::Script | Self::Source => None,
            Self::Argument => Some("-c"),
            Self::Eval(_) => Some("eval"),
            Self::Trap(_) => Some("trap"),
            Self::Substitution => Some("command substitution"),
        }
    }
}

struct AliasTable<'a>(&'a OrdMap<BString, BString>);

impl Aliases for AliasTable<'_> {
    fn expansion(&self, name: &[u8]) -> Option<Text> {
        self.0.get(name.as_bstr()).map(|text| Text::from(&***text))
    }
}

impl Shell {
    /// Runs a text, complete command by complete command: those before an error have run when it is found.
    pub(crate) fn run_text(&mut self, process: &Process, text: &[u8], origin: Origin) -> Outcome {
        let _charge = self.charge_tree(process, text.len())?;
        let mut parser = Parser::new(text, self.parse_options(origin.first_line()));
        let mut status = 0;
        let mut shown = 0;
        loop {
            process.spend(1);
            let next = self.parse_next(process, &mut parser);
            if self.has(Setting::Verbose) {
                let lines = text.get(shown..parser.consumed()).unwrap_or_default();
                let mut lines = lines.to_vec();
                if lines.last().is_some_and(|last| *last != b'\n') {
                    lines.push(b'\n');
                }
                let _ = process.stderr().write_all(&lines);
            }
            shown = parser.consumed();
            match next {
                Ok(None) => return Ok(status),
                Ok(Some(command)) => {
                    let _charge = self.charge_tree(process, parser.memory())?;
                    if let Some(last) =
                        self.run_complete(process, &command, origin == Origin::Script)?
                    {
                        status = last;
                    }
                }
                Err(error) => {
                    status = self.report_syntax_error(process, &error, origin);
                    if error.kind != ErrorKind::Assignment {
                        return match origin {
                            Origin::Script | Origin::Argument => Err(Flow::Exit(status)),
                            Origin::Eval(_) if self.has(Setting::Posix) => Err(Flow::Exit(status)),
                            _ => Ok(status),
                        };
                    }
                }
            }
            let options = parser.options_mut();
            options.extglob = self.has(Setting::ExtGlob);
            options.posix = self.has(Setting::Posix);
        }
    }

    /// The next complete command.
    pub(crate) fn parse_next(
        &self,
        process: &Process,
        parser: &mut Parser,
    ) -> Result<Option<CompleteCommand>, SyntaxError> {
        let none = OrdMap::new();
        let aliases = if self.has(Setting::ExpandAliases) {
            &self.aliases
        } else {
            &none
        };
        let account = process.account();
        let left = account.limit().saturating_sub(account.used());
        let options = parser.options_mut();
        // What is nearly full still has room for a trap.
        options.max_memory = Options::default().max_memory.min(left.max(SMALL));
        parser.next_command(&AliasTable(aliases), process.stop_token())
    }

    /// Charges a text, or the tree of a command, while it runs, if it is worth it.
    pub(crate) fn charge_tree(
        &mut self,
        process: &Process,
        bytes: usize,
    ) -> Result<Option<Charge>, Flow> {
        if bytes <= SMALL {
            return Ok(None);
        }
        match process.charge(bytes) {
            Ok(charge) => Ok(Some(charge)),
            Err(error) => Err(self.out_of_memory(process, &error)),
        }
    }

    pub(crate) fn parse_options(&self, first_line: u32) -> Options {
        Options {
            extglob: self.has(Setting::ExtGlob),
            posix: self.has(Setting::Posix),
            first_line,
            ..Options::default()
        }
    }

    /// Runs a complete command; its status, unless there is nothing to run. An error that gives it up has a status, too;
    /// whether it gives up more than that depends on whether this is a script.
    pub(crate) fn run_complete(
        &mut self,
        process: &Process,
        command: &CompleteCommand,
        is_script: bool,
    ) -> Result<Option<i32>, Flow> {
        for warning in &command.warnings {
            self.complain_at(process, warning.line, &warning.text);
        }
        if command.list.is_empty() || self.has(Setting::NoExec) {
            return Ok(None);
        }
        let status = match self.run_list(process, &command.list) {
            Ok(status) => status,
            Err(Flow::Discard(status)) if !self.is_subshell => {
                let is_end = self.has(Setting::Posix) && !self.is_interactive;
                if is_end {
                    return Err(Flow::Exit(self.discarded(status)));
                }
                self.set_status(status)
            }
            Err(Flow::Abort(status)) if is_script && !self.is_subshell => self.set_status(status),
            Err(flow) => return Err(flow),
        };
        if is_script && self.has(Setting::OneCmd) {
            return Err(Flow::Exit(status));
        }
        Ok(Some(status))
    }

    /// The status of what an error gave up: where that ends the shell, `-c` makes a difference.
    pub(crate) fn discarded(&self, status: i32) -> i32 {
        let ends = self.has(Setting::Posix) && !self.is_interactive;
        if ends && self.execution_string.is_some() {
            127
        } else {
            status
        }
    }

    /// Says what is wrong with a text, and makes it `$?`.
    pub(crate) fn report_syntax_error(
        &mut self,
        process: &Process,
        error: &SyntaxError,
        origin: Origin,
    ) -> i32 {
        for message in &error.messages {
            let mut line = self.name_for_messages().to_vec();
            if let Some(label) = origin.label() {
                line.extend_from_slice(format!(": {label}").as_bytes());
            }
            line.extend_from_slice(format!(": line {}: ", message.line).as_bytes());
            line.extend_from_slice(&message.text);
            line.push(b'\n');
            let _ = process.stderr().write_all(&line);
            // bash leaves then, before it shows the line.
            if self.has(Setting::ErrExit) {
                break;
            }
        }
        let status = if error.kind == ErrorKind::Assignment {
            1
        } else {
            2
        };
        self.set_status(status)
    }
}
