//! Reading and writing CSV and TSV.
//!
//! The first row has the names of the columns. What looks like a number, a truth value or null is one.

use std::io::Write as _;

use bstr::ByteSlice;
use hotcell_process::{Output, Process};

use super::{
    super::jq::{
        print,
        stop::Stop,
        value::{Heap, Value},
    },
    yaml::{Plain, resolve},
};

/// An array that has an array of the rows, which are objects.
pub(super) fn read(
    process: &Process,
    heap: &Heap,
    text: &[u8],
    separator: u8,
) -> Result<Result<Value, String>, Stop> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut rest = text;
    let mut names: Option<Vec<std::rc::Rc<super::super::jq::value::Text>>> = None;
    let mut names_room = heap.room_for(0)?;
    let mut rows = heap.open_array()?;
    while !rest.is_empty() {
        // A line without anything is no row.
        if let Some(after) = rest.strip_prefix(b"\n").or(rest.strip_prefix(b"\r\n")) {
            rest = after;
            continue;
        }
        match &names {
            None => {
                let mut row = Vec::new();
                loop {
                    let (field, _, end) = match field(process, &mut rest, separator) {
                        Ok(field) => field,
                        Err(wrong) => return Ok(Err(wrong)),
                    };
                    names_room.grow(32)?;
                    row.push(heap.text(field.to_str_lossy().into_owned())?);
                    if end {
                        break;
                    }
                }
                names = Some(row);
            }
            Some(names) => {
                let mut row = heap.open_object()?;
                let mut columns = names.iter();
                loop {
                    let (field, is_quoted, end) = match field(process, &mut rest, separator) {
                        Ok(field) => field,
                        Err(wrong) => return Ok(Err(wrong)),
                    };
                    let Some(name) = columns.next() else {
                        return Ok(Err(format!(
                            "row {} has more fields than the first row has names",
                            rows.items.len() + 2
                        )));
                    };
                    row.set(std::rc::Rc::clone(name), value(heap, &field, is_quoted)?)?;
                    if end {
                        break;
                    }
                }
                rows.push(row.close())?;
            }
        }
    }
    heap.array(vec![rows.close()]).map(Ok)
}

/// The next field, whether it has quotes, and whether it ends the row.
fn field(
    process: &Process,
    rest: &mut &[u8],
    separator: u8,
) -> Result<(Vec<u8>, bool, bool), String> {
    let mut out = Vec::new();
    let mut text = *rest;
    let is_quoted = text.first() == Some(&b'"');
    if is_quoted {
        text = text.get(1..).unwrap_or_default();
        loop {
            let Some(end) = memchr::memchr(b'"', text) else {
                return Err("a quoted field has no end".to_owned());
            };
            process.spend(end / 4 + 16);
            out.extend_from_slice(text.get(..end).unwrap_or_default());
            text = text.get(end + 1..).unwrap_or_default();
            match text.strip_prefix(b"\"") {
                Some(after) => {
                    out.push(b'"');
                    text = after;
                }
                None => break,
            }
        }
    }
    let end = memchr::memchr2(separator, b'\n', text).unwrap_or(text.len());
    process.spend(end / 4 + 16);
    let plain = text.get(..end).unwrap_or_default();
    let is_end = text.get(end) != Some(&separator);
    let plain = if is_end {
        plain.strip_suffix(b"\r").unwrap_or(plain)
    } else {
        plain
    };
    out.extend_from_slice(plain);
    // A separator at the very end has an empty field behind it, which needs the row to go on.
    *rest = text.get(end + 1..).unwrap_or_default();
    Ok((out, is_quoted, is_end))
}

fn value(heap: &Heap, field: &[u8], is_quoted: bool) -> Result<Value, Stop> {
    let text = field.to_str_lossy();
    if is_quoted || text.is_empty() {
        return heap.string_of(field);
    }
    match resolve(&text) {
        Plain::Null => Ok(Value::Null),
        Plain::Bool(value) => Ok(Value::Bool(value)),
        Plain::Decimal => match heap.literal(text.trim_start_matches('+'))? {
            Some(number) => Ok(number),
            None => heap.string_of(field),
        },
        _ => heap.string_of(field),
    }
}

/// Rows that are objects get a row of names; rows that are arrays stand for themselves, and an array of scalars is one row.
pub(super) fn print(
    process: &Process,
    heap: &Heap,
    out: &mut Output<'_>,
    value: &Value,
    separator: u8,
) -> Result<(), Stop> {
    let wrong = || Stop::message("CSV and TSV are arrays of objects, of arrays or of scalars");
    let Value::Array(rows) = value else {
        return Err(wrong());
    };
    let mut names = heap.open_array()?;
    if let Some(Value::Object(_)) = rows.items.first() {
        let mut known = heap.open_object()?;
        for row in &rows.items {
            let Value::Object(row) = row else {
                return Err(wrong());
            };
            for (key, _) in &row.map {
                process.spend(8);
                if !known.map.contains_key(&key.text) {
                    known.set(std::rc::Rc::clone(key), Value::Null)?;
                    names.push(Value::String(std::rc::Rc::clone(key)))?;
                }
            }
        }
        line(process, out, names.items.iter(), separator)?;
        for row in &rows.items {
            let Value::Object(row) = row else {
                return Err(wrong());
            };
            let fields = names.items.iter().map(|name| {
                let name = name.as_str().unwrap_or_default();
                row.get(name).unwrap_or(&Value::Null)
            });
            line(process, out, fields, separator)?;
        }
        return Ok(());
    }
    if let Some(Value::Array(_)) = rows.items.first() {
        for row in &rows.items {
            let Value::Array(row) = row else {
                return Err(wrong());
            };
            line(process, out, row.items.iter(), separator)?;
        }
        return Ok(());
    }
    line(process, out, rows.items.iter(), separator)
}

fn line<'v>(
    process: &Process,
    out: &mut Output<'_>,
    fields: impl Iterator<Item = &'v Value>,
    separator: u8,
) -> Result<(), Stop> {
    for (number, field) in fields.enumerate() {
        process.spend(16);
        if number > 0 {
            out.write_all(&[separator])?;
        }
        match field {
            Value::Null => {}
            Value::Array(_) | Value::Object(_) => {
                return Err(Stop::message(format!(
                    "{} is not valid in a row",
                    field.type_name()
                )));
            }
            Value::String(text) => {
                process.spend(text.text.len() / 4);
                let text = text.text.as_bytes();
                if text.find_byteset([separator, b'"', b'\n', b'\r']).is_some() {
                    out.write_all(b"\"")?;
                    for (number, piece) in text.split(|byte| *byte == b'"').enumerate() {
                        if number > 0 {
                            out.write_all(b"\"\"")?;
                        }
                        out.write_all(piece)?;
                    }
                    out.write_all(b"\"")?;
                } else {
                    out.write_all(text)?;
                }
            }
            other => out.write_all(print::beginning(other).as_bytes())?,
        }
    }
    Ok(out.write_all(b"\n")?)
}
