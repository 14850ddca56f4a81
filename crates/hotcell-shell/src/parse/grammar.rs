//! The state of a parser between tokens, and what all of the grammar needs.

use std::sync::Arc;

use hotcell_meter::{Pace, Watch};

use super::input::Input;
use super::lexer::Mode;
use super::memo::Memo;
use super::token::{Operator, Reserved, Token};
use super::{Aliases, Message, Options, SyntaxError};
use crate::ast::{HereDocument, Text};
use crate::print;

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

/// A parser at work on one complete command.
pub(super) struct Grammar<'p> {
    pub(super) input: &'p mut Input,
    pub(super) options: &'p Options,
    pub(super) aliases: &'p dyn Aliases,
    pub(super) memo: Memo,
    pub(super) warnings: Vec<Message>,
    /// Documents whose operator was read.
    pub(super) pending: Vec<Arc<HereDocument>>,
    /// How many `$(` and `<(` of this text are open.
    pub(super) substitutions: u32,
    /// The command that was read last ended with a redirection, after which no word is reserved.
    pub(super) after_redirect: bool,
    /// `${…}` that is no expansion is being skipped.
    pub(super) discarding: bool,
    /// The token that comes next, if it was looked at.
    token: Option<Token>,
    /// Where the token that was read last ended.
    token_line: u32,
    token_end: usize,
    depth: u32,
    memory: usize,
    pace: Pace<'p>,
    next_id: u32,
}

/// What a text of its own (a substitution, a document) sets aside while it is read. Not on the stack, of which a level of
/// nesting should take little.
pub(super) struct Suspended(Box<State>);

struct State {
    token: Option<Token>,
    token_line: u32,
    token_end: usize,
    pending: Vec<Arc<HereDocument>>,
    substitutions: u32,
    after_redirect: bool,
    discarding: bool,
    depth: u32,
}

impl<'p> Grammar<'p> {
    pub(super) fn new(
        input: &'p mut Input,
        options: &'p Options,
        aliases: &'p dyn Aliases,
        watch: &'p dyn Watch,
    ) -> Self {
        Self {
            token_line: input.line(),
            token_end: input.position(),
            input,
            options,
            aliases,
            memo: Memo::default(),
            warnings: Vec::new(),
            pending: Vec::new(),
            substitutions: 0,
            after_redirect: false,
            discarding: false,
            token: None,
            depth: 0,
            memory: 0,
            pace: Pace::new(watch),
            next_id: 1,
        }
    }

    /// Goes on with the next line after an error.
    pub(super) fn skip_line(&mut self) {
        if !matches!(self.token, Some(Token::Newline)) {
            self.input.skip_aliases();
            self.input.take_line(&mut Vec::new());
        }
    }

    /// The next token, which stays. What it can be depends on where it stands, so the first who looks decides.
    pub(super) fn peek(&mut self, mode: Mode) -> Result<&Token> {
        if self.token.is_none() {
            let token = self.lex(mode)?;
            return Ok(self.token.insert(token));
        }
        Ok(self.token.as_ref().unwrap_or(&Token::End))
    }

    /// Whether a command can begin with the token that was looked at.
    pub(super) fn may_begin_command(&self) -> bool {
        self.token.as_ref().is_some_and(Token::may_begin_command)
    }

    /// The token that was looked at.
    pub(super) fn advance(&mut self) -> Token {
        self.after_redirect = false;
        self.token.take().unwrap_or(Token::End)
    }

    /// Says where the token that was just read ends.
    pub(super) fn mark_token(&mut self, line: u32, end: usize) {
        self.token_line = line;
        self.token_end = end;
    }

    /// Corrects the line of the token that was just read.
    pub(super) fn mark_line(&mut self, line: u32) {
        self.token_line = line;
    }

    /// The line that bash would be at, having read up to the token that was looked at.
    pub(super) fn token_line(&self) -> u32 {
        self.token_line
    }

    pub(super) fn take_operator(&mut self, operator: Operator) -> Result<bool> {
        let found = self.peek(Mode::Command)?.is(operator);
        if found {
            self.advance();
        }
        Ok(found)
    }

