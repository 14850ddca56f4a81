//! Values into JSON, as text or as a tree: whatever a serialiser makes of it.
//!
//! As text nothing is built in between: a tree takes up to twelve times the room of the value that it says.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    fmt,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_cell::{ErrorValue, MAX_DEPTH, Text, Value, View};
use hotcell_meter::{Charge, OverLimit, SharedPace, Stopped, Watch};
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap as _, SerializeSeq as _},
};
use serde_json::Value as Json;

use super::{date, digits::digits, view};

/// Why a value was not encoded to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Halt {
    #[error(transparent)]
    Stopped(Stopped),
    #[error(transparent)]
    OverLimit(OverLimit),
}

/// A value that serialises as [`json`](crate::json) says, while its run has time.
///
/// ```
/// use hotcell_cell::Value;
/// use hotcell_executor::json::Encoded;
/// use hotcell_meter::Unwatched;
///
/// let value = Value::array([Value::from(1), Value::Undefined]);
/// let text = serde_json::to_string(&Encoded::new(&value, &Unwatched))?;
/// assert_eq!(text, r#"[1,{"$":"undefined"}]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Encoded<'v> {
    value: &'v Value,
    meter: Meter<'v>,
}

impl<'v> Encoded<'v> {
    /// `value`, as long as `watch` allows: then serialising it fails, and [`Encoded::stopped`] says why.
    pub fn new(value: &'v Value, watch: &'v dyn Watch) -> Self {
        Self {
            value,
            meter: Meter::new(watch, None),
        }
    }

    /// Why it could not be serialised to its end.
    pub fn stopped(&self) -> Option<Stopped> {
        match self.meter.halted.get() {
            Some(Halt::Stopped(stopped)) => Some(stopped),
            _ => None,
        }
    }
}

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let walk = Walk {
            meter: &self.meter,
            referenced: RefCell::default(),
            objects: Cell::new(0),
            depth: Cell::new(0),
        };
        walk.mark(self.value, MAX_DEPTH).map_err(S::Error::custom)?;
        walk.node(self.value).serialize(serializer)
    }
}

impl fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// The tree for a value, in the time and room that there are.
pub(crate) fn tree(value: &Value, watch: &dyn Watch, charge: Charge) -> Result<Json, Halt> {
    let encoded = Encoded {
        value,
        meter: Meter::new(watch, Some(charge)),
    };
    serde_json::to_value(&encoded).map_err(|_| {
        // Nothing else can go wrong: all keys are strings.
        encoded
            .meter
            .halted
            .get()
            .unwrap_or(Halt::Stopped(Stopped::Cancelled))
    })
}

/// What encoding may cost.
struct Meter<'m> {
    pace: SharedPace<'m>,
    charge: Option<RefCell<Charge>>,
    halted: Cell<Option<Halt>>,
}

/// What a node of a tree takes, with the entry of the object that it is in.
const NODE_BYTES: usize = 96;
/// What an object takes for itself.
const OBJECT_BYTES: usize = 160;

impl<'m> Meter<'m> {
    fn new(watch: &'m dyn Watch, charge: Option<Charge>) -> Self {
        Self {
            pace: SharedPace::new(watch),
            charge: charge.map(RefCell::new),
            halted: Cell::new(None),
        }
    }

    fn spend(&self, units: usize, bytes: usize) -> Result<(), Halt> {
        let time = self.pace.spend(units).map_err(Halt::Stopped);
        let spent = time.and_then(|()| match &self.charge {
            Some(charge) => charge.borrow_mut().grow(bytes).map_err(Halt::OverLimit),
            None => Ok(()),
        });
        if let Err(halt) = spent {
            self.halted.set(Some(halt));
        }
        spent
    }

    /// For a text of so many bytes.
    fn text<E: serde::ser::Error>(&self, bytes: usize) -> Result<(), E> {
        self.spend(bytes, bytes).map_err(E::custom)
    }
}

/// One way through a value.
struct Walk<'w> {
    meter: &'w Meter<'w>,
    /// The objects that come again: those are marked.
    referenced: RefCell<HashSet<u32>>,
    objects: Cell<u32>,
    depth: Cell<u32>,
}

