//! From what code passes to items.

use std::borrow::Cow;

use base64::{
    Engine as _,
    alphabet::STANDARD as ALPHABET,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hotcell_cell::{Text, ToolError, Value, ViewKind};
use hotcell_meter::Watch;

use super::{
    ContentItem,
    kind::{Family, Kind},
    svg,
};
use crate::{
    inspect::{Plain, inspect},
    json::to_text,
    shorten::shorten,
};

/// Base64 as it is found: with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What an error repeats of a value.
const SHOWN: usize = 60;

/// What a value is for `display`: by what it holds, and text if nothing else.
pub(super) fn anything(value: &Value, watch: &dyn Watch) -> Result<Vec<ContentItem>, ToolError> {
    if let Some(bytes) = bytes_of(value) {
        let kind = Kind::of_bytes(bytes).ok_or_else(|| {
            refused(format!(
                "these bytes are none of {}, {}: show text of them, or say what they are with image(bytes, mime)",
                Family::Image.types(),
                Family::Audio.types()
            ))
        })?;
        return Ok(vec![ContentItem::data_of(kind, bytes)]);
    }
    if let Value::String(text) = value
        && let Some(url) = DataUrl::of(&text.to_str_lossy())
    {
        return Ok(vec![url.item(None, None, watch)?]);
    }
    if let Some(blocks) = blocks_of(value) {
        let items = blocks.into_iter().map(|block| block.item(None, watch));
        return items.collect();
    }
    Ok(vec![text(value, watch)])
}

/// An image or a sound: bytes, a data URL, base64, SVG, or the block of a tool's answer that holds one.
pub(super) fn media(
    family: Family,
    value: &Value,
    mime: Option<&str>,
    watch: &dyn Watch,
) -> Result<ContentItem, ToolError> {
    let said = mime.map(|mime| kind_of(mime, Some(family))).transpose()?;
    if let Some(bytes) = bytes_of(value) {
        return of_bytes(bytes, said, Some(family), watch);
    }
    if let Some(block) = Block::of(value) {
        return block.item(Some(family), watch);
    }
    let Value::String(given) = value else {
        return Err(refused(format!(
            "it takes bytes, a data URL, or the block of a tool's answer, not {}",
            shorten(&inspect(value, &Plain), SHOWN)
        )));
    };
    let given = given.to_str_lossy();
    if let Some(url) = DataUrl::of(&given) {
        return url.item(said, Some(family), watch);
    }
    if given.trim_start().starts_with('<') && family == Family::Image {
        return match said {
            None | Some(Kind::Svg) => of_svg(&given, watch),
            Some(kind) => Err(mismatch(kind, "text with marks in it")),
        };
    }
    if given.starts_with("http:") || given.starts_with("https:") {
        return Err(refused(
            "it shows what is here, not what is elsewhere: get the bytes through a tool first, and show those".into(),
        ));
    }
    match said {
        Some(kind) => of_bytes(&decode(&given)?, Some(kind), Some(family), watch),
        None => Err(refused(format!(
            "{:?} is neither a data URL nor SVG: for base64 say the type as well, as in image(data, \"image/png\")",
            shorten(&given, SHOWN)
        ))),
    }
}

/// A value as text: a text as it is, plain data as JSON, everything else as the console has it.
pub(super) fn text(value: &Value, watch: &dyn Watch) -> ContentItem {
    if let Value::String(text) = value {
        return ContentItem::text_of(Kind::Plain, &*text.to_str_lossy());
    }
    if matches!(value, Value::Array(_) | Value::Object(_))
        && is_plain(value)
        && let Ok(json) = to_text(value, watch)
    {
        return ContentItem::text_of(Kind::Json, json);
    }
    ContentItem::text_of(Kind::Plain, inspect(value, &Plain))
}

/// A text.
pub(super) fn plain(text: String) -> ContentItem {
    ContentItem::text_of(Kind::Plain, text)
}

/// Whether JSON says all of it. What has the key of our own notation is left to the console.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => number.is_finite(),
        Value::String(text) => text.as_str().is_some(),
        Value::Array(values) => values.iter().all(is_plain),
        Value::Object(properties) => properties
            .iter()
            .all(|(key, value)| key.as_str().is_some_and(|key| key != "$") && is_plain(value)),
        _ => false,
    }
}

/// The bytes of a buffer, or of the part of one that a view shows.
fn bytes_of(value: &Value) -> Option<&[u8]> {
    let view = match value {
        Value::Buffer(bytes) => return Some(bytes),
        Value::View(view) => view,
        _ => return None,
    };
    let Value::Buffer(bytes) = &view.buffer else {
        return None;
    };
    let is_bytes = matches!(
        view.kind,
        ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::Int8 | ViewKind::DataView
    );
    let (start, length) = (view.offset as usize, view.length as usize);
    let shown = bytes.get(start..start.checked_add(length)?);
    shown.filter(|_| is_bytes)
}

fn of_bytes(
    bytes: &[u8],
    said: Option<Kind>,
    family: Option<Family>,
    watch: &dyn Watch,
) -> Result<ContentItem, ToolError> {
    let found = Kind::of_bytes(bytes);
    if said == Some(Kind::Svg) {
        return match std::str::from_utf8(bytes) {
            Ok(text) => of_svg(text, watch),
            Err(_) => Err(mismatch(Kind::Svg, described(found))),
        };
    }
    match (said, found) {
        (Some(said), Some(found)) if said == found => Ok(ContentItem::data_of(found, bytes)),
        (Some(said), found) => Err(mismatch(said, described(found))),
        (None, Some(found)) if family.is_none_or(|family| family == found.family()) => {
            Ok(ContentItem::data_of(found, bytes))
        }
        (None, found) => Err(refused(format!(
            "these bytes are {}, and it shows {}",
            described(found),
            family.unwrap_or(Family::Image).types()
        ))),
    }
}

