//! Places in values: looking at them, setting and deleting them.

use std::rc::Rc;

use hotcell_process::Process;

use super::{
    super::{
        natives::{self, shown},
        stop::{Flow, Stop},
        syntax::Term,
        value::{Heap, Value},
    },
    Env, Item, Machine, Out,
};
use crate::languages::budget::Held;

/// No array is made longer than this by setting one of its items.
const MOST_ITEMS: f64 = 536_870_911.0;

/// What a step of a path takes.
const STEP_COST: usize = 72;

/// The way to a value: the last step, and the way before it.
#[derive(Clone)]
pub(crate) struct Path(Way);

#[derive(Clone)]
enum Way {
    Root,
    Step(Rc<(Value, Path, Held)>),
    /// The value was made, and is nowhere.
    Lost,
}

impl Drop for Path {
    fn drop(&mut self) {
        let mut way = std::mem::replace(&mut self.0, Way::Root);
        while let Way::Step(step) = way {
            match Rc::try_unwrap(step) {
                Ok((_, mut before, _)) => way = std::mem::replace(&mut before.0, Way::Root),
                Err(_) => return,
            }
        }
    }
}

impl Path {
    pub(crate) fn root() -> Self {
        Self(Way::Root)
    }

    pub(crate) fn lost() -> Self {
        Self(Way::Lost)
    }

    fn then(&self, heap: &Heap, step: Value) -> Result<Self, Stop> {
        let held = heap.0.hold(STEP_COST)?;
        Ok(Self(Way::Step(Rc::new((step, self.clone(), held)))))
    }

    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.0, Way::Lost)
    }

    /// All steps from the root.
    pub(crate) fn steps(&self, process: &Process) -> Option<Vec<Value>> {
        let mut steps = Vec::new();
        let mut path = self;
        loop {
            match &path.0 {
                Way::Root => break,
                Way::Lost => return None,
                Way::Step(step) => {
                    process.spend(2);
                    steps.push(step.0.clone());
                    path = &step.1;
                }
            }
        }
        steps.reverse();
        Some(steps)
    }
}

pub(crate) fn invalid(value: &Value) -> Stop {
    Stop::message(format!(
        "Invalid path expression with result {}",
        shown(value)
    ))
}

impl<'t> Machine<'t, '_> {
    fn step(&self, item: &Item, step: Value) -> Result<Option<Path>, Stop> {
        let Some(path) = &item.path else {
            return Ok(None);
        };
        if path.is_lost() {
            return Err(Stop::message(format!(
                "Invalid path expression with result {}",
                shown(&item.value)
            )));
        }
        Ok(Some(path.then(&self.heap, step)?))
    }

    pub(super) fn index_item(&self, item: Item, key: Value) -> Result<Item, Stop> {
        let path = self.step(&item, key.clone())?;
        let value = index(self, &item.value, &key)?;
        Ok(Item { value, path })
    }

    /// `.[]`.
    pub(super) fn each(&self, item: Item, out: Out<'_>) -> Flow {
        match &item.value {
            Value::Array(array) => {
                for (number, value) in array.items.iter().enumerate() {
                    self.process.spend(16);
                    let path = match &item.path {
                        None => None,
                        #[allow(clippy::cast_precision_loss, reason = "arrays are not that long")]
                        Some(_) => self.step(&item, Value::Number(number as f64))?,
                    };
                    out(Item {
                        value: value.clone(),
                        path,
                    })?;
                }
                Ok(())
            }
            Value::Object(object) => {
                for (key, value) in &object.map {
                    self.process.spend(16);
                    let path = match &item.path {
                        None => None,
                        Some(_) => self.step(&item, Value::String(Rc::clone(key)))?,
                    };
                    out(Item {
                        value: value.clone(),
                        path,
                    })?;
                }
                Ok(())
            }
            other => Err(Stop::message(format!(
                "Cannot iterate over {}",
                natives::described(other)
            ))),
        }
    }

    /// `..`.
    pub(super) fn recurse(&self, item: Item, out: Out<'_>) -> Flow {
        self.check_stack()?;
        out(item.clone())?;
        if matches!(item.value, Value::Array(_) | Value::Object(_)) {
            self.each(item, &mut |item| self.recurse(item, out))?;
        }
        Ok(())
    }

    pub(super) fn slice(
        &self,
        base: &'t Term,
        from: Option<&'t Term>,
        to: Option<&'t Term>,
        env: &Env<'t>,
        item: Item,
        out: Out<'_>,
    ) -> Flow {
        let bound = |term: Option<&'t Term>, then: &mut dyn FnMut(Value) -> Flow| match term {
            Some(term) => self.values(term, env, item.value.clone(), then),
            None => then(Value::Null),
        };
        bound(to, &mut |to| {
            bound(from, &mut |from| {
                self.eval(base, env, item.clone(), &mut |found| {
                    let value = slice(self, &found.value, &from, &to)?;
                    let path = match &found.path {
                        None => None,
                        Some(_) => {
                            let key = self
                                .heap
                                .record([("start", from.clone()), ("end", to.clone())])?;
                            self.step(&found, key)?
                        }
                    };
                    out(Item { value, path })
                })
            })
        })
    }

    /// `getpath`, which may also be part of a place.
    pub(super) fn get_item(&self, item: &Item, wanted: &Value) -> Result<Item, Stop> {
        let Value::Array(steps) = wanted else {
            return Err(Stop::message("Path must be specified as an array"));
        };
        let mut path = item.path.clone();
        if path.as_ref().is_some_and(Path::is_lost) {
            return Err(invalid(&item.value));
        }
        for step in &steps.items {
            self.process.spend(8);
            path = match path {
                Some(path) => Some(path.then(&self.heap, step.clone())?),
                None => None,
            };
        }
        let value = get(self, &item.value, wanted)?;
        Ok(Item { value, path })
    }
}

