//! Redirections.

use std::sync::Arc;

use super::bytes::is_blank;
use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::Token;
use crate::ast::{
    HereDocument, Part, Redirect, RedirectDescriptor, RedirectOperator, RedirectTarget, Text, Word,
};
use crate::print;

impl Grammar<'_> {
    /// All redirections that come next.
    #[inline(never)]
    pub(super) fn redirects(&mut self) -> Result<Vec<Redirect>> {
        let mut redirects = Vec::new();
        while matches!(
            self.peek(Mode::Command)?,
            Token::Descriptor(_) | Token::Redirect(_) | Token::HereDocument { .. }
        ) {
            redirects.push(self.redirect()?);
        }
        self.after_redirect = !redirects.is_empty();
        Ok(redirects)
    }

    /// At a descriptor or an operator.
    #[inline(never)]
    pub(super) fn redirect(&mut self) -> Result<Redirect> {
        self.charge(size_of::<Redirect>())?;
        let mut token = self.advance();
        let mut descriptor = None;
        if let Token::Descriptor(found) = token {
            descriptor = Some(*found);
            self.peek(Mode::Argument)?;
            token = self.advance();
        }
        let (operator, target) = match token {
            Token::HereDocument { strip_tabs } => {
                let document = self.here_document(strip_tabs)?;
                (
                    RedirectOperator::HereDocument,
                    RedirectTarget::HereDocument(document),
                )
            }
            Token::Redirect(operator) => (
                operator,
                RedirectTarget::Word(self.redirect_target(operator)?),
            ),
            // A descriptor is one because an operator follows.
            _ => return Err(self.unexpected()),
        };
        Ok(Redirect {
            descriptor,
            operator,
            target,
        })
    }

    fn redirect_target(&mut self, operator: RedirectOperator) -> Result<Word> {
        use RedirectOperator::{DuplicateInput, DuplicateOutput};
        if matches!(operator, DuplicateInput | DuplicateOutput) {
            if self.take_hyphen() {
                return Ok(Word::new(vec![Part::Literal(b"-"[..].into())]));
            }
            // `2>&1>file`: the number is what is duplicated, not what the second operator redirects.
            if let Token::Descriptor(descriptor) = self.peek(Mode::Argument)?
                && let RedirectDescriptor::Number(number) = **descriptor
            {
                self.advance();
                return Ok(Word::new(vec![Part::Literal(
                    number.to_string().as_bytes().into(),
                )]));
            }
        }
        self.expect_word()
    }

    /// After `>&`, a `-` is a token of its own.
    fn take_hyphen(&mut self) -> bool {
        while self.input.peek().is_some_and(is_blank) {
            self.input.advance();
        }
        self.input.take(b'-')
    }

    pub(super) fn expect_word(&mut self) -> Result<Word> {
        if !matches!(self.peek(Mode::Argument)?, Token::Word(_)) {
            return Err(self.unexpected());
        }
        match self.advance() {
            Token::Word(word) => Ok(word),
            _ => Err(self.unexpected()),
        }
    }

    /// After `<<`: the delimiter. The document follows later.
    fn here_document(&mut self, strip_tabs: bool) -> Result<Arc<HereDocument>> {
        let word = self.expect_word()?;
        let quoted = !word.parts().iter().all(|part| {
            !matches!(
                part,
                Part::Escaped(_)
                    | Part::SingleQuoted(_)
                    | Part::AnsiQuoted(_)
                    | Part::DoubleQuoted(_)
                    | Part::Translated(_)
            )
        });
        let delimiter: Text = print::unquoted_text(&word).into();
        self.charge(delimiter.len() + size_of::<HereDocument>() + 64)?;
        let document = Arc::new(HereDocument::new(delimiter, quoted, strip_tabs));
        self.pending.push(Arc::clone(&document));
        Ok(document)
    }
}