    pub(super) fn expect_operator(&mut self, operator: Operator) -> Result<()> {
        if self.take_operator(operator)? {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// The reserved word that comes next, where such are recognised.
    pub(super) fn peek_reserved(&mut self) -> Result<Option<Reserved>> {
        let after_redirect = self.after_redirect;
        let reserved = self.peek(Mode::Command)?.reserved();
        Ok(reserved.filter(|_| !after_redirect))
    }

    pub(super) fn take_reserved(&mut self, reserved: Reserved) -> Result<bool> {
        let found = self.peek_reserved()? == Some(reserved);
        if found {
            self.advance();
        }
        Ok(found)
    }

    pub(super) fn expect_reserved(&mut self, reserved: Reserved) -> Result<()> {
        if self.take_reserved(reserved)? {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn skip_newlines(&mut self) -> Result<()> {
        while matches!(self.peek(Mode::Command)?, Token::Newline) {
            self.advance();
        }
        Ok(())
    }

    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= self.options.max_depth {
            return Err(SyntaxError::too_deep(
                self.input.line(),
                self.options.max_depth,
            ));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Accounts for bytes that were looked at.
    #[inline]
    pub(super) fn spend(&mut self, bytes: usize) -> Result<()> {
        match self.pace.spend(bytes) {
            Ok(()) => Ok(()),
            Err(stopped) => Err(SyntaxError::stopped(self.input.line(), stopped)),
        }
    }

    /// Accounts for bytes that the tree takes.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<()> {
        self.memory = self.memory.saturating_add(bytes);
        if self.memory > self.options.max_memory {
            return Err(SyntaxError::too_large(
                self.input.line(),
                self.options.max_memory,
            ));
        }
        Ok(())
    }

    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    /// A number that no text and no expansion of an alias had before.
    pub(super) fn next_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    #[inline(never)]
    pub(super) fn suspend(&mut self) -> Suspended {
        Suspended(Box::new(State {
            token: self.token.take(),
            token_line: self.token_line,
            token_end: self.token_end,
            pending: std::mem::take(&mut self.pending),
            substitutions: self.substitutions,
            after_redirect: std::mem::take(&mut self.after_redirect),
            discarding: std::mem::take(&mut self.discarding),
            depth: self.depth,
        }))
    }

    /// Goes on where [`Self::suspend`] left off. Documents that were not read until now are still to come.
    #[inline(never)]
    pub(super) fn resume(&mut self, Suspended(suspended): Suspended) {
        let left = std::mem::replace(&mut self.pending, suspended.pending);
        self.pending.extend(left);
        self.token = suspended.token;
        self.token_line = suspended.token_line;
        self.token_end = suspended.token_end;
        self.substitutions = suspended.substitutions;
        self.after_redirect = suspended.after_redirect;
        self.discarding = suspended.discarding;
        self.depth = suspended.depth;
    }

    /// Reads a text of its own.
    pub(super) fn within<T>(
        &mut self,
        text: Input,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.charge(text.length())?;
        let outer = std::mem::replace(self.input, text);
        let suspended = self.suspend();
        self.substitutions = 0;
        let result = parse(self);
        self.pending.clear();
        self.resume(suspended);
        *self.input = outer;
        result
    }

    /// The error that the token which was looked at is not one that may stand here.
    #[inline(never)]
    pub(super) fn unexpected(&mut self) -> SyntaxError {
        let text = match &self.token {
            None | Some(Token::End) if self.substitutions > 0 => {
                return SyntaxError::unmatched(self.token_line, b')');
            }
            None | Some(Token::End) => return SyntaxError::unexpected_end(self.token_line),
            Some(token) => token_text(token),
        };
        SyntaxError::unexpected_token(self.token_line, &text, self.source_line())
    }

    /// The same after a complete list: bash reads documents to their ends before it says what is wrong, and counts their
    /// lines.
    #[inline(never)]
    pub(super) fn unexpected_after_list(&mut self) -> SyntaxError {
        if !self.pending.is_empty() && !matches!(self.token, None | Some(Token::End)) {
            self.input.skip_aliases();
            self.input.take_line(&mut Vec::new());
            // What is wrong with them does not matter any more.
            let _ = self.read_here_documents();
        }
        self.unexpected()
    }

    /// The line of the script that the last token is in.
    pub(super) fn source_line(&self) -> &[u8] {
        self.input.line_at(self.token_end)
    }
}

/// The token as bash shows it in messages.
pub(super) fn token_text(token: &Token) -> Text {
    match token {
        Token::Word(word) => print::visible(print::word_text(word)).into(),
        Token::Assignment(assignment) => print::assignment_text(assignment).into(),
        Token::Descriptor(descriptor) => print::descriptor_text(descriptor).into(),
        Token::Operator(operator) => operator.text().as_bytes().into(),
        Token::Redirect(operator) => print::redirect_operator(*operator).as_bytes().into(),
        Token::HereDocument { strip_tabs: true } => b"<<-"[..].into(),
        Token::HereDocument { strip_tabs: false } => b"<<"[..].into(),
        Token::Newline => b"newline"[..].into(),
        Token::End => b"EOF"[..].into(),
    }
}
