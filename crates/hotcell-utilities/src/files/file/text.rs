//! Texts: how they are encoded, how their lines end, and what is written in them.

use bstr::{BStr, ByteSlice};

use super::{Kind, json};

/// Lines beyond this are called very long.
const LONG_LINE: usize = 300;

/// So much of a text is searched for what kind it is.
const SEARCHED: usize = 4096;

struct Encoding {
    name: &'static str,
    charset: &'static str,
    /// In the case of UTF-16 and UTF-32, the text without its mark in UTF-8.
    decoded: Option<Vec<u8>>,
}

/// What a text is about.
enum About {
    /// The encoding is told, too.
    Text {
        name: String,
        mime: &'static str,
        is_executable: bool,
    },
    /// This is all.
    Whole {
        name: &'static str,
        mime: &'static str,
    },
}

impl About {
    fn text(name: impl Into<String>, mime: &'static str) -> Self {
        Self::Text {
            name: name.into(),
            mime,
            is_executable: false,
        }
    }
}

pub(super) fn kind(bytes: &[u8]) -> Option<Kind> {
    let encoding = encoding(bytes)?;
    let text = encoding.decoded.as_deref().unwrap_or(bytes);
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let about = about(text);
    let (start, end, mime) = match &about {
        Some(About::Whole { name, mime }) => {
            return Some(Kind {
                description: (*name).into(),
                mime,
                charset: encoding.charset,
            });
        }
        Some(About::Text {
            name,
            mime,
            is_executable,
        }) => (
            format!("{name}, "),
            if *is_executable { " executable" } else { "" },
            *mime,
        ),
        None => (String::new(), "", "text/plain"),
    };
    let lines = details(text, &encoding);
    Some(Kind {
        description: format!("{start}{} text{end}{lines}", encoding.name).into(),
        mime,
        charset: encoding.charset,
    })
}

/// The name of a text's encoding; none if it is none.
pub(super) fn charset(bytes: &[u8]) -> Option<&'static str> {
    encoding(bytes).map(|encoding| encoding.charset)
}

fn encoding(bytes: &[u8]) -> Option<Encoding> {
    let plain = |name, charset| {
        Some(Encoding {
            name,
            charset,
            decoded: None,
        })
    };
    let is_control = |byte: &u8| matches!(byte, 0..=6 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe\0\0") {
        return wide(
            rest,
            4,
            false,
            "Unicode text, UTF-32, little-endian",
            "utf-32le",
        );
    }
    if let Some(rest) = bytes.strip_prefix(b"\0\0\xfe\xff") {
        return wide(
            rest,
            4,
            true,
            "Unicode text, UTF-32, big-endian",
            "utf-32be",
        );
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return wide(
            rest,
            2,
            false,
            "Unicode text, UTF-16, little-endian",
            "utf-16le",
        );
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return wide(
            rest,
            2,
            true,
            "Unicode text, UTF-16, big-endian",
            "utf-16be",
        );
    }
    if bytes.iter().any(is_control) {
        return None;
    }
    if bytes.is_ascii() {
        return plain("ASCII", "us-ascii");
    }
    // What was read may end within a character.
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    if is_utf8 && bytes.starts_with("\u{feff}".as_bytes()) {
        return plain("Unicode text, UTF-8 (with BOM)", "utf-8");
    }
    if is_utf8 {
        return plain("Unicode text, UTF-8", "utf-8");
    }
    if bytes
        .iter()
        .any(|byte| matches!(byte, 0x80..=0x84 | 0x86..=0x9f))
    {
        return plain("Non-ISO extended-ASCII", "unknown-8bit");
    }
    plain("ISO-8859", "iso-8859-1")
}

/// UTF-16 or UTF-32 behind its mark.
fn wide(
    bytes: &[u8],
    size: usize,
    is_big: bool,
    name: &'static str,
    charset: &'static str,
) -> Option<Encoding> {
    let units = bytes.chunks_exact(size).map(|unit| {
        let join = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        if is_big {
            unit.iter().fold(0, join)
        } else {
            unit.iter().rev().fold(0, join)
        }
    });
    let text: String = if size == 2 {
        let units = units.map(|unit| u16::try_from(unit).unwrap_or(u16::MAX));
        char::decode_utf16(units)
            .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    } else {
        units.map(char::from_u32).collect::<Option<String>>()?
    };
    Some(Encoding {
        name,
        charset,
        decoded: Some(text.into_bytes()),
    })
}

