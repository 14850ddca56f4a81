//! Values into JSON: the walk through a value, whatever is made of it on the way.
//!
//! The walk keeps what is still to be done in a list, so that it takes the same stack for a value of any depth. Every step is
//! paid for: in time, and where a tree is made, in memory.

use std::{collections::HashSet, slice::Iter};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_cell::{ErrorValue, MAX_DEPTH, Text, Value, View};
use hotcell_meter::{Charge, OverLimit, Pace, Stopped, Watch};
use serde_json::Value as Json;

use super::{
    date,
    digits::digits,
    sink::{LengthSink, Sink, TextSink, TreeSink},
    view,
};

/// Why a value was not encoded to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    Stopped(Stopped),
    OverLimit(OverLimit),
}

type Step = Result<(), Halt>;

/// What one step costs beside the text in it, in units of [`Pace`].
const STEP: usize = 16;
/// What a node of a tree takes, with the entry of the object that it is in.
const NODE_BYTES: usize = 96;
/// What an object or a list takes for itself.
const CONTAINER_BYTES: usize = 160;

/// The text for a value.
pub(super) fn text(value: &Value, watch: &dyn Watch) -> Result<String, Stopped> {
    let mut walk = Walk::new(TextSink::default(), watch, None);
    match walk.all(value) {
        Ok(()) => Ok(walk.sink.into_text()),
        Err(Halt::Stopped(stopped)) => Err(stopped),
        // Nobody counts.
        Err(Halt::OverLimit(_)) => Err(Stopped::Cancelled),
    }
}

/// How long the text for a value is.
pub(super) fn length(value: &Value, watch: &dyn Watch) -> Result<usize, Stopped> {
    let mut walk = Walk::new(LengthSink::default(), watch, None);
    match walk.all(value) {
        Ok(()) => Ok(walk.sink.length()),
        Err(Halt::Stopped(stopped)) => Err(stopped),
        // Nobody counts.
        Err(Halt::OverLimit(_)) => Err(Stopped::Cancelled),
    }
}

/// The tree for a value. With a charge, that grows with the tree.
pub(crate) fn tree(
    value: &Value,
    watch: &dyn Watch,
    charge: Option<&mut Charge>,
) -> Result<Json, Halt> {
    let mut walk = Walk::new(TreeSink::default(), watch, charge);
    walk.all(value)?;
    Ok(walk.sink.into_tree())
}

