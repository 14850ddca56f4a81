//! `$(…)` and `<(…)`: commands whose output is a word, or a file.

use std::io::Read;

use bstr::{BString, ByteSlice};
use hotcell_process::{Fd, Process, error_text};
use hotcell_vfs::OpenOptions;

use crate::{
    ast::{
        Command, CommandSubstitution, List, ProcessSubstitution, RedirectDescriptor,
        RedirectOperator, RedirectTarget, Word,
    },
    collect::Collector,
    execute::{HIGHEST_OWN, child_spec, free_below},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
    text::Origin,
};

impl Shell {
    /// Runs the commands in a subshell and returns what they print, without the newlines at its end. `$?` is theirs
    /// afterwards.
    pub(crate) fn command_substitution(
        &mut self,
        process: &Process,
        substitution: &CommandSubstitution,
    ) -> Result<BString, Flow> {
        let (list, error) = match substitution {
            CommandSubstitution::Dollar(list) => (list, None),
            CommandSubstitution::Backquoted { list, error, .. } => (list, error.as_deref()),
        };
        let bytes = match only_reads(list) {
            Some((fd, word)) if error.is_none() && fd == 0 => self.content_of(process, word)?,
            // Aliases were not known when it was parsed.
            _ if self.has(Setting::ExpandAliases) && !self.aliases.is_empty() => {
                let text = crate::print::list_text(list);
                let line = self.line;
                self.output_of(process, |shell, child| {
                    shell.run_text(child, &text, Origin::Eval(line))
                })?
            }
            _ => self.output_of(process, |shell, child| {
                let status = shell.run_list(child, list)?;
                Ok(match error {
                    Some(error) => shell.report_syntax_error(child, error, Origin::Substitution),
                    None => status,
                })
            })?,
        };
        self.substituted = Some(self.status);
        Ok(self.as_substituted(process, bytes))
    }

    /// What a subshell prints; `$?` is its status.
    pub(crate) fn output_of(
        &mut self,
        process: &Process,
        run: impl FnOnce(&mut Self, &Process) -> Outcome,
    ) -> Result<Vec<u8>, Flow> {
        let (collector, output) = Collector::new(process.account());
        let mut shell = self.subshell();
        shell.is_substitution = true;
        shell.trace_depth += 1;
        if !self.has(Setting::InheritErrExit) && !self.has(Setting::Posix) {
            shell.settings.set(Setting::ErrExit, false);
        }
        let status = process.call(child_spec(process).stdout(output), |child| {
            Ok(shell.run_as_subshell(child, |shell| run(shell, child)))
        });
        self.status = status.code();
        // Background processes may hold it still.
        collector.finish(process).map_err(|full| {
            self.complain(process, format!("command substitution: {full}"));
            Flow::Discard(1)
        })
    }

    /// What is left of output when it becomes a word.
    fn as_substituted(&self, process: &Process, mut bytes: Vec<u8>) -> BString {
        let end = bytes.trim_end_with(|char| char == '\n').len();
        bytes.truncate(end);
        if bytes.contains(&0) {
            bytes.retain(|byte| *byte != 0);
            self.complain(
                process,
                "warning: command substitution: ignored null byte in input",
            );
        }
        bytes.into()
    }

    /// `$(< file)`
    fn content_of(&mut self, process: &Process, word: &Word) -> Result<Vec<u8>, Flow> {
        let Some(name) = self.expand_target(process, word)? else {
            let mut message = crate::print::word_text(word);
            message.extend_from_slice(b": ambiguous redirect");
            self.complain(process, message);
            self.status = 1;
            return Ok(Vec::new());
        };
        let mut bytes = Vec::new();
        let read = process
            .open(&name, &OpenOptions::read())
            .and_then(|stream| read_all(process, stream, &mut bytes));
        self.status = match read {
            Ok(()) => 0,
            Err(error) => {
                let text = [name.as_slice(), b": ", error_text(&error).as_bytes()].concat();
                self.complain(process, text);
                1
            }
        };
        Ok(bytes)
    }

    /// Begins the commands in a subshell and returns the name of a pipe to or from them: `/dev/fd/63`. It is open until
    /// the command that is being run has ended.
    pub(crate) fn process_substitution(
        &mut self,
        process: &Process,
        substitution: &ProcessSubstitution,
    ) -> Result<BString, Flow> {
        let (reader, writer) = match process.pipe() {
            Ok(pipe) => pipe,
            Err(error) => {
                let text = format!(
                    "cannot make pipe for process substitution: {}",
                    error_text(&error)
                );
                self.complain(process, text);
                return Err(Flow::Discard(1));
            }
        };
        let (spec, ours) = if substitution.output {
            (child_spec(process).stdin(reader), writer)
        } else {
            (child_spec(process).stdout(writer), reader)
        };
        let list = substitution.list.clone();
        let mut shell = self.subshell();
        let pid = process.spawn(spec, move |child| {
            Ok(shell.run_as_subshell(child, |shell| shell.run_list(child, &list)))
        });
        let Some(pid) = self.forked(process, pid) else {
            return Err(Flow::Discard(1));
        };
        let fd = free_below(process, HIGHEST_OWN);
        if let Err(error) = process.set_descriptor(fd, ours) {
            self.complain(process, error_text(&error));
            return Err(Flow::Discard(1));
        }
        self.background = Some(pid);
        self.jobs.add_hidden(pid);
        self.open_substitutions.push(fd);
        Ok(format!("/dev/fd/{fd}").into())
    }

    /// Closes the pipes of the process substitutions of a command, all but the first so many.
    pub(crate) fn close_substitutions(&mut self, process: &Process, kept: usize) {
        while self.open_substitutions.len() > kept {
            if let Some(fd) = self.open_substitutions.pop() {
                process.close(fd);
            }
        }
    }
}

/// The word of `< word`, if that is all there is in a list.
fn only_reads(list: &List) -> Option<(Fd, &Word)> {
    let [item] = &*list.items else { return None };
    if item.separator == crate::ast::Separator::Background || !item.command.rest.is_empty() {
        return None;
    }
    let Command::Simple(simple) = item.command.first.only()? else {
        return None;
    };
    let [redirect] = &*simple.redirects else {
        return None;
    };
    if !simple.words.is_empty() || !simple.assignments.is_empty() {
        return None;
    }
    let fd = match redirect.descriptor {
        None => 0,
        Some(RedirectDescriptor::Number(number)) => Fd::try_from(number).ok()?,
        Some(RedirectDescriptor::Variable { .. }) => return None,
    };
    match (redirect.operator, &redirect.target) {
        (RedirectOperator::Read, RedirectTarget::Word(word)) => Some((fd, word)),
        _ => None,
    }
}

/// Reads a stream to its end; what it takes is charged while it is read.
pub(crate) fn read_all(
    process: &Process,
    stream: std::sync::Arc<dyn hotcell_process::Stream>,
    bytes: &mut Vec<u8>,
) -> std::io::Result<()> {
    let mut charge = process.charge(0)?;
    let mut input = process.input(stream);
    let mut piece = vec![0; 32 << 10];
    loop {
        let count = input.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        charge.grow(count).map_err(hotcell_process::limit_error)?;
        bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
    }
}
