//! Functions on arrays and objects.

use std::{cmp::Ordering, rc::Rc};

use super::{
    super::{
        eval::{Machine, path},
        stop::Stop,
        value::{Array, Value},
    },
    Table, arg, arithmetic, described, shown, wrong,
};
use crate::languages::budget::Held;

/// How many times the items are held while they are sorted: with their keys, as pairs, and what the sort needs.
const SORT_COPIES: usize = 7;

pub(super) const TABLE: Table = &[
    ("not", 0, |_, value, _| Ok(Value::Bool(!value.is_true()))),
    ("length", 0, length),
    ("utf8bytelength", 0, |_, value, _| match &value {
        Value::String(text) => Ok(count(text.text.len())),
        other => Err(wrong(other, "only strings have UTF-8 byte length")),
    }),
    ("type", 0, |machine, value, _| {
        machine.heap.string(value.type_name())
    }),
    ("keys", 0, |machine, value, _| keys(machine, &value, true)),
    ("keys_unsorted", 0, |machine, value, _| {
        keys(machine, &value, false)
    }),
    ("has", 1, has),
    ("contains", 1, |machine, value, args| {
        contains(machine, &value, arg(args, 0)).map(Value::Bool)
    }),
    ("add", 0, add),
    ("setpath", 2, |machine, mut value, args| {
        let Value::Array(steps) = arg(args, 0) else {
            return Err(Stop::message("Path must be specified as an array"));
        };
        path::set_at(machine, &mut value, &steps.items, arg(args, 1).clone())?;
        Ok(value)
    }),
    ("delpaths", 1, |machine, value, args| {
        path::delete(machine, value, arg(args, 0))
    }),
    ("from_entries", 0, from_entries),
    ("reverse", 0, reverse),
    ("sort", 0, |machine, value, _| {
        let items = items_of(&value, "cannot be sorted, as it is not an array")?;
        sorted(machine, items, items, Value::compare)
    }),
    ("_sort_by", 1, |machine, value, args| {
        let items = items_of(&value, "cannot be sorted, as it is not an array")?;
        sorted(machine, items, items_of(arg(args, 0), "")?, by_key)
    }),
    ("_group_by", 1, |machine, value, args| {
        let items = items_of(&value, "cannot be grouped, as it is not an array")?;
        let groups = grouped(machine, items, items_of(arg(args, 0), "")?, by_key)?;
        machine
            .heap
            .array(groups.into_iter().map(Array::close).collect())
    }),
    ("unique", 0, |machine, value, _| {
        let items = items_of(&value, "cannot be sorted, as it is not an array")?;
        let groups = grouped(machine, items, items, Value::compare)?;
        machine.heap.array(
            groups
                .into_iter()
                .filter_map(|group| group.items.into_iter().next())
                .collect(),
        )
    }),
    ("min", 0, |machine, value, _| {
        extreme(machine, &value, &value, Ordering::Less, Value::compare)
    }),
    ("max", 0, |machine, value, _| {
        extreme(machine, &value, &value, Ordering::Greater, Value::compare)
    }),
    ("_min_by", 1, |machine, value, args| {
        extreme(machine, &value, arg(args, 0), Ordering::Less, by_key)
    }),
    ("_max_by", 1, |machine, value, args| {
        extreme(machine, &value, arg(args, 0), Ordering::Greater, by_key)
    }),
    ("flatten", 0, |machine, value, _| {
        flattened(machine, &value, f64::INFINITY)
    }),
    ("flatten", 1, |machine, value, args| {
        let depth = arg(args, 0)
            .as_number()
            .ok_or_else(|| Stop::message("flatten depth must not be negative"))?;
        if depth < 0.0 {
            return Err(Stop::message("flatten depth must not be negative"));
        }
        flattened(machine, &value, depth)
    }),
    ("index", 1, |machine, value, args| {
        ends(machine, &value, arg(args, 0), true)
    }),
    ("rindex", 1, |machine, value, args| {
        ends(machine, &value, arg(args, 0), false)
    }),
    ("indices", 1, |machine, value, args| {
        all_indices(machine, &value, arg(args, 0))
    }),
    ("_indices", 1, |machine, value, args| {
        all_indices(machine, &value, arg(args, 0))
    }),
    ("transpose", 0, transpose),
    ("bsearch", 1, search),
    ("builtins", 0, super::builtins),
];

#[allow(clippy::cast_precision_loss, reason = "nothing is that long")]
fn count(count: usize) -> Value {
    Value::Number(count as f64)
}

fn items_of<'v>(value: &'v Value, what: &str) -> Result<&'v [Value], Stop> {
    match value {
        Value::Array(array) => Ok(&array.items),
        other => Err(wrong(other, what)),
    }
}