/// What is unusual about the lines.
fn details(text: &[u8], encoding: &Encoding) -> String {
    let mut shown = String::new();
    let (mut crlf, mut cr, mut lf, mut nel) = (false, false, false, false);
    let (mut longest, mut length) = (0usize, 0usize);
    let is_latin = encoding.charset == "iso-8859-1";
    let mut bytes = text.iter().peekable();
    while let Some(byte) = bytes.next() {
        let ends = match byte {
            b'\r' if bytes.peek() == Some(&&b'\n') => {
                bytes.next();
                crlf = true;
                true
            }
            b'\r' => {
                cr = true;
                true
            }
            b'\n' => {
                lf = true;
                true
            }
            0x85 if is_latin => {
                nel = true;
                true
            }
            _ => false,
        };
        length = if ends {
            0
        } else {
            length + usize::from(byte & 0xc0 != 0x80 || is_latin)
        };
        longest = longest.max(length);
    }
    if longest > LONG_LINE {
        shown.push_str(&format!(", with very long lines ({longest})"));
    }
    let ends = [(crlf, "CRLF"), (cr, "CR"), (lf, "LF"), (nel, "NEL")];
    let names: Vec<&str> = ends
        .iter()
        .filter(|(is_there, _)| *is_there)
        .map(|(_, name)| *name)
        .collect();
    match names.as_slice() {
        ["LF"] => {}
        [] => shown.push_str(", with no line terminators"),
        names => shown.push_str(&format!(", with {} line terminators", names.join(", "))),
    }
    if text.contains(&0x1b) {
        shown.push_str(", with escape sequences");
    }
    if text.contains(&0x08) {
        shown.push_str(", with overstriking");
    }
    shown
}

fn about(text: &[u8]) -> Option<About> {
    if json::is_document(text) {
        return Some(About::Whole {
            name: "JSON text data",
            mime: "application/json",
        });
    }
    if json::is_lines(text) {
        return Some(About::Whole {
            name: "New Line Delimited JSON text data",
            mime: "application/x-ndjson",
        });
    }
    let start = text.get(..text.len().min(SEARCHED)).unwrap_or_default();
    if let Some(rest) = start.strip_prefix(b"#!") {
        let line = rest.lines().next().unwrap_or_default();
        return script(BStr::new(line.trim()));
    }
    markup(start)
        .or_else(|| source(start))
        .or_else(|| is_csv(text).then_some(CSV))
}

const CSV: About = About::Whole {
    name: "CSV text",
    mime: "text/csv",
};

/// Interpreters that have names; what comes behind the path of an interpreter may say more of its version.
const INTERPRETERS: &[(&str, &str, &str)] = &[
    ("bash", "Bourne-Again shell script", "text/x-shellscript"),
    ("zsh", "Paul Falstad's zsh script", "text/x-shellscript"),
    ("ksh", "Korn shell script", "text/x-shellscript"),
    ("tcsh", "Tenex C shell script", "text/x-shellscript"),
    ("csh", "C shell script", "text/x-shellscript"),
    ("ash", "Neil Brown's ash script", "text/x-shellscript"),
    ("fish", "fish shell script", "text/x-shellscript"),
    ("sh", "POSIX shell script", "text/x-shellscript"),
    ("gawk", "GNU awk script", "text/x-gawk"),
    ("awk", "awk script", "text/x-awk"),
    ("python", "Python script", "text/x-script.python"),
    ("ruby", "Ruby script", "text/x-ruby"),
    ("php", "PHP script", "text/x-php"),
    ("lua", "Lua script", "text/x-lua"),
    ("tclsh", "Tcl/Tk script", "text/x-tcl"),
    ("wish", "Tcl/Tk script", "text/x-tcl"),
];

/// What the real one does not know behind `env`.
const NOT_BEHIND_ENV: &[&str] = &["sh", "php", "awk", "gawk", "ash", "ksh", "csh"];