/// What is at a key or number.
pub(crate) fn index(machine: &Machine<'_, '_>, value: &Value, key: &Value) -> Result<Value, Stop> {
    match (value, key) {
        (Value::Object(object), Value::String(key)) => {
            Ok(object.map.get(&key.text).cloned().unwrap_or(Value::Null))
        }
        (Value::Array(array), Value::Number(_) | Value::Literal(_)) => {
            let number = key.as_number().unwrap_or(f64::NAN);
            if number.is_nan() {
                return Ok(Value::Null);
            }
            Ok(place(number, array.items.len())
                .and_then(|at| array.items.get(at).cloned())
                .unwrap_or(Value::Null))
        }
        (Value::Null, Value::String(_) | Value::Number(_) | Value::Literal(_) | Value::Null) => {
            Ok(Value::Null)
        }
        (Value::Array(_) | Value::Null | Value::String(_), Value::Object(range)) => {
            let bound = |name| range.get(name).cloned().unwrap_or(Value::Null);
            slice(machine, value, &bound("start"), &bound("end"))
        }
        (Value::Array(array), Value::Array(wanted)) => {
            natives::indices(machine, &array.items, &wanted.items)
        }
        (_, Value::String(key)) if !matches!(value, Value::Array(_)) => Err(Stop::message(
            format!("Cannot index {} with \"{}\"", value.type_name(), key.text),
        )),
        (_, Value::String(key)) => Err(Stop::message(format!(
            "Cannot index {} with \"{}\"",
            value.type_name(),
            key.text
        ))),
        _ => Err(Stop::message(format!(
            "Cannot index {} with {}",
            value.type_name(),
            key.type_name()
        ))),
    }
}

/// The item that a number means; negative ones count from the end.
fn place(number: f64, length: usize) -> Option<usize> {
    let floor = number.floor();
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "saturates, and lengths are smaller"
    )]
    if floor < 0.0 {
        let at = floor + length as f64;
        (at >= 0.0).then_some(at as usize)
    } else {
        Some(floor as usize)
    }
}

/// The bounds of a slice among so many items.
fn bounds(from: &Value, to: &Value, length: usize) -> Result<(usize, usize), Stop> {
    let bound = |value: &Value, default: usize, up: bool| -> Result<usize, Stop> {
        match value {
            Value::Null => Ok(default),
            _ => {
                let number = value.as_number().ok_or_else(|| {
                    Stop::message("Start and end indices of an array slice must be numbers")
                })?;
                #[allow(
                    clippy::cast_precision_loss,
                    clippy::cast_sign_loss,
                    reason = "clamped to the length"
                )]
                {
                    let number = if number < 0.0 {
                        number + length as f64
                    } else {
                        number
                    };
                    let number = if up { number.ceil() } else { number.floor() };
                    Ok((number.max(0.0) as usize).min(length))
                }
            }
        }
    };
    let from = bound(from, 0, false)?;
    let to = bound(to, length, true)?;
    Ok((from, to.max(from)))
}

