//! The files that cases are in.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::answer::{Answer, Entry};

/// A file of cases.
pub(crate) struct CaseFile {
    pub(crate) path: PathBuf,
    /// What stands before the first case.
    notes: String,
    pub(crate) cases: Vec<Case>,
}

/// A script, and what it comes to.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) ignores_stderr: bool,
    pub(crate) ignores_files: bool,
    pub(crate) needs: Vec<String>,
    pub(crate) only_ours: Option<String>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) given: Vec<(String, Vec<u8>)>,
    pub(crate) answer: Answer,
    pub(crate) flags: Vec<String>,
}

impl CaseFile {
    pub(crate) fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("the case file can be read");
        let mut file = Self {
            path,
            notes: String::new(),
            cases: Vec::new(),
        };
        let mut section: Option<Section> = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("### ") {
                file.finish(section.take());
                file.cases.push(Case {
                    name: name.trim().to_owned(),
                    ..Case::default()
                });
                continue;
            }
            let Some(case) = file.cases.last_mut() else {
                file.notes.push_str(line);
                file.notes.push('\n');
                continue;
            };
            if let Some(header) = line.strip_prefix("--- ") {
                file.finish(section.take());
                section = Some(Section::new(header));
            } else if let Some(section) = &mut section {
                section.lines.push(line.to_owned());
            } else if case.script.is_empty() && case.take_flag(line) {
                case.flags.push(line.to_owned());
            } else {
                case.script.push_str(line);
                case.script.push('\n');
            }
        }
        file.finish(section);
        file
    }

    pub(crate) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    fn finish(&mut self, section: Option<Section>) {
        let path = self.path.display().to_string();
        let Some(case) = self.cases.last_mut() else {
            return;
        };
        if let Some(section) = section {
            let taken = case.take_section(&section);
            let name = &case.name;
            assert!(
                taken.is_some(),
                "{path}: {name}: section {:?}",
                section.header
            );
        }
        // Empty lines between cases are nobody's.
        let script = case.script.trim_end_matches('\n').len();
        case.script.truncate(script);
    }

    /// The file again, with the answers that the cases have now.
    pub(crate) fn to_text(&self) -> String {
        let mut text = self.notes.clone();
        for (index, case) in self.cases.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            let _ = writeln!(text, "### {}", case.name);
            for flag in &case.flags {
                let _ = writeln!(text, "{flag}");
            }
            let _ = writeln!(text, "{}", case.script);
            for (name, content) in &case.given {
                push_section(&mut text, &format!("given {name}"), content);
            }
            if !case.stdin.is_empty() {
                push_section(&mut text, "stdin", &case.stdin);
            }
            case.push_answer(&mut text);
        }
        text
    }
}

impl Case {
    /// A line such as `# stderr: ignore`; false if it is none.
    fn take_flag(&mut self, line: &str) -> bool {
        let Some((key, value)) = line
            .strip_prefix("# ")
            .and_then(|flag| flag.split_once(": "))
        else {
            return false;
        };
        let value = value.trim();
        match (key, value) {
            ("stderr", "ignore") => self.ignores_stderr = true,
            ("files", "ignore") => self.ignores_files = true,
            ("needs", names) => self
                .needs
                .extend(names.split_whitespace().map(str::to_owned)),
            ("only", reason) => match reason.strip_prefix("ours ") {
                Some(reason) => self.only_ours = Some(reason.to_owned()),
                None => return false,
            },
            ("env", setting) => match setting.split_once('=') {
                Some((name, value)) => self.env.push((name.to_owned(), value.to_owned())),
                None => return false,
            },
            ("args", words) => self.args = split_words(words),
            _ => return false,
        }
        true
    }

    fn take_section(&mut self, section: &Section) -> Option<()> {
        let bytes = section.bytes();
        let (kind, rest) = match section.header.split_once(' ') {
            Some((kind, rest)) => (kind, rest),
            None => (section.header.as_str(), ""),
        };
        match kind {
            "stdin" => self.stdin = bytes,
            "stdout" => self.answer.stdout = bytes,
            "stderr" => self.answer.stderr = bytes,
            "code" => self.answer.code = rest.parse().ok()?,
            "given" => self.given.push((rest.to_owned(), bytes)),
            "file" => {
                let (name, mode) = with_mode(rest, 0o644);
                let entry = Entry::File { mode, bytes };
                self.answer.files.insert(name, entry);
            }
            "dir" => {
                let (name, mode) = with_mode(rest, 0o755);
                self.answer.files.insert(name, Entry::Dir { mode });
            }
            "link" => {
                let (name, target) = rest.split_once(" -> ")?;
                let entry = Entry::Link(target.to_owned());
                self.answer.files.insert(name.to_owned(), entry);
            }
            _ => return None,
        }
        Some(())
    }

