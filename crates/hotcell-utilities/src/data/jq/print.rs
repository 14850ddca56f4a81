//! Writing JSON.

use std::{io, rc::Rc};

use hotcell_process::Process;

use super::{
    number,
    value::{Array, Heap, Object, Value, sorted_entries},
};
use crate::languages::budget::Held;

/// How values look.
#[derive(Clone)]
pub(crate) struct Style {
    /// What a level is indented with; nothing for one line.
    pub(crate) indent: Option<String>,
    pub(crate) sorts: bool,
    pub(crate) ascii: bool,
    pub(crate) colors: Option<Rc<Colors>>,
}

/// Sequences of the terminal for null, false, true, numbers, strings, arrays, objects and keys.
pub(crate) struct Colors(pub(crate) [String; 8]);

impl Colors {
    pub(crate) fn new(given: Option<&str>) -> Self {
        let mut colors = [
            "1;30", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1",
        ]
        .map(|color| format!("\x1b[{color}m"));
        for (slot, color) in colors.iter_mut().zip(given.unwrap_or_default().split(':')) {
            if given.is_none() || !color.bytes().all(|b| b.is_ascii_digit() || b == b';') {
                break;
            }
            *slot = format!("\x1b[{color}m");
        }
        Self(colors)
    }

    fn of(&self, value: &Value) -> &str {
        let index = match value {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) | Value::Literal(_) => 3,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        };
        self.0.get(index).map_or("", String::as_str)
    }

    fn key(&self) -> &str {
        self.0.get(7).map_or("", String::as_str)
    }
}

impl Style {
    pub(crate) const COMPACT: Self = Self {
        indent: None,
        sorts: false,
        ascii: false,
        colors: None,
    };
}

/// The text of a value on one line. It is charged while it grows; whoever keeps it charges it for good.
pub(crate) fn compact(process: &Process, heap: &Heap, value: &Value) -> io::Result<String> {
    let mut out = String::new();
    let mut held = Held::nothing(&heap.0);
    let mut room = 0;
    put(process, &mut out, value, &Style::COMPACT, &mut |out| {
        if out.len() + ROOM > room {
            let wanted = (out.len() + ROOM).max(room * 2);
            held.grow(wanted - room)?;
            room = wanted;
            out.reserve_exact(room - out.len());
        }
        Ok(())
    })?;
    Ok(out)
}

/// The beginning of a value's text on one line, for messages.
pub(crate) fn beginning(value: &Value) -> String {
    let mut out = String::new();
    let printer = Printer {
        style: &Style::COMPACT,
        spend: &|_| (),
        most: 64,
        flush: &mut |_| Err(io::ErrorKind::Other.into()),
    };
    // It ends where the text is long enough.
    let _ = { printer }.value(&mut out, value, 0);
    out
}

/// Puts a value at the end of a text. Whenever that is long, `flush` may empty it, and see to it that there is [`ROOM`].
pub(crate) fn put(
    process: &Process,
    out: &mut String,
    value: &Value,
    style: &Style,
    flush: &mut dyn FnMut(&mut String) -> io::Result<()>,
) -> io::Result<()> {
    let mut printer = Printer {
        style,
        spend: &|units| process.spend(units),
        most: LONG,
        flush,
    };
    printer.value(out, value, 0)
}

/// A text is long from here on, and so much of a string is put at once.
const LONG: usize = 16 << 10;
/// More is not put at once: a piece of a string in escapes, or a line break with its indentation.
const ROOM: usize = 8 * LONG;

struct Printer<'a> {
    style: &'a Style,
    spend: &'a dyn Fn(usize),
    /// How long the text may become.
    most: usize,
    flush: &'a mut dyn FnMut(&mut String) -> io::Result<()>,
}

const COLOR_OFF: &str = "\x1b[0m";

