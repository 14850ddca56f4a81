//! The text so far, and what bash remembers while it prints.

use std::sync::Arc;

use crate::ast::HereDocument;

/// How much deeper what is inside is indented.
const INDENTATION: usize = 4;

pub(super) struct Printer {
    out: Vec<u8>,
    limit: usize,
    is_too_long: bool,
    /// Where the last `&` ended that puts a command into the background.
    background_end: usize,
    indentation: usize,
    /// The indentation of this many commands to come is left out, because they go on with a line.
    skipped_indents: u32,
    /// Inside a function each command is on a line of its own.
    pub(super) functions: u32,
    /// Inside a substitution commands stay on the lines that they were on.
    pub(super) in_substitution: bool,
    /// Inside a connection of commands, here-documents are printed after what connects them.
    pub(super) connections: usize,
    deferred: Vec<Arc<HereDocument>>,
    /// A here-document was printed, so that no semicolon is needed.
    pub(super) was_document: bool,
}

/// What a substitution sets aside while it is printed.
pub(super) struct Outside {
    indentation: usize,
    skipped_indents: u32,
    functions: u32,
    in_substitution: bool,
    connections: usize,
    deferred: Vec<Arc<HereDocument>>,
    was_document: bool,
}

impl Printer {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            out: Vec::new(),
            limit,
            is_too_long: false,
            background_end: 0,
            indentation: 0,
            skipped_indents: 0,
            functions: 0,
            in_substitution: false,
            connections: 0,
            deferred: Vec::new(),
            was_document: false,
        }
    }

    pub(super) fn finish(self) -> Option<Vec<u8>> {
        (!self.is_too_long).then_some(self.out)
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.out
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        if self.is_too_long || text.len() > self.limit.saturating_sub(self.out.len()) {
            self.is_too_long = true;
            return;
        }
        self.out.extend_from_slice(text);
    }

    pub(super) fn str(&mut self, text: &str) {
        self.text(text.as_bytes());
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.text(&[byte]);
    }

    /// Begins a command: on a new line it is indented.
    pub(super) fn begin(&mut self) {
        match self.skipped_indents.checked_sub(1) {
            Some(left) => self.skipped_indents = left,
            None => self.indent(),
        }
    }

    /// The next command goes on with this line.
    pub(super) fn skip_indent(&mut self) {
        self.skipped_indents += 1;
    }

    pub(super) fn indent(&mut self) {
        const BLANKS: &[u8; 64] = &[b' '; 64];
        let mut left = self.indentation;
        while left > 0 && !self.is_too_long {
            let length = left.min(BLANKS.len());
            self.text(BLANKS.get(..length).unwrap_or_default());
            left -= length;
        }
    }

    pub(super) fn deeper(&mut self) {
        self.indentation += INDENTATION;
    }

    pub(super) fn less_deep(&mut self) {
        self.indentation = self.indentation.saturating_sub(INDENTATION);
    }

    pub(super) fn newline(&mut self, text: &str) {
        self.byte(b'\n');
        self.indent();
        self.str(text);
    }

    /// A semicolon, unless something else ends the command already.
    pub(super) fn semicolon(&mut self) {
        if self.background_end != self.out.len() && self.out.last() != Some(&b'\n') {
            self.byte(b';');
        }
    }

    /// Prints documents now, or after what connects the command with the next one.
    pub(super) fn documents(&mut self, documents: Vec<Arc<HereDocument>>) {
        if documents.is_empty() {
            return;
        }
        if self.connections > 0 {
            self.deferred.extend(documents);
        } else {
            self.bodies(&documents);
        }
    }

    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Prints what connects two commands, and the documents that waited for it.
    pub(super) fn connect(&mut self, connector: &str) {
        self.str(connector);
        let documents = std::mem::take(&mut self.deferred);
        if !documents.is_empty() {
            self.bodies(&documents);
            if !connector.is_empty() {
                self.byte(b' ');
            }
        }
        if connector == " &" {
            self.background_end = self.out.len();
        }
    }

    /// Prints documents that are still waiting.
    pub(super) fn flush_documents(&mut self) {
        self.connect("");
    }

    fn bodies(&mut self, documents: &[Arc<HereDocument>]) {
        self.byte(b'\n');
        for document in documents {
            self.text(document.text());
            self.text(&document.delimiter);
            self.byte(b'\n');
        }
        self.was_document = true;
    }

    pub(super) fn enter_substitution(&mut self) -> Outside {
        Outside {
            indentation: std::mem::take(&mut self.indentation),
            skipped_indents: std::mem::take(&mut self.skipped_indents),
            functions: std::mem::take(&mut self.functions),
            in_substitution: std::mem::replace(&mut self.in_substitution, true),
            connections: std::mem::take(&mut self.connections),
            deferred: std::mem::take(&mut self.deferred),
            was_document: std::mem::take(&mut self.was_document),
        }
    }

    pub(super) fn leave_substitution(&mut self, outside: Outside) {
        self.indentation = outside.indentation;
        self.skipped_indents = outside.skipped_indents;
        self.functions = outside.functions;
        self.in_substitution = outside.in_substitution;
        self.connections = outside.connections;
        self.deferred = outside.deferred;
        self.was_document = outside.was_document;
    }
}
