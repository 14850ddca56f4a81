//! Writing YAML, in block style.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
};

use hotcell_process::{Output, Process};

use super::{
    super::jq::{
        number, print,
        value::{Object, Value, sorted_entries},
    },
    arguments::Arguments,
    yaml::{Plain, resolve},
};

/// Values in each other are printed only while there is this much stack.
const STACK_RESERVE: usize = 256 << 10;

struct Printer<'a, 'o> {
    process: &'a Process,
    out: &'a mut Output<'o>,
    indent: usize,
    sorts: bool,
}

pub(super) fn print(
    process: &Process,
    out: &mut Output<'_>,
    value: &Value,
    arguments: &Arguments,
) -> io::Result<()> {
    let mut printer = Printer {
        process,
        out,
        indent: arguments.indent.max(2),
        sorts: arguments.style.sorts,
    };
    match value {
        Value::Array(array) if !array.items.is_empty() => printer.block(value, 0, true),
        Value::Object(object) if !object.map.is_empty() => printer.block(value, 0, true),
        _ => {
            printer.scalar(value, 0)?;
            printer.out.write_all(b"\n")
        }
    }
}

impl Printer<'_, '_> {
    fn margin(&mut self, level: usize) -> io::Result<()> {
        for _ in 0..level {
            self.out.write_all(b" ")?;
        }
        Ok(())
    }

    /// The lines of an array or object that has something. The first one may stand behind a dash already.
    fn block(&mut self, value: &Value, level: usize, mut is_begun: bool) -> io::Result<()> {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(io::Error::other("nested too deeply to be printed"));
        }
        match value {
            Value::Array(array) => {
                for item in &array.items {
                    self.process.spend(16);
                    if !std::mem::take(&mut is_begun) {
                        self.margin(level)?;
                    }
                    self.out.write_all(b"-")?;
                    if has_block(item) {
                        // What is inside begins on this line.
                        self.margin(self.indent - 1)?;
                        self.block(item, level + self.indent, true)?;
                    } else {
                        self.out.write_all(b" ")?;
                        self.scalar(item, level + self.indent)?;
                        self.out.write_all(b"\n")?;
                    }
                }
            }
            Value::Object(object) => {
                if self.sorts {
                    let process = self.process;
                    for (key, item) in sorted_entries(object, &mut |units| process.spend(units * 4))
                    {
                        self.entry(key, item, level, std::mem::take(&mut is_begun))?;
                    }
                } else {
                    self.entries(object, level, is_begun)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn entries(&mut self, object: &Object, level: usize, mut is_begun: bool) -> io::Result<()> {
        for (key, item) in &object.map {
            self.entry(&key.text, item, level, std::mem::take(&mut is_begun))?;
        }
        Ok(())
    }

    fn entry(&mut self, key: &str, item: &Value, level: usize, is_begun: bool) -> io::Result<()> {
        self.process.spend(16 + key.len() / 4);
        if !is_begun {
            self.margin(level)?;
        }
        // A key is on one line, and a long one must say that it is one.
        let is_long = key.len() > 1000;
        if is_long {
            self.out.write_all(b"? ")?;
        }
        let quoted = quoted(key, true);
        self.out.write_all(quoted.as_bytes())?;
        if is_long {
            self.out.write_all(b"\n")?;
            self.margin(level)?;
        }
        self.out.write_all(b":")?;
        if has_block(item) {
            self.out.write_all(b"\n")?;
            self.margin(level + self.indent)?;
            return self.block(item, level + self.indent, true);
        }
        self.out.write_all(b" ")?;
        self.scalar(item, level + self.indent)?;
        self.out.write_all(b"\n")
    }

    fn scalar(&mut self, value: &Value, level: usize) -> io::Result<()> {
        match value {
            Value::Null => self.out.write_all(b"null"),
            Value::Bool(true) => self.out.write_all(b"true"),
            Value::Bool(false) => self.out.write_all(b"false"),
            Value::Number(number) if number.is_nan() => self.out.write_all(b".nan"),
            Value::Number(number) if number.is_infinite() => {
                let text: &[u8] = if *number > 0.0 { b".inf" } else { b"-.inf" };
                self.out.write_all(text)
            }
            Value::Number(number) => self.out.write_all(number::show(*number).as_bytes()),
            Value::Literal(literal) => self.out.write_all(literal.text.as_bytes()),
            Value::String(text) => self.string(&text.text, level),
            Value::Array(_) => self.out.write_all(b"[]"),
            Value::Object(_) => self.out.write_all(b"{}"),
        }
    }

    fn string(&mut self, text: &str, level: usize) -> io::Result<()> {
        self.process.spend(text.len() / 4);
        if !is_literal(text) {
            return self.out.write_all(quoted(text, false).as_bytes());
        }
        let body = text.trim_end_matches('\n');
        self.out.write_all(match text.len() - body.len() {
            0 => b"|-",
            1 => b"|",
            _ => b"|+",
        })?;
        let lines = text.strip_suffix('\n').unwrap_or(text);
        for line in lines.split('\n') {
            self.process.spend(8);
            self.out.write_all(b"\n")?;
            if !line.is_empty() {
                self.margin(level.max(self.indent))?;
                self.out.write_all(line.as_bytes())?;
            }
        }
        Ok(())
    }
}

fn has_block(value: &Value) -> bool {
    match value {
        Value::Array(array) => !array.items.is_empty(),
        Value::Object(object) => !object.map.is_empty(),
        _ => false,
    }
}

/// Whether lines of a text can stand as they are.
fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && text
            .chars()
            .all(|c| c == '\n' || c == '\t' || is_printable(c))
}

fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// A text as a scalar on one line, in quotes if it needs some.
fn quoted(text: &str, is_key: bool) -> String {
    if text.chars().any(|c| !is_printable(c)) {
        return escaped(text);
    }
    // Words that older versions of YAML take for something else; as keys, they mostly had no quotes before.
    let is_word = !is_key
        && matches!(
            text.to_ascii_lowercase().as_str(),
            "y" | "n" | "yes" | "no" | "on" | "off"
        );
    let resolves = !matches!(resolve(text), Plain::Text) && !(is_key && is_number(text));
    if resolves || is_word {
        return escaped(text);
    }
    let mut characters = text.chars();
    let first = characters.next().unwrap_or(' ');
    let second = characters.next();
    let is_marked = match first {
        '-' | '?' | ':' => second.is_none_or(|c| c == ' ') || text.starts_with("---"),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
        | '@' | '`' | '=' | ' ' => true,
        _ => text.starts_with("...") || text == "<<",
    };
    if is_marked || text.ends_with([' ', ':']) || text.contains(": ") || text.contains(" #") {
        return format!("'{}'", text.replace('\'', "''"));
    }
    text.to_owned()
}

/// A key that looks like a number needs no quotes: all keys are strings.
fn is_number(text: &str) -> bool {
    matches!(resolve(text), Plain::Decimal)
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    print::quote(&mut out, text, false);
    // JSON leaves these as they are.
    if out.chars().any(|c| !is_printable(c)) {
        let plain = std::mem::take(&mut out);
        for character in plain.chars() {
            if is_printable(character) {
                out.push(character);
            } else {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
        }
    }
    out
}
