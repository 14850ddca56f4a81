//! From commands back to text, as bash prints them: `declare -f`, `type`, `jobs`, messages.
//!
//! bash prints from its own tree, too, so the text is not the one that was written: `|&` has become `2>&1 |`, comments and
//! blanks are gone, words are as they were. Printing a command, parsing the text and printing that gives the same text.
//!
//! Indentation makes the text of nested commands longer than the script, so whoever prints says how long it may become.

use crate::ast::{
    AndOr, Arithmetic, Assignment, Command, CompoundCommand, Condition, List, Part,
    RedirectDescriptor, RedirectOperator, Word,
};

mod command;
mod compound;
mod condition;
mod printer;
mod redirect;
mod word;

use printer::Printer;

/// What is quoted in a message is at most this long.
const LONGEST_QUOTATION: usize = 1024 * 1024;

/// The text would be longer than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text of the command is longer than {limit} bytes")]
pub struct TooLong {
    /// How long it may be.
    pub limit: usize,
}

/// A function as `declare -f` prints it, without a newline at the end.
pub fn function(name: &[u8], body: &CompoundCommand, limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| printer.declared_function(name, body))
}

/// A job as `jobs` prints it.
pub fn and_or(and_or: &AndOr, limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| {
        printer.and_or(and_or);
        printer.flush_documents();
    })
}

/// A command as `jobs` and `BASH_COMMAND` show it.
pub fn command(command: &Command, limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| printer.command(command))
}

/// Commands as they are printed between `$(` and `)`: a text that parses to the same commands.
pub fn list(list: &List, limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| printer.substituted(list))
}

/// A word, with its quotes.
pub fn word(word: &Word, limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| printer.word(word))
}

/// Parts of a word, with their quotes.
pub fn parts(parts: &[Part], limit: usize) -> Result<Vec<u8>, TooLong> {
    print(limit, |printer| printer.parts(parts))
}

/// The operator of a redirection.
pub fn redirect_operator(operator: RedirectOperator) -> &'static str {
    redirect::operator_text(operator)
}

fn print(limit: usize, f: impl FnOnce(&mut Printer)) -> Result<Vec<u8>, TooLong> {
    let mut printer = Printer::new(limit);
    f(&mut printer);
    printer.finish().ok_or(TooLong { limit })
}

/// As much of a text as a message may quote.
fn quotation(f: impl FnOnce(&mut Printer)) -> Vec<u8> {
    let mut printer = Printer::new(LONGEST_QUOTATION);
    f(&mut printer);
    printer.into_text()
}

pub(crate) fn word_text(word: &Word) -> Vec<u8> {
    quotation(|printer| printer.word(word))
}

pub(crate) fn command_text(command: &Command) -> Vec<u8> {
    quotation(|printer| printer.command(command))
}

pub(crate) fn and_or_text(and_or: &AndOr) -> Vec<u8> {
    quotation(|printer| printer.and_or(and_or))
}

pub(crate) fn list_text(list: &List) -> Vec<u8> {
    quotation(|printer| printer.substituted(list))
}

pub(crate) fn function_text(name: &[u8], body: &CompoundCommand) -> Vec<u8> {
    quotation(|printer| printer.declared_function(name, body))
}

pub(crate) fn condition_text(condition: &Condition) -> Vec<u8> {
    quotation(|printer| printer.condition(condition))
}

pub(crate) fn assignment_text(assignment: &Assignment) -> Vec<u8> {
    quotation(|printer| printer.assignment(assignment))
}

pub(crate) fn descriptor_text(descriptor: &RedirectDescriptor) -> Vec<u8> {
    quotation(|printer| printer.descriptor(descriptor))
}

pub(crate) fn arithmetic_text(arithmetic: &Arithmetic) -> Vec<u8> {
    quotation(|printer| printer.arithmetic(arithmetic))
}

/// A word whose quotes are removed and that is not expanded, such as the delimiter of a here-document.
pub(crate) fn unquoted_text(word: &Word) -> Vec<u8> {
    let mut printer = Printer::new(usize::MAX);
    printer.unquoted(word.parts());
    printer.into_text()
}

/// As bash quotes a token in a message: as it is, unless something in it cannot be seen.
pub(crate) fn visible(text: Vec<u8>) -> Vec<u8> {
    let is_visible = |text: &str| !text.chars().any(char::is_control);
    if std::str::from_utf8(&text).is_ok_and(is_visible) {
        return text;
    }
    let mut out = b"$'".to_vec();
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\x07' => out.extend(b"\\a"),
                '\x08' => out.extend(b"\\b"),
                '\t' => out.extend(b"\\t"),
                '\n' => out.extend(b"\\n"),
                '\x0b' => out.extend(b"\\v"),
                '\x0c' => out.extend(b"\\f"),
                '\r' => out.extend(b"\\r"),
                '\x1b' => out.extend(b"\\E"),
                '\\' | '\'' => out.extend([b'\\', character as u8]),
                _ if character.is_control() => octal(character.to_string().as_bytes(), &mut out),
                _ => out.extend(character.to_string().bytes()),
            }
        }
        octal(chunk.invalid(), &mut out);
    }
    out.push(b'\'');
    out
}

fn octal(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.extend(format!("\\{byte:03o}").bytes());
    }
}
