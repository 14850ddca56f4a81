//! `s` and `y`.

use bstr::BString;
use hotcell_regex::Options;

use super::{
    Parser, Result, replacement,
    words::{end_of_command, file_name, until},
};
use crate::{
    characters,
    languages::sed::{
        cursor::Cursor,
        escapes::{Kind, convert},
        script::{Action, Substitution, Translation},
    },
};

impl Parser<'_> {
    pub(super) fn substitute(&mut self, cursor: &mut Cursor<'_>) -> Result<Action> {
        let unterminated = "unterminated `s' command";
        let Some(delimiter) = cursor.next() else {
            return Err(cursor.error(unterminated));
        };
        let Some(source) = until(cursor, delimiter, true) else {
            return Err(cursor.error(unterminated));
        };
        let Some(replacement) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let mut substitution = Substitution {
            pattern: None,
            replacement: Vec::new(),
            needs_groups: false,
            changes_case: false,
            is_global: false,
            number: 0,
            prints: false,
            prints_first: false,
            executes: false,
            writes: None,
        };
        let mut options = self.options();
        self.flags(cursor, &mut substitution, &mut options)?;
        substitution.number = substitution.number.max(1);
        substitution.pattern = self.pattern(cursor, &source, options)?;
        replacement::read(&mut substitution, &replacement);
        let groups = substitution
            .pattern
            .as_ref()
            .map(|pattern| pattern.groups());
        let highest = replacement::highest_group(&substitution.replacement);
        if groups.is_some_and(|groups| highest > groups) {
            return Err(cursor.error(format!(
                "invalid reference \\{highest} on `s' command's RHS"
            )));
        }
        Ok(Action::Substitute(Box::new(substitution)))
    }

    fn flags(
        &mut self,
        cursor: &mut Cursor<'_>,
        substitution: &mut Substitution,
        options: &mut Options,
    ) -> Result<()> {
        loop {
            match cursor.next() {
                Some(b'i' | b'I') => options.icase = true,
                Some(b'm' | b'M') => options.newline = true,
                Some(b'e') => {
                    self.refuse_in_sandbox(cursor)?;
                    substitution.executes = true;
                }
                Some(b'p') => {
                    if substitution.prints {
                        return Err(cursor.error("multiple `p' options to `s' command"));
                    }
                    substitution.prints = true;
                    substitution.prints_first = !substitution.executes;
                }
                Some(b'g') => {
                    if substitution.is_global {
                        return Err(cursor.error("multiple `g' options to `s' command"));
                    }
                    substitution.is_global = true;
                }
                Some(b'w') => {
                    self.refuse_in_sandbox(cursor)?;
                    let name = file_name(cursor)?;
                    substitution.writes = Some(self.sink(name));
                    return Ok(());
                }
                Some(digit @ b'0'..=b'9') => {
                    if substitution.number > 0 {
                        return Err(cursor.error("multiple number options to `s' command"));
                    }
                    let number = cursor.number(digit);
                    if number == 0 {
                        return Err(cursor.error("number option to `s' command may not be zero"));
                    }
                    substitution.number = usize::try_from(number).unwrap_or(usize::MAX);
                }
                other @ Some(b'}' | b'#') => {
                    cursor.put_back(other);
                    return Ok(());
                }
                None | Some(b'\n' | b';') => return Ok(()),
                Some(b' ' | b'\t' | b'\r') => {}
                Some(_) => return Err(cursor.error("unknown option to `s'")),
            }
        }
    }

    pub(super) fn translate(&mut self, cursor: &mut Cursor<'_>) -> Result<Action> {
        let unterminated = "unterminated `y' command";
        let Some(delimiter) = cursor.next() else {
            return Err(cursor.error(unterminated));
        };
        let Some(from) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let Some(to) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let is_bytes = self.dialect.is_bytes || (from.is_ascii() && to.is_ascii());
        let from = characters_of(&from, is_bytes);
        let to = characters_of(&to, is_bytes);
        if from.len() != to.len() {
            return Err(cursor.error("strings for `y' command are different lengths"));
        }
        end_of_command(cursor)?;
        let translation = if is_bytes {
            let mut table = [0; 256];
            for (byte, place) in (0..=u8::MAX).zip(&mut table) {
                *place = byte;
            }
            // Of a character that is there twice, the first counts.
            for (from, to) in from.iter().zip(&to).rev() {
                if let (Some(from), Some(to)) = (from.first(), to.first())
                    && let Some(place) = table.get_mut(usize::from(*from))
                {
                    *place = *to;
                }
            }
            Translation::Bytes(table)
        } else {
            Translation::Characters(from.into_iter().zip(to).collect())
        };
        Ok(Action::Translate(Box::new(translation)))
    }
}

/// The characters of an operand of `y`.
fn characters_of(text: &[u8], is_bytes: bool) -> Vec<BString> {
    let text = convert(text, Kind::Text);
    let mut characters = Vec::new();
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        rest = match rest {
            [b'\\', b'n', rest @ ..] => {
                characters.push("\n".into());
                rest
            }
            [b'\\', rest @ ..] if !rest.is_empty() => {
                let length = if is_bytes { 1 } else { characters::first(rest) };
                let (character, rest) = rest.split_at(length.min(rest.len()));
                characters.push(character.into());
                rest
            }
            rest => {
                let length = if is_bytes { 1 } else { characters::first(rest) };
                let (character, rest) = rest.split_at(length.min(rest.len()));
                characters.push(character.into());
                rest
            }
        };
    }
    characters
}