    fn push_answer(&self, text: &mut String) {
        let answer = &self.answer;
        if !answer.stdout.is_empty() {
            push_section(text, "stdout", &answer.stdout);
        }
        if !answer.stderr.is_empty() && !self.ignores_stderr {
            push_section(text, "stderr", &answer.stderr);
        }
        if answer.code != 0 {
            let _ = writeln!(text, "--- code {}", answer.code);
        }
        if self.ignores_files {
            return;
        }
        for (name, entry) in &answer.files {
            match entry {
                Entry::File { mode: 0o644, bytes } => {
                    push_section(text, &format!("file {name}"), bytes);
                }
                Entry::File { mode, bytes } => {
                    push_section(text, &format!("file {name} ({mode:o})"), bytes);
                }
                Entry::Dir { mode: 0o755 } => {
                    let _ = writeln!(text, "--- dir {name}");
                }
                Entry::Dir { mode } => {
                    let _ = writeln!(text, "--- dir {name} ({mode:o})");
                }
                Entry::Link(target) => {
                    let _ = writeln!(text, "--- link {name} -> {target}");
                }
                Entry::Other(kind) => {
                    let _ = writeln!(text, "--- file {name} {kind}");
                }
            }
        }
    }
}

/// `NAME (MODE)`
fn with_mode(text: &str, default: u32) -> (String, u32) {
    let found = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    match found.and_then(|(name, mode)| Some((name, u32::from_str_radix(mode, 8).ok()?))) {
        Some((name, mode)) => (name.to_owned(), mode),
        None => (text.to_owned(), default),
    }
}

/// Words with single quotes around what has blanks.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for char in text.chars() {
        match char {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

struct Section {
    header: String,
    escaped: bool,
    lines: Vec<String>,
}

impl Section {
    fn new(header: &str) -> Self {
        let header = header.trim_end();
        let (header, escaped) = match header.strip_suffix(" escaped") {
            Some(header) => (header, true),
            None => (header, false),
        };
        Self {
            header: header.to_owned(),
            escaped,
            lines: Vec::new(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut lines = self.lines.as_slice();
        // One empty line before the next case is for the eye.
        if let Some((last, rest)) = lines.split_last()
            && last.is_empty()
        {
            lines = rest;
        }
        let mut bytes = Vec::new();
        for line in lines {
            if self.escaped {
                if unescape(line, &mut bytes) {
                    return bytes;
                }
            } else {
                bytes.extend_from_slice(line.as_bytes());
            }
            bytes.push(b'\n');
        }
        bytes
    }
}

/// Appends a line with escapes; true if `\c` ends it.
fn unescape(line: &str, bytes: &mut Vec<u8>) -> bool {
    let mut rest = line.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let Some((letter, after)) = rest.split_first() else {
            bytes.push(b'\\');
            break;
        };
        rest = after;
        match letter {
            b'c' => return true,
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'e' => bytes.push(0x1b),
            b'x' => {
                let (digits, after) = rest.split_at(2.min(rest.len()));
                let digits = std::str::from_utf8(digits).unwrap_or_default();
                bytes.push(u8::from_str_radix(digits, 16).unwrap_or(b'?'));
                rest = after;
            }
            other => bytes.push(*other),
        }
    }
    false
}

/// Appends a section, with escapes if it needs them.
fn push_section(text: &mut String, header: &str, bytes: &[u8]) {
    let plain = std::str::from_utf8(bytes).ok().filter(|content| {
        (content.is_empty() || content.ends_with('\n'))
            && !content.ends_with("\n\n")
            && *content != "\n"
            && !content.contains("\n--- ")
            && !content.contains("\n### ")
            && !content.starts_with("--- ")
            && !content.starts_with("### ")
            && !content
                .chars()
                .any(|char| char.is_control() && !matches!(char, '\n' | '\t'))
    });
    if let Some(content) = plain {
        let _ = write!(text, "--- {header}\n{content}");
        return;
    }
    let _ = writeln!(text, "--- {header} escaped");
    // Empty lines at the end would be taken for the one before the next case.
    let end = bytes.len()
        - bytes
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\n')
            .count();
    let (body, newlines) = bytes.split_at(end);
    let mut rest = body;
    while !rest.is_empty() {
        let (char, length) = decode(rest);
        let (piece, after) = rest.split_at(length);
        rest = after;
        match char {
            Some('\n') => text.push('\n'),
            Some('\t') => text.push_str("\\t"),
            Some('\r') => text.push_str("\\r"),
            Some('\u{1b}') => text.push_str("\\e"),
            Some('\\') => text.push_str("\\\\"),
            Some('-' | '#') if text.ends_with('\n') => {
                let _ = write!(text, "\\x{:02x}", piece[0]);
            }
            Some(char) if !char.is_control() => text.push(char),
            _ => {
                for byte in piece {
                    let _ = write!(text, "\\x{byte:02x}");
                }
            }
        }
    }
    if newlines.len() == 1 && !body.is_empty() {
        text.push('\n');
    } else {
        text.push_str(&"\\n".repeat(newlines.len()));
        text.push_str("\\c\n");
    }
}

fn decode(bytes: &[u8]) -> (Option<char>, usize) {
    for length in 1..=4.min(bytes.len()) {
        if let Ok(text) = std::str::from_utf8(&bytes[..length]) {
            return (text.chars().next(), length);
        }
    }
    (None, 1)
}
