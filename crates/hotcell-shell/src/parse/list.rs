//! Lists and pipelines.

use std::sync::Arc;

use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Reserved, Token};
use crate::ast::{
    AndOr, AndOrOperator, Command, CompleteCommand, CompoundCommand, List, ListItem, Pipeline,
    Redirect, RedirectDescriptor, RedirectOperator, RedirectTarget, Separator, SimpleCommand,
    Timed, Word,
};

impl Grammar<'_> {
    /// The next line of commands, with what it continues on.
    pub(super) fn complete_command(&mut self) -> Result<Option<CompleteCommand>> {
        let list = self.next_list();
        let warnings = std::mem::take(&mut self.warnings).into();
        let list = match list {
            Ok(list) => list,
            Err(error) => return Err(SyntaxError { warnings, ..error }),
        };
        Ok(list.map(|list| CompleteCommand {
            list,
            warnings,
            memory: self.memory(),
        }))
    }

    /// The same, without what belongs to the script around it.
    #[inline(never)]
    pub(super) fn next_list(&mut self) -> Result<Option<List>> {
        self.skip_newlines()?;
        if matches!(self.peek(Mode::Command)?, Token::End) {
            return Ok(None);
        }
        let mut items = Vec::new();
        loop {
            let item = self.item()?;
            let separator = match self.peek(Mode::Command)? {
                Token::Operator(Operator::Semicolon) => Separator::Semicolon,
                Token::Operator(Operator::Ampersand) => Separator::Background,
                Token::Newline | Token::End => {
                    items.push(ListItem {
                        command: item,
                        separator: Separator::Newline,
                    });
                    break;
                }
                _ => return Err(self.unexpected_after_list()),
            };
            self.advance();
            items.push(ListItem {
                command: item,
                separator,
            });
            let token = self.peek(Mode::Command)?;
            if matches!(token, Token::Newline | Token::End) {
                break;
            }
            if !token.may_begin_command() {
                return Err(self.unexpected_after_list());
            }
        }
        // Every script ends with a newline, unless a backslash takes it away.
        if matches!(self.advance(), Token::End) && self.options.interactive {
            return Err(SyntaxError::unexpected_end(self.token_line()));
        }
        Ok(Some(List {
            items: items.into(),
        }))
    }

    /// Commands between two reserved words or parentheses. There has to be one.
    #[inline(never)]
    pub(super) fn compound_list(&mut self) -> Result<List> {
        self.skip_newlines()?;
        let mut items = Vec::new();
        loop {
            let command = self.item()?;
            let separator = match self.peek(Mode::Command)? {
                Token::Operator(Operator::Semicolon) => Separator::Semicolon,
                Token::Operator(Operator::Ampersand) => Separator::Background,
                Token::Newline => Separator::Newline,
                _ => {
                    items.push(ListItem {
                        command,
                        separator: Separator::Semicolon,
                    });
                    break;
                }
            };
            self.advance();
            items.push(ListItem { command, separator });
            self.skip_newlines()?;
            if self.is_at_end_of_list()? {
                break;
            }
        }
        Ok(List {
            items: items.into(),
        })
    }

    /// Whether the next token ends a list instead of beginning a command.
    pub(super) fn is_at_end_of_list(&mut self) -> Result<bool> {
        let token = self.peek(Mode::Command)?;
        Ok(match token {
            Token::End => true,
            Token::Operator(operator) => matches!(
                operator,
                Operator::Close
                    | Operator::DoubleSemicolon
                    | Operator::SemicolonAmpersand
                    | Operator::DoubleSemicolonAmpersand
            ),
            _ => token.reserved().is_some_and(Reserved::closes),
        })
    }

    fn item(&mut self) -> Result<AndOr> {
        self.charge(size_of::<ListItem>())?;
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.peek(Mode::Command)? {
                Token::Operator(Operator::And) => AndOrOperator::And,
                Token::Operator(Operator::Or) => AndOrOperator::Or,
                _ => {
                    return Ok(AndOr {
                        first,
                        rest: rest.into(),
                    });
                }
            };
            self.advance();
            self.skip_newlines()?;
            self.charge(size_of::<(AndOrOperator, Pipeline)>())?;
            rest.push((operator, self.pipeline()?));
        }
    }

    #[inline(never)]
    fn pipeline(&mut self) -> Result<Pipeline> {
        let mut negated = false;
        let mut timed = Timed::No;
        let mut prefixed = false;
        loop {
            match self.peek_reserved()? {
                Some(Reserved::Bang) => {
                    self.advance();
                    negated = !negated;
                }
                Some(Reserved::Time) => {
                    self.advance();
                    timed = self.time_options()?;
                }
                _ => break,
            }
            prefixed = true;
        }
        if prefixed && self.is_at_lone_prefix(timed != Timed::No)? {
            let first = empty_command(self.token_line());
            return Ok(Pipeline {
                first,
                rest: [].into(),
                negated,
                timed,
            });
        }
        let mut first = self.command(true)?;
        let mut rest = Vec::new();
        loop {
            let with_errors = match self.peek(Mode::Command)? {
                Token::Operator(Operator::Bar) => false,
                Token::Operator(Operator::BarAmpersand) => true,
                _ => {
                    return Ok(Pipeline {
                        first,
                        rest: rest.into(),
                        negated,
                        timed,
                    });
                }
            };
            self.advance();
            if with_errors {
                append_redirect(rest.last_mut().unwrap_or(&mut first));
            }
            self.skip_newlines()?;
            self.charge(size_of::<Command>())?;
            rest.push(self.command(false)?);
        }
    }

    /// After `time`: `-p`, `--`.
    #[inline(never)]
    fn time_options(&mut self) -> Result<Timed> {
        let mut timed = Timed::Yes;
        if self.take_literal(b"-p")? {
            timed = Timed::Posix;
        }
        self.take_literal(b"--")?;
        Ok(timed)
    }

    fn take_literal(&mut self, text: &[u8]) -> Result<bool> {
        let token = self.peek(Mode::Command)?;
        let found = matches!(token, Token::Word(word) if word.literal().is_some_and(|literal| **literal == *text));
        if found {
            self.advance();
        }
        Ok(found)
    }

    /// `!` and `time` may stand alone in front of what ends a line.
    fn is_at_lone_prefix(&mut self, timed: bool) -> Result<bool> {
        let ends_substitution = self.substitutions > 0 && timed;
        Ok(match self.peek(Mode::Command)? {
            Token::Newline | Token::End | Token::Operator(Operator::Semicolon) => true,
            Token::Operator(Operator::Close) => ends_substitution,
            _ => false,
        })
    }
}

