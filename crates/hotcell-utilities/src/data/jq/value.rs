//! Values: what JSON has, and what holds it.

use std::{cmp::Ordering, rc::Rc};

pub(crate) use super::map::Map;
use super::{number, stop::Stop};
use crate::languages::budget::{Budget, Held};

/// How deep arrays and objects may lie in each other. Whoever walks through a value, or drops it, calls itself so often.
pub(crate) const MOST_DEPTH: u32 = 10_000;

/// What a string takes besides its bytes: counts, length, capacity, charge and the allocator's own.
const TEXT_COST: usize = 80;
/// What an array or object takes when it is empty.
const CONTAINER_COST: usize = 80;
/// Texts from here on are charged before they are made, not only when they are there.
const LONG_TEXT: usize = 16 << 10;

/// A value. Cloning is cheap: what is large is shared, and changed in place by whoever has it alone.
#[derive(Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    /// A number whose digits say more than the double does, as it was written.
    Literal(Rc<Literal>),
    String(Rc<Text>),
    Array(Rc<Array>),
    Object(Rc<Object>),
}

pub(crate) struct Literal {
    pub(crate) value: f64,
    pub(crate) text: Box<str>,
    _held: Held,
}

/// A string with its charge.
pub(crate) struct Text {
    pub(crate) text: String,
    held: Held,
}

pub(crate) struct Array {
    pub(crate) items: Vec<Value>,
    depth: u32,
    held: Held,
}

pub(crate) struct Object {
    pub(crate) map: Map,
    depth: u32,
    held: Held,
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Text {}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.text
    }
}

/// A key that is looked for without a `Text`.
#[derive(Hash)]
pub(crate) struct Key<'a>(pub(crate) &'a str);

impl indexmap::Equivalent<Rc<Text>> for Key<'_> {
    fn equivalent(&self, key: &Rc<Text>) -> bool {
        self.0 == key.text
    }
}

/// Makes values, and has them charged.
#[derive(Clone)]
pub(crate) struct Heap(pub(crate) Budget);

impl Heap {
    pub(crate) fn text(&self, text: impl Into<String>) -> Result<Rc<Text>, Stop> {
        let text = text.into();
        let held = self.0.hold(TEXT_COST + text.capacity())?;
        Ok(Rc::new(Text { text, held }))
    }

    pub(crate) fn string(&self, text: impl Into<String>) -> Result<Value, Stop> {
        Ok(Value::String(self.text(text)?))
    }

    /// A string of bytes; what is not UTF-8 is replaced.
    pub(crate) fn string_of(&self, bytes: &[u8]) -> Result<Value, Stop> {
        self.room_for_text(bytes.len())?;
        match std::str::from_utf8(bytes) {
            Ok(text) => self.string(text),
            Err(_) => {
                // A byte becomes three.
                self.room_for_text(bytes.len().saturating_mul(3))?;
                self.string(String::from_utf8_lossy(bytes))
            }
        }
    }

    /// Whether a text of this length may be made.
    pub(crate) fn room_for_text(&self, length: usize) -> Result<(), Stop> {
        if length >= LONG_TEXT {
            self.0.hold(length)?;
        }
        Ok(())
    }

    /// Adds to the end of a string, in place if nobody else has it.
    pub(crate) fn append(&self, mut text: Rc<Text>, more: &str) -> Result<Value, Stop> {
        if let Some(own) = Rc::get_mut(&mut text) {
            let needed = own.text.len() + more.len();
            if needed > own.text.capacity() {
                let grown = needed.max(own.text.capacity() * 2);
                own.held.grow(grown - own.text.capacity())?;
                own.text.reserve_exact(grown - own.text.len());
            }
            own.text.push_str(more);
            return Ok(Value::String(text));
        }
        let held = self.0.hold(TEXT_COST + text.text.len() + more.len())?;
        let mut both = String::with_capacity(text.text.len() + more.len());
        both.push_str(&text.text);
        both.push_str(more);
        Ok(Value::String(Rc::new(Text { text: both, held })))
    }

