//! Regular expressions.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use super::{
    super::{eval::Machine, stop::Stop, value::Value},
    Table, arg, described, wrong,
};
use crate::perl::{Perl, Switches, TooMuch};

/// So many expressions are kept compiled.
const MOST_KEPT: usize = 64;

/// How much of a pattern is told that is not one.
const SHOWN: usize = 1000;

/// Expressions that were used.
#[derive(Default)]
pub(crate) struct State {
    compiled: RefCell<HashMap<(String, String), Rc<Perl>>>,
}

pub(super) const TABLE: Table = &[("_match", 3, matches)];

fn compile(machine: &Machine<'_, '_>, pattern: &str, flags: &str) -> Result<Rc<Perl>, Stop> {
    let key = (pattern.to_owned(), flags.to_owned());
    if let Some(regex) = machine.natives.compiled.borrow().get(&key) {
        return Ok(Rc::clone(regex));
    }
    let has = |flag| flags.contains(flag);
    let switches = Switches {
        icase: has('i'),
        multi_line: false,
        dot_matches_newline: has('s') || has('p'),
        ignores_space: has('x'),
    };
    let regex = Perl::new(machine.process, pattern, switches).map_err(|text| {
        Stop::message(format!(
            "{} (at offset 0) is not a valid regex: {text}",
            shortened(pattern)
        ))
    })?;
    let regex = Rc::new(regex);
    let mut kept = machine.natives.compiled.borrow_mut();
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(key, Rc::clone(&regex));
    Ok(regex)
}

/// A pattern, or the beginning of one that nobody would read.
fn shortened(pattern: &str) -> &str {
    pattern
        .get(..pattern.floor_char_boundary(SHOWN))
        .unwrap_or(pattern)
}

/// All matches of an expression, or whether there is one.
fn matches(machine: &Machine<'_, '_>, value: Value, args: &[Value]) -> Result<Value, Stop> {
    let Value::String(subject) = &value else {
        return Err(wrong(&value, "cannot be matched, as it is not a string"));
    };
    let Value::String(pattern) = arg(args, 0) else {
        return Err(Stop::message(format!(
            "{} cannot be matched, as it is not a string",
            described(arg(args, 0))
        )));
    };
    let flags = match arg(args, 1) {
        Value::Null => "",
        Value::String(text) => text.text.as_str(),
        other => return Err(wrong(other, "is not a string")),
    };
    if flags.chars().any(|flag| !"gimnpslx".contains(flag)) {
        return Err(Stop::message(format!(
            "{flags} is not a valid modifier string"
        )));
    }
    let text = subject.text.as_str();
    machine.process.spend(text.len() * 4);
    let regex = compile(machine, &pattern.text, flags)?;
    let failed = |_: TooMuch| Stop::message("regular expression needs too many steps");
    if arg(args, 2).is_true() {
        return Ok(Value::Bool(
            regex.is_match(machine.process, text).map_err(failed)?,
        ));
    }
    let names: Vec<Option<&str>> = regex.names().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut counted = Counted::default();
    while at <= text.len() {
        machine.process.spend(64);
        let Some(captures) = regex.captures(machine.process, text, at).map_err(failed)? else {
            break;
        };
        let Some((start, end)) = captures.first().copied().flatten() else {
            break;
        };
        machine.process.spend(end - at);
        let is_empty = start == end;
        if !(is_empty && flags.contains('n')) {
            let mut groups = Vec::new();
            for (group, name) in captures.iter().zip(&names).skip(1) {
                let name = match name {
                    Some(name) => machine.heap.string(*name)?,
                    None => Value::Null,
                };
                let group = match *group {
                    Some((start, end)) => {
                        let group = text.get(start..end).unwrap_or_default();
                        [
                            ("offset", number(Counted::default().characters(text, start))),
                            ("length", number(group.chars().count())),
                            ("string", machine.heap.string(group)?),
                            ("name", name),
                        ]
                    }
                    None => [
                        ("offset", Value::Number(-1.0)),
                        ("length", number(0)),
                        ("string", Value::Null),
                        ("name", name),
                    ],
                };
                machine.process.spend(end / 8);
                groups.push(machine.heap.record(group)?);
            }
            found.push(
                machine.heap.record([
                    ("offset", number(counted.characters(text, start))),
                    (
                        "length",
                        number(text.get(start..end).unwrap_or_default().chars().count()),
                    ),
                    (
                        "string",
                        machine
                            .heap
                            .string(text.get(start..end).unwrap_or_default())?,
                    ),
                    ("captures", machine.heap.array(groups)?),
                ])?,
            );
        }
        if !flags.contains('g') {
            break;
        }
        at = if is_empty {
            end + text
                .get(end..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        } else {
            end
        };
    }
    machine.heap.array(found)
}

#[allow(clippy::cast_precision_loss, reason = "no text is that long")]
fn number(count: usize) -> Value {
    Value::Number(count as f64)
}

/// Characters up to an offset; asked with growing offsets, it goes through the text once.
#[derive(Default)]
struct Counted {
    offset: usize,
    characters: usize,
}

impl Counted {
    fn characters(&mut self, text: &str, offset: usize) -> usize {
        self.characters += text
            .get(self.offset..offset)
            .unwrap_or_default()
            .chars()
            .count();
        self.offset = offset;
        self.characters
    }
}
