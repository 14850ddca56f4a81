//! What code shows: items with a type, beside logs and result.
//!
//! An item is there for whoever reads the run: a picture for a model, a table for a page. What its bytes are is checked when it is
//! shown, so that nobody behind has to guess; what a run may show in all is limited.

mod board;
mod functions;
mod kind;
mod svg;
mod take;

use std::{borrow::Cow, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value as Json;

pub(crate) use board::Board;
pub(crate) use functions::tools;
use kind::Kind;

/// Something that code showed: with `display`, `image`, `audio` or `text`.
///
/// Serialised it is `{mime, text}` or `{mime, data}`, where `data` is base64.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentItem {
    /// What it is, such as `image/png`. For bytes this is what they were found to be.
    pub mime: &'static str,
    /// What it holds.
    pub body: ContentBody,
}

/// What an item holds. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentBody {
    /// Text: `text/plain`, `application/json`, `image/svg+xml`.
    Text(Arc<str>),
    /// Bytes of an image or a sound.
    Data(Arc<[u8]>),
}

impl ContentItem {
    fn text_of(kind: Kind, text: impl Into<Arc<str>>) -> Self {
        Self {
            mime: kind.mime(),
            body: ContentBody::Text(text.into()),
        }
    }

    fn data_of(kind: Kind, data: impl Into<Arc<[u8]>>) -> Self {
        Self {
            mime: kind.mime(),
            body: ContentBody::Data(data.into()),
        }
    }

    /// Its text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            ContentBody::Text(text) => Some(text),
            ContentBody::Data(_) => None,
        }
    }

    /// How many bytes it holds.
    pub fn size(&self) -> usize {
        match &self.body {
            ContentBody::Text(text) => text.len(),
            ContentBody::Data(data) => data.len(),
        }
    }

    /// As it stands in a text: what is text as it is, of everything else its type and size.
    pub fn note(&self) -> Cow<'_, str> {
        match &self.body {
            ContentBody::Text(text) if self.mime != Kind::Svg.mime() => Cow::Borrowed(text),
            _ => note(self.mime, self.size()).into(),
        }
    }
}

fn note(mime: &str, bytes: usize) -> String {
    format!("[{mime}, {bytes} bytes]")
}

impl Serialize for ContentItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut item = serializer.serialize_struct("ContentItem", 2)?;
        item.serialize_field("mime", self.mime)?;
        match &self.body {
            ContentBody::Text(text) => item.serialize_field("text", &**text)?,
            ContentBody::Data(data) => item.serialize_field("data", &STANDARD.encode(data))?,
        }
        item.end()
    }
}

/// Items as they stand in an observation.
pub(crate) fn notes(items: &[ContentItem]) -> Option<String> {
    let notes: Vec<_> = items.iter().map(ContentItem::note).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

/// The same for items that a front door gave as JSON. Whose data is no base64 has at least a type.
pub(crate) fn notes_of_json(items: &Json) -> Option<String> {
    let one = |item: &Json| {
        let mime = item.get("mime")?.as_str()?;
        let text = item.get("text").and_then(Json::as_str);
        if let Some(text) = text.filter(|_| mime != Kind::Svg.mime()) {
            return Some(text.to_owned());
        }
        let data = item.get("data").and_then(Json::as_str);
        // A front door may have the bytes elsewhere.
        let bytes = item.get("bytes").and_then(Json::as_u64);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.or(text.map(str::len)).or(data.map(decoded_length));
        Some(note(mime, bytes.unwrap_or_default()))
    };
    let notes: Vec<String> = items.as_array()?.iter().filter_map(one).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

/// How many bytes base64 stands for.
fn decoded_length(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits / 4 * 3 + (digits % 4) * 3 / 4
}

/// Items as bytes, for a snapshot: of each its kind, its length, and what it holds.
pub(crate) fn save(items: &[ContentItem]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        let Some(kind) = Kind::of_mime(item.mime) else {
            continue;
        };
        let body: &[u8] = match &item.body {
            ContentBody::Text(text) => text.as_bytes(),
            ContentBody::Data(data) => data,
        };
        bytes.push(kind as u8);
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
    }
    bytes
}

/// Why bytes do not become items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// They are no such bytes.
    Malformed,
    /// There are more items than may be.
    TooMany,
}

/// The items in such bytes, which may come from anywhere: each is checked as if it was shown now.
pub(crate) fn read(mut bytes: &[u8], most: usize) -> Result<Vec<ContentItem>, Unreadable> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        if items.len() >= most {
            return Err(Unreadable::TooMany);
        }
        let (item, rest) = read_one(bytes).ok_or(Unreadable::Malformed)?;
        items.push(item);
        bytes = rest;
    }
    Ok(items)
}

fn read_one(bytes: &[u8]) -> Option<(ContentItem, &[u8])> {
    let (kind, rest) = bytes.split_first()?;
    let kind = Kind::of_number(*kind)?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (body, rest) = rest.split_at_checked(length)?;
    Some((kind.checked(body)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_items_come_back_and_damaged_ones_do_not() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0".as_slice();
        let items = vec![
            ContentItem::text_of(Kind::Plain, "hello"),
            ContentItem::data_of(Kind::Png, png),
            ContentItem::text_of(Kind::Svg, "<svg/>"),
        ];
        let bytes = save(&items);
        assert_eq!(read(&bytes, 2), Err(Unreadable::TooMany));
        assert_eq!(read(&bytes, 3), Ok(items));
        for end in [1, 5, 8, bytes.len() - 1] {
            assert_eq!(read(&bytes[..end], 3), Err(Unreadable::Malformed), "{end}");
        }
        let mut other = save(&[ContentItem::data_of(Kind::Png, png)]);
        other[9] = 0;
        assert_eq!(read(&other, 3), Err(Unreadable::Malformed));
    }

    #[test]
    fn the_length_of_what_base64_stands_for_is_known_without_reading_it() {
        for length in 0..20 {
            let encoded = STANDARD.encode(vec![7; length]);
            assert_eq!(decoded_length(&encoded), length);
        }
    }
}
