//! How names look: quotes, indicators, colours.

use bstr::{BStr, ByteSlice, ByteVec};
use hotcell_process::Process;
use hotcell_vfs::{FileType, Metadata};

use super::{entry::Entry, options::quoting};
use crate::{Parsed, Usage, quote::quote};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quoting {
    Literal,
    Shell,
    ShellAlways,
    C,
    Escape,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Indicators {
    None,
    Slash,
    FileType,
    Classify,
}

pub(super) struct Style {
    quoting: Quoting,
    hides_control: bool,
    indicators: Indicators,
    colors: bool,
}

impl Style {
    pub(super) fn new(
        process: &Process,
        parsed: &Parsed,
        is_terminal: bool,
        usage: &Usage,
    ) -> Self {
        let invalid = |option: &str, value: &[u8]| -> ! {
            usage.fail(
                process,
                [
                    b"invalid argument ",
                    quote(value).as_slice(),
                    format!(" for '--{option}'").as_bytes(),
                ]
                .concat(),
            )
        };
        let when = |option: &str, value: Option<&[u8]>| match value {
            None | Some(b"always" | b"yes" | b"force") => true,
            Some(b"auto" | b"tty" | b"if-tty") => is_terminal,
            Some(b"never" | b"no" | b"none") => false,
            Some(other) => invalid(option, other),
        };
        let mut style = Self {
            quoting: if is_terminal {
                Quoting::Shell
            } else {
                Quoting::Literal
            },
            hides_control: is_terminal,
            indicators: Indicators::None,
            colors: false,
        };
        for (name, value) in parsed.iter() {
            let value = value.map(|value| value.as_bytes());
            match (name, value) {
                ("literal" | "zero", _) => style.quoting = Quoting::Literal,
                ("escape", _) => style.quoting = Quoting::Escape,
                ("quote-name", _) => style.quoting = Quoting::C,
                ("quoting-style", Some(word)) => {
                    style.quoting = quoting(word).unwrap_or_else(|| invalid("quoting-style", word));
                }
                ("hide-control-chars", _) => style.hides_control = true,
                ("show-control-chars", _) => style.hides_control = false,
                ("p", _) | ("indicator-style", Some(b"slash")) => {
                    style.indicators = Indicators::Slash;
                }
                ("file-type", _) | ("indicator-style", Some(b"file-type")) => {
                    style.indicators = Indicators::FileType;
                }
                ("indicator-style", Some(b"classify")) => style.indicators = Indicators::Classify,
                ("indicator-style", Some(b"none")) => style.indicators = Indicators::None,
                ("indicator-style", Some(other)) => invalid("indicator-style", other),
                ("classify", value) => {
                    style.indicators = if when("classify", value) {
                        Indicators::Classify
                    } else {
                        Indicators::None
                    };
                }
                ("color", value) => style.colors = when("color", value),
                _ => {}
            }
        }
        style
    }

    /// Whether names tell what they are: then links are shown as links.
    pub(super) fn classifies(&self) -> bool {
        self.indicators == Indicators::Classify
    }

    /// A name with its quotes.
    pub(super) fn quoted(&self, name: &BStr) -> Vec<u8> {
        let hide = |name: &[u8]| -> Vec<u8> {
            name.iter()
                .map(|byte| {
                    if self.hides_control && byte.is_ascii_control() {
                        b'?'
                    } else {
                        *byte
                    }
                })
                .collect()
        };
        match self.quoting {
            Quoting::Literal => hide(name),
            Quoting::Escape => escape(name, b" \\"),
            Quoting::C => [b"\"", escape(name, b"\"\\").as_slice(), b"\""].concat(),
            Quoting::Shell | Quoting::ShellAlways => {
                let is_plain = name.iter().all(|byte| {
                    byte.is_ascii_alphanumeric()
                        || b"_-./+,:%@^=~#{}[]".contains(byte)
                        || *byte >= 0x80
                });
                let starts_plain = !name.first().is_some_and(|byte| b"~#".contains(byte));
                let has_brackets = name.find_byteset(b"[]").is_some();
                if is_plain
                    && starts_plain
                    && !name.is_empty()
                    && !has_brackets
                    && self.quoting == Quoting::Shell
                {
                    name.to_vec()
                } else if name.contains(&b'\'') && name.find_byteset(b"\"$`\\").is_none() {
                    [b"\"", name.as_bytes(), b"\""].concat()
                } else {
                    quote(name).into()
                }
            }
        }
    }

    fn indicator(&self, meta: &Metadata) -> &'static str {
        let classifies = self.indicators == Indicators::Classify;
        match meta.kind {
            _ if self.indicators == Indicators::None => "",
            FileType::Dir => "/",
            _ if self.indicators == Indicators::Slash => "",
            FileType::Symlink => "@",
            FileType::Fifo => "|",
            FileType::Socket => "=",
            FileType::File if classifies && meta.mode & 0o111 != 0 => "*",
            _ => "",
        }
    }

    /// The colour of a kind of file, as GNU has it without a database.
    fn color(meta: &Metadata) -> &'static str {
        match meta.kind {
            FileType::Dir if meta.mode & 0o1002 == 0o1002 => "30;42",
            FileType::Dir if meta.mode & 0o002 != 0 => "34;42",
            FileType::Dir => "01;34",
            FileType::Symlink => "01;36",
            FileType::Fifo => "33",
            FileType::Socket => "01;35",
            FileType::CharDevice | FileType::BlockDevice => "01;33",
            _ if meta.mode & 0o111 != 0 => "01;32",
            _ => "",
        }
    }

    fn paint(&self, text: Vec<u8>, meta: &Metadata) -> Vec<u8> {
        let color = Self::color(meta);
        if !self.colors || color.is_empty() {
            return text;
        }
        [b"\x1b[0m\x1b[", color.as_bytes(), b"m", &text, b"\x1b[0m"].concat()
    }

    /// A name as it is shown, and how wide that is.
    pub(super) fn name(&self, entry: &Entry) -> (Vec<u8>, usize) {
        let quoted = self.quoted(entry.name.as_bstr());
        let indicator = self.indicator(&entry.meta);
        let width = crate::characters::columns(&quoted) + indicator.len();
        let mut shown = self.paint(quoted, &entry.meta);
        shown.push_str(indicator);
        (shown, width)
    }

    /// Where a link leads, as it is shown.
    pub(super) fn target(&self, target: &BStr, meta: Option<&Metadata>) -> Vec<u8> {
        let quoted = self.quoted(target);
        match meta {
            Some(meta) => {
                let mut shown = self.paint(quoted, meta);
                shown.push_str(self.indicator(meta));
                shown
            }
            None => quoted,
        }
    }
}

fn escape(name: &[u8], special: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for byte in name {
        match byte {
            b'\n' => escaped.push_str("\\n"),
            b'\t' => escaped.push_str("\\t"),
            b'\r' => escaped.push_str("\\r"),
            0x07 => escaped.push_str("\\a"),
            0x08 => escaped.push_str("\\b"),
            0x0b => escaped.push_str("\\v"),
            0x0c => escaped.push_str("\\f"),
            _ if special.contains(byte) => {
                escaped.push(b'\\');
                escaped.push(*byte);
            }
            _ if byte.is_ascii_control() => escaped.push_str(format!("\\{byte:03o}")),
            _ => escaped.push(*byte),
        }
    }
    escaped
}
