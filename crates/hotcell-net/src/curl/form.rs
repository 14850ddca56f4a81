//! Forms: `-F` and multipart bodies.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use super::data::read_file;
use crate::upload::{Piece, Upload};

/// A part of a form.
pub(super) struct Part {
    name: BString,
    content: Content,
    /// What it is called, if that is not the name of its file.
    filename: Option<BString>,
    kind: Option<BString>,
}

enum Content {
    Text(BString),
    /// A file as a file.
    File(BString),
    /// What is in a file, as a text.
    TextOf(BString),
}

impl Part {
    /// `name=text`, `name=@file;type=text/plain;filename=x`, `name=<file`.
    pub(super) fn parse(value: &[u8], is_literal: bool) -> Option<Self> {
        let (name, content) = value.split_once_str("=")?;
        let mut part = Self {
            name: name.into(),
            content: Content::Text(content.into()),
            filename: None,
            kind: None,
        };
        if is_literal {
            return Some(part);
        }
        let mark = content
            .first()
            .copied()
            .filter(|byte| matches!(byte, b'@' | b'<'));
        let (first, rest) = word(if mark.is_some() {
            content.get(1..)?
        } else {
            content
        });
        part.content = match mark {
            Some(b'@') => Content::File(first),
            Some(_) => Content::TextOf(first),
            None => Content::Text(first),
        };
        let mut rest = rest;
        while let Some(more) = rest.strip_prefix(b";") {
            let more = more.trim_start();
            if let Some(text) = more.strip_prefix(b"filename=") {
                let (value, after) = word(text);
                (part.filename, rest) = (Some(value), after);
            } else if let Some(text) = more.strip_prefix(b"type=") {
                let (value, after) = word(text);
                (part.kind, rest) = (Some(value), after);
            } else if let Some(kind) = &mut part.kind {
                // A parameter of the type: `text/plain; charset=utf-8`.
                let (value, after) = word(more);
                kind.extend_from_slice(b"; ");
                kind.extend_from_slice(&value);
                rest = after;
            } else if let (Content::Text(text), None) = (&mut part.content, mark) {
                // A semicolon of the text's own.
                let (value, after) = word(more);
                text.push(b';');
                text.extend_from_slice(&value);
                rest = after;
            } else {
                return None;
            }
        }
        // Several files in one part are not made here.
        (rest.is_empty()).then_some(part)
    }

    /// What a part is called, and what it is.
    fn head(&self) -> Vec<u8> {
        let mut head = b"Content-Disposition: form-data; name=\"".to_vec();
        head.extend_from_slice(&escape(&self.name));
        head.push(b'"');
        let own = match &self.content {
            Content::File(path) => Some(base_name(path)),
            _ => None,
        };
        if let Some(filename) = self.filename.as_ref().map(|name| name.as_bstr()).or(own) {
            head.extend_from_slice(b"; filename=\"");
            head.extend_from_slice(&escape(filename));
            head.push(b'"');
        }
        head.extend_from_slice(b"\r\n");
        let guessed = match (&self.content, &self.kind) {
            (Content::File(path), None) => {
                let name = self
                    .filename
                    .as_ref()
                    .map_or_else(|| path.as_bstr(), |name| name.as_bstr());
                Some(BStr::new(kind_of(name)))
            }
            (_, kind) => kind.as_ref().map(|kind| kind.as_bstr()),
        };
        if let Some(kind) = guessed {
            head.extend_from_slice(b"Content-Type: ");
            head.extend_from_slice(kind);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// A text to the next semicolon or comma; in quotes it may have both.
fn word(text: &[u8]) -> (BString, &[u8]) {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let end = text
            .iter()
            .position(|byte| matches!(byte, b';' | b','))
            .unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.trim_end().into(), rest);
    };
    let mut value = BString::default();
    let mut bytes = quoted.iter().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => return (value, quoted.get(index + 1..).unwrap_or_default()),
            b'\\' => value.extend(bytes.next().map(|(_, byte)| *byte)),
            other => value.push(*other),
        }
    }
    (value, b"")
}

