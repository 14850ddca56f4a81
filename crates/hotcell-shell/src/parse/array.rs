//! `name=( … )`

use super::error::{ErrorKind, Message, SyntaxError};
use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Token};
use crate::ast::{ArrayElement, Assignment, AssignmentValue};

impl Grammar<'_> {
    /// At the opening parenthesis.
    #[inline(never)]
    pub(super) fn array(&mut self) -> Result<Box<[ArrayElement]>> {
        let line = self.input.line();
        self.input.advance();
        let suspended = self.suspend();
        let result = self.nested(|grammar| grammar.elements(line));
        self.resume(suspended);
        result.map(Vec::into_boxed_slice)
    }

    fn elements(&mut self, line: u32) -> Result<Vec<ArrayElement>> {
        let mut elements = Vec::new();
        loop {
            if let Err(error) = self.peek(Mode::Element) {
                return Err(self.failed_inside(error));
            }
            let element = match self.advance() {
                Token::Newline => continue,
                Token::Operator(Operator::Close) => return Ok(elements),
                Token::Word(word) => ArrayElement::Word(word),
                Token::Assignment(assignment) => keyed(*assignment),
                Token::End => return Err(SyntaxError::unmatched(line, b')')),
                token => return Err(self.unexpected_element(&token)),
            };
            self.charge(size_of::<ArrayElement>())?;
            elements.push(element);
        }
    }

    fn unexpected_element(&self, token: &Token) -> SyntaxError {
        let text = super::grammar::token_text(token);
        let error = SyntaxError::unexpected_token(self.token_line(), &text, self.source_line());
        SyntaxError::new(ErrorKind::Assignment, error.messages)
    }

    /// bash goes on after a quote that is not closed, only to notice that the script is over.
    fn failed_inside(&self, error: SyntaxError) -> SyntaxError {
        if !error.is_incomplete() {
            return error;
        }
        let text = "syntax error: unexpected end of file";
        error.and(Message::new(self.input.line(), text))
    }
}

fn keyed(assignment: Assignment) -> ArrayElement {
    match (assignment.subscript, assignment.value) {
        (Some(subscript), AssignmentValue::Scalar(value)) => ArrayElement::Keyed {
            subscript,
            append: assignment.append,
            value,
        },
        // An element is only an assignment if it has a subscript, and never an array.
        (_, AssignmentValue::Scalar(value)) => ArrayElement::Word(value),
        (_, AssignmentValue::Array(_)) => ArrayElement::Word(crate::ast::Word::new(Vec::new())),
    }
}
