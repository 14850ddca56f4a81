//! The way back from the places that the engine names to those in the code as it was given.

use std::{
    borrow::Cow,
    collections::{HashMap, VecDeque},
    fmt::Write,
    sync::Arc,
};

use hotcell_meter::{Pace, Stopped, Watch};
use hotcell_prepare::{Location, PreparedProgram};

/// Functions of old runs may live for ever, but nobody reads the positions of more runs than this.
const MAX_PROGRAMS: usize = 256;
/// Nor of more code than this, in bytes: it is kept twice, as it was given and as it runs.
const MAX_PROGRAM_BYTES: usize = 4 << 20;

/// Programs whose places are not what the engine says: types were lowered, or columns are not bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    programs: HashMap<Arc<str>, Arc<PreparedProgram>>,
    /// Their names, the oldest first.
    order: VecDeque<Arc<str>>,
    /// The lengths of their names, the longest first.
    lengths: Vec<usize>,
    bytes: usize,
}

impl Sources {
    /// Remembers a program if it needs translation.
    pub(crate) fn add(&mut self, name: &str, program: &Arc<PreparedProgram>) {
        let is_known = self.programs.contains_key(name);
        let is_needed = !program.map.is_identity() || !program.transformed.is_ascii();
        if is_known {
            self.order.retain(|known| **known != *name);
            self.remove(name);
        }
        if is_needed {
            let name: Arc<str> = name.into();
            self.bytes = self.bytes.saturating_add(size(program));
            self.programs.insert(Arc::clone(&name), Arc::clone(program));
            self.order.push_back(name);
            while self.order.len() > MAX_PROGRAMS
                || (self.bytes > MAX_PROGRAM_BYTES && self.order.len() > 1)
            {
                let Some(oldest) = self.order.pop_front() else {
                    break;
                };
                self.remove(&oldest);
            }
        }
        if is_known || is_needed {
            self.lengths = self.order.iter().map(|name| name.len()).collect();
            self.lengths.sort_unstable_by(|a, b| b.cmp(a));
            self.lengths.dedup();
        }
    }

    /// Whether adding this program would change anything.
    pub(crate) fn concerns(&self, name: &str, program: &PreparedProgram) -> bool {
        !program.map.is_identity()
            || !program.transformed.is_ascii()
            || self.programs.contains_key(name)
    }

    fn remove(&mut self, name: &str) {
        if let Some(program) = self.programs.remove(name) {
            self.bytes = self.bytes.saturating_sub(size(&program));
        }
    }

    /// A text, say a stack, with its places translated.
    pub(crate) fn translate<'t>(
        &self,
        text: &'t str,
        watch: &dyn Watch,
    ) -> Result<Cow<'t, str>, Stopped> {
        if self.programs.is_empty() {
            return Ok(Cow::Borrowed(text));
        }
        let mut pace = Pace::new(watch);
        let mut result = String::new();
        let mut copied = 0;
        for place in places(text) {
            pace.spend(STEP + place.end - copied)?;
            let Some(program) = self.ending(&text[..place.start]) else {
                continue;
            };
            if place.line == 0 {
                continue;
            }
            let Location { line, column } = program.engine_location(place.line, place.column);
            result.push_str(&text[copied..place.start]);
            // Writing to a string cannot fail.
            let _ = write!(result, ":{line}:{column}");
            copied = place.end;
        }
        if copied == 0 {
            return Ok(Cow::Borrowed(text));
        }
        result.push_str(&text[copied..]);
        Ok(Cow::Owned(result))
    }

    /// The program whose name stands at the end of `text`; the longest name, if there are several.
    fn ending(&self, text: &str) -> Option<&PreparedProgram> {
        // `js:1:2` is not a place in the module `js` if `run-1.js:1:2` is what it says.
        let is_name = |start: &usize| {
            let before = text.get(..*start).and_then(|text| text.chars().next_back());
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/'))
        };
        let name = |length: &usize| {
            let start = text.len().checked_sub(*length).filter(is_name)?;
            text.get(start..)
        };
        let mut names = self.lengths.iter().filter_map(name);
        names
            .find_map(|name| self.programs.get(name))
            .map(|program| &**program)
    }
}

/// What a place costs beside the text before it, in units of [`Pace`]: some look-ups.
const STEP: usize = 64;

/// Bytes of a program, about.
fn size(program: &PreparedProgram) -> usize {
    program
        .original
        .len()
        .saturating_add(program.transformed.len())
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
                // Names may end in a number themselves: of `run:3:12:34` the last two are the place.
                if text[end..].starts_with(':') && number(text, end + 1).is_some() {
                    continue;
                }
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
