//! Lists, pipelines, simple commands.

use super::printer::Printer;
use crate::ast::{
    AndOr, AndOrOperator, Argument, Command, List, ListItem, Pipeline, Separator, SimpleCommand,
    Timed, Word,
};
use crate::parse::is_reserved;

impl Printer {
    pub(super) fn list(&mut self, list: &List) {
        let Some((first, others)) = list.items.split_first() else {
            return;
        };
        let in_background = list
            .items
            .last()
            .is_some_and(|last| last.separator == Separator::Background);
        self.connections += others.len() + usize::from(in_background);
        self.item(first, is_connected(&first.command));
        let mut before = first;
        for item in others {
            self.separate(before);
            self.item(item, true);
            self.connections = self.connections.saturating_sub(1);
            before = item;
        }
        if in_background {
            self.connect(" &");
            self.connections = self.connections.saturating_sub(1);
        }
    }

    /// Documents of commands that are connected are printed when the connection ends. bash does so even where an operator
    /// follows, which it then prints at the start of a line.
    fn item(&mut self, item: &ListItem, is_connected: bool) {
        self.and_or(&item.command);
        if is_connected && item.separator != Separator::Background {
            self.flush_documents();
        }
    }

    /// What stands between an item and the next.
    fn separate(&mut self, item: &ListItem) {
        if item.separator == Separator::Background {
            self.connect(" &");
            self.byte(b' ');
            self.skip_indent();
            return;
        }
        let keeps_newline = item.separator == Separator::Newline && self.in_substitution;
        let had_deferred = self.has_deferred();
        let needs_semicolon = !had_deferred && !self.was_document;
        if !had_deferred {
            self.was_document = false;
        }
        self.flush_documents();
        if self.functions > 0 {
            if needs_semicolon {
                self.byte(if keeps_newline { b'\n' } else { b';' });
            }
            self.byte(b'\n');
        } else if keeps_newline {
            self.byte(b'\n');
            if needs_semicolon {
                self.skip_indent();
            }
        } else {
            // bash leaves it out behind documents, and so makes one command of two.
            self.semicolon();
            self.byte(b' ');
            self.skip_indent();
        }
    }

    pub(super) fn and_or(&mut self, and_or: &AndOr) {
        self.connections += and_or.rest.len();
        self.pipeline(&and_or.first);
        for (operator, pipeline) in &and_or.rest {
            self.connect(match operator {
                AndOrOperator::And => " && ",
                AndOrOperator::Or => " || ",
            });
            self.skip_indent();
            self.pipeline(pipeline);
        }
        self.connections = self.connections.saturating_sub(and_or.rest.len());
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        self.begin();
        self.str(match pipeline.timed {
            Timed::No => "",
            Timed::Yes => "time ",
            Timed::Posix => "time -p ",
        });
        self.str(if pipeline.negated { "! " } else { "" });
        self.connections += pipeline.rest.len();
        self.skip_indent();
        self.command(&pipeline.first);
        for command in &pipeline.rest {
            self.connect(" |");
            self.byte(b' ');
            self.skip_indent();
            self.command(command);
        }
        self.connections = self.connections.saturating_sub(pipeline.rest.len());
    }

    pub(super) fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => {
                self.begin();
                self.simple(simple);
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => self.function_definition(function),
            Command::Coproc(coproc) => {
                self.begin();
                self.str("coproc ");
                self.text(&coproc.name);
                self.byte(b' ');
                self.skip_indent();
                self.command(&coproc.command);
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut is_first = true;
        for assignment in &simple.assignments {
            self.blank_unless(&mut is_first);
            self.assignment(assignment);
        }
        let mut documents = Vec::new();
        // `>f if` would become something else with the word in front. bash does not care.
        let redirects_first = begins_with_reserved_word(simple);
        if redirects_first && !simple.redirects.is_empty() {
            self.blank_unless(&mut is_first);
            documents = self.redirects_on_line(&simple.redirects);
        }
        for argument in &simple.words {
            self.blank_unless(&mut is_first);
            match argument {
                Argument::Word(word) => self.word(word),
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        if !redirects_first && !simple.redirects.is_empty() {
            self.blank_unless(&mut is_first);
            documents = self.redirects_on_line(&simple.redirects);
        }
        self.documents(documents);
    }

    fn blank_unless(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.byte(b' ');
        }
    }
}

fn is_connected(and_or: &AndOr) -> bool {
    !and_or.rest.is_empty() || !and_or.first.rest.is_empty()
}

/// Whether the name of the command is a word that has another meaning where a command begins.
fn begins_with_reserved_word(simple: &SimpleCommand) -> bool {
    let word = simple
        .words
        .first()
        .and_then(Argument::word)
        .filter(|_| simple.assignments.is_empty());
    word.and_then(Word::literal)
        .is_some_and(|text| is_reserved(text))
}
