//! `@base64` and its like.

use super::{
    super::{eval::Machine, print, stop::Stop, value::Value},
    shown,
    strings::text_of,
};

pub(crate) fn is_format(name: &str) -> bool {
    matches!(
        name,
        "@text"
            | "@json"
            | "@csv"
            | "@tsv"
            | "@html"
            | "@uri"
            | "@sh"
            | "@base64"
            | "@base64d"
            | "@base32"
            | "@base32d"
            | "@urid"
    )
}

pub(crate) fn format(machine: &Machine<'_, '_>, name: &str, value: Value) -> Result<String, Stop> {
    let plain = || match &value {
        Value::String(text) => Ok(text.text.clone()),
        other => text_of(machine, other),
    };
    // No format makes a text more than six times as long.
    let _room = match &value {
        Value::String(text) => machine.heap.0.hold(text.text.len().saturating_mul(6))?,
        _ => machine.heap.0.hold(0)?,
    };
    let text = match name {
        "@text" => plain()?,
        "@json" => text_of(machine, &value)?,
        "@csv" | "@tsv" => row(machine, name, &value)?,
        "@html" => escape(&plain()?, |c| {
            Some(match c {
                '<' => "&lt;",
                '>' => "&gt;",
                '&' => "&amp;",
                '\'' => "&#39;",
                '"' => "&quot;",
                _ => return None,
            })
        }),
        "@uri" => {
            let mut out = String::new();
            for byte in plain()?.bytes() {
                if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                    out.push(char::from(byte));
                } else {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            out
        }
        "@urid" => {
            let text = plain()?;
            let mut out = Vec::new();
            let mut bytes = text.bytes();
            while let Some(byte) = bytes.next() {
                let hex = bytes.as_slice_hex();
                match (byte, hex) {
                    (b'%', Some(code)) => {
                        out.push(code);
                        bytes.nth(1);
                    }
                    _ => out.push(byte),
                }
            }
            String::from_utf8_lossy(&out).into_owned()
        }
        "@sh" => shell(machine, &value)?,
        "@base64" => data_encoding::BASE64.encode(plain()?.as_bytes()),
        "@base32" => data_encoding::BASE32.encode(plain()?.as_bytes()),
        "@base64d" => {
            let text = plain()?;
            let trimmed = text.trim_end_matches('=');
            let decoded = data_encoding::BASE64_NOPAD
                .decode(trimmed.as_bytes())
                .or_else(|wrong| {
                    // What is left over at the end is dropped, unless it is all there is.
                    let end = wrong.position;
                    match wrong.kind {
                        data_encoding::DecodeKind::Trailing if end >= 2 => {
                            lenient().decode(trimmed.as_bytes())
                        }
                        data_encoding::DecodeKind::Length if end >= 4 => {
                            lenient().decode(trimmed.as_bytes().get(..end).unwrap_or_default())
                        }
                        _ => Err(wrong),
                    }
                });
            let Ok(decoded) = decoded else {
                return Err(Stop::message(format!(
                    "string ({}) is not valid base64 data",
                    shown(&machine.heap.string(text)?)
                )));
            };
            String::from_utf8_lossy(&decoded).into_owned()
        }
        "@base32d" => {
            let text = plain()?;
            let Ok(decoded) =
                data_encoding::BASE32_NOPAD.decode(text.trim_end_matches('=').as_bytes())
            else {
                return Err(Stop::message(format!(
                    "string ({}) is not valid base32 data",
                    shown(&machine.heap.string(text)?)
                )));
            };
            String::from_utf8_lossy(&decoded).into_owned()
        }
        other => {
            return Err(Stop::message(format!(
                "{} is not a valid format",
                other.trim_start_matches('@')
            )));
        }
    };
    machine.process.spend(text.len());
    Ok(text)
}

/// Base64 whose last bits may be anything.
fn lenient() -> data_encoding::Encoding {
    let mut specification = data_encoding::BASE64_NOPAD.specification();
    specification.check_trailing_bits = false;
    specification
        .encoding()
        .unwrap_or(data_encoding::BASE64_NOPAD)
}

trait Hex {
    /// The byte that the next two digits stand for.
    fn as_slice_hex(&self) -> Option<u8>;
}

impl Hex for std::str::Bytes<'_> {
    fn as_slice_hex(&self) -> Option<u8> {
        let mut next = self.clone();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let code = digit(next.next()?)? * 16 + digit(next.next()?)?;
        u8::try_from(code).ok()
    }
}

fn escape(text: &str, escape: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(character),
        }
    }
    out
}

fn row(machine: &Machine<'_, '_>, name: &str, value: &Value) -> Result<String, Stop> {
    let kind = name.trim_start_matches('@');
    let Value::Array(array) = value else {
        return Err(Stop::message(format!(
            "{} ({}) cannot be {kind}-formatted, only an array can be",
            value.type_name(),
            shown(value)
        )));
    };
    let mut out = String::new();
    let mut held = machine.heap.0.hold(0)?;
    for (number, item) in array.items.iter().enumerate() {
        // Twice for what is escaped, and twice for how a text grows.
        let length = item.as_str().map_or(16, str::len);
        machine.process.spend(length + 8);
        held.grow(length.saturating_mul(4))?;
        if number > 0 {
            out.push(if kind == "csv" { ',' } else { '\t' });
        }
        match item {
            Value::Null => {}
            Value::String(text) if kind == "csv" => {
                out.push('"');
                out.push_str(&text.text.replace('"', "\"\""));
                out.push('"');
            }
            Value::String(text) => out.push_str(&escape(&text.text, |c| {
                Some(match c {
                    '\t' => "\\t",
                    '\n' => "\\n",
                    '\r' => "\\r",
                    '\\' => "\\\\",
                    _ => return None,
                })
            })),
            Value::Array(_) | Value::Object(_) => {
                return Err(Stop::message(format!(
                    "{} ({}) is not valid in a {kind} row",
                    item.type_name(),
                    shown(item)
                )));
            }
            other => out.push_str(&print::beginning(other)),
        }
    }
    Ok(out)
}

fn shell(machine: &Machine<'_, '_>, value: &Value) -> Result<String, Stop> {
    let word = |value: &Value| match value {
        Value::String(text) => Ok(format!("'{}'", text.text.replace('\'', "'\\''"))),
        Value::Array(_) | Value::Object(_) => Err(Stop::message(format!(
            "{} ({}) can not be escaped for shell",
            value.type_name(),
            shown(value)
        ))),
        other => Ok(print::beginning(other)),
    };
    match value {
        Value::Array(array) => {
            let mut words = String::new();
            let mut held = machine.heap.0.hold(0)?;
            for (number, item) in array.items.iter().enumerate() {
                let word = word(item)?;
                machine.process.spend(word.len() + 8);
                held.grow(word.len().saturating_mul(2) + 1)?;
                if number > 0 {
                    words.push(' ');
                }
                words.push_str(&word);
            }
            Ok(words)
        }
        other => word(other),
    }
}