    pub(crate) fn array(&self, items: Vec<Value>) -> Result<Value, Stop> {
        let depth = items.iter().map(Value::depth).max().unwrap_or(0) + 1;
        check_depth(depth)?;
        let held = self
            .0
            .hold(CONTAINER_COST + items.capacity() * size_of::<Value>())?;
        Ok(Value::Array(Rc::new(Array { items, depth, held })))
    }

    pub(crate) fn object(&self, map: Map) -> Result<Value, Stop> {
        let depth = map.values().map(Value::depth).max().unwrap_or(0) + 1;
        check_depth(depth)?;
        let held = self.0.hold(CONTAINER_COST + map.bytes())?;
        Ok(Value::Object(Rc::new(Object { map, depth, held })))
    }

    /// An array that grows, and is charged while it does.
    pub(crate) fn open_array(&self) -> Result<Array, Stop> {
        Ok(Array {
            items: Vec::new(),
            depth: 1,
            held: self.0.hold(CONTAINER_COST)?,
        })
    }

    /// An object that grows, and is charged while it does.
    pub(crate) fn open_object(&self) -> Result<Object, Stop> {
        Ok(Object {
            map: Map::default(),
            depth: 1,
            held: self.0.hold(CONTAINER_COST)?,
        })
    }

    /// Room for values that are held for a while.
    pub(crate) fn room_for(&self, values: usize) -> Result<Held, Stop> {
        Ok(self.0.hold(values.saturating_mul(size_of::<Value>()))?)
    }

    pub(crate) fn empty_object(&self) -> Result<Value, Stop> {
        self.object(Map::default())
    }

    /// An object of few entries with names of ours.
    pub(crate) fn record<const N: usize>(
        &self,
        entries: [(&str, Value); N],
    ) -> Result<Value, Stop> {
        let mut map = Map::default();
        for (name, value) in entries {
            map.insert(self.text(name)?, value);
        }
        self.object(map)
    }

    /// The items of an array to change them.
    pub(crate) fn array_mut<'a>(&self, array: &'a mut Rc<Array>) -> Result<&'a mut Array, Stop> {
        if Rc::get_mut(array).is_none() {
            let held = self
                .0
                .hold(CONTAINER_COST + array.items.len() * size_of::<Value>())?;
            *array = Rc::new(Array {
                items: array.items.clone(),
                depth: array.depth,
                held,
            });
        }
        Rc::get_mut(array).ok_or_else(Stop::fault)
    }

    /// The entries of an object to change them.
    pub(crate) fn object_mut<'a>(
        &self,
        object: &'a mut Rc<Object>,
    ) -> Result<&'a mut Object, Stop> {
        if Rc::get_mut(object).is_none() {
            let held = self.0.hold(CONTAINER_COST + object.map.bytes())?;
            *object = Rc::new(Object {
                map: object.map.clone(),
                depth: object.depth,
                held,
            });
        }
        Rc::get_mut(object).ok_or_else(Stop::fault)
    }

    /// A number as it was written: the digits are kept where the double would be printed otherwise.
    pub(crate) fn literal(&self, text: &str) -> Result<Option<Value>, Stop> {
        let Some((value, kept)) = number::read(text) else {
            return Ok(None);
        };
        Ok(Some(match kept {
            None => Value::Number(value),
            Some(text) => {
                let held = self.0.hold(TEXT_COST + text.len())?;
                Value::Literal(Rc::new(Literal {
                    value,
                    text: text.into(),
                    _held: held,
                }))
            }
        }))
    }
}

fn check_depth(depth: u32) -> Result<(), Stop> {
    if depth > MOST_DEPTH {
        return Err(Stop::message("Exceeds depth limit for values"));
    }
    Ok(())
}

impl Array {
    /// The value that it is when nothing more comes.
    pub(crate) fn close(mut self) -> Value {
        let unused = self.items.capacity() - self.items.len();
        if unused > 0 {
            self.items.shrink_to_fit();
            self.held.shrink(unused * size_of::<Value>());
        }
        Value::Array(Rc::new(self))
    }

