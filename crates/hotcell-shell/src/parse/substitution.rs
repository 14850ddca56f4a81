//! `$(…)`, backquotes, `<(…)`.

use super::builder::Builder;
use super::error::{Message, SyntaxError};
use super::grammar::{Grammar, Result};
use super::input::{Input, Place};
use super::lexer::Mode;
use super::quotes::Quoting;
use super::token::Operator;
use crate::ast::{CommandSubstitution, List, ListItem, Part, ProcessSubstitution};

impl Grammar<'_> {
    /// After `$(` or `<(`: the commands up to the closing parenthesis, which is taken.
    #[inline(never)]
    pub(super) fn substituted_list(&mut self) -> Result<List> {
        let place = self.input.place();
        if let Some(list) = self.recall(place) {
            return Ok(list);
        }
        let suspended = self.suspend();
        self.substitutions += 1;
        // The word around the substitution counts as a level, too.
        let list = self.nested(Self::list_to_parenthesis);
        self.warn_of_unread_documents();
        self.resume(suspended);
        let list = list?;
        self.remember(place, &list)?;
        Ok(list)
    }

    /// A substitution that was read before, in what turned out not to be an expression.
    #[inline(never)]
    fn recall(&mut self, place: Place) -> Option<List> {
        let (list, end) = self.memo.substitutions.get(&place)?;
        *self.input = end.clone();
        Some(list.clone())
    }

    #[inline(never)]
    fn remember(&mut self, place: Place, list: &List) -> Result<()> {
        if self.memo.trials > 0 {
            self.charge(size_of::<(Place, List, Input)>() + 64)?;
            self.memo
                .substitutions
                .insert(place, (list.clone(), self.input.clone()));
        }
        Ok(())
    }

    fn list_to_parenthesis(&mut self) -> Result<List> {
        self.skip_newlines()?;
        let list = if self.peek(Mode::Command)?.is(Operator::Close) {
            List { items: [].into() }
        } else {
            self.compound_list()?
        };
        // Taken as it is: the token that follows belongs to the word around.
        self.expect_operator(Operator::Close)?;
        Ok(list)
    }

    #[inline(never)]
    fn warn_of_unread_documents(&mut self) {
        let count = self.pending.len();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            let text = format!(
                "warning: command substitution: {count} unterminated here-document{plural}"
            );
            let line = self.token_line();
            self.warnings.push(Message::new(line, &text));
        }
    }

    /// At `<(` or `>(`.
    #[inline(never)]
    pub(super) fn process_substitution(&mut self, builder: &mut Builder) -> Result<()> {
        let output = self.input.take(b'>');
        if !output {
            self.input.advance();
        }
        self.input.advance();
        let line = self.input.line();
        let is_double = self.input.peek() == Some(b'(');
        let start = is_double.then(|| Box::new(self.input.clone()));
        let list = self.nested(Self::substituted_list);
        let list = match (list, start) {
            (Err(error), Some(start)) => return Err(self.unclosed_from(line, error, *start)),
            (list, _) => list?,
        };
        self.charge(size_of::<ProcessSubstitution>() + 32)?;
        builder.push(Part::Process(ProcessSubstitution { output, list }.into()));
        Ok(())
    }

    /// At the opening backquote.
    #[inline(never)]
    pub(super) fn backquotes(&mut self, builder: &mut Builder, quoting: Quoting) -> Result<()> {
        let line = self.input.line();
        self.input.advance();
        let mut source = Vec::new();
        let mut script = Vec::new();
        loop {
            // Continued lines are joined here already.
            let Some(byte) = self.input.peek() else {
                return Err(SyntaxError::unmatched(line, b'`'));
            };
            self.spend(1)?;
            self.input.advance();
            match byte {
                b'`' => break,
                b'\\' => {
                    source.push(byte);
                    let Some(escaped) = self.input.peek_raw() else {
                        continue;
                    };
                    self.input.advance();
                    source.push(escaped);
                    let quoted = matches!(escaped, b'$' | b'`' | b'\\')
                        || escaped == b'"' && quoting.is_double();
                    if !quoted {
                        script.push(byte);
                    }
                    script.push(escaped);
                }
                _ => {
                    source.push(byte);
                    script.push(byte);
                }
            }
        }
        self.charge(source.len() + size_of::<CommandSubstitution>() + 64)?;
        let (list, error) = self.nested(|grammar| {
            let id = grammar.next_id();
            grammar.within(
                Input::nested(&script, line, id),
                super::grammar::Grammar::script_so_far,
            )
        })?;
        let source = source.into();
        let substitution = CommandSubstitution::Backquoted {
            source,
            list,
            error,
        };
        builder.push(Part::Command(substitution.into()));
        Ok(())
    }

    /// All complete commands of a text, up to one that does not parse.
    fn script_so_far(&mut self) -> Result<(List, Option<Box<SyntaxError>>)> {
        let mut items: Vec<ListItem> = Vec::new();
        let error = loop {
            match self.next_list() {
                Ok(Some(list)) => items.extend(list.items.iter().cloned()),
                Ok(None) => break None,
                Err(error) if error.is_about_the_text() => break Some(Box::new(error)),
                Err(error) => return Err(error),
            }
        };
        Ok((
            List {
                items: items.into(),
            },
            error,
        ))
    }
}