fn base_name(path: &[u8]) -> &BStr {
    let start = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    BStr::new(path.get(start..).unwrap_or(path))
}

fn escape(text: &[u8]) -> Vec<u8> {
    text.replace("\"", "%22")
        .replace("\r", "%0D")
        .replace("\n", "%0A")
}

fn kind_of(name: &[u8]) -> &'static str {
    let known = [
        (".gif", "image/gif"),
        (".jpg", "image/jpeg"),
        (".jpeg", "image/jpeg"),
        (".png", "image/png"),
        (".svg", "image/svg+xml"),
        (".txt", "text/plain"),
        (".htm", "text/html"),
        (".html", "text/html"),
        (".pdf", "application/pdf"),
        (".xml", "application/xml"),
    ];
    let lower = name.to_ascii_lowercase();
    let found = known
        .iter()
        .find(|(ending, _)| lower.ends_with(ending.as_bytes()));
    found.map_or("application/octet-stream", |(_, kind)| kind)
}

/// The body that parts make, and the boundary between them. `None` if a file cannot be read.
pub(super) fn body(
    process: &Process,
    parts: &[Part],
    boundary: &str,
) -> std::io::Result<Option<Upload>> {
    let mut pieces = Vec::new();
    let mut between = Vec::new();
    for part in parts {
        between.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
        between.extend_from_slice(&part.head());
        match &part.content {
            Content::Text(text) => between.extend_from_slice(text),
            Content::TextOf(path) => match read_file(process, path) {
                Ok(text) => between.extend_from_slice(&text),
                Err(_) => return Ok(None),
            },
            Content::File(path) if path == "-" => {
                between.extend_from_slice(&read_file(process, path)?)
            }
            Content::File(path) => {
                let Some(piece) = Piece::file(process, path) else {
                    return Ok(None);
                };
                pieces.push(Piece::Bytes(std::mem::take(&mut between)));
                pieces.push(piece);
            }
        }
        between.extend_from_slice(b"\r\n");
    }
    between.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    pieces.push(Piece::Bytes(between));
    Ok(Some(Upload::Pieces(pieces)))
}

/// A line that no part has in it.
pub(super) fn boundary() -> String {
    let random = getrandom::u64().unwrap_or(0x5eed);
    format!("------------------------{random:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(value: &str) -> Option<String> {
        let part = Part::parse(value.as_bytes(), false)?;
        Some(String::from_utf8(part.head()).unwrap())
    }

    #[test]
    fn parts_say_what_they_are() {
        assert_eq!(
            head("a=b").unwrap(),
            "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
        );
        assert_eq!(
            head("f=@dir/x.txt").unwrap(),
            "Content-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\n"
        );
        assert_eq!(
            head("f=@x;type=text/csv; charset=utf-8;filename=\"a;b\"").unwrap(),
            "Content-Disposition: form-data; name=\"f\"; filename=\"a;b\"\r\nContent-Type: text/csv; charset=utf-8\r\n\r\n"
        );
        assert_eq!(
            head("a\"\r\nX: y=b").unwrap(),
            "Content-Disposition: form-data; name=\"a%22%0D%0AX: y\"\r\n\r\n"
        );
        assert!(head("no-equals").is_none());
        assert!(head("f=@a,b").is_none());
    }

    #[test]
    fn a_text_keeps_its_semicolons() {
        let text = |value: &str| match Part::parse(value.as_bytes(), false).unwrap().content {
            Content::Text(text) => text.to_string(),
            _ => String::new(),
        };
        assert_eq!(text("a=b;type=text/plain"), "b");
        assert_eq!(text("a=b;c"), "b;c");
        let literal = Part::parse(b"a=@b;c", true).unwrap();
        assert!(matches!(literal.content, Content::Text(text) if text == "@b;c"));
    }
}
