//! Bytes among values.

use hotcell_cell::{Text, Value, View, ViewKind};

/// The bytes of a text, of a buffer, or of the part of one that a view of bytes shows.
pub(crate) fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.to_str_lossy().into_owned().into_bytes()),
        Value::Buffer(bytes) => Some(bytes.clone()),
        Value::View(view) => {
            let Value::Buffer(bytes) = &view.buffer else {
                return None;
            };
            let start = view.offset as usize;
            let length = view.length as usize;
            let is_bytes = matches!(view.kind, ViewKind::Uint8 | ViewKind::DataView);
            let shown = bytes.get(start..start.checked_add(length)?);
            shown.filter(|_| is_bytes).map(<[u8]>::to_vec)
        }
        _ => None,
    }
}

/// A `Uint8Array`.
pub(crate) fn array_of(bytes: Vec<u8>) -> Value {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    Value::View(Box::new(View {
        kind: ViewKind::Uint8,
        offset: 0,
        length,
        buffer: Value::Buffer(bytes),
    }))
}

/// A text; what is not UTF-8 is replaced.
pub(crate) fn text_of(bytes: &[u8]) -> Value {
    Value::String(Text::from(String::from_utf8_lossy(bytes).into_owned()))
}
