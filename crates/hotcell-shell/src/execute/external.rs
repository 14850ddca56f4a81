//! Programs that are not the shell's own.

use std::{
    io::{self, Write},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{
    Environment, LookupError, Process, Program, Signal, Spec, Status, error_text, limit_error,
};

use super::pipeline::child_spec;
use crate::{flow::Outcome, settings::Setting, shell::Shell, traps::Condition};

/// How long the text of a function in the environment may be.
const LONGEST_FUNCTION: usize = 128 << 10;

/// The `PATH` of a shell that inherits none, and of `command -p`.
pub(crate) const DEFAULT_PATH: &[u8] =
    b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program, and what it begins with.
pub(crate) type Prepared = (Spec, Arc<dyn Program>);

impl Shell {
    /// Runs a program by its name, and waits for it. If it is the last thing that this process does, it takes its place.
    pub(crate) fn run_external(
        &mut self,
        process: &Process,
        fields: Vec<BString>,
        is_last: bool,
    ) -> Outcome {
        let (spec, program) = match self.prepare_program(process, fields) {
            Ok(prepared) => prepared,
            Err((name, error)) => return self.not_found(process, name, &error),
        };
        if is_last && self.traps.get(Condition::EXIT).is_none() {
            let status = process.become_program(spec, |process| program.run(process));
            if let Status::Signaled(signal) = status {
                process.die(signal);
            }
            return Ok(status.code());
        }
        let status = self.call_program(process, spec, program);
        self.settle_jobs(process);
        Ok(status)
    }

    fn call_program(&mut self, process: &Process, spec: Spec, program: Arc<dyn Program>) -> i32 {
        if !program.needs_process() {
            let status = process.call(spec, |process| program.run(process));
            return self.program_ended(status);
        }
        let pid = process.spawn(spec, move |process| program.run(process));
        let Some(pid) = self.forked(process, pid) else {
            return 254;
        };
        let status = process.wait_unless_interrupted(pid);
        self.program_ended(status.unwrap_or(Status::SUCCESS))
    }

    /// The status of a program; if it was killed, that is said when the redirections of the command are undone.
    fn program_ended(&mut self, status: Status) -> i32 {
        if let Status::Signaled(signal) = status {
            self.program_killed_by = Some(signal);
        }
        status.code()
    }

    /// Finds the program for a command, and gives it the environment. The fields come back with an error.
    pub(crate) fn prepare_program(
        &mut self,
        process: &Process,
        fields: Vec<BString>,
    ) -> Result<Prepared, (Vec<BString>, LookupError)> {
        let name = fields.first().cloned().unwrap_or_default();
        let Some(path) = self.path_of(process, BStr::new(&name)) else {
            let is_here = self.search_path(process).is_empty() && !name.contains(&b'/');
            let error = if is_here {
                process.why_not(&[b"./", name.as_slice()].concat())
            } else {
                process.why_not(&name)
            };
            return Err((fields, error));
        };
        let environment = self.environment(process, &path);
        let begun = environment.and_then(|environment| process.set_environment(environment));
        if let Err(error) = begun {
            return Err((fields, LookupError::NotRunnable(error_text(&error))));
        }
        process
            .prepare_path(process.spec(fields), &path)
            .map_err(|(spec, error)| (Arc::unwrap_or_clone(spec.args), error))
    }

    /// What a program at this path gets as its environment.
    fn environment(&mut self, process: &Process, path: &BString) -> io::Result<Arc<Environment>> {
        let exported = self.variables.environment(process)?;
        let copy = exported.copy(process.account());
        let mut environment = copy.map_err(limit_error)?;
        environment.insert("_".into(), path.clone());
        for (name, function) in &self.functions {
            if function.is_exported
                && let Ok(text) = crate::print::function(name, &function.body, LONGEST_FUNCTION)
                && let Some((_, body)) = text.split_once_str("\n")
            {
                let key = [&b"BASH_FUNC_"[..], name, b"%%"].concat();
                environment.insert(key.into(), [b"() ", body].concat().into());
            }
        }
        Ok(Arc::new(environment))
    }

    /// Where a name leads: remembered, or looked up on `PATH` and remembered.
    fn path_of(&mut self, process: &Process, name: &BStr) -> Option<BString> {
        if name.contains(&b'/') {
            return process.all_in(name, b"").next().map(|_| name.to_owned());
        }
        if name.is_empty() {
            return None;
        }
        let search = self.search_path(process);
        // A temporary PATH is for this command alone.
        let is_temporary = self.variables.is_temporary(b"PATH");
        if is_temporary {
            self.hashed.clear();
        }
        let remembers = self.has(Setting::HashAll) && !is_temporary;
        let hashes = remembers && self.hashed_for == search;
        let checks = self.has(Setting::CheckHash);
        if hashes
            && let Some(known) = self.hashed.get_mut(name)
            && (!checks || process.all_in(&known.0, b"").next().is_some())
        {
            known.1 += 1;
            return Some(known.0.clone());
        }
        let found = process.all_in(name, &search).next()?;
        let path = BString::from(found.into_bytes());
        if remembers {
            if self.hashed_for != search {
                self.hashed.clear();
                self.hashed_for = search;
            }
            self.hashed.insert(name.to_owned(), (path.clone(), 1));
        }
        Some(path)
    }

    /// Where programs are looked for: without a `PATH`, in the working directory.
    pub(crate) fn search_path(&mut self, process: &Process) -> BString {
        if let Some(path) = &self.standard_path {
            return path.clone();
        }
        self.variable(process, b"PATH").unwrap_or_default()
    }

    #[expect(clippy::unnecessary_wraps, reason = "what every command comes to")]
    fn not_found(
        &mut self,
        process: &Process,
        fields: Vec<BString>,
        error: &LookupError,
    ) -> Outcome {
        if error.is_not_found()
            && let Some(handler) = self
                .functions
                .get(&b"command_not_found_handle"[..])
                .cloned()
        {
            let mut call = vec![BString::from("command_not_found_handle")];
            call.extend(fields);
            let mut shell = self.subshell();
            let status = process.call(child_spec(process), |child| {
                Ok(shell.run_as_subshell(child, |shell| {
                    shell.call_function(child, &handler, &call, &[])
                }))
            });
            return Ok(status.code());
        }
        let name = fields.into_iter().next().unwrap_or_default();
        let mut message = if crate::quote::has_unprintable(&name) {
            crate::quote::ansi(&name)
        } else {
            name.into()
        };
        message.extend_from_slice(format!(": {error}").as_bytes());
        self.complain(process, message);
        Ok(error.code())
    }

    /// Says that a command in the foreground was killed, as bash does unless that is no surprise.
    pub(crate) fn report_killed(
        &self,
        process: &Process,
        status: Status,
        text: impl FnOnce() -> Vec<u8>,
    ) {
        let Status::Signaled(signal) = status else {
            return;
        };
        // Who is about to end by the same signal has other things to say.
        let ends_too =
            process.first_caught() == Some(signal) && self.traps.get(signal.into()).is_none();
        if matches!(signal, Signal::INT | Signal::PIPE) || self.is_substitution || ends_too {
            return;
        }
        let description = crate::jobs::describe_signal(signal);
        if signal == Signal::TERM || self.traps.get(signal.into()).is_some() {
            let line = format!("{description}\n");
            let _ = process.stderr().write_all(line.as_bytes());
            return;
        }
        let mut message = format!("{:>5} {description:<24}", process.pid().0).into_bytes();
        message.extend_from_slice(&text());
        self.complain(process, message);
    }

    /// Says why something of the system could not be had.
    pub(crate) fn complain_of(&self, process: &Process, what: &[u8], error: &std::io::Error) {
        let text = [what, b": ", error_text(error).as_bytes()].concat();
        self.complain(process, text);
    }
}