fn described(found: Option<Kind>) -> &'static str {
    found.map_or("of no kind that is known here", Kind::mime)
}

fn of_svg(text: &str, watch: &dyn Watch) -> Result<ContentItem, ToolError> {
    match svg::check(text, watch) {
        Ok(()) => Ok(ContentItem::text_of(Kind::Svg, text)),
        Err(problem) => Err(refused(format!(
            "this cannot be shown as image/svg+xml: {problem}"
        ))),
    }
}

/// The kind of that type, if it can be shown.
fn kind_of(mime: &str, family: Option<Family>) -> Result<Kind, ToolError> {
    let kind = Kind::of_mime(mime);
    let fits = |kind: &Kind| family.is_none_or(|family| family == kind.family());
    kind.filter(fits).ok_or_else(|| {
        let types = match family {
            Some(family) => family.types(),
            None => [Family::Text, Family::Image, Family::Audio]
                .map(Family::types)
                .join(", "),
        };
        refused(format!(
            "{:?} cannot be shown: the types are {types}",
            shorten(mime, SHOWN)
        ))
    })
}

fn decode(base64: &str) -> Result<Vec<u8>, ToolError> {
    let has_space = base64.bytes().any(|byte| byte.is_ascii_whitespace());
    let digits: Cow<'_, str> = if has_space {
        base64.split_ascii_whitespace().collect::<String>().into()
    } else {
        base64.into()
    };
    BASE64
        .decode(&*digits)
        .map_err(|error| refused(format!("the data is no base64: {error}")))
}

/// `data:image/png;base64,…`.
struct DataUrl<'a> {
    mime: &'a str,
    is_base64: bool,
    data: &'a str,
}

impl<'a> DataUrl<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let scheme = text.get(..5)?;
        let rest = scheme.eq_ignore_ascii_case("data:").then(|| &text[5..])?;
        let (about, data) = rest.split_once(',')?;
        let (about, is_base64) = match about.rsplit_once(';') {
            Some((before, last)) if last.trim().eq_ignore_ascii_case("base64") => (before, true),
            _ => (about, false),
        };
        let mime = if about.is_empty() {
            Kind::Plain.mime()
        } else {
            about
        };
        // `data:` begins many a text. Such a text has no type behind it.
        mime.contains('/').then_some(Self {
            mime,
            is_base64,
            data,
        })
    }

    fn item(
        &self,
        said: Option<Kind>,
        family: Option<Family>,
        watch: &dyn Watch,
    ) -> Result<ContentItem, ToolError> {
        let kind = kind_of(self.mime, family)?;
        if let Some(said) = said.filter(|said| *said != kind) {
            return Err(mismatch(said, kind.mime()));
        }
        let bytes = if self.is_base64 {
            decode(self.data)?
        } else {
            unescaped(self.data)
        };
        if kind.family() != Family::Text {
            return of_bytes(&bytes, Some(kind), family, watch);
        }
        let text = String::from_utf8(bytes).map_err(|_| mismatch(kind, "no UTF-8"))?;
        Ok(ContentItem::text_of(kind, text))
    }
}

/// The bytes that a part of a URL stands for.
fn unescaped(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (first, after)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            // Two digits are one byte.
            bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    bytes
}

/// A block of a tool's answer, as MCP servers give them, and the file tool `read`.
enum Block<'a> {
    Text(&'a Text),
    Media {
        family: Family,
        data: &'a Text,
        mime: &'a Text,
    },
}

impl<'a> Block<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let text = |key: &str| match value.get(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let family = match value.get("type")?.as_str()? {
            "text" => return text("text").map(Self::Text),
            "image" => Family::Image,
            "audio" => Family::Audio,
            _ => return None,
        };
        Some(Self::Media {
            family,
            data: text("data")?,
            mime: text("mimeType").or_else(|| text("mime_type"))?,
        })
    }

    fn item(&self, wanted: Option<Family>, watch: &dyn Watch) -> Result<ContentItem, ToolError> {
        match self {
            Self::Text(text) if wanted.is_none() => {
                Ok(ContentItem::text_of(Kind::Plain, &*text.to_str_lossy()))
            }
            Self::Media { family, data, mime } if wanted.is_none_or(|wanted| wanted == *family) => {
                let kind = kind_of(&mime.to_str_lossy(), Some(*family))?;
                let data = data.to_str_lossy();
                match DataUrl::of(&data) {
                    Some(url) => url.item(Some(kind), Some(*family), watch),
                    None => of_bytes(&decode(&data)?, Some(kind), Some(*family), watch),
                }
            }
            _ => Err(refused(
                "the block holds something else: display(block) shows whatever it is".into(),
            )),
        }
    }
}

/// The blocks of an answer, or the one block that a value is. `None` if it holds anything else.
fn blocks_of(value: &Value) -> Option<Vec<Block<'_>>> {
    if let Some(block) = Block::of(value) {
        return Some(vec![block]);
    }
    let Some(Value::Array(content)) = value.get("content") else {
        return None;
    };
    let blocks: Option<Vec<_>> = content.iter().map(Block::of).collect();
    blocks.filter(|blocks| !blocks.is_empty())
}

fn mismatch(said: Kind, found: &str) -> ToolError {
    refused(format!(
        "it is said to be {}, and its content is {found}",
        said.mime()
    ))
}

fn refused(message: String) -> ToolError {
    ToolError::new("TypeError", message)
}