/// What is still to be done; the last of a list comes first.
enum Task<'v> {
    Value(&'v Value),
    Values(Iter<'v, Value>),
    Properties(Iter<'v, (Text, Value)>),
    /// Properties as a list of pairs.
    Pairs(Iter<'v, (Text, Value)>),
    Entries(Iter<'v, (Value, Value)>),
    ErrorProperties(&'v [(Text, Value)]),
    EndList,
    EndMap,
    /// An object is over.
    Leave,
}

struct Walk<'v, 'm, S> {
    sink: S,
    tasks: Vec<Task<'v>>,
    /// The objects that come again: those are marked.
    referenced: HashSet<u32>,
    objects: u32,
    depth: u32,
    pace: Pace<'m>,
    charge: Option<&'m mut Charge>,
}

impl<'v, 'm, S: Sink> Walk<'v, 'm, S> {
    fn new(sink: S, watch: &'m dyn Watch, charge: Option<&'m mut Charge>) -> Self {
        Self {
            sink,
            tasks: Vec::new(),
            referenced: HashSet::new(),
            objects: 0,
            depth: 0,
            pace: Pace::new(watch),
            charge,
        }
    }

    fn all(&mut self, value: &'v Value) -> Step {
        self.mark(value)?;
        self.tasks.push(Task::Value(value));
        while let Some(task) = self.tasks.pop() {
            self.step(task)?;
        }
        Ok(())
    }

    fn spend(&mut self, units: usize, bytes: usize) -> Step {
        self.pace.spend(units).map_err(Halt::Stopped)?;
        match &mut self.charge {
            Some(charge) => charge.grow(bytes).map_err(Halt::OverLimit),
            None => Ok(()),
        }
    }

    /// Finds the objects that come again.
    fn mark(&mut self, value: &'v Value) -> Step {
        let mut found = vec![(value, MAX_DEPTH)];
        while let Some((value, depth)) = found.pop() {
            self.spend(STEP, 0)?;
            if let Value::Reference(index) = value {
                self.referenced.insert(*index);
            }
            let Some(depth) = depth.checked_sub(1) else {
                continue;
            };
            let mut add = |value: &'v Value| {
                if value.is_object() || matches!(value, Value::Reference(_)) {
                    found.push((value, depth));
                }
            };
            match value {
                Value::Array(values) | Value::Set(values) => {
                    self.pace.spend(values.len()).map_err(Halt::Stopped)?;
                    values.iter().for_each(add);
                }
                Value::Object(properties) => {
                    self.pace.spend(properties.len()).map_err(Halt::Stopped)?;
                    for (_, value) in properties {
                        add(value);
                    }
                }
                Value::Map(entries) => {
                    self.pace.spend(entries.len()).map_err(Halt::Stopped)?;
                    for (key, value) in entries {
                        add(key);
                        add(value);
                    }
                }
                Value::View(view) => add(&view.buffer),
                Value::Error(error) => {
                    error.cause.iter().for_each(&mut add);
                    error.properties.iter().for_each(|(_, value)| add(value));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn step(&mut self, task: Task<'v>) -> Step {
        match task {
            Task::Value(value) => self.value(value)?,
            Task::Values(mut values) => {
                if let Some(value) = values.next() {
                    self.tasks.push(Task::Values(values));
                    self.value(value)?;
                }
            }
            Task::Properties(mut properties) => {
                if let Some((key, value)) = properties.next() {
                    self.tasks.push(Task::Properties(properties));
                    let key = key.to_str_lossy();
                    self.spend(key.len(), key.len())?;
                    self.sink.key(&key);
                    self.value(value)?;
                }
            }
            Task::Pairs(mut properties) => {
                if let Some((key, value)) = properties.next() {
                    self.tasks.push(Task::Pairs(properties));
                    self.tasks.push(Task::EndList);
                    self.sink.begin_list();
                    self.words(key)?;
                    self.value(value)?;
                }
            }
            Task::Entries(mut entries) => {
                if let Some((key, value)) = entries.next() {
                    self.tasks.push(Task::Entries(entries));
                    self.tasks.push(Task::EndList);
                    self.tasks.push(Task::Value(value));
                    self.sink.begin_list();
                    self.value(key)?;
                }
            }
            Task::ErrorProperties(properties) => {
                self.sink.key("properties");
                self.properties(properties)?;
            }
            Task::EndList => self.sink.end_list(),
            Task::EndMap => self.sink.end_map(),
            Task::Leave => self.depth -= 1,
        }
        Ok(())
    }

    fn value(&mut self, value: &'v Value) -> Step {
        self.spend(STEP, NODE_BYTES)?;
        if !value.is_object() {
            return self.primitive(value);
        }
        if self.depth >= MAX_DEPTH {
            self.tagged("too-deep");
            return Ok(());
        }
        self.spend(STEP, CONTAINER_BYTES)?;
        let index = self.objects;
        self.objects = self.objects.saturating_add(1);
        self.depth += 1;
        if self.referenced.contains(&index) {
            self.begin("def");
            self.sink.key("id");
            self.sink.integer(i64::from(index));
            self.sink.key("value");
            self.tasks.push(Task::EndMap);
        }
        self.tasks.push(Task::Leave);
        self.object(value)
    }

    fn object(&mut self, value: &'v Value) -> Step {
        match value {
            Value::Array(values) => self.list(Task::Values(values.iter())),
            Value::Object(properties) => {
                if can_be_plain(properties) {
                    self.properties(properties)?;
                } else {
                    self.begin("object");
                    self.sink.key("entries");
                    self.tasks.push(Task::EndMap);
                    self.list(Task::Pairs(properties.iter()));
                }
            }
            Value::Map(entries) => {
                self.begin("map");
                self.sink.key("entries");
                self.tasks.push(Task::EndMap);
                self.list(Task::Entries(entries.iter()));
            }
            Value::Set(values) => {
                self.begin("set");
                self.sink.key("values");
                self.tasks.push(Task::EndMap);
                self.list(Task::Values(values.iter()));
            }
            Value::View(view) => self.view(view)?,
            Value::Error(error) => self.error(error)?,
            Value::Buffer(bytes) => self.bytes(view::BUFFER, bytes)?,
            Value::Date(time) => {
                self.begin("date");
                self.sink.key("value");
                self.time(*time);
                self.sink.end_map();
            }
            Value::RegExp { source, flags } => {
                self.begin("regexp");
                self.sink.key("source");
                self.words(source)?;
                self.sink.key("flags");
                self.words(flags)?;
                self.sink.end_map();
            }
            Value::Boxed(inner) => {
                self.begin("boxed");
                self.sink.key("value");
                self.primitive(inner)?;
                self.sink.end_map();
            }
            _ => self.primitive(value)?,
        }
        Ok(())
    }

    fn list(&mut self, task: Task<'v>) {
        self.sink.begin_list();
        self.tasks.push(Task::EndList);
        self.tasks.push(task);
    }

    /// Properties as a JSON object, if one can hold them, else as pairs.
    fn properties(&mut self, properties: &'v [(Text, Value)]) -> Step {
        self.spend(properties.len(), 0)?;
        if can_be_plain(properties) {
            self.sink.begin_map();
            self.tasks.push(Task::EndMap);
            self.tasks.push(Task::Properties(properties.iter()));
        } else {
            self.list(Task::Pairs(properties.iter()));
        }
        Ok(())
    }

    fn view(&mut self, view: &'v View) -> Step {
        let kind = view.kind.name();
        if let Value::Buffer(bytes) = &view.buffer
            && view.offset == 0
            && u64::from(view.length) * u64::from(view.kind.element_size()) == bytes.len() as u64
            && !self.referenced.contains(&self.objects)
        {
            // The buffer is an object too.
            self.objects = self.objects.saturating_add(1);
            return self.bytes(kind, bytes);
        }
        self.begin("view");
        self.sink.key("type");
        self.sink.text(kind);
        self.sink.key("offset");
        self.sink.integer(i64::from(view.offset));
        self.sink.key("length");
        self.sink.integer(i64::from(view.length));
        self.sink.key("buffer");
        self.tasks.push(Task::EndMap);
        self.value(&view.buffer)
    }

    fn error(&mut self, error: &'v ErrorValue) -> Step {
        self.begin("error");
        self.sink.key("name");
        self.words(&error.name)?;
        self.sink.key("message");
        self.words(&error.message)?;
        if !error.stack.is_empty() {
            self.sink.key("stack");
            self.words(&error.stack)?;
        }
        self.tasks.push(Task::EndMap);
        if !error.properties.is_empty() {
            self.tasks.push(Task::ErrorProperties(&error.properties));
        }
        if let Some(cause) = &error.cause {
            self.sink.key("cause");
            self.value(cause)?;
        }
        Ok(())
    }

    fn bytes(&mut self, kind: &str, bytes: &[u8]) -> Step {
        let length = bytes.len().saturating_mul(2);
        self.spend(length, length)?;
        self.begin("bytes");
        if kind != view::BYTES {
            self.sink.key("type");
            self.sink.text(kind);
        }
        self.sink.key("base64");
        self.sink.text(&STANDARD.encode(bytes));
        self.sink.end_map();
        Ok(())
    }

    fn primitive(&mut self, value: &Value) -> Step {
        match value {
            Value::Undefined => self.tagged("undefined"),
            Value::Null => self.sink.null(),
            Value::Bool(bool) => self.sink.bool(*bool),
            Value::Number(value) => self.number(*value),
            Value::BigInt(value) => {
                let digits = digits(value);
                let length = digits.len().saturating_add(CONTAINER_BYTES);
                self.spend(length, length)?;
                self.begin("bigint");
                self.sink.key("value");
                self.sink.text(&digits);
                self.sink.end_map();
            }
            Value::String(value) => self.words(value)?,
            Value::Hole => self.tagged("hole"),
            Value::Reference(index) => {
                self.begin("ref");
                self.sink.key("id");
                self.sink.integer(i64::from(*index));
                self.sink.end_map();
            }
            // Objects do not come here, except inside of a box, where there can be none.
            _ => self.tagged("too-deep"),
        }
        Ok(())
    }

    /// A string, in either form.
    fn words(&mut self, text: &Text) -> Step {
        if let Some(text) = text.as_str() {
            self.spend(text.len(), text.len())?;
            self.sink.text(text);
            return Ok(());
        }
        let units = text.to_utf16();
        let room = units.len().saturating_mul(size_of::<Json>());
        self.spend(units.len().saturating_mul(4), room)?;
        self.begin("string");
        self.sink.key("units");
        self.sink.begin_list();
        for unit in units {
            self.sink.integer(i64::from(unit));
        }
        self.sink.end_list();
        self.sink.end_map();
        Ok(())
    }

    fn number(&mut self, value: f64) {
        // 2^63; below it an integer has an exact `i64`.
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if value.fract() == 0.0 && value.abs() < LIMIT && (value != 0.0 || value.is_sign_positive())
        {
            #[expect(clippy::cast_possible_truncation, reason = "an integer within range")]
            self.sink.integer(value as i64);
            return;
        }
        let name = match value {
            _ if value.is_nan() => "NaN",
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            0.0 => "-0",
            _ => return self.sink.float(value),
        };
        self.begin("number");
        self.sink.key("value");
        self.sink.text(name);
        self.sink.end_map();
    }

    fn time(&mut self, time: f64) {
        if time.is_nan() {
            return self.sink.null();
        }
        match date::to_iso(time) {
            Some(text) => self.sink.text(&text),
            None => self.number(time),
        }
    }

    /// Begins an object of a kind.
    fn begin(&mut self, kind: &str) {
        self.sink.begin_map();
        self.sink.key("$");
        self.sink.text(kind);
    }

    /// An object of a kind that needs no more to be said.
    fn tagged(&mut self, kind: &str) {
        self.begin(kind);
        self.sink.end_map();
    }
}

/// Whether a JSON object can say these properties.
fn can_be_plain(properties: &[(Text, Value)]) -> bool {
    let mut seen = HashSet::with_capacity(properties.len());
    properties.iter().all(|(key, _)| {
        key.as_str()
            .is_some_and(|key| key != "$" && seen.insert(key))
    })
}
