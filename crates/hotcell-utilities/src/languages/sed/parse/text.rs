//! The text of `a`, `i` and `c`.

use super::{Parser, Result};
use crate::languages::sed::{
    cursor::Cursor,
    escapes::{Kind, convert},
    script::{Action, Command},
};

impl Parser<'_> {
    /// `a`, `i` and `c`. Their text begins on the next line behind a backslash, or, as GNU allows, right here.
    pub(super) fn text_command(
        &mut self,
        cursor: &mut Cursor<'_>,
        letter: u8,
        number: usize,
    ) -> Result<Action> {
        let expected = "expected \\ after `a', `c' or `i'";
        let first = cursor.next_nonblank();
        // What is put by ends as lines of scripts do, as in GNU's.
        let end = if letter == b'a' {
            b'\n'
        } else {
            self.dialect.end
        };
        match first {
            None => return Err(cursor.error(expected)),
            Some(b'\\') => {
                // What follows the backslash is text as it is, unless it is the end of the line.
                let next = cursor.next();
                if next != Some(b'\n') {
                    if self.dialect.is_posix && next.is_some() {
                        return Err(cursor.error(expected));
                    }
                    cursor.put_back(next);
                }
                if next.is_none() {
                    self.pending = Some((number, None));
                    return Ok(make_text(letter, Vec::new()));
                }
            }
            first => {
                if self.dialect.is_posix {
                    return Err(cursor.error(expected));
                }
                cursor.put_back(first);
            }
        }
        let text = self.text(cursor, number, Vec::new(), end);
        Ok(make_text(letter, text))
    }

    /// Text up to a newline without a backslash, with what ends it. It may go on in the next piece of the script.
    pub(super) fn text(
        &mut self,
        cursor: &mut Cursor<'_>,
        number: usize,
        start: Vec<u8>,
        end: u8,
    ) -> Vec<u8> {
        let mut text = start;
        loop {
            match cursor.next() {
                None | Some(b'\n') => break,
                Some(b'\\') => match cursor.next() {
                    None => {
                        let mut begun = text.clone();
                        begun.extend_from_slice(b"\\\n");
                        self.pending = Some((number, Some(begun)));
                        break;
                    }
                    Some(next) => text.extend([b'\\', next]),
                },
                Some(byte) => text.push(byte),
            }
        }
        let mut text = without_escapes(&text);
        text.push(end);
        text
    }

    /// The text of a command that began in an earlier piece.
    pub(super) fn set_text(&mut self, number: usize, text: Vec<u8>) {
        let command = self.script.commands.get_mut(number);
        if let Some(Command {
            action: Action::Append(to) | Action::Insert(to) | Action::Change(to),
            ..
        }) = command
        {
            *to = text;
        }
    }
}

fn make_text(letter: u8, text: Vec<u8>) -> Action {
    match letter {
        b'a' => Action::Append(text),
        b'i' => Action::Insert(text),
        _ => Action::Change(text),
    }
}

/// Text without the backslashes that protect it.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let converted = convert(text, Kind::Text);
    let mut out = Vec::with_capacity(converted.len() + 1);
    let mut bytes = converted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                other => out.extend(other),
            },
            byte => out.push(*byte),
        }
    }
    out
}
