//! Here-documents.

use super::error::{Message, SyntaxError};
use super::grammar::{Grammar, Result};
use crate::ast::{HereDocument, Part, Text, Word};

impl Grammar<'_> {
    /// After a newline: the documents whose operators were read before it.
    #[inline(never)]
    pub(super) fn read_here_documents(&mut self) -> Result<()> {
        for document in std::mem::take(&mut self.pending) {
            self.read_here_document(&document)?;
            // bash is at their last line now, and still shows the one that they follow.
            self.mark_line(self.input.line().saturating_sub(1));
        }
        Ok(())
    }

    fn read_here_document(&mut self, document: &HereDocument) -> Result<()> {
        let first_line = self.input.line();
        let delimiter = match &*document.delimiter {
            delimiter if document.strip_tabs => without_tabs(delimiter),
            delimiter => delimiter,
        };
        let mut text = Vec::new();
        loop {
            let start = text.len();
            if self.document_line(document, &mut text)?.is_none() {
                if self.options.interactive {
                    return Err(SyntaxError::unexpected_end(self.input.line()));
                }
                self.warn_of_end(document, first_line, 1);
                break;
            }
            let line = text.get(start..).unwrap_or_default();
            if line.strip_suffix(b"\n") == Some(delimiter) {
                text.truncate(start);
                break;
            }
            if self.substitutions > 0 && closes_substitution(document, line) {
                let rest = line.len() - document.delimiter.len();
                self.input.step_back(rest);
                text.truncate(start);
                self.warn_of_end(document, first_line, 0);
                break;
            }
        }
        let body = self.body(document, &text, first_line)?;
        self.charge(text.len() + 32)?;
        document.fill(text.into(), body);
        Ok(())
    }

    /// Adds the next line; lines that a backslash continues are one, unless the delimiter is quoted.
    fn document_line(&mut self, document: &HereDocument, text: &mut Vec<u8>) -> Result<Option<()>> {
        let start = text.len();
        if self.input.take_line(text).is_none() {
            return Ok(None);
        }
        self.spend(text.len() - start + 1)?;
        if document.strip_tabs {
            let tabs = text.get(start..).unwrap_or_default();
            let tabs = tabs.len() - without_tabs(tabs).len();
            text.drain(start..start + tabs);
        }
        let mut piece = start;
        while !document.quoted && ends_with_continuation(text.get(piece..).unwrap_or_default()) {
            text.pop();
            piece = text.len();
            if self.input.take_line(text).is_none() {
                break;
            }
            self.spend(text.len() - piece + 1)?;
        }
        text.push(b'\n');
        Ok(Some(()))
    }

    fn warn_of_end(&mut self, document: &HereDocument, first_line: u32, lines_back: u32) {
        let at = first_line.saturating_sub(1);
        let before =
            format!("warning: here-document at line {at} delimited by end-of-file (wanted ");
        let line = self.input.line().saturating_sub(lines_back);
        self.warnings
            .push(Message::quoting(line, &before, &document.delimiter, ")"));
    }

    fn body(&mut self, document: &HereDocument, text: &[u8], line: u32) -> Result<Word> {
        if text.is_empty() {
            return Ok(Word::new(Vec::new()));
        }
        if document.quoted {
            self.charge(text.len() + 64)?;
            return Ok(Word::new(vec![Part::SingleQuoted(Text::from(text))]));
        }
        self.nested(|grammar| grammar.quoted_text(text, line))
    }
}

fn ends_with_continuation(line: &[u8]) -> bool {
    line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Inside `$(…)`, the delimiter may be followed by what closes it.
fn closes_substitution(document: &HereDocument, line: &[u8]) -> bool {
    !document.delimiter.is_empty()
        && line
            .strip_prefix(&*document.delimiter)
            .is_some_and(|rest| rest.contains(&b')'))
}

fn without_tabs(line: &[u8]) -> &[u8] {
    let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
    line.get(tabs..).unwrap_or_default()
}
