//! Regular expressions.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use fancy_regex::{Regex, RegexBuilder};

use super::{
    super::{eval::Machine, stop::Stop, value::Value},
    Table, arg, described, wrong,
};

/// Steps of backtracking for one match in a short text; some milliseconds.
const MOST_STEPS: usize = 1_000_000;

/// Steps times bytes for one match: a step may go through all of the text, and nobody can stop it there. Only look-around and
/// back-references backtrack at all.
const MOST_WORK: usize = 300_000_000;

/// So many expressions are kept compiled.
const MOST_KEPT: usize = 64;

/// Expressions that were used.
#[derive(Default)]
pub(crate) struct State {
    compiled: RefCell<HashMap<(String, String, usize), Rc<Regex>>>,
}

pub(super) const TABLE: Table = &[("_match", 3, matches)];

fn compile(
    machine: &Machine<'_, '_>,
    pattern: &str,
    flags: &str,
    length: usize,
) -> Result<Rc<Regex>, Stop> {
    // Texts of nearly the same length share an expression.
    let length = length.max(1).checked_next_power_of_two();
    let steps = (MOST_WORK / length.unwrap_or(MOST_WORK)).clamp(16, MOST_STEPS);
    let key = (pattern.to_owned(), flags.to_owned(), steps);
    if let Some(regex) = machine.natives.compiled.borrow().get(&key) {
        return Ok(Rc::clone(regex));
    }
    machine.process.spend(pattern.len() * 256);
    let has = |flag| flags.contains(flag);
    let built = RegexBuilder::new(pattern)
        .case_insensitive(has('i'))
        .ignore_whitespace(has('x'))
        .dot_matches_new_line(has('s') || has('p'))
        .multi_line(false)
        .backtrack_limit(steps)
        .build();
    let regex = built.map_err(|error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or("invalid pattern");
        Stop::message(format!(
            "{pattern} (at offset 0) is not a valid regex: {text}"
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
    let regex = compile(machine, &pattern.text, flags, text.len())?;
    let failed = |_| Stop::message("regular expression needs too many steps");
    if arg(args, 2).is_true() {
        return Ok(Value::Bool(regex.is_match(text).map_err(failed)?));
    }
    let names: Vec<Option<&str>> = regex.capture_names().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut counted = Counted::default();
    while at <= text.len() {
        machine.process.spend(64);
        let Some(captures) = regex.captures_from_pos(text, at).map_err(failed)? else {
            break;
        };
        let Some(whole) = captures.get(0) else { break };
        machine.process.spend(whole.end() - at);
        let is_empty = whole.start() == whole.end();
        if !(is_empty && flags.contains('n')) {
            let mut groups = Vec::new();
            for (index, name) in names.iter().enumerate().skip(1) {
                let name = match name {
                    Some(name) => machine.heap.string(*name)?,
                    None => Value::Null,
                };
                let group = match captures.get(index) {
                    Some(group) => [
                        (
                            "offset",
                            number(Counted::default().characters(text, group.start())),
                        ),
                        ("length", number(group.as_str().chars().count())),
                        ("string", machine.heap.string(group.as_str())?),
                        ("name", name),
                    ],
                    None => [
                        ("offset", Value::Number(-1.0)),
                        ("length", number(0)),
                        ("string", Value::Null),
                        ("name", name),
                    ],
                };
                machine.process.spend(whole.end() / 8);
                groups.push(machine.heap.record(group)?);
            }
            found.push(machine.heap.record([
                ("offset", number(counted.characters(text, whole.start()))),
                ("length", number(whole.as_str().chars().count())),
                ("string", machine.heap.string(whole.as_str())?),
                ("captures", machine.heap.array(groups)?),
            ])?);
        }
        if !flags.contains('g') {
            break;
        }
        at = if is_empty {
            whole.end()
                + text
                    .get(whole.end()..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8)
        } else {
            whole.end()
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