pub(crate) fn slice(
    machine: &Machine<'_, '_>,
    value: &Value,
    from: &Value,
    to: &Value,
) -> Result<Value, Stop> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Array(array) => {
            let (from, to) = bounds(from, to, array.items.len())?;
            machine.process.spend(to - from);
            machine
                .heap
                .array(array.items.get(from..to).unwrap_or_default().to_vec())
        }
        Value::String(text) => {
            let text = &text.text;
            machine.process.spend(text.len());
            let (from, to) = bounds(from, to, text.chars().count())?;
            let offset = |index: usize| {
                text.char_indices()
                    .nth(index)
                    .map_or(text.len(), |(at, _)| at)
            };
            machine
                .heap
                .string(text.get(offset(from)..offset(to)).unwrap_or_default())
        }
        other => Err(Stop::message(format!(
            "Cannot index {} with object",
            other.type_name()
        ))),
    }
}

/// What is at the end of a path; nothing on the way is no error.
pub(crate) fn get(machine: &Machine<'_, '_>, value: &Value, path: &Value) -> Result<Value, Stop> {
    let Value::Array(steps) = path else {
        return Err(Stop::message("Path must be specified as an array"));
    };
    let mut value = value.clone();
    for step in &steps.items {
        machine.process.spend(16);
        if value.is_null() {
            return Ok(value);
        }
        value = index(machine, &value, step)?;
    }
    Ok(value)
}

/// What is at a path, taken out: null is there until it is set again.
pub(crate) fn take_at(
    machine: &Machine<'_, '_>,
    root: &mut Value,
    steps: &[Value],
) -> Result<Value, Stop> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(std::mem::replace(root, Value::Null));
    };
    machine.check_stack()?;
    machine.process.spend(16);
    match (&mut *root, step) {
        (Value::Object(object), Value::String(key)) => {
            if object.map.contains_key(&key.text)
                && let Some(inner) = machine.heap.object_mut(object)?.map.get_mut(&key.text)
            {
                return take_at(machine, inner, rest);
            }
            Ok(Value::Null)
        }
        (Value::Array(array), Value::Number(number)) => {
            let at = place(*number, array.items.len());
            if let Some(at) = at.filter(|at| *at < array.items.len())
                && let Some(inner) = machine.heap.array_mut(array)?.items.get_mut(at)
            {
                return take_at(machine, inner, rest);
            }
            Ok(Value::Null)
        }
        _ => get(machine, root, &machine.heap.array(steps.to_vec())?),
    }
}

/// Sets what is at the end of a path, and makes what is missing on the way.
pub(crate) fn set_at(
    machine: &Machine<'_, '_>,
    root: &mut Value,
    steps: &[Value],
    new: Value,
) -> Flow {
    let Some((step, rest)) = steps.split_first() else {
        *root = new;
        return Ok(());
    };
    machine.check_stack()?;
    machine.process.spend(16);
    match step {
        Value::String(key) => {
            if root.is_null() {
                *root = machine.heap.empty_object()?;
            }
            let Value::Object(object) = root else {
                return Err(Stop::message(format!(
                    "Cannot index {} with \"{}\"",
                    root.type_name(),
                    key.text
                )));
            };
            let object = machine.heap.object_mut(object)?;
            let mut inner = match object.map.get_mut(&key.text) {
                Some(inner) => std::mem::replace(inner, Value::Null),
                None => Value::Null,
            };
            set_at(machine, &mut inner, rest, new)?;
            object.set(Rc::clone(key), inner)
        }
        Value::Number(_) | Value::Literal(_) => {
            let number = step.as_number().unwrap_or(0.0);
            if root.is_null() {
                *root = machine.heap.array(Vec::new())?;
            }
            let Value::Array(array) = root else {
                return Err(Stop::message(format!(
                    "Cannot index {} with number",
                    root.type_name()
                )));
            };
            let array = machine.heap.array_mut(array)?;
            if number > MOST_ITEMS {
                return Err(Stop::message("Array index too large"));
            }
            let Some(at) = place(number, array.items.len()) else {
                return Err(Stop::message("Out of bounds negative array index"));
            };
            let mut inner = match array.items.get_mut(at) {
                Some(inner) => std::mem::replace(inner, Value::Null),
                None => Value::Null,
            };
            set_at(machine, &mut inner, rest, new)?;
            machine.process.spend(at.saturating_sub(array.items.len()));
            array.set(at, inner)
        }
        Value::Object(range) => {
            let bound = |name| range.get(name).cloned().unwrap_or(Value::Null);
            let (from, to) = (bound("start"), bound("end"));
            if root.is_null() {
                *root = machine.heap.array(Vec::new())?;
            }
            let mut inner = slice(machine, root, &from, &to)?;
            let Value::Array(array) = root else {
                return Err(Stop::message(format!(
                    "Cannot update field at object index of {}",
                    root.type_name()
                )));
            };
            set_at(machine, &mut inner, rest, new)?;
            let Value::Array(inner) = inner else {
                return Err(Stop::message(
                    "A slice of an array can only be assigned another array",
                ));
            };
            let (from, to) = bounds(&from, &to, array.items.len())?;
            let mut items = array.items.get(..from).unwrap_or_default().to_vec();
            items.extend_from_slice(&inner.items);
            items.extend_from_slice(array.items.get(to..).unwrap_or_default());
            machine.process.spend(items.len());
            *root = machine.heap.array(items)?;
            Ok(())
        }
        other => Err(Stop::message(match root {
            Value::Array(_) => "Cannot update field at array index of array".to_owned(),
            _ => format!(
                "Invalid path component {} for {}",
                other.type_name(),
                root.type_name()
            ),
        })),
    }
}

