//! What the line editor asks us.

use std::cell::Cell;

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::complete::complete;
use super::live::Live;
use super::unfinished::is_unfinished;

pub(super) struct Prompter<'a> {
    state: &'a Live<'a>,
    /// Whether there is something on the line.
    is_typing: Cell<bool>,
}

impl<'a> Prompter<'a> {
    pub(super) fn new(state: &'a Live<'a>) -> Self {
        Self {
            state,
            is_typing: Cell::new(false),
        }
    }

    /// Whether there was something on the line that was given up; from here on there is not.
    pub(super) fn was_typing(&self) -> bool {
        self.is_typing.replace(false)
    }
}

impl Completer for Prompter<'_> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(line.get(..at).unwrap_or_default(), self.state))
    }
}

impl Validator for Prompter<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        let is_command = input.trim_start().starts_with('.');
        Ok(if !is_command && is_unfinished(input) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl Hinter for Prompter<'_> {
    type Hint = String;

    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        // Asked whenever the line changes: there is nothing to hint at, but this is how to know of it.
        self.is_typing.set(!line.trim().is_empty());
        None
    }
}

impl Highlighter for Prompter<'_> {}

impl Helper for Prompter<'_> {}
