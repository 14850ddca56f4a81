//! Texts of any length, for places that have little room.

use std::borrow::Cow;

/// At most `bytes` of a text, with an ellipsis where it goes on.
pub(crate) fn shorten(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(bytes)]))
}