/// Deletes several places, the last ones first, so that the others stay where they are.
pub(crate) fn delete(
    machine: &Machine<'_, '_>,
    mut root: Value,
    paths: &Value,
) -> Result<Value, Stop> {
    let Value::Array(paths) = paths else {
        return Err(Stop::message("Paths must be specified as an array"));
    };
    let mut sorted = paths.items.clone();
    sorted.sort_by(|a, b| b.compare(a, &mut |units| machine.process.spend(units * 8)));
    sorted.dedup_by(|a, b| a.compare(b, &mut |_| ()).is_eq());
    for path in sorted {
        let Value::Array(steps) = path else {
            return Err(Stop::message("Path must be specified as an array"));
        };
        if steps.items.is_empty() {
            return Ok(Value::Null);
        }
        delete_at(machine, &mut root, &steps.items)?;
    }
    Ok(root)
}

fn delete_at(machine: &Machine<'_, '_>, root: &mut Value, steps: &[Value]) -> Flow {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(());
    };
    machine.check_stack()?;
    if root.is_null() {
        return Ok(());
    }
    if !rest.is_empty() {
        let inner = index(machine, root, step)?;
        if inner.is_null() {
            return Ok(());
        }
        let mut inner = match step {
            Value::Object(_) => inner,
            _ => {
                drop(inner);
                take_at(machine, root, std::slice::from_ref(step))?
            }
        };
        delete_at(machine, &mut inner, rest)?;
        return set_at(machine, root, std::slice::from_ref(step), inner);
    }
    match (&mut *root, step) {
        (Value::Object(object), Value::String(key)) => {
            if object.map.contains_key(&key.text) {
                let object = machine.heap.object_mut(object)?;
                machine.process.spend(object.map.len());
                object.map.remove(&key.text);
            }
            Ok(())
        }
        (Value::Array(array), Value::Number(_) | Value::Literal(_)) => {
            let number = step.as_number().unwrap_or(0.0);
            if let Some(at) = place(number, array.items.len()).filter(|at| *at < array.items.len())
            {
                machine.process.spend((array.items.len() - at) / 4);
                machine.heap.array_mut(array)?.items.remove(at);
            }
            Ok(())
        }
        (Value::Array(array), Value::Object(range)) => {
            let bound = |name| range.get(name).cloned().unwrap_or(Value::Null);
            let (from, to) = bounds(&bound("start"), &bound("end"), array.items.len())?;
            machine.process.spend(array.items.len() / 4);
            machine.heap.array_mut(array)?.items.drain(from..to);
            Ok(())
        }
        (Value::Object(_), other) => Err(Stop::message(format!(
            "Cannot delete field at object index of {}",
            match other {
                Value::Object(_) => "object",
                _ => "array",
            }
        ))),
        (Value::Array(_), _) => Err(Stop::message("Cannot delete field at array index of array")),
        (other, step) => Err(Stop::message(format!(
            "Cannot delete field at {} index of {}",
            if matches!(step, Value::String(_)) {
                "object"
            } else {
                "array"
            },
            other.type_name()
        ))),
    }
}