fn script(line: &BStr) -> Option<About> {
    let env = line
        .strip_prefix(b"/usr/bin/env")
        .filter(|rest| rest.starts_with(b" "));
    let command = env.map_or(line.as_bytes(), |rest| rest.trim_start());
    let path = command
        .split(|byte| *byte == b' ')
        .next()
        .unwrap_or_default();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let base = name.trim_end_with(|char| char.is_ascii_digit() || char == '.');
    if base == b"perl" {
        return Some(About::Whole {
            name: "Perl script text executable",
            mime: "text/x-perl",
        });
    }
    if base == b"node" {
        return Some(About::text(
            "Node.js script executable",
            "application/javascript",
        ));
    }
    let known = INTERPRETERS
        .iter()
        .find(|(known, ..)| known.as_bytes() == base)
        .filter(|(known, ..)| env.is_none() || !NOT_BEHIND_ENV.contains(known));
    let (name, mime) = match known {
        Some((_, name, mime)) => ((*name).to_owned(), *mime),
        None => (format!("a {} script", BStr::new(command)), "text/plain"),
    };
    Some(About::Text {
        name,
        mime,
        is_executable: true,
    })
}

fn markup(text: &[u8]) -> Option<About> {
    let lower = text.to_ascii_lowercase();
    let has = |tag: &str| lower.contains_str(tag);
    let trimmed = text.trim_start();
    if trimmed.starts_with(b"<?xml") || trimmed.starts_with(b"<svg") {
        if has("<svg") {
            return Some(About::Whole {
                name: "SVG Scalable Vector Graphics image",
                mime: "image/svg+xml",
            });
        }
        let version = text.find(b"version=").and_then(|at| text.get(at + 9..));
        let version: Vec<u8> = version
            .unwrap_or_default()
            .iter()
            .copied()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
            .collect();
        let name = format!("XML {} document", version.as_bstr());
        return Some(About::text(name, "text/xml"));
    }
    if text.starts_with(b"<?php") {
        return Some(About::text("PHP script", "text/x-php"));
    }
    let tags = ["<!doctype html", "<html", "<head", "<title", "<body"];
    tags.iter()
        .any(|tag| has(tag))
        .then(|| About::text("HTML document", "text/html"))
}

/// Languages that give themselves away.
fn source(text: &[u8]) -> Option<About> {
    let lines = || text.lines();
    let begins = |start: &str| lines().any(|line| line.starts_with(start.as_bytes()));
    if text.starts_with(b"diff ") {
        return Some(About::text("diff output", "text/x-diff"));
    }
    if text.starts_with(b"--- ") && begins("+++ ") && begins("@@ ") {
        return Some(About::text("unified diff output", "text/x-diff"));
    }
    if text.starts_with(b"-----BEGIN CERTIFICATE-----") {
        return Some(About::Whole {
            name: "PEM certificate",
            mime: "text/plain",
        });
    }
    if text.starts_with(b"\\documentclass") {
        return Some(About::text("LaTeX 2e document", "text/x-tex"));
    }
    let first = lines().next().unwrap_or_default();
    if text.starts_with(b"import java") {
        return Some(About::text("Java source", "text/x-java"));
    }
    if begins("#include") {
        let is_plus = begins("class ") || begins("template") || begins("namespace ");
        return Some(if is_plus {
            About::text("C++ source", "text/x-c++")
        } else {
            About::text("C source", "text/x-c")
        });
    }
    let is_definition = |line: &[u8]| {
        line.starts_with(b"def ") && line.contains(&b'(') && line.trim_end().ends_with(b":")
    };
    let imports = |line: &[u8]| line.starts_with(b"from ") && line.contains_str(" import ");
    if lines().any(|line| is_definition(line) || imports(line)) && !first.ends_with(b"\r") {
        return Some(About::Text {
            name: "Python script".to_owned(),
            mime: "text/x-script.python",
            is_executable: true,
        });
    }
    None
}

/// At least three lines, and all have as many fields as the first, which has more than one.
fn is_csv(text: &[u8]) -> bool {
    let mut wanted = None;
    let mut count = 0;
    for line in text.lines() {
        let mut is_quoted = false;
        let mut commas = 0;
        for byte in line {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b',' if !is_quoted => commas += 1,
                _ => {}
            }
        }
        if commas == 0 || is_quoted || *wanted.get_or_insert(commas) != commas {
            return false;
        }
        count += 1;
    }
    count >= 3
}
