//! Statements.

use super::{
    super::{
        streams::Means,
        syntax::{
            Block, Expr, For, ForIn, Label, Pattern, Redirect, RedirectKind, Statement,
            StatementKind, Switch,
        },
        value::Value,
    },
    Halt, Interpreter, Result, Stage,
};

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Break,
    Continue,
    Return,
}

impl<'a> Interpreter<'a> {
    /// Runs a block that is no part of another.
    pub(super) fn run_block(&mut self, block: &'a Block) -> Result<()> {
        let before = (self.base, self.locals.len());
        self.base = before.1;
        let ended = self.execute(block).map(|_| ());
        self.base = before.0;
        self.locals.truncate(before.1);
        ended
    }

    /// Runs the rules on every record.
    pub(super) fn run_rules(&mut self) -> Result<()> {
        let program = self.program;
        let has_rules = !program.rules.is_empty();
        self.stage = Stage::Main;
        while self.next_record()? {
            if !has_rules {
                continue;
            }
            match self.apply_rules() {
                Ok(()) => {}
                Err(halt) => {
                    // It may have come out of a function.
                    self.locals.clear();
                    self.base = 0;
                    match *halt {
                        Halt::Next => {}
                        Halt::NextFile => self.skip_file()?,
                        _ => return Err(halt),
                    }
                }
            }
        }
        Ok(())
    }

    fn apply_rules(&mut self) -> Result<()> {
        let program = self.program;
        for rule in &program.rules {
            let applies = match &rule.pattern {
                Pattern::Always => true,
                Pattern::When(condition) => self.truth(condition)?,
                Pattern::Range(first, last, number) => self.is_in_range(first, last, *number)?,
            };
            if !applies {
                continue;
            }
            match &rule.action {
                Some(block) => {
                    self.execute(block)?;
                }
                None => self.print(&[], None)?,
            }
        }
        Ok(())
    }

    fn is_in_range(&mut self, first: &'a Expr, last: &'a Expr, number: usize) -> Result<bool> {
        let mut is_inside = self.ranges.get(number).copied().unwrap_or(false);
        if !is_inside {
            if !self.truth(first)? {
                return Ok(false);
            }
            is_inside = true;
        }
        if self.truth(last)? {
            is_inside = false;
        }
        if let Some(range) = self.ranges.get_mut(number) {
            *range = is_inside;
        }
        Ok(true)
    }

