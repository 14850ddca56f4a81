//! `set -k`: assignments among the arguments are made before the command, as those in front of it.

use crate::{
    ast::{Argument, Assignment, AssignmentValue, Part, SimpleCommand, Text, Word},
    names::is_name,
};

/// The command with assignments moved to its front.
pub(super) fn with_keywords(command: &SimpleCommand) -> SimpleCommand {
    let mut assignments = command.assignments.to_vec();
    let mut words = Vec::new();
    for (index, argument) in command.words.iter().enumerate() {
        let assignment = match argument {
            Argument::Word(word) if index > 0 => as_assignment(word),
            _ => None,
        };
        match assignment {
            Some(assignment) => assignments.push(assignment),
            None => words.push(argument.clone()),
        }
    }
    SimpleCommand {
        assignments: assignments.into(),
        words: words.into(),
        redirects: command.redirects.clone(),
        line: command.line,
    }
}

/// `name=value`, if the name is not quoted.
fn as_assignment(word: &Word) -> Option<Assignment> {
    let (Part::Literal(first), rest) = word.parts().split_first()? else {
        return None;
    };
    let equals = first.iter().position(|byte| *byte == b'=')?;
    let (name, value) = first.split_at(equals);
    let (name, append) = match name.strip_suffix(b"+") {
        Some(name) => (name, true),
        None => (name, false),
    };
    if !is_name(name) {
        return None;
    }
    let mut parts = Vec::new();
    let value = value.get(1..).unwrap_or_default();
    if !value.is_empty() {
        parts.push(Part::Literal(Text::from(value)));
    }
    parts.extend(rest.iter().cloned());
    Some(Assignment {
        name: name.into(),
        subscript: None,
        append,
        value: AssignmentValue::Scalar(Word::new(parts)),
    })
}
