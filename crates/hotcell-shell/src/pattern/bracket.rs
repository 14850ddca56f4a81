//! `[a-z[:digit:]]`

use hotcell_regex::CharClass;

use super::Unit;

/// Longer than any name of a class, and short enough to be looked for again and again.
const MAX_NAME: usize = 40;

/// The inside of a bracket expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Bracket {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Debug, Clone, Copy)]
enum Item {
    Range(char, char),
    Byte(u8),
    Class(CharClass),
    /// `[:ascii:]` and `[:word:]`, which bash has on top.
    Ascii,
    Word,
}

impl Bracket {
    pub(super) fn contains(&self, unit: Unit, icase: bool) -> bool {
        let found = match unit {
            Unit::Byte(byte) => {
                let mut items = self.items.iter();
                items.any(|item| matches!(item, Item::Byte(member) if *member == byte))
            }
            Unit::Char(char) if icase => {
                self.has(char)
                    || char.to_lowercase().any(|char| self.has(char))
                    || char.to_uppercase().any(|char| self.has(char))
            }
            Unit::Char(char) => self.has(char),
        };
        found != self.negated
    }

    fn has(&self, char: char) -> bool {
        self.items.iter().any(|item| match item {
            Item::Range(from, to) => (*from..=*to).contains(&char),
            Item::Byte(_) => false,
            Item::Class(class) => class.contains(char),
            Item::Ascii => char.is_ascii(),
            Item::Word => char == '_' || CharClass::Alnum.contains(char),
        })
    }
}

/// Reads a bracket expression of which `[` has been read, and says where it ends. `None` if it does not end: then `[` is
/// text.
pub(super) fn read(bytes: &[(u8, bool)]) -> Option<(Bracket, usize)> {
    let mut bracket = Bracket::default();
    let mut at = 0;
    if matches!(bytes.first(), Some((b'!' | b'^', false))) {
        bracket.negated = true;
        at = 1;
    }
    let mut is_first = true;
    loop {
        let (byte, is_quoted) = *bytes.get(at)?;
        if byte == b']' && !is_quoted && !is_first {
            return Some((bracket, at + 1));
        }
        is_first = false;
        if let Some((name, end)) = named(bytes, at, b':') {
            if let Some(item) = class(&name) {
                bracket.items.push(item);
            }
            at = end;
            continue;
        }
        let (from, end) = element(bytes, at)?;
        at = end;
        let is_range = matches!(bytes.get(at), Some((b'-', false)))
            && !matches!(bytes.get(at + 1), None | Some((b']', false)));
        if !is_range {
            bracket.items.push(match from {
                Unit::Char(char) => Item::Range(char, char),
                Unit::Byte(byte) => Item::Byte(byte),
            });
            continue;
        }
        let (to, end) = element(bytes, at + 1)?;
        at = end;
        if let (Unit::Char(from), Unit::Char(to)) = (from, to) {
            bracket.items.push(Item::Range(from, to));
        }
    }
}

/// A character: itself, escaped, or as `[.c.]` or `[=c=]`.
fn element(bytes: &[(u8, bool)], at: usize) -> Option<(Unit, usize)> {
    for kind in [b'.', b'='] {
        if let Some((name, end)) = named(bytes, at, kind) {
            return Some((collating(&name)?, end));
        }
    }
    let at = match bytes.get(at)? {
        (b'\\', false) if bytes.len() > at + 1 => at + 1,
        _ => at,
    };
    let text: Vec<u8> = bytes
        .iter()
        .skip(at)
        .take(4)
        .map(|(byte, _)| *byte)
        .collect();
    let (unit, length) = super::unit_at(&text, 0)?;
    Some((unit, at + length))
}

/// The name in `[:name:]` (or with another mark) at `at`, and where it ends.
fn named(bytes: &[(u8, bool)], at: usize, kind: u8) -> Option<(Vec<u8>, usize)> {
    if bytes.get(at)? != &(b'[', false) || bytes.get(at + 1)?.0 != kind {
        return None;
    }
    let rest = bytes.get(at + 2..)?;
    let length = rest
        .windows(2)
        .take(MAX_NAME)
        .position(|pair| matches!(pair, [(mark, _), (b']', false)] if *mark == kind))?;
    let name = rest.iter().take(length).map(|(byte, _)| *byte).collect();
    Some((name, at + 2 + length + 2))
}

fn class(name: &[u8]) -> Option<Item> {
    match name {
        b"ascii" => Some(Item::Ascii),
        b"word" => Some(Item::Word),
        _ => CharClass::from_name(name).map(Item::Class),
    }
}

fn collating(name: &[u8]) -> Option<Unit> {
    let (unit, length) = super::unit_at(name, 0)?;
    (length == name.len()).then_some(unit)
}