    pub(crate) fn push(&mut self, value: Value) -> Result<(), Stop> {
        self.deepen(&value)?;
        if self.items.len() == self.items.capacity() {
            let more = self.items.len().max(4);
            self.held.grow(more * size_of::<Value>())?;
            self.items.reserve_exact(more);
        }
        self.items.push(value);
        Ok(())
    }

    pub(crate) fn set(&mut self, index: usize, value: Value) -> Result<(), Stop> {
        self.deepen(&value)?;
        if index >= self.items.len() {
            if index > self.items.capacity() {
                let more = index + 1 - self.items.capacity();
                self.held.grow(more * size_of::<Value>())?;
                self.items.reserve_exact(index + 1 - self.items.len());
            }
            self.items.resize(index, Value::Null);
            return self.push(value);
        }
        if let Some(slot) = self.items.get_mut(index) {
            *slot = value;
        }
        Ok(())
    }

    fn deepen(&mut self, value: &Value) -> Result<(), Stop> {
        self.depth = self.depth.max(value.depth() + 1);
        check_depth(self.depth)
    }
}

impl Object {
    pub(crate) fn set(&mut self, key: Rc<Text>, value: Value) -> Result<(), Stop> {
        self.depth = self.depth.max(value.depth() + 1);
        check_depth(self.depth)?;
        let more = self.map.growth();
        if more > 0 {
            self.held.grow(more)?;
        }
        self.map.insert(key, value);
        Ok(())
    }

    /// The value that it is when nothing more comes.
    pub(crate) fn close(self) -> Value {
        Value::Object(Rc::new(self))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key)
    }
}

impl Value {
    fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// Whether conditions take it for true.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Literal(literal) => Some(literal.value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(&text.text),
            _ => None,
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) | Self::Literal(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Number(_) | Self::Literal(_) => 3,
            Self::String(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
        }
    }

    /// The order of all values. Each pair that is looked at is told to `step`.
    pub(crate) fn compare(&self, other: &Self, step: &mut dyn FnMut(usize)) -> Ordering {
        step(1);
        match (self, other) {
            (Self::String(a), Self::String(b)) => {
                step(a.text.len().min(b.text.len()) / 16);
                a.text.as_bytes().cmp(b.text.as_bytes())
            }
            (Self::Array(a), Self::Array(b)) => {
                for (a, b) in a.items.iter().zip(&b.items) {
                    let order = a.compare(b, step);
                    if order.is_ne() {
                        return order;
                    }
                }
                a.items.len().cmp(&b.items.len())
            }
            (Self::Object(a), Self::Object(b)) => {
                let (a, b) = (sorted_entries(a, step), sorted_entries(b, step));
                let keys = a
                    .iter()
                    .map(|(key, _)| *key)
                    .cmp(b.iter().map(|(key, _)| *key));
                if keys.is_ne() {
                    return keys;
                }
                for ((_, a), (_, b)) in a.iter().zip(&b) {
                    let order = a.compare(b, step);
                    if order.is_ne() {
                        return order;
                    }
                }
                Ordering::Equal
            }
            _ => match (self.as_number(), other.as_number()) {
                // A NaN is below every number, itself included.
                (Some(a), Some(b)) => {
                    let order = a.partial_cmp(&b).unwrap_or(if a.is_nan() {
                        Ordering::Less
                    } else {
                        Ordering::Greater
                    });
                    match (self, other) {
                        (Self::Literal(a), Self::Literal(b)) if order.is_eq() => {
                            number::compare_digits(&a.text, &b.text)
                        }
                        _ => order,
                    }
                }
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

/// The entries in the order of their keys' bytes. Each comparison is told to `step`.
pub(crate) fn sorted_entries<'o>(
    object: &'o Object,
    step: &mut dyn FnMut(usize),
) -> Vec<(&'o str, &'o Value)> {
    step(object.map.len());
    let mut entries: Vec<(&str, &Value)> = object
        .map
        .iter()
        .map(|(key, value)| (key.text.as_str(), value))
        .collect();
    entries.sort_unstable_by(|a, b| {
        step(1);
        a.0.cmp(b.0)
    });
    entries
}