impl Walk<'_> {
    /// Finds the objects that come again.
    fn mark(&self, value: &Value, depth: u32) -> Result<(), Halt> {
        let Some(depth) = depth.checked_sub(1) else {
            return Ok(());
        };
        match value {
            Value::Array(values) | Value::Set(values) => {
                for value in values {
                    self.visit(value, depth)?;
                }
            }
            Value::Object(properties) => {
                for (_, value) in properties {
                    self.visit(value, depth)?;
                }
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    self.visit(key, depth)?;
                    self.visit(value, depth)?;
                }
            }
            Value::View(view) => self.visit(&view.buffer, depth)?,
            Value::Error(error) => {
                for value in error.cause.iter().chain(error.properties.iter().map(|(_, v)| v)) {
                    self.visit(value, depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn visit(&self, value: &Value, depth: u32) -> Result<(), Halt> {
        self.meter.spend(1, 0)?;
        match value {
            Value::Reference(index) => {
                self.referenced.borrow_mut().insert(*index);
                Ok(())
            }
            value if value.is_object() => self.mark(value, depth),
            _ => Ok(()),
        }
    }

    fn node<'n>(&'n self, value: &'n Value) -> Node<'n> {
        Node { value, walk: self }
    }

    fn is_referenced(&self, index: u32) -> bool {
        self.referenced.borrow().contains(&index)
    }

    fn next_object(&self) -> u32 {
        let index = self.objects.get();
        self.objects.set(index.saturating_add(1));
        index
    }
}

/// A value inside of the one that is encoded.
#[derive(Clone, Copy)]
struct Node<'n> {
    value: &'n Value,
    walk: &'n Walk<'n>,
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { value, walk } = *self;
        walk.meter.spend(4, NODE_BYTES).map_err(S::Error::custom)?;
        if !value.is_object() {
            return primitive(value, walk.meter, serializer);
        }
        if walk.depth.get() >= MAX_DEPTH {
            return tagged("too-deep", serializer);
        }
        walk.meter
            .spend(4, OBJECT_BYTES)
            .map_err(S::Error::custom)?;
        let index = walk.next_object();
        walk.depth.set(walk.depth.get() + 1);
        let encoded = if walk.is_referenced(index) {
            let mut map = begin("def", 2, serializer)?;
            map.serialize_entry("id", &index)?;
            map.serialize_entry("value", &Body(*self))?;
            map.end()
        } else {
            Body(*self).serialize(serializer)
        };
        walk.depth.set(walk.depth.get() - 1);
        encoded
    }
}

/// An object without its mark.
struct Body<'n>(Node<'n>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Node { value, walk } = self.0;
        match value {
            Value::Array(values) => Values { values, walk }.serialize(serializer),
            Value::Object(properties) => {
                let properties = Properties { properties, walk };
                if properties.can_be_plain() {
                    return properties.serialize(serializer);
                }
                let mut map = begin("object", 1, serializer)?;
                map.serialize_entry("entries", &Pairs(properties))?;
                map.end()
            }
            Value::Map(entries) => {
                let mut map = begin("map", 1, serializer)?;
                map.serialize_entry("entries", &Entries { entries, walk })?;
                map.end()
            }
            Value::Set(values) => {
                let mut map = begin("set", 1, serializer)?;
                map.serialize_entry("values", &Values { values, walk })?;
                map.end()
            }
            Value::View(view) => view_of(view, walk, serializer),
            Value::Error(error) => error_of(error, walk, serializer),
            Value::Date(time) => {
                let mut map = begin("date", 1, serializer)?;
                map.serialize_entry("value", &Time(*time))?;
                map.end()
            }
            Value::RegExp { source, flags } => {
                let mut map = begin("regexp", 2, serializer)?;
                map.serialize_entry("source", &walk.text(source))?;
                map.serialize_entry("flags", &walk.text(flags))?;
                map.end()
            }
            Value::Buffer(bytes) => bytes_of(view::BUFFER, bytes, walk.meter, serializer),
            Value::Boxed(inner) => {
                let mut map = begin("boxed", 1, serializer)?;
                map.serialize_entry("value", &Primitive(inner, walk.meter))?;
                map.end()
            }
            _ => primitive(value, walk.meter, serializer),
        }
    }
}

struct Values<'n> {
    values: &'n [Value],
    walk: &'n Walk<'n>,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.values.len()))?;
        for value in self.values {
            list.serialize_element(&self.walk.node(value))?;
        }
        list.end()
    }
}

#[derive(Clone, Copy)]
struct Properties<'n> {
    properties: &'n [(Text, Value)],
    walk: &'n Walk<'n>,
}

impl Properties<'_> {
    /// Whether a JSON object can say them.
    fn can_be_plain(&self) -> bool {
        let mut seen = HashSet::with_capacity(self.properties.len());
        self.properties.iter().all(|(key, _)| {
            key.as_str()
                .is_some_and(|key| key != "$" && seen.insert(key))
        })
    }
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.properties.len()))?;
        for (key, value) in self.properties {
            let key = key.to_str_lossy();
            self.walk.meter.text(key.len())?;
            map.serialize_entry(&*key, &self.walk.node(value))?;
        }
        map.end()
    }
}

struct Pairs<'n>(Properties<'n>);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Properties { properties, walk } = self.0;
        let mut list = serializer.serialize_seq(Some(properties.len()))?;
        for (key, value) in properties {
            list.serialize_element(&(walk.text(key), walk.node(value)))?;
        }
        list.end()
    }
}

struct Entries<'n> {
    entries: &'n [(Value, Value)],
    walk: &'n Walk<'n>,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.entries.len()))?;
        for (key, value) in self.entries {
            list.serialize_element(&(self.walk.node(key), self.walk.node(value)))?;
        }
        list.end()
    }
}

/// A string, in either form.
struct Words<'n>(&'n Text, &'n Meter<'n>);

