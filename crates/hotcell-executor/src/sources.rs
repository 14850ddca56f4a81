//! The way back from the places that the engine names to those in the code as it was given.

use std::{borrow::Cow, collections::VecDeque, fmt::Write, sync::Arc};

use hotcell_prepare::{Location, PreparedProgram};

/// Functions of old runs may live for ever, but nobody reads the positions of more runs than this.
const MAX_PROGRAMS: usize = 256;

/// Programs whose places are not what the engine says: types were lowered, or columns are not bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    programs: VecDeque<(String, Arc<PreparedProgram>)>,
}

impl Sources {
    /// Remembers a program if it needs translation.
    pub(crate) fn add(&mut self, name: &str, program: &Arc<PreparedProgram>) {
        self.programs.retain(|(known, _)| known != name);
        if program.map.is_identity() && program.transformed.is_ascii() {
            return;
        }
        if self.programs.len() >= MAX_PROGRAMS {
            self.programs.pop_front();
        }
        self.programs
            .push_back((name.to_owned(), Arc::clone(program)));
    }

    /// A text, say a stack, with its places translated.
    pub(crate) fn translate<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.programs.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut result = String::new();
        let mut copied = 0;
        for place in places(text).filter(|place| place.line > 0) {
            let before = &text[..place.start];
            let Some((_, program)) = self
                .programs
                .iter()
                .rev()
                .find(|(name, _)| before.ends_with(&**name))
            else {
                continue;
            };
            let Location { line, column } = program.engine_location(place.line, place.column);
            result.push_str(&text[copied..place.start]);
            // Writing to a string cannot fail.
            let _ = write!(result, ":{line}:{column}");
            copied = place.end;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        result.push_str(&text[copied..]);
        Cow::Owned(result)
    }
}

/// The first place in a stack that is in the program `name`. The stack is translated already.
///
/// The engine puts what it makes itself, such as the initialisers of fields, in line 0: no reader finds that.
pub(crate) fn first_place(stack: &str, name: &str) -> Option<Location> {
    let is_in_program = |place: &Place| place.line > 0 && stack[..place.start].ends_with(name);
    let place = places(stack).find(is_in_program)?;
    Some(Location {
        line: place.line,
        column: place.column,
    })
}

/// `:12:34` in a text.
struct Place {
    start: usize,
    end: usize,
    line: u32,
    column: u32,
}

fn places(text: &str) -> impl Iterator<Item = Place> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[at..].find(':') {
            let start = at + found;
            at = start + 1;
            if let Some((line, after)) = number(text, start + 1)
                && text[after..].starts_with(':')
                && let Some((column, end)) = number(text, after + 1)
            {
                at = end;
                return Some(Place {
                    start,
                    end,
                    line,
                    column,
                });
            }
        }
        None
    })
}

/// The number at `start`, and where it ends.
fn number(text: &str, start: usize) -> Option<(u32, usize)> {
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let end = start + digits;
    Some((text[start..end].parse().ok()?, end))
}
