//! Redirections.

use std::sync::Arc;

use super::printer::Printer;
use crate::ast::{
    HereDocument, Redirect, RedirectDescriptor, RedirectOperator, RedirectTarget, Word,
};

impl Printer {
    /// All redirections of a command, then the documents.
    pub(super) fn redirects(&mut self, redirects: &[Redirect]) {
        let documents = self.redirects_on_line(redirects);
        self.documents(documents);
    }

    /// The redirections alone, and the documents that are to be printed behind them.
    pub(super) fn redirects_on_line(&mut self, redirects: &[Redirect]) -> Vec<Arc<HereDocument>> {
        let mut documents = Vec::new();
        self.was_document = false;
        for (index, redirect) in redirects.iter().enumerate() {
            if index > 0 {
                self.byte(b' ');
            }
            match &redirect.target {
                RedirectTarget::Word(word) => self.redirect(redirect, word),
                RedirectTarget::HereDocument(document) => {
                    self.document_head(redirect.descriptor.as_ref(), document);
                    documents.push(Arc::clone(document));
                }
            }
        }
        documents
    }

    fn redirect(&mut self, redirect: &Redirect, word: &Word) {
        use RedirectOperator::{DuplicateInput, DuplicateOutput, ReadWrite};
        let descriptor = redirect.descriptor.as_ref();
        let operator = redirect.operator;
        if matches!(operator, DuplicateInput | DuplicateOutput) {
            return self.duplication(descriptor, operator, word);
        }
        // bash leaves out the descriptor that the operator has by default, except that it takes 1 for that of `<>`.
        let default = if operator == ReadWrite {
            1
        } else {
            default_descriptor(operator)
        };
        match descriptor {
            None if operator == ReadWrite => self.str("0"),
            Some(RedirectDescriptor::Number(number)) if *number == default => {}
            Some(descriptor) => self.descriptor(descriptor),
            None => {}
        }
        self.str(operator_text(operator));
        self.byte(b' ');
        self.word(word);
    }

    /// `<&` and `>&`
    fn duplication(
        &mut self,
        descriptor: Option<&RedirectDescriptor>,
        operator: RedirectOperator,
        word: &Word,
    ) {
        let default = RedirectDescriptor::Number(default_descriptor(operator));
        let descriptor = descriptor.unwrap_or(&default);
        let is_close = word.literal().is_some_and(|text| **text == *b"-");
        if *descriptor != default || is_number_or_move(word) || is_close {
            self.descriptor(descriptor);
        }
        // A descriptor is closed by either operator; bash only knows one of them.
        self.str(if is_close {
            ">&"
        } else {
            operator_text(operator)
        });
        self.word(word);
    }

    fn document_head(&mut self, descriptor: Option<&RedirectDescriptor>, document: &HereDocument) {
        match descriptor {
            None | Some(RedirectDescriptor::Number(0)) => {}
            Some(descriptor) => self.descriptor(descriptor),
        }
        self.str(if document.strip_tabs { "<<-" } else { "<<" });
        if document.quoted {
            self.single_quoted(&document.delimiter);
        } else {
            self.text(&document.delimiter);
        }
    }

    pub(super) fn descriptor(&mut self, descriptor: &RedirectDescriptor) {
        match descriptor {
            RedirectDescriptor::Number(number) => self.str(&number.to_string()),
            RedirectDescriptor::Variable { name, subscript } => {
                self.byte(b'{');
                self.text(name);
                if let Some(subscript) = subscript {
                    self.subscript(subscript);
                }
                self.byte(b'}');
            }
        }
    }
}

/// `1`, `1-` or anything with `-` at its end.
fn is_number_or_move(word: &Word) -> bool {
    let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    match word.parts().last() {
        Some(crate::ast::Part::Literal(text)) => {
            text.last() == Some(&b'-') || word.parts().len() == 1 && is_number(text)
        }
        _ => false,
    }
}

fn default_descriptor(operator: RedirectOperator) -> i32 {
    match operator {
        RedirectOperator::Read
        | RedirectOperator::ReadWrite
        | RedirectOperator::DuplicateInput
        | RedirectOperator::HereDocument
        | RedirectOperator::HereString => 0,
        _ => 1,
    }
}

pub(super) fn operator_text(operator: RedirectOperator) -> &'static str {
    match operator {
        RedirectOperator::Read => "<",
        RedirectOperator::Write => ">",
        RedirectOperator::Append => ">>",
        RedirectOperator::Clobber => ">|",
        RedirectOperator::ReadWrite => "<>",
        RedirectOperator::DuplicateInput => "<&",
        RedirectOperator::DuplicateOutput => ">&",
        RedirectOperator::WriteBoth => "&>",
        RedirectOperator::AppendBoth => "&>>",
        RedirectOperator::HereDocument => "<<",
        RedirectOperator::HereString => "<<<",
    }
}
