//! Texts on their way out of a cell. They may be as large as its memory.

use super::{COPIED_PER_UNIT, Reader, WireError, tag};
use crate::{held::allocation, value::Text};

/// How many units of a text are decoded between two looks at the time.
const CHUNK: usize = 4096;

impl<'a> Reader<'a> {
    /// A string value.
    pub(crate) fn text(&mut self) -> Result<Text, WireError> {
        let tag = self.byte()?;
        self.text_tagged(tag)
    }

    /// A string for people to read. What the budget has no room for is cut off.
    pub(crate) fn printed(&mut self) -> Result<String, WireError> {
        let tag = self.byte()?;
        let bytes = self.text_bytes(tag)?;
        let room = self.budget.0.saturating_sub(allocation(1));
        let mut text = String::new();
        let is_whole = match tag {
            tag::UTF8 => {
                // One character of four bytes more than there is room for is enough to tell that it is too long.
                let (seen, is_all) = match bytes.get(..room.saturating_add(4)) {
                    Some(seen) => (seen, seen.len() == bytes.len()),
                    None => (bytes, true),
                };
                self.pace.spend(seen.len())?;
                text = String::from_utf8_lossy(seen).into_owned();
                is_all && text.len() <= room
            }
            tag::LATIN1 if bytes.len() <= room && bytes.is_ascii() => {
                self.pace.spend(bytes.len() / COPIED_PER_UNIT)?;
                text.push_str(&String::from_utf8_lossy(bytes));
                true
            }
            tag::LATIN1 => {
                self.push_characters(&mut text, room, bytes.iter().copied().map(char::from))?
            }
            _ => {
                let characters = char::decode_utf16(units(bytes))
                    .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER));
                self.push_characters(&mut text, room, characters)?
            }
        };
        if is_whole {
            self.budget.spend(allocation(text.len()))?;
        } else {
            text.truncate(text.floor_char_boundary(room));
            text.push('…');
            self.budget.0 = 0;
        }
        Ok(text)
    }

    /// Appends characters until the text has more than `room` bytes. True if that was all.
    fn push_characters(
        &mut self,
        text: &mut String,
        room: usize,
        characters: impl Iterator<Item = char>,
    ) -> Result<bool, WireError> {
        for character in characters {
            self.pace.spend(1)?;
            if text.len() + character.len_utf8() > room {
                return Ok(false);
            }
            text.push(character);
        }
        Ok(true)
    }

    pub(super) fn text_tagged(&mut self, tag: u8) -> Result<Text, WireError> {
        let bytes = self.text_bytes(tag)?;
        match tag {
            tag::LATIN1 if bytes.is_ascii() => {
                self.pay_for_text(bytes.len())?;
                let text = std::str::from_utf8(bytes).map_err(|_| WireError::Malformed)?;
                Ok(Text::from(text))
            }
            tag::LATIN1 => {
                let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
                self.pay_for_text(bytes.len() + high)?;
                let mut text = String::with_capacity(bytes.len() + high);
                for chunk in bytes.chunks(CHUNK) {
                    self.pace.spend(chunk.len())?;
                    text.extend(chunk.iter().copied().map(char::from));
                }
                Ok(Text::from(text))
            }
            tag::UTF16 => self.utf16(bytes),
            _ => {
                self.pay_for_text(bytes.len())?;
                Text::from_wtf8(bytes, &mut self.pace)?.ok_or(WireError::Malformed)
            }
        }
    }

    fn utf16(&mut self, bytes: &[u8]) -> Result<Text, WireError> {
        // What it takes as UTF-8, and whether it can be that.
        let (mut length, mut is_well_formed) = (0, true);
        for character in char::decode_utf16(units(bytes)) {
            self.pace.spend(1)?;
            is_well_formed &= character.is_ok();
            length += character.map_or(2, char::len_utf8);
        }
        if !is_well_formed {
            self.pay_for_text(bytes.len())?;
            return Ok(Text::from_utf16(&units(bytes).collect::<Vec<_>>()));
        }
        self.pay_for_text(length)?;
        let mut text = String::with_capacity(length);
        for character in char::decode_utf16(units(bytes)) {
            self.pace.spend(1)?;
            text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(Text::from(text))
    }

    /// Before anything is allocated.
    fn pay_for_text(&mut self, bytes: usize) -> Result<(), WireError> {
        self.pace.spend(bytes / COPIED_PER_UNIT)?;
        self.budget.spend(allocation(bytes))
    }

    /// The bytes of a text, whatever they mean.
    fn text_bytes(&mut self, tag: u8) -> Result<&'a [u8], WireError> {
        let units = self.size()?;
        let length = match tag {
            tag::UTF16 => units.checked_mul(2).ok_or(WireError::Malformed)?,
            tag::LATIN1 | tag::UTF8 => units,
            _ => return Err(WireError::Malformed),
        };
        self.bytes(length)
    }
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let (pairs, _) = bytes.as_chunks();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair))
}
