//! `set -x`

use std::io::Write;

use bstr::BString;
use hotcell_process::Process;

use crate::{ast::For, builtins::Operand, settings::Setting, shell::Shell};

impl Shell {
    /// Shows a line before it is run.
    #[inline]
    pub(crate) fn trace(&mut self, process: &Process, text: impl FnOnce() -> Vec<u8>) {
        if self.has(Setting::XTrace) {
            self.write_trace(process, &text());
        }
    }

    fn write_trace(&mut self, process: &Process, text: &[u8]) {
        let mut line = self.trace_prompt(process);
        line.extend_from_slice(text);
        line.push(b'\n');
        let stream = self
            .variable(process, b"BASH_XTRACEFD")
            .and_then(|fd| std::str::from_utf8(&fd).ok()?.parse().ok())
            .and_then(|fd| process.descriptor(fd).ok());
        let _ = match stream {
            Some(stream) => process.write_all(&stream, &line),
            None => process.stderr().write_all(&line),
        };
    }

    /// `PS4`, whose first character says how deep it is.
    fn trace_prompt(&mut self, process: &Process) -> Vec<u8> {
        let prompt = self.variable(process, b"PS4");
        let prompt = prompt.unwrap_or_else(|| "+ ".into());
        // Commands that the prompt itself runs are not shown.
        self.settings.set(Setting::XTrace, false);
        let status = self.status;
        let expanded = self.expand_prompt(process, &prompt);
        self.status = status;
        self.settings.set(Setting::XTrace, true);
        let first = bstr::ByteSlice::chars(&**expanded).next();
        let Some(first) = first else {
            return Vec::new();
        };
        let mut buffer = [0; 4];
        let first = first.encode_utf8(&mut buffer).as_bytes();
        let mut line = first.repeat(self.trace_depth);
        line.extend_from_slice(&expanded);
        line
    }

    /// A command with its arguments.
    pub(crate) fn trace_words(&mut self, process: &Process, fields: &[BString]) {
        self.trace(process, || {
            let quoted: Vec<Vec<u8>> = fields
                .iter()
                .map(|field| crate::quote::shown(field))
                .collect();
            quoted.join(&b' ')
        });
    }

    /// A declaration, whose arrays show their own assignments.
    pub(crate) fn trace_operands(&mut self, process: &Process, operands: &[Operand<'_>]) {
        self.trace(process, || {
            let quoted: Vec<Vec<u8>> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Field(field) => crate::quote::shown(field),
                    Operand::Array(assignment) => assignment.name.to_vec(),
                })
                .collect();
            quoted.join(&b' ')
        });
    }

    pub(crate) fn trace_for(&mut self, process: &Process, command: &For) {
        self.trace(process, || crate::describe::for_head(b"for", command));
    }

    pub(crate) fn trace_select(&mut self, process: &Process, command: &For) {
        self.trace(process, || crate::describe::for_head(b"select", command));
    }
}
