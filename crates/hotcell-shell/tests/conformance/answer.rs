//! What a script came to.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::case::Case;

/// What a script came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) code: i32,
    /// What is in the working directory, by path.
    pub(crate) files: BTreeMap<String, Entry>,
    /// It took too long and was killed.
    pub(crate) was_stopped: bool,
}

/// What a name in the working directory stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    /// An empty one: others are seen by what is in them.
    Dir {
        mode: u32,
    },
    Link(String),
    Other(String),
}

impl Answer {
    /// Where an answer differs from this one, in words.
    pub(crate) fn difference(&self, other: &Self, case: &Case) -> Option<String> {
        let mut text = String::new();
        if self.was_stopped != other.was_stopped {
            text.push_str("  one of them was stopped at the deadline\n");
        }
        let mut compare = |what: &str, expected: &[u8], found: &[u8]| {
            if expected != found {
                let _ = writeln!(
                    text,
                    "  {what}:\n    expected {}\n    found    {}",
                    show(expected),
                    show(found)
                );
            }
        };
        compare("stdout", &self.stdout, &other.stdout);
        if !case.ignores_stderr {
            compare("stderr", &self.stderr, &other.stderr);
        }
        compare(
            "code",
            self.code.to_string().as_bytes(),
            other.code.to_string().as_bytes(),
        );
        if !case.ignores_files {
            let names = self.files.keys().chain(other.files.keys());
            let names: std::collections::BTreeSet<&String> = names.collect();
            for name in names {
                let (expected, found) = (self.files.get(name), other.files.get(name));
                compare(
                    &format!("file {name}"),
                    &describe(expected),
                    &describe(found),
                );
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// With the place where it was run replaced by `/case`.
    pub(crate) fn placed(mut self, place: &std::path::Path) -> Self {
        let place = place.to_string_lossy().into_owned();
        for bytes in [&mut self.stdout, &mut self.stderr] {
            *bytes = replace(bytes, place.as_bytes());
        }
        for entry in self.files.values_mut() {
            match entry {
                Entry::File { bytes, .. } => *bytes = replace(bytes, place.as_bytes()),
                Entry::Link(target) => *target = target.replace(&place, "/case"),
                Entry::Dir { .. } | Entry::Other(_) => {}
            }
        }
        self
    }
}

fn replace(bytes: &[u8], place: &[u8]) -> Vec<u8> {
    bstr::ByteSlice::replace(bytes, place, "/case")
}

fn describe(entry: Option<&Entry>) -> Vec<u8> {
    match entry {
        None => b"nothing".to_vec(),
        Some(Entry::File { mode, bytes }) => [format!("({mode:o}) ").as_bytes(), bytes].concat(),
        Some(Entry::Dir { mode }) => format!("an empty directory ({mode:o})").into_bytes(),
        Some(Entry::Link(target)) => format!("a link to {target}").into_bytes(),
        Some(Entry::Other(kind)) => kind.clone().into_bytes(),
    }
}

/// Bytes for a reader, not too many.
fn show(bytes: &[u8]) -> String {
    let mut text: String = String::from_utf8_lossy(bytes)
        .chars()
        .take(3000)
        .flat_map(|char| {
            let visible: Vec<char> = match char {
                '\n' => vec![
                    '⏎', '\n', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
                ],
                char if char.is_control() => char.escape_default().collect(),
                char => vec![char],
            };
            visible
        })
        .collect();
    let end = text.trim_end().len();
    text.truncate(end);
    if bytes.is_empty() {
        text.push_str("(nothing)");
    }
    text
}