/// The items of an array, or the values of an object, with room for them.
pub(super) fn children(
    machine: &Machine<'_, '_>,
    value: &Value,
) -> Result<(Vec<Value>, Held), Stop> {
    let count = match value {
        Value::Array(array) => array.items.len(),
        Value::Object(object) => object.map.len(),
        other => {
            return Err(Stop::message(format!(
                "Cannot iterate over {}",
                described(other)
            )));
        }
    };
    machine.process.spend(count / 4);
    let room = machine.heap.room_for(count)?;
    let items = match value {
        Value::Array(array) => array.items.clone(),
        Value::Object(object) => object.map.values().cloned().collect(),
        _ => Vec::new(),
    };
    Ok((items, room))
}

fn length(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    Ok(match &value {
        Value::Null => count(0),
        Value::Bool(_) => return Err(wrong(&value, "has no length")),
        Value::Number(number) => Value::Number(number.abs()),
        Value::Literal(literal) => Value::Number(literal.value.abs()),
        Value::String(text) => {
            machine.process.spend(text.text.len() / 16);
            count(text.text.chars().count())
        }
        Value::Array(array) => count(array.items.len()),
        Value::Object(object) => count(object.map.len()),
    })
}

fn keys(machine: &Machine<'_, '_>, value: &Value, sorts: bool) -> Result<Value, Stop> {
    match value {
        Value::Array(array) => machine
            .heap
            .array((0..array.items.len()).map(count).collect()),
        Value::Object(object) => {
            machine.process.spend(object.map.len());
            let _room = machine.heap.room_for(object.map.len())?;
            let mut keys: Vec<_> = object.map.keys().map(Rc::clone).collect();
            if sorts {
                keys.sort_unstable_by(|a, b| {
                    machine.process.spend(2);
                    a.text.cmp(&b.text)
                });
            }
            machine
                .heap
                .array(keys.into_iter().map(Value::String).collect())
        }
        other => Err(wrong(other, "has no keys")),
    }
}

fn has(_: &Machine<'_, '_>, value: Value, args: &[Value]) -> Result<Value, Stop> {
    let key = arg(args, 0);
    match (&value, key) {
        (Value::Object(object), Value::String(key)) => {
            Ok(Value::Bool(object.map.contains_key(&key.text)))
        }
        (Value::Array(array), Value::Number(_) | Value::Literal(_)) => {
            let number = key.as_number().unwrap_or(f64::NAN);
            #[allow(clippy::cast_precision_loss, reason = "nothing is that long")]
            Ok(Value::Bool(
                number >= 0.0 && number < array.items.len() as f64,
            ))
        }
        _ => Err(Stop::message(format!(
            "Cannot check whether {} has a {} key",
            value.type_name(),
            key.type_name()
        ))),
    }
}

fn contains(machine: &Machine<'_, '_>, a: &Value, b: &Value) -> Result<bool, Stop> {
    machine.check_stack()?;
    machine.process.spend(16);
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, wanted) in &b.map {
                match a.map.get(&key.text) {
                    Some(found) if contains(machine, found, wanted)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(a), Value::Array(b)) => {
            for wanted in &b.items {
                let mut is_there = false;
                for found in &a.items {
                    if found.type_name() == wanted.type_name() && contains(machine, found, wanted)?
                    {
                        is_there = true;
                        break;
                    }
                }
                if !is_there {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(a), Value::String(b)) => {
            machine.process.spend(a.text.len());
            Ok(a.text.contains(&b.text))
        }
        _ if a.type_name() == b.type_name() => Ok(a
            .compare(b, &mut |units| machine.process.spend(units))
            .is_eq()),
        _ => Err(Stop::message(format!(
            "{} ({}) and {} ({}) cannot have their containment checked",
            a.type_name(),
            shown(a),
            b.type_name(),
            shown(b)
        ))),
    }
}

fn add(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    let (items, _room) = children(machine, &value)?;
    drop(value);
    let mut sum = Value::Null;
    for item in items {
        machine.process.spend(8);
        sum = arithmetic::add(machine, sum, item)?;
    }
    Ok(sum)
}

fn from_entries(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    let mut object = machine.heap.open_object()?;
    let (items, _room) = children(machine, &value)?;
    for entry in items {
        machine.process.spend(32);
        let field = |names: &[&str]| -> Result<Value, Stop> {
            let mut found = Value::Null;
            for name in names {
                let key = machine.heap.string(*name)?;
                found = path::index(machine, &entry, &key)?;
                if !found.is_null() {
                    break;
                }
            }
            Ok(found)
        };
        let key = match field(&["key", "k", "name", "Name", "Key", "K"])? {
            Value::String(text) => text,
            Value::Null => machine.heap.text("null")?,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Literal(_)) => {
                machine.heap.text(super::super::print::beginning(&other))?
            }
            other => {
                return Err(Stop::message(format!(
                    "Cannot use {} ({}) as object key",
                    other.type_name(),
                    shown(&other)
                )));
            }
        };
        let value = match &entry {
            Value::Object(object) => {
                let names = ["value", "v", "Value", "V"];
                names
                    .iter()
                    .find_map(|name| object.get(name))
                    .cloned()
                    .unwrap_or(Value::Null)
            }
            _ => Value::Null,
        };
        object.set(key, value)?;
    }
    Ok(object.close())
}