impl<'w> Walk<'w> {
    fn text<'n>(&'n self, text: &'n Text) -> Words<'n> {
        Words(text, self.meter)
    }
}

impl Serialize for Words<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(text, meter) = self;
        if let Some(text) = text.as_str() {
            meter.text(text.len())?;
            return serializer.serialize_str(text);
        }
        let units = text.to_utf16();
        let room = units.len().saturating_mul(size_of::<Json>());
        meter
            .spend(units.len().saturating_mul(4), room)
            .map_err(S::Error::custom)?;
        let mut map = begin("string", 1, serializer)?;
        map.serialize_entry("units", &units)?;
        map.end()
    }
}

struct Primitive<'n>(&'n Value, &'n Meter<'n>);

impl Serialize for Primitive<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        primitive(self.0, self.1, serializer)
    }
}

fn primitive<S: Serializer>(
    value: &Value,
    meter: &Meter<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Value::Undefined => tagged("undefined", serializer),
        Value::Null => serializer.serialize_unit(),
        Value::Bool(bool) => serializer.serialize_bool(*bool),
        Value::Number(value) => number(*value, serializer),
        Value::BigInt(value) => {
            let digits = digits(value);
            meter.text(digits.len().saturating_mul(2))?;
            let mut map = begin("bigint", 1, serializer)?;
            map.serialize_entry("value", &digits)?;
            map.end()
        }
        Value::String(value) => Words(value, meter).serialize(serializer),
        Value::Hole => tagged("hole", serializer),
        Value::Reference(index) => {
            let mut map = begin("ref", 1, serializer)?;
            map.serialize_entry("id", index)?;
            map.end()
        }
        // Objects do not come here, except inside of a box, where there can be none.
        _ => tagged("too-deep", serializer),
    }
}

fn number<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    // 2^63; below it an integer has an exact `i64`.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if value.fract() == 0.0 && value.abs() < LIMIT && (value != 0.0 || value.is_sign_positive()) {
        #[expect(clippy::cast_possible_truncation, reason = "an integer within range")]
        return serializer.serialize_i64(value as i64);
    }
    let name = match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        0.0 => "-0",
        _ => return serializer.serialize_f64(value),
    };
    let mut map = begin("number", 1, serializer)?;
    map.serialize_entry("value", name)?;
    map.end()
}

struct Time(f64);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_nan() {
            return serializer.serialize_unit();
        }
        match date::to_iso(self.0) {
            Some(text) => serializer.serialize_str(&text),
            None => number(self.0, serializer),
        }
    }
}

fn view_of<S: Serializer>(
    view: &View,
    walk: &Walk<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let kind = view::name(view.kind);
    if let Value::Buffer(bytes) = &view.buffer
        && view.offset == 0
        && u64::from(view.length) * u64::from(view.kind.element_size()) == bytes.len() as u64
        && !walk.is_referenced(walk.objects.get())
    {
        // The buffer is an object too.
        walk.next_object();
        return bytes_of(kind, bytes, walk.meter, serializer);
    }
    let mut map = begin("view", 4, serializer)?;
    map.serialize_entry("type", kind)?;
    map.serialize_entry("offset", &view.offset)?;
    map.serialize_entry("length", &view.length)?;
    map.serialize_entry("buffer", &walk.node(&view.buffer))?;
    map.end()
}

fn bytes_of<S: Serializer>(
    kind: &str,
    bytes: &[u8],
    meter: &Meter<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    meter.text(bytes.len().saturating_mul(2))?;
    let mut map = begin("bytes", 2, serializer)?;
    if kind != view::BYTES {
        map.serialize_entry("type", kind)?;
    }
    map.serialize_entry("base64", &STANDARD.encode(bytes))?;
    map.end()
}

fn error_of<S: Serializer>(
    error: &ErrorValue,
    walk: &Walk<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = begin("error", 5, serializer)?;
    map.serialize_entry("name", &walk.text(&error.name))?;
    map.serialize_entry("message", &walk.text(&error.message))?;
    if !error.stack.is_empty() {
        map.serialize_entry("stack", &walk.text(&error.stack))?;
    }
    if let Some(cause) = &error.cause {
        map.serialize_entry("cause", &walk.node(cause))?;
    }
    if !error.properties.is_empty() {
        let properties = Properties {
            properties: &error.properties,
            walk,
        };
        if properties.can_be_plain() {
            map.serialize_entry("properties", &properties)?;
        } else {
            map.serialize_entry("properties", &Pairs(properties))?;
        }
    }
    map.end()
}

/// An object of a kind that needs no more to be said.
fn tagged<S: Serializer>(kind: &str, serializer: S) -> Result<S::Ok, S::Error> {
    begin(kind, 0, serializer)?.end()
}

/// Begins an object of a kind with so many members.
fn begin<S: Serializer>(
    kind: &str,
    members: usize,
    serializer: S,
) -> Result<S::SerializeMap, S::Error> {
    let mut map = serializer.serialize_map(Some(members + 1))?;
    map.serialize_entry("$", kind)?;
    Ok(map)
}