fn empty_command(line: u32) -> Command {
    Command::Simple(Arc::new(SimpleCommand {
        assignments: [].into(),
        words: [].into(),
        redirects: [].into(),
        line,
    }))
}

/// `|&`: `2>&1` behind all other redirections.
fn append_redirect(command: &mut Command) {
    let redirect = Redirect {
        descriptor: Some(RedirectDescriptor::Number(2)),
        operator: RedirectOperator::DuplicateOutput,
        target: RedirectTarget::Word(Word::new(vec![crate::ast::Part::Literal(b"1"[..].into())])),
    };
    let with = |redirects: &[Redirect]| {
        redirects
            .iter()
            .cloned()
            .chain([redirect.clone()])
            .collect::<Box<[_]>>()
    };
    match command {
        Command::Simple(simple) => {
            let SimpleCommand { redirects, .. } = Arc::make_mut(simple);
            *redirects = with(redirects);
        }
        Command::Compound(compound) => {
            let CompoundCommand { redirects, .. } = Arc::make_mut(compound);
            *redirects = with(redirects);
        }
        Command::Function(function) => {
            let body = Arc::make_mut(&mut Arc::make_mut(function).body);
            body.redirects = with(&body.redirects);
        }
        Command::Coproc(coproc) => append_redirect(&mut Arc::make_mut(coproc).command),
    }
}
