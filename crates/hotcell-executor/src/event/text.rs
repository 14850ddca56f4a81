//! What events say in words, cut to size.

use hotcell_cell::Arguments;

use crate::{
    inspect::{Plain, inspect},
    ledger::size,
    shorten::shorten,
};

/// Of arguments, names and messages an event has so many bytes.
pub(crate) const MAX_EVENT_BYTES: usize = 1000;

/// Arguments as the console would print them. What is large is not even looked at: how much that is, code decides.
pub(crate) fn arguments_in_words(arguments: &Arguments) -> String {
    let mut text = String::new();
    for value in arguments {
        if !text.is_empty() {
            text.push_str(", ");
        }
        if text.len() > MAX_EVENT_BYTES {
            text.push('…');
            break;
        }
        if size(value) > 4 * MAX_EVENT_BYTES {
            text.push_str(match value.as_str() {
                Some(long) => &long[..long.floor_char_boundary(MAX_EVENT_BYTES)],
                None => "…",
            });
        } else {
            text.push_str(&inspect(value, &Plain));
        }
    }
    shorten(&text, MAX_EVENT_BYTES).into_owned()
}