impl Printer<'_> {
    fn value(&mut self, out: &mut String, value: &Value, level: usize) -> io::Result<()> {
        (self.spend)(4);
        if out.len() > self.most {
            (self.flush)(out)?;
        }
        let colors = self.style.colors.clone();
        if let Some(colors) = &colors {
            out.push_str(colors.of(value));
        }
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) => number::put(out, *number),
            Value::Literal(literal) => out.push_str(&literal.text),
            Value::String(text) => self.string(out, &text.text)?,
            Value::Array(array) => self.array(out, array, level)?,
            Value::Object(object) => self.object(out, object, level)?,
        }
        if colors.is_some() {
            out.push_str(COLOR_OFF);
        }
        Ok(())
    }

    fn string(&mut self, out: &mut String, text: &str) -> io::Result<()> {
        out.push('"');
        let mut rest = text;
        while rest.len() > LONG {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(LONG));
            rest = after;
            (self.spend)(LONG / 4);
            escape(out, piece, self.style.ascii);
            (self.flush)(out)?;
        }
        (self.spend)(rest.len() / 4);
        escape(out, rest, self.style.ascii);
        out.push('"');
        Ok(())
    }

    fn line(&self, out: &mut String, level: usize) {
        if let Some(indent) = &self.style.indent {
            out.push('\n');
            (0..level).for_each(|_| out.push_str(indent));
        }
    }

    fn array(&mut self, out: &mut String, array: &Rc<Array>, level: usize) -> io::Result<()> {
        out.push('[');
        if array.items.is_empty() {
            out.push(']');
            return Ok(());
        }
        let colors = self.style.colors.clone();
        let start = colors
            .as_ref()
            .map(|colors| colors.of(&Value::Array(Rc::clone(array))).to_owned());
        for (number, item) in array.items.iter().enumerate() {
            if number > 0 {
                if let Some(start) = &start {
                    out.push_str(start);
                }
                out.push(',');
            }
            self.line(out, level + 1);
            self.value(out, item, level + 1)?;
        }
        if let Some(start) = &start {
            out.push_str(start);
        }
        self.line(out, level);
        if let Some(start) = &start {
            out.push_str(start);
        }
        out.push(']');
        Ok(())
    }

    fn object(&mut self, out: &mut String, object: &Rc<Object>, level: usize) -> io::Result<()> {
        out.push('{');
        if object.map.is_empty() {
            out.push('}');
            return Ok(());
        }
        if self.style.colors.is_some() {
            return self.colored_object(out, object, level);
        }
        let mut is_first = true;
        let mut entry = |printer: &mut Self, out: &mut String, key: &str, value: &Value| {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            printer.line(out, level + 1);
            printer.string(out, key)?;
            out.push(':');
            if printer.style.indent.is_some() {
                out.push(' ');
            }
            printer.value(out, value, level + 1)
        };
        if self.style.sorts {
            for (key, value) in sorted_entries(object, &mut |units| (self.spend)(units * 4)) {
                entry(self, out, key, value)?;
            }
        } else {
            for (key, value) in &object.map {
                entry(self, out, &key.text, value)?;
            }
        }
        self.line(out, level);
        out.push('}');
        Ok(())
    }

    fn colored_object(
        &mut self,
        out: &mut String,
        object: &Rc<Object>,
        level: usize,
    ) -> io::Result<()> {
        let Some(colors) = self.style.colors.clone() else {
            return Ok(());
        };
        let start = colors.of(&Value::Object(Rc::clone(object))).to_owned();
        let entries = if self.style.sorts {
            sorted_entries(object, &mut |units| (self.spend)(units * 4))
        } else {
            object
                .map
                .iter()
                .map(|(key, value)| (key.text.as_str(), value))
                .collect()
        };
        for (number, (key, value)) in entries.into_iter().enumerate() {
            if number > 0 {
                out.push_str(&start);
                out.push(',');
            }
            self.line(out, level + 1);
            out.push_str(COLOR_OFF);
            out.push_str(colors.key());
            self.string(out, key)?;
            out.push_str(COLOR_OFF);
            out.push_str(&start);
            out.push(':');
            if self.style.indent.is_some() {
                out.push(' ');
            }
            out.push_str(COLOR_OFF);
            self.value(out, value, level + 1)?;
        }
        out.push_str(&start);
        self.line(out, level);
        out.push_str(&start);
        out.push('}');
        Ok(())
    }
}

/// A string in quotes, with escapes.
pub(crate) fn quote(out: &mut String, text: &str, ascii: bool) {
    out.push('"');
    escape(out, text, ascii);
    out.push('"');
}

fn escape(out: &mut String, text: &str, ascii: bool) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\t' => "\\t",
            b'\r' => "\\r",
            8 => "\\b",
            12 => "\\f",
            0..=31 | 127 => "",
            128.. if ascii => "",
            _ => continue,
        };
        if at < plain {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        if !escape.is_empty() {
            out.push_str(escape);
        } else if byte < 128 {
            out.push_str(&format!("\\u{byte:04x}"));
        } else if let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
            plain = at + character.len_utf8();
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
}