    pub(super) fn execute(&mut self, block: &'a [Statement]) -> Result<Flow> {
        for statement in block {
            let flow = self.statement(statement)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<Flow> {
        self.process.spend(1);
        self.place = statement.place;
        match &statement.kind {
            StatementKind::Nothing => {}
            StatementKind::Expression(expr) => self.discard(expr)?,
            StatementKind::Print(arguments, redirect) => {
                self.print(arguments, redirect.as_ref())?;
            }
            StatementKind::Printf(arguments, redirect) => {
                self.printf(arguments, redirect.as_ref())?;
            }
            StatementKind::If(condition, yes, no) => {
                let block = if self.truth(condition)? { yes } else { no };
                return self.execute(block);
            }
            StatementKind::While(condition, body) => return self.while_loop(condition, body),
            StatementKind::DoWhile(body, condition) => return self.do_loop(body, condition),
            StatementKind::For(it) => return self.for_loop(it),
            StatementKind::ForIn(it) => return self.for_in_loop(it),
            StatementKind::Switch(switch) => return self.switch(switch),
            StatementKind::Block(block) => return self.execute(block),
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Next => {
                self.check_stage("next", &[Stage::Main])?;
                return Err(Box::new(Halt::Next));
            }
            StatementKind::NextFile => {
                self.check_stage("nextfile", &[Stage::Main, Stage::BeginFile])?;
                return Err(Box::new(Halt::NextFile));
            }
            StatementKind::Exit(code) => {
                if let Some(code) = code {
                    self.exit_code = exit_code(self.number(code)?);
                }
                return Err(Box::new(Halt::Exit));
            }
            StatementKind::Return(value) => {
                self.returned = match value {
                    Some(value) => self.evaluate(value)?,
                    None => Value::Nothing,
                };
                return Ok(Flow::Return);
            }
            StatementKind::Delete(array, subscript) => self.delete(array, subscript.as_ref())?,
        }
        Ok(Flow::On)
    }

    fn check_stage(&self, what: &str, allowed: &[Stage]) -> Result<()> {
        if allowed.contains(&self.stage) {
            return Ok(());
        }
        let stage = match self.stage {
            Stage::Begin => "BEGIN",
            Stage::Main => "main",
            Stage::End => "END",
            Stage::BeginFile => "BEGINFILE",
            Stage::EndFile => "ENDFILE",
        };
        Err(format!("`{what}' cannot be called from a `{stage}' rule").into())
    }

    #[inline(never)]
    fn while_loop(&mut self, condition: &'a Expr, body: &'a Block) -> Result<Flow> {
        while self.truth(condition)? {
            self.process.spend(1);
            match self.execute(body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
            }
        }
        Ok(Flow::On)
    }

    #[inline(never)]
    fn do_loop(&mut self, body: &'a Block, condition: &'a Expr) -> Result<Flow> {
        loop {
            self.process.spend(1);
            match self.execute(body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
            }
            if !self.truth(condition)? {
                break;
            }
        }
        Ok(Flow::On)
    }

    #[inline(never)]
    fn for_loop(&mut self, it: &'a For) -> Result<Flow> {
        if let Some(first) = &it.first {
            self.statement(first)?;
        }
        loop {
            self.process.spend(1);
            if let Some(condition) = &it.condition
                && !self.truth(condition)?
            {
                break;
            }
            match self.execute(&it.body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
            }
            if let Some(step) = &it.step {
                self.statement(step)?;
            }
        }
        Ok(Flow::On)
    }

    #[inline(never)]
    fn for_in_loop(&mut self, it: &'a ForIn) -> Result<Flow> {
        let array = self.array(&it.array)?;
        let (keys, _room) = self.keys_for_loop(&array)?;
        for key in keys {
            self.process.spend(1);
            self.assign(&it.target, key)?;
            match self.execute(&it.body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
            }
        }
        Ok(Flow::On)
    }

    #[inline(never)]
    fn switch(&mut self, switch: &'a Switch) -> Result<Flow> {
        let subject = self.evaluate(&switch.subject)?;
        let mut chosen = None;
        for (number, case) in switch.cases.iter().enumerate() {
            let is_chosen = match &case.label {
                Label::Default => false,
                Label::Value(Expr::Text(text)) => {
                    let mut buffer = self.take_scratch();
                    self.put_value(&subject, &mut buffer, false)?;
                    let is_equal =
                        !matches!(subject, Value::Number(_)) && buffer == text.as_bytes();
                    self.give_scratch(buffer);
                    is_equal
                }
                Label::Value(expr) => {
                    let label = self.evaluate(expr)?;
                    if matches!(subject, Value::Text(_)) {
                        let (mut one, mut other) = (self.take_scratch(), Vec::new());
                        self.put_value(&subject, &mut one, false)?;
                        self.put_value(&label, &mut other, false)?;
                        let is_equal = one == other;
                        self.give_scratch(one);
                        is_equal
                    } else {
                        subject.as_numeric() == label.as_numeric()
                    }
                }
                Label::Regex(constant) => {
                    let mut buffer = self.take_scratch();
                    self.put_value(&subject, &mut buffer, false)?;
                    let regex = self.regexes.constant(constant)?;
                    let is_match = self.regexes.is_match(&regex, &buffer)?;
                    self.give_scratch(buffer);
                    is_match
                }
            };
            if is_chosen {
                chosen = Some(number);
                break;
            }
        }
        let is_default = |label: &Label| matches!(label, Label::Default);
        let default = switch.cases.iter().position(|case| is_default(&case.label));
        let Some(start) = chosen.or(default) else {
            return Ok(Flow::On);
        };
        for case in switch.cases.iter().skip(start) {
            match self.execute(&case.body)? {
                Flow::On => {}
                Flow::Break => return Ok(Flow::On),
                other => return Ok(other),
            }
        }
        Ok(Flow::On)
    }

    fn print(&mut self, arguments: &'a [Expr], redirect: Option<&'a Redirect>) -> Result<()> {
        let mut line = self.take_scratch();
        if arguments.is_empty() {
            self.refresh_record()?;
            line.extend_from_slice(self.record.text());
        }
        for (number, argument) in arguments.iter().enumerate() {
            if number > 0 {
                line.extend_from_slice(self.settings.ofs.as_bytes());
            }
            self.put_for_print(argument, &mut line)?;
        }
        line.extend_from_slice(self.settings.ors.as_bytes());
        self.write(&line, redirect)?;
        self.give_scratch(line);
        Ok(())
    }

    fn printf(&mut self, arguments: &'a [Expr], redirect: Option<&'a Redirect>) -> Result<()> {
        let mut line = self.take_scratch();
        self.format(arguments.iter(), &mut line)?;
        self.write(&line, redirect)?;
        self.give_scratch(line);
        Ok(())
    }

    #[inline]
    fn write(&mut self, line: &[u8], redirect: Option<&'a Redirect>) -> Result<()> {
        match redirect {
            None => {
                use std::io::Write;
                let written = self.streams.stdout.write_all(line);
                written.map_err(|error| {
                    let text = hotcell_process::error_text(&error);
                    format!("print to \"standard output\" failed: {text}").into()
                })
            }
            Some(redirect) => self.write_to(line, redirect),
        }
    }

    #[inline(never)]
    fn write_to(&mut self, line: &[u8], redirect: &'a Redirect) -> Result<()> {
        let mut name = self.take_scratch();
        self.put(&redirect.to, &mut name)?;
        if name.is_empty() {
            let sign = match redirect.kind {
                RedirectKind::Write => ">",
                RedirectKind::Append => ">>",
                RedirectKind::Pipe => "|",
                RedirectKind::Both => "|&",
            };
            return Err(
                format!("expression for `{sign}' redirection has null string value").into(),
            );
        }
        self.streams.write_to(redirect.kind, &name, line)?;
        self.give_scratch(name);
        Ok(())
    }

    /// The means by which `getline` reads from a source.
    pub(super) fn means_of(source: &super::super::syntax::Source) -> Means {
        use super::super::syntax::Source;
        match source {
            Source::Input | Source::File(_) => Means::File,
            Source::Command(_) => Means::Command,
            Source::Both(_) => Means::Both,
        }
    }
}

/// As `exit` of C cuts it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what is not whole is cut, as is what is too large"
)]
fn exit_code(number: f64) -> i32 {
    number as i64 as i32
}