fn reverse(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    match &value {
        Value::Null => machine.heap.array(Vec::new()),
        Value::String(text) => {
            machine.process.spend(text.text.len());
            machine
                .heap
                .string(text.text.chars().rev().collect::<String>())
        }
        Value::Array(array) => {
            machine.process.spend(array.items.len());
            machine
                .heap
                .array(array.items.iter().rev().cloned().collect())
        }
        other => Err(Stop::message(format!(
            "Cannot reverse {}",
            described(other)
        ))),
    }
}

/// Which of two comes first. Each pair that is looked at is told.
type Order = fn(&Value, &Value, &mut dyn FnMut(usize)) -> Ordering;

/// The order of two keys, see `Special::Key`: what is no array stands for an array of itself.
fn by_key(a: &Value, b: &Value, step: &mut dyn FnMut(usize)) -> Ordering {
    match (a, b) {
        (Value::Array(_), Value::Array(_)) => a.compare(b, step),
        (Value::Array(all), one) => all_and_one(all, one, step),
        (one, Value::Array(all)) => all_and_one(all, one, step).reverse(),
        _ => a.compare(b, step),
    }
}

fn all_and_one(all: &Array, one: &Value, step: &mut dyn FnMut(usize)) -> Ordering {
    let Some(first) = all.items.first() else {
        return Ordering::Less;
    };
    let order = first.compare(one, step);
    order.then(all.items.len().cmp(&1))
}

/// Items with their keys, in the order of the keys.
fn by_keys(
    machine: &Machine<'_, '_>,
    items: &[Value],
    keys: &[Value],
    order: Order,
) -> Vec<(Value, Value)> {
    let mut pairs: Vec<(Value, Value)> = keys.iter().cloned().zip(items.iter().cloned()).collect();
    machine.process.spend(pairs.len() * 16);
    pairs.sort_by(|(a, _), (b, _)| order(a, b, &mut |units| machine.process.spend(units * 4)));
    pairs
}

fn sorted(
    machine: &Machine<'_, '_>,
    items: &[Value],
    keys: &[Value],
    order: Order,
) -> Result<Value, Stop> {
    let _room = machine.heap.room_for(items.len() * SORT_COPIES)?;
    let pairs = by_keys(machine, items, keys, order);
    machine
        .heap
        .array(pairs.into_iter().map(|(_, item)| item).collect())
}

fn grouped(
    machine: &Machine<'_, '_>,
    items: &[Value],
    keys: &[Value],
    order: Order,
) -> Result<Vec<Array>, Stop> {
    let _room = machine.heap.room_for(items.len() * SORT_COPIES)?;
    let mut groups: Vec<Array> = Vec::new();
    let mut last: Option<Value> = None;
    for (key, item) in by_keys(machine, items, keys, order) {
        let is_same = last.as_ref().is_some_and(|last| {
            order(last, &key, &mut |units| machine.process.spend(units)).is_eq()
        });
        match groups.last_mut().filter(|_| is_same) {
            Some(group) => group.push(item)?,
            None => {
                let mut group = machine.heap.open_array()?;
                group.push(item)?;
                groups.push(group);
            }
        }
        last = Some(key);
    }
    Ok(groups)
}

fn extreme(
    machine: &Machine<'_, '_>,
    value: &Value,
    keys: &Value,
    wanted: Ordering,
    compare: Order,
) -> Result<Value, Stop> {
    let (items, keys) = (
        items_of(value, "cannot be iterated over")?,
        items_of(keys, "")?,
    );
    let mut best: Option<(&Value, &Value)> = None;
    for (item, key) in items.iter().zip(keys) {
        machine.process.spend(8);
        let is_better = match best {
            None => true,
            Some((_, best)) => {
                let order = compare(key, best, &mut |units| machine.process.spend(units));
                // The first of the smallest, the last of the largest.
                order == wanted || wanted.is_gt() && order.is_eq()
            }
        };
        if is_better {
            best = Some((item, key));
        }
    }
    Ok(best.map_or(Value::Null, |(item, _)| item.clone()))
}

