//! Reading and writing TOML.

use std::io::{self, Write as _};

use hotcell_process::{Output, Process};
use toml_edit::{Document, Item, Table, TableLike, Value as Toml};

use super::super::jq::{
    number, print,
    stop::Stop,
    value::{Heap, Object, Value},
};

/// What the tree of a text takes for each of its bytes, at most: an item with its decoration.
const COST: usize = 48;

/// Values in each other are printed only while there is this much stack.
const STACK_RESERVE: usize = 256 << 10;

/// The one document of a text, in an array.
pub(super) fn read(
    process: &Process,
    heap: &Heap,
    text: &[u8],
) -> Result<Result<Value, String>, Stop> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(Err("it is not UTF-8".to_owned()));
    };
    let _room = heap.0.hold(text.len().saturating_mul(COST))?;
    process.spend(text.len().saturating_mul(8));
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(wrong) => {
            let at = wrong.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            return Ok(Err(format!("{} at line {line}", wrong.message())));
        }
    };
    let value = table(process, heap, document.as_table())?;
    heap.array(vec![value]).map(Ok)
}

fn table(process: &Process, heap: &Heap, table: &dyn TableLike) -> Result<Value, Stop> {
    let mut object = heap.open_object()?;
    for (key, item) in table.iter() {
        process.spend(32);
        let value = match item {
            Item::None => continue,
            Item::Value(value) => scalar(process, heap, value)?,
            Item::Table(inner) => self::table(process, heap, inner)?,
            Item::ArrayOfTables(tables) => {
                let mut array = heap.open_array()?;
                for inner in tables {
                    let inner: &Table = inner;
                    array.push(self::table(process, heap, inner)?)?;
                }
                array.close()
            }
        };
        object.set(heap.text(key)?, value)?;
    }
    Ok(object.close())
}

fn scalar(process: &Process, heap: &Heap, value: &Toml) -> Result<Value, Stop> {
    process.spend(16);
    match value {
        Toml::String(text) => heap.string(text.value().as_str()),
        Toml::Integer(number) => {
            let text = number.value().to_string();
            Ok(heap.literal(&text)?.unwrap_or(Value::Null))
        }
        Toml::Float(number) => Ok(Value::Number(*number.value())),
        Toml::Boolean(value) => Ok(Value::Bool(*value.value())),
        Toml::Datetime(time) => heap.string(time.value().to_string()),
        Toml::Array(items) => {
            let mut array = heap.open_array()?;
            for item in items {
                array.push(scalar(process, heap, item)?)?;
            }
            Ok(array.close())
        }
        Toml::InlineTable(inner) => table(process, heap, inner),
    }
}

pub(super) fn print(process: &Process, out: &mut Output<'_>, value: &Value) -> Result<(), Stop> {
    let mut printer = Printer {
        process,
        out,
        is_begun: false,
    };
    match value {
        Value::Object(object) => printer.table(object, &mut String::new()),
        Value::Array(_) | Value::Null => Err(Stop::message(format!(
            "TOML is a table, not {}",
            super::super::jq::value::Value::type_name(value)
        ))),
        other => {
            printer.inline(other)?;
            Ok(printer.out.write_all(b"\n")?)
        }
    }
}

struct Printer<'a, 'o> {
    process: &'a Process,
    out: &'a mut Output<'o>,
    is_begun: bool,
}

impl Printer<'_, '_> {
    fn check(&self) -> Result<(), Stop> {
        self.process.spend(16);
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Stop::message("nested too deeply to be printed"));
        }
        Ok(())
    }

    /// First what is no table, then the tables in it.
    fn table(&mut self, object: &Object, name: &mut String) -> Result<(), Stop> {
        self.check()?;
        for (key, value) in &object.map {
            if !is_table(value) && !is_tables(value) {
                if value.is_null() {
                    return Err(Stop::message("TOML has no null"));
                }
                self.out.write_all(key_text(&key.text).as_bytes())?;
                self.out.write_all(b" = ")?;
                self.inline(value)?;
                self.out.write_all(b"\n")?;
                self.is_begun = true;
            }
        }
        for (key, value) in &object.map {
            self.process.spend(16 + name.len());
            let length = name.len();
            if length > 0 {
                name.push('.');
            }
            name.push_str(&key_text(&key.text));
            match value {
                Value::Object(inner) => {
                    // A table that only has tables needs no line of its own.
                    let is_needed = inner.map.is_empty()
                        || inner
                            .map
                            .values()
                            .any(|value| !is_table(value) && !is_tables(value));
                    if is_needed {
                        self.header(name, "[", "]")?;
                    }
                    self.table(inner, name)?;
                }
                Value::Array(array) if is_tables(value) => {
                    for item in &array.items {
                        if let Value::Object(inner) = item {
                            self.header(name, "[[", "]]")?;
                            self.table(inner, name)?;
                        }
                    }
                }
                _ => {}
            }
            name.truncate(length);
        }
        Ok(())
    }

    fn header(&mut self, name: &str, before: &str, behind: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            self.out.write_all(b"\n")?;
        }
        writeln!(self.out, "{before}{name}{behind}")
    }

    fn inline(&mut self, value: &Value) -> Result<(), Stop> {
        self.check()?;
        match value {
            Value::Null => return Err(Stop::message("TOML has no null")),
            Value::Bool(value) => write!(self.out, "{value}")?,
            Value::Number(number) if number.is_nan() => self.out.write_all(b"nan")?,
            Value::Number(number) if number.is_infinite() => {
                let text: &[u8] = if *number > 0.0 { b"inf" } else { b"-inf" };
                self.out.write_all(text)?;
            }
            Value::Number(number) => self.out.write_all(number::show(*number).as_bytes())?,
            Value::Literal(literal) => self.out.write_all(literal.text.as_bytes())?,
            Value::String(text) => {
                self.process.spend(text.text.len() / 4);
                let mut quoted = String::new();
                print::quote(&mut quoted, &text.text, false);
                self.out.write_all(quoted.as_bytes())?;
            }
            Value::Array(array) => {
                self.out.write_all(b"[")?;
                for (number, item) in array.items.iter().enumerate() {
                    if number > 0 {
                        self.out.write_all(b", ")?;
                    }
                    self.inline(item)?;
                }
                self.out.write_all(b"]")?;
            }
            Value::Object(object) if object.map.is_empty() => self.out.write_all(b"{}")?,
            Value::Object(object) => {
                for (number, (key, item)) in object.map.iter().enumerate() {
                    self.out.write_all(if number > 0 { b", " } else { b"{ " })?;
                    self.out.write_all(key_text(&key.text).as_bytes())?;
                    self.out.write_all(b" = ")?;
                    self.inline(item)?;
                }
                self.out.write_all(b" }")?;
            }
        }
        Ok(())
    }
}

fn is_table(value: &Value) -> bool {
    matches!(value, Value::Object(_))
}

fn is_tables(value: &Value) -> bool {
    matches!(value, Value::Array(array) if !array.items.is_empty() && array.items.iter().all(is_table))
}

fn key_text(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare {
        return key.to_owned();
    }
    let mut quoted = String::new();
    print::quote(&mut quoted, key, false);
    quoted
}
