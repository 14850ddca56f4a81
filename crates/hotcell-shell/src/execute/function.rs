//! Defining and calling functions.

use std::sync::Arc;

use bstr::BString;
use hotcell_process::{LimitKind, Notice, Process};

use crate::{
    ast::{Assignment, FunctionDefinition, Part},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::{Frame, FrameKind, Function, Shell},
    variables::Scope,
};

impl Shell {
    pub(super) fn define_function(
        &mut self,
        process: &Process,
        definition: &FunctionDefinition,
    ) -> Outcome {
        self.line = definition.line;
        let literal = definition.name.constant().filter(|name| {
            let is_plain = matches!(definition.name.parts(), [Part::Literal(_)]);
            is_plain && !name.contains(&b'$')
        });
        let Some(name) = literal else {
            let mut message = b"`".to_vec();
            message.extend_from_slice(&crate::print::word_text(&definition.name));
            message.extend_from_slice(b"': not a valid identifier");
            self.complain(process, message);
            return Ok(self.set_status(1));
        };
        let name = BString::from(&**name);
        let before = self.functions.get(&name);
        if before.is_some_and(|function| function.is_readonly) {
            self.complain(process, format!("{name}: readonly function"));
            return Ok(self.set_status(1));
        }
        let function = Function {
            body: Arc::clone(&definition.body),
            source: self.source_of_definitions(),
            line: definition.line,
            is_exported: before.is_some_and(|function| function.is_exported),
            is_readonly: false,
            is_traced: before.is_some_and(|function| function.is_traced),
            weight: definition.weight.0,
        };
        self.functions.insert(name, Arc::new(function));
        self.hold(process, definition.weight.0)?;
        Ok(self.set_status(0))
    }

    /// Calls a function; `fields` has its name first.
    pub(crate) fn call_function(
        &mut self,
        process: &Process,
        function: &Arc<Function>,
        fields: &[BString],
        assignments: &[Assignment],
    ) -> Outcome {
        let name = fields.first().cloned().unwrap_or_default();
        let most = process.limits().recursion;
        // Counting takes as long as there are frames, and they are no fewer.
        let is_deepest = self.frames.len() >= most && self.function_depth() >= most;
        if is_deepest {
            process.notice(Notice::Limit(LimitKind::Recursion));
        }
        let own = self.nesting_limit(process).filter(|own| *own < most);
        let limit = own.unwrap_or(most);
        if is_deepest || own.is_some_and(|own| self.function_depth() >= own) {
            let text = format!("{name}: maximum function nesting level exceeded ({limit})");
            self.complain(process, text);
            return Err(Flow::Discard(1));
        }
        let arguments: Arc<[BString]> = fields.get(1..).unwrap_or_default().into();
        self.variables.push_scope(Scope::Function);
        if let Err(flow) = self.assign_temporarily(process, assignments) {
            self.variables.pop_scope();
            return Err(flow);
        }
        let caller_arguments =
            std::mem::replace(&mut self.arguments, Arc::clone(&arguments).into());
        let caller_loops = std::mem::take(&mut self.loops);
        let is_traced = function.is_traced || self.has(Setting::FuncTrace);
        let hidden = self.traps.hide(self.has(Setting::ErrTrace), is_traced);
        self.frames.push(Frame {
            name,
            source: function.source.clone(),
            called_from: self.line,
            arguments,
            kind: FrameKind::Function,
        });
        let settings = self.local_settings.take();
        let body = Arc::clone(&function.body);
        let outcome = self.run_function_body(process, &body);
        let outcome = self.run_return_trap(process).and(outcome);
        if let Some(frame) = self.frames.pop() {
            self.line = frame.called_from;
        }
        if let Some(saved) = std::mem::replace(&mut self.local_settings, settings) {
            self.settings = saved;
        }
        self.traps.unhide(hidden);
        self.loops = caller_loops;
        self.arguments = caller_arguments;
        self.variables.pop_scope();
        outcome
    }

    fn run_function_body(
        &mut self,
        process: &Process,
        body: &crate::ast::CompoundCommand,
    ) -> Outcome {
        self.line = body.line;
        self.run_debug_trap(process)?;
        let has_trap = self.has_error_trap();
        match self.run_checked(process, body, has_trap) {
            Err(Flow::Return(status)) => Ok(self.set_status(status)),
            other => other,
        }
    }

    /// `FUNCNEST`
    fn nesting_limit(&mut self, process: &Process) -> Option<usize> {
        if !self.variables.has(b"FUNCNEST") {
            return None;
        }
        let value = self.variable(process, b"FUNCNEST")?;
        std::str::from_utf8(&value)
            .ok()?
            .parse()
            .ok()
            .filter(|limit| *limit > 0)
    }

    /// Where functions that are defined now are said to be from.
    fn source_of_definitions(&self) -> BString {
        match self.frames.last() {
            Some(frame) => frame.source.clone(),
            None => self.main_source.clone(),
        }
    }
}