fn flattened(machine: &Machine<'_, '_>, value: &Value, depth: f64) -> Result<Value, Stop> {
    let (items, room) = children(machine, value)?;
    let mut flat = machine.heap.open_array()?;
    let mut todo = vec![(items.into_iter(), depth, room)];
    while let Some((items, depth, _)) = todo.last_mut() {
        machine.process.spend(8);
        let depth = *depth;
        match items.next() {
            Some(Value::Array(inner)) if depth > 0.0 => {
                let (items, room) = children(machine, &Value::Array(inner))?;
                todo.push((items.into_iter(), depth - 1.0, room));
            }
            Some(item) => flat.push(item)?,
            None => {
                todo.pop();
            }
        }
    }
    Ok(flat.close())
}

/// Where one array begins in another.
pub(crate) fn indices(
    machine: &Machine<'_, '_>,
    items: &[Value],
    wanted: &[Value],
) -> Result<Value, Stop> {
    let mut found = machine.heap.open_array()?;
    if !wanted.is_empty() {
        for (at, window) in items.windows(wanted.len()).enumerate() {
            machine.process.spend(wanted.len());
            let is_here = window.iter().zip(wanted).all(|(a, b)| {
                a.compare(b, &mut |units| machine.process.spend(units))
                    .is_eq()
            });
            if is_here {
                found.push(count(at))?;
            }
        }
    }
    if wanted.is_empty() {
        return Ok(Value::Null);
    }
    Ok(found.close())
}

fn all_indices(machine: &Machine<'_, '_>, value: &Value, wanted: &Value) -> Result<Value, Stop> {
    match (value, wanted) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::String(text), Value::String(wanted)) => {
            machine.process.spend(text.text.len());
            if wanted.text.is_empty() {
                return Ok(Value::Null);
            }
            let mut found = machine.heap.open_array()?;
            let mut characters = 0;
            let mut last = 0;
            let mut from = 0;
            while let Some(at) = text
                .text
                .get(from..)
                .and_then(|rest| rest.find(&wanted.text))
            {
                let at = from + at;
                machine.process.spend(wanted.text.len());
                characters += text.text.get(last..at).unwrap_or_default().chars().count();
                last = at;
                found.push(count(characters))?;
                from = at
                    + text
                        .text
                        .get(at..)
                        .and_then(|rest| rest.chars().next())
                        .map_or(1, char::len_utf8);
            }
            Ok(found.close())
        }
        (Value::Array(items), Value::Array(wanted)) => {
            indices(machine, &items.items, &wanted.items)
        }
        (Value::Array(items), _) => indices(machine, &items.items, std::slice::from_ref(wanted)),
        _ => path::index(machine, value, wanted),
    }
}

fn ends(
    machine: &Machine<'_, '_>,
    value: &Value,
    wanted: &Value,
    first: bool,
) -> Result<Value, Stop> {
    match all_indices(machine, value, wanted)? {
        Value::Array(found) => {
            let end = if first {
                found.items.first()
            } else {
                found.items.last()
            };
            Ok(end.cloned().unwrap_or(Value::Null))
        }
        other => Ok(other),
    }
}

fn transpose(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    let rows = items_of(&value, "cannot be transposed")?;
    let width = rows
        .iter()
        .map(|row| items_of(row, "cannot be transposed").map_or(0, <[Value]>::len))
        .max()
        .unwrap_or(0);
    machine.heap.0.hold(
        width
            .saturating_mul(rows.len())
            .saturating_mul(size_of::<Value>()),
    )?;
    let mut columns = Vec::new();
    for column in 0..width {
        machine.process.spend(rows.len());
        let column = rows.iter().map(|row| match row {
            Value::Array(row) => row.items.get(column).cloned().unwrap_or(Value::Null),
            _ => Value::Null,
        });
        columns.push(machine.heap.array(column.collect())?);
    }
    machine.heap.array(columns)
}

fn search(machine: &Machine<'_, '_>, value: Value, args: &[Value]) -> Result<Value, Stop> {
    let items = items_of(&value, "cannot be searched from")?;
    let found = items.binary_search_by(|item| {
        item.compare(arg(args, 0), &mut |units| machine.process.spend(units))
    });
    #[allow(clippy::cast_precision_loss, reason = "nothing is that long")]
    Ok(match found {
        Ok(at) => Value::Number(at as f64),
        Err(at) => Value::Number(-1.0 - at as f64),
    })
}
