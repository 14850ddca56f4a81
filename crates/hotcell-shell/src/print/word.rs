//! Words and what is in them.

use super::printer::Printer;
use crate::ast::{
    Arithmetic, ArrayElement, Assignment, AssignmentValue, CaseChange, Command,
    CommandSubstitution, CompoundKind, Fallback, List, Parameter, ParameterExpansion,
    ParameterOperation, Part, ReplaceScope, Special, Subscript, Word,
};

impl Printer {
    pub(super) fn word(&mut self, word: &Word) {
        self.parts(word.parts());
    }

    pub(super) fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Literal(text) | Part::BadSubstitution(text) => self.text(text),
            Part::Broken(broken) => self.text(&broken.0),
            Part::Escaped(byte) => self.text(&[b'\\', *byte]),
            Part::SingleQuoted(text) => {
                self.byte(b'\'');
                self.text(text);
                self.byte(b'\'');
            }
            Part::AnsiQuoted(value) => self.single_quoted(value),
            Part::DoubleQuoted(parts) | Part::Translated(parts) => {
                self.byte(b'"');
                self.parts(parts);
                self.byte(b'"');
            }
            Part::Parameter(expansion) => self.parameter(expansion),
            Part::Command(substitution) => match &**substitution {
                CommandSubstitution::Dollar(list) => {
                    self.str("$(");
                    self.substituted(list);
                    self.byte(b')');
                }
                CommandSubstitution::Backquoted { source, .. } => {
                    self.byte(b'`');
                    self.text(source);
                    self.byte(b'`');
                }
            },
            Part::Arithmetic {
                expression,
                brackets,
            } => {
                self.str(if *brackets { "$[" } else { "$((" });
                self.arithmetic(expression);
                self.str(if *brackets { "]" } else { "))" });
            }
            Part::Process(process) => {
                self.str(if process.output { ">(" } else { "<(" });
                self.substituted(&process.list);
                self.byte(b')');
            }
        }
    }

    /// An expression, without the quotes that its word has.
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        match arithmetic.word.parts() {
            [Part::DoubleQuoted(parts)] => self.parts(parts),
            parts => self.parts(parts),
        }
    }

    /// The commands of a substitution.
    pub(super) fn substituted(&mut self, list: &List) {
        let outside = self.enter_substitution();
        // `$((` would be read as an expression.
        if begins_with_parenthesis(list) {
            self.byte(b' ');
        }
        self.list(list);
        self.flush_documents();
        self.leave_substitution(outside);
    }

    /// Text in single quotes, whatever is in it.
    pub(super) fn single_quoted(&mut self, text: &[u8]) {
        self.byte(b'\'');
        for (index, piece) in text.split(|&byte| byte == b'\'').enumerate() {
            if index > 0 {
                self.str("'\\''");
            }
            self.text(piece);
        }
        self.byte(b'\'');
    }

    /// Without quotes; expansions stay as they are.
    pub(super) fn unquoted(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Escaped(byte) => self.byte(*byte),
                Part::SingleQuoted(text) | Part::AnsiQuoted(text) => self.text(text),
                Part::DoubleQuoted(parts) | Part::Translated(parts) => self.unquoted(parts),
                _ => self.part(part),
            }
        }
    }

    pub(super) fn assignment(&mut self, assignment: &Assignment) {
        self.text(&assignment.name);
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        self.str(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(elements) => {
                self.byte(b'(');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        self.byte(b' ');
                    }
                    self.element(element);
                }
                self.byte(b')');
            }
        }
    }

    fn element(&mut self, element: &ArrayElement) {
        match element {
            ArrayElement::Word(word) => self.word(word),
            ArrayElement::Keyed {
                subscript,
                append,
                value,
            } => {
                self.subscript(subscript);
                self.str(if *append { "+=" } else { "=" });
                self.word(value);
            }
        }
    }

    pub(super) fn subscript(&mut self, subscript: &Subscript) {
        self.byte(b'[');
        match subscript {
            Subscript::All => self.byte(b'@'),
            Subscript::Joined => self.byte(b'*'),
            Subscript::Index(word) => self.word(word),
        }
        self.byte(b']');
    }

    fn parameter(&mut self, expansion: &ParameterExpansion) {
        let operation = &expansion.operation;
        self.str(if expansion.braced { "${" } else { "$" });
        match operation {
            ParameterOperation::Length => self.byte(b'#'),
            ParameterOperation::Names { .. } | ParameterOperation::Keys => self.byte(b'!'),
            _ if expansion.indirect => self.byte(b'!'),
            _ => {}
        }
        match &expansion.parameter {
            Parameter::Variable(name) => self.text(name),
            Parameter::Element { name, subscript } => {
                self.text(name);
                self.subscript(subscript);
            }
            Parameter::Positional(number) => self.str(&number.to_string()),
            Parameter::Special(special) => self.byte(special_byte(*special)),
        }
        self.operation(operation);
        self.str(if expansion.braced { "}" } else { "" });
    }

    fn operation(&mut self, operation: &ParameterOperation) {
        match operation {
            ParameterOperation::None | ParameterOperation::Length | ParameterOperation::Keys => {}
            ParameterOperation::Names { joined } => self.byte(if *joined { b'*' } else { b'@' }),
            ParameterOperation::Fallback {
                kind,
                or_empty,
                word,
            } => {
                self.str(if *or_empty { ":" } else { "" });
                self.byte(match kind {
                    Fallback::Default => b'-',
                    Fallback::Assign => b'=',
                    Fallback::Error => b'?',
                    Fallback::Alternative => b'+',
                });
                self.word(word);
            }
            ParameterOperation::Substring { offset, length } => {
                self.byte(b':');
                self.arithmetic(offset);
                if let Some(length) = length {
                    self.byte(b':');
                    self.arithmetic(length);
                }
            }
            ParameterOperation::RemovePrefix { longest, pattern } => {
                self.str(if *longest { "##" } else { "#" });
                self.word(pattern);
            }
            ParameterOperation::RemoveSuffix { longest, pattern } => {
                self.str(if *longest { "%%" } else { "%" });
                self.word(pattern);
            }
            ParameterOperation::Replace {
                scope,
                pattern,
                replacement,
            } => {
                self.str(match scope {
                    ReplaceScope::First => "/",
                    ReplaceScope::All => "//",
                    ReplaceScope::Prefix => "/#",
                    ReplaceScope::Suffix => "/%",
                });
                self.word(pattern);
                if let Some(replacement) = replacement {
                    self.byte(b'/');
                    self.word(replacement);
                }
            }
            ParameterOperation::Case {
                change,
                all,
                pattern,
            } => {
                let byte = match change {
                    CaseChange::Upper => b'^',
                    CaseChange::Lower => b',',
                    CaseChange::Toggle => b'~',
                };
                self.byte(byte);
                if *all {
                    self.byte(byte);
                }
                if let Some(pattern) = pattern {
                    self.word(pattern);
                }
            }
            ParameterOperation::Transform(operator) => {
                self.byte(b'@');
                self.text(operator);
            }
        }
    }
}

fn begins_with_parenthesis(list: &List) -> bool {
    let Some(first) = list.items.first() else {
        return false;
    };
    let pipeline = &first.command.first;
    let is_prefixed = pipeline.negated || pipeline.timed != crate::ast::Timed::No;
    match &pipeline.first {
        Command::Compound(compound) if !is_prefixed => {
            matches!(
                compound.kind,
                CompoundKind::Subshell(_) | CompoundKind::Arithmetic(_)
            )
        }
        _ => false,
    }
}

fn special_byte(special: Special) -> u8 {
    match special {
        Special::At => b'@',
        Special::Star => b'*',
        Special::Count => b'#',
        Special::Status => b'?',
        Special::Flags => b'-',
        Special::ProcessId => b'$',
        Special::BackgroundId => b'!',
        Special::Zero => b'0',
    }
}
