//! Text as people read it: what looks the same is the same.

use std::borrow::Cow;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A line in its normal form: compatibility characters unified (NFKC), quotes, dashes and spaces plain, nothing at its end.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    let plain = unpadded(text);
    match plain {
        Cow::Borrowed(plain) => Cow::Borrowed(plain.trim_end()),
        Cow::Owned(mut plain) => {
            plain.truncate(plain.trim_end().len());
            Cow::Owned(plain)
        }
    }
}

/// [`line`] with the spaces at its end.
pub(super) fn unpadded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().map(plain).collect())
}

/// Cuts a line into the shortest pieces that can be normalised one by one; gives for each its length and its normal form.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        chars.next()?;
        let end = chars
            .find(|(_, c)| starts_piece(*c))
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((end, piece.nfkc().map(plain).collect()))
    })
}

/// Whether no normalisation joins the character to what is before it.
fn starts_piece(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let first = std::iter::once(c).nfkd().next().unwrap_or(c);
    canonical_combining_class(first) == 0
        && is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

const fn plain(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}
