//! Values as a person reads them, in the manner of Node's `util.inspect`.

mod elements;
mod layout;
mod paint;
mod text;

use std::collections::HashMap;

use crate::json::{digits, to_json};
use hotcell_cell::{ErrorValue, MAX_DEPTH, Text, Value, View, ViewKind};
use layout::Piece;
pub use paint::{Ink, Paint, Plain};
pub use text::{number, visible};

/// Objects deeper than this are only named.
const DEPTH: u32 = 8;
/// Elements shown of one object.
const ELEMENTS: usize = 100;
/// Pieces shown altogether: an object that holds another twice, which holds another twice, has no end otherwise.
const PIECES: usize = 20_000;
/// Characters shown of a string that is inside something else.
const STRING: usize = 10_000;
/// Characters shown altogether, for the same reason.
const CHARACTERS: usize = 1 << 20;

/// `value` as source code would have it, as far as there is source code for it.
///
/// What is large is cut, and says so; it is never an endless text, whatever the value.
///
/// ```
/// use hotcell_cell::Value;
/// use hotcell_executor::inspect::{Plain, inspect};
///
/// let value = Value::object([("city", Value::from("Lisbon")), ("days", Value::array([1.into(), 2.into()]))]);
/// assert_eq!(inspect(&value, &Plain), "{ city: 'Lisbon', days: [ 1, 2 ] }");
/// ```
pub fn inspect(value: &Value, paint: &dyn Paint) -> String {
    let mut objects = Vec::new();
    number_objects(value, MAX_DEPTH, &mut objects);
    let mut inspector = Inspector {
        numbers: (0..)
            .zip(&objects)
            .map(|(number, object)| (std::ptr::from_ref(*object), number))
            .collect(),
        objects,
        ancestors: Vec::new(),
        circular: Vec::new(),
        pieces: PIECES,
        characters: CHARACTERS,
    };
    layout::render(&inspector.value(value), paint)
}

/// Every object of a tree, in the order of [`Value::Reference`].
fn number_objects<'a>(value: &'a Value, depth: u32, objects: &mut Vec<&'a Value>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if !value.is_object() {
        return;
    }
    objects.push(value);
    for inner in children(value) {
        number_objects(inner, depth, objects);
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) | Value::Set(values) => values.iter().collect(),
        Value::Object(properties) => properties.iter().map(|(_, value)| value).collect(),
        Value::Map(entries) => entries
            .iter()
            .flat_map(|(key, value)| [key, value])
            .collect(),
        Value::View(view) => vec![&view.buffer],
        Value::Error(error) => error
            .cause
            .iter()
            .chain(error.properties.iter().map(|(_, value)| value))
            .collect(),
        _ => Vec::new(),
    }
}

struct Inspector<'a> {
    objects: Vec<&'a Value>,
    /// Back from an object, by its address, to its place in `objects`.
    numbers: HashMap<*const Value, u32>,
    /// What is being shown, from the outside in.
    ancestors: Vec<u32>,
    /// Objects that were met inside of themselves; each is shown with its place in this list.
    circular: Vec<u32>,
    pieces: usize,
    /// How many characters may still be shown.
    characters: usize,
}

impl<'a> Inspector<'a> {
    fn value(&mut self, value: &'a Value) -> Piece {
        match value {
            Value::Undefined => Piece::atom(Ink::Dim, "undefined"),
            Value::Null => Piece::atom(Ink::Bold, "null"),
            Value::Bool(bool) => Piece::atom(Ink::Yellow, bool.to_string()),
            Value::Number(value) => Piece::atom(Ink::Yellow, number(*value)),
            Value::BigInt(value) => self.words(Ink::Yellow, format!("{}n", digits(value))),
            Value::String(value) => {
                let most = STRING.min(self.characters);
                self.words(Ink::Green, text::quoted(value, most))
            }
            Value::Hole => Piece::atom(Ink::Dim, "<1 empty item>"),
            Value::Reference(index) => self.reference(*index),
            value => self.object(value),
        }
    }

    /// Text of the value's own, of any length.
    fn words(&mut self, ink: Ink, text: impl Into<String>) -> Piece {
        let text = text.into();
        self.characters = self.characters.saturating_sub(text.len());
        Piece::atom(ink, text)
    }

    fn reference(&mut self, index: u32) -> Piece {
        if self.ancestors.contains(&index) {
            let at = self.circular.iter().position(|one| *one == index);
            let at = at.unwrap_or_else(|| {
                self.circular.push(index);
                self.circular.len() - 1
            });
            return Piece::atom(Ink::Cyan, format!("[Circular *{}]", at + 1));
        }
        match usize::try_from(index)
            .ok()
            .and_then(|index| self.objects.get(index))
        {
            Some(object) => self.object(object),
            None => Piece::atom(Ink::Cyan, "[Missing]"),
        }
    }

    fn object(&mut self, value: &'a Value) -> Piece {
        self.pieces = self.pieces.saturating_sub(1);
        let is_enough = self.pieces == 0 || self.characters == 0;
        if self.ancestors.len() >= DEPTH as usize || is_enough {
            return Piece::atom(Ink::Cyan, format!("[{}]", name(value)));
        }
        let number = self.numbers.get(&std::ptr::from_ref(value)).copied();
        self.ancestors.push(number.unwrap_or(u32::MAX));
        let piece = self.open(value);
        self.ancestors.pop();
        let circular =
            number.and_then(|number| self.circular.iter().position(|one| *one == number));
        match circular {
            Some(at) => piece.before(Ink::Cyan, format!("<ref *{}> ", at + 1)),
            None => piece,
        }
    }

    fn open(&mut self, value: &'a Value) -> Piece {
        match value {
            Value::Array(elements) => self.array(elements),
            Value::Object(properties) => Piece::group("{", self.properties(properties), "}"),
            Value::Map(entries) => {
                let mut items = Vec::new();
                for (key, value) in entries.iter().take(ELEMENTS) {
                    items.push(Piece::pair(self.value(key), " => ", self.value(value)));
                }
                more(&mut items, entries.len(), "item");
                Piece::group(format!("Map({}) {{", entries.len()), items, "}")
            }
            Value::Set(values) => {
                let mut items: Vec<Piece> = values
                    .iter()
                    .take(ELEMENTS)
                    .map(|value| self.value(value))
                    .collect();
                more(&mut items, values.len(), "item");
                Piece::group(format!("Set({}) {{", values.len()), items, "}")
            }
            Value::Date(_) => match to_json(value).get("value").and_then(|text| text.as_str()) {
                Some(iso) => Piece::atom(Ink::Magenta, iso),
                None => Piece::atom(Ink::Magenta, "Invalid Date"),
            },
            Value::RegExp { source, flags } => {
                let text = format!("/{source}/{flags}");
                self.words(Ink::Red, visible(&text))
            }
            Value::Buffer(bytes) => buffer(bytes),
            Value::View(view) => self.view(view),
            Value::Error(error) => self.error(error),
            Value::Boxed(inner) => {
                let shown = self.value(inner).plain();
                Piece::atom(Ink::Cyan, format!("[{}: {shown}]", name(value)))
            }
            _ => Piece::atom(Ink::Cyan, format!("[{}]", name(value))),
        }
    }

    fn array(&mut self, elements: &'a [Value]) -> Piece {
        let mut items = Vec::new();
        let mut rest = elements;
        while items.len() < ELEMENTS
            && let Some(first) = rest.first()
        {
            let holes = rest
                .iter()
                .take_while(|value| **value == Value::Hole)
                .count();
            if holes > 0 {
                let plural = if holes == 1 { "" } else { "s" };
                items.push(Piece::atom(
                    Ink::Dim,
                    format!("<{holes} empty item{plural}>"),
                ));
            } else {
                items.push(self.value(first));
            }
            rest = rest.get(holes.max(1)..).unwrap_or_default();
        }
        if !rest.is_empty() {
            items.push(ellipsis(rest.len(), "item"));
        }
        Piece::list("[", items, "]")
    }

    fn properties(&mut self, properties: &'a [(Text, Value)]) -> Vec<Piece> {
        let mut items = Vec::new();
        for (key, value) in properties.iter().take(ELEMENTS) {
            let key = self.words(Ink::Plain, text::key(key, STRING));
            items.push(Piece::pair(key, ": ", self.value(value)));
        }
        more(&mut items, properties.len(), "property");
        items
    }

    fn view(&mut self, view: &'a View) -> Piece {
        let buffer = match &view.buffer {
            Value::Reference(index) => usize::try_from(*index)
                .ok()
                .and_then(|index| self.objects.get(index))
                .copied(),
            buffer => Some(buffer),
        };
        let name = view.kind.name();
        let Some(Value::Buffer(bytes)) = buffer else {
            return Piece::atom(Ink::Cyan, format!("[{name}]"));
        };
        if view.kind == ViewKind::DataView {
            let item = |key: &str, value: u32| {
                Piece::pair(
                    Piece::atom(Ink::Plain, key),
                    ": ",
                    Piece::atom(Ink::Yellow, value.to_string()),
                )
            };
            let items = vec![
                item("byteLength", view.length),
                item("byteOffset", view.offset),
            ];
            return Piece::group("DataView {", items, "}");
        }
        let length = view.length as usize;
        let mut items: Vec<Piece> = elements::elements(view, bytes)
            .take(ELEMENTS)
            .map(|element| Piece::atom(Ink::Yellow, element))
            .collect();
        more(&mut items, length, "item");
        Piece::list(format!("{name}({length}) ["), items, "]")
    }

    fn error(&mut self, error: &'a ErrorValue) -> Piece {
        let head = error.to_string();
        let stack = error.stack.to_string();
        let told = if stack.is_empty() {
            format!("[{head}]")
        } else if stack.starts_with(&head) {
            stack
        } else {
            format!("{head}\n{stack}")
        };
        let mut items = self.properties(&error.properties);
        if let Some(cause) = &error.cause {
            items.push(Piece::pair(
                Piece::atom(Ink::Plain, "[cause]"),
                ": ",
                self.value(cause),
            ));
        }
        let told = self.words(Ink::Plain, visible(told.trim_end()));
        if items.is_empty() {
            told
        } else {
            Piece::group("{", items, "}").before(Ink::Plain, told.plain() + " ")
        }
    }
}

fn buffer(bytes: &[u8]) -> Piece {
    let mut hex: Vec<String> = bytes
        .iter()
        .take(50)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if bytes.len() > hex.len() {
        hex.push(format!("... {} more bytes", bytes.len() - hex.len()));
    }
    let contents = Piece::pair(
        Piece::atom(Ink::Plain, "[Uint8Contents]"),
        ": ",
        Piece::atom(Ink::Plain, format!("<{}>", hex.join(" "))),
    );
    let length = Piece::pair(
        Piece::atom(Ink::Plain, "byteLength"),
        ": ",
        Piece::atom(Ink::Yellow, bytes.len().to_string()),
    );
    Piece::group("ArrayBuffer {", vec![contents, length], "}")
}

fn more(items: &mut Vec<Piece>, all: usize, of: &str) {
    if all > items.len() {
        items.push(ellipsis(all - items.len(), of));
    }
}

fn ellipsis(count: usize, of: &str) -> Piece {
    let of = match (count, of) {
        (1, of) => of.to_owned(),
        (_, "property") => "properties".to_owned(),
        (_, of) => format!("{of}s"),
    };
    Piece::atom(Ink::Plain, format!("... {count} more {of}"))
}

/// What an object is called that is not shown.
fn name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "Array",
        Value::Map(_) => "Map",
        Value::Set(_) => "Set",
        Value::Date(_) => "Date",
        Value::RegExp { .. } => "RegExp",
        Value::Buffer(_) => "ArrayBuffer",
        Value::View(view) => view.kind.name(),
        Value::Error(_) => "Error",
        Value::Boxed(inner) => match **inner {
            Value::Bool(_) => "Boolean",
            Value::Number(_) => "Number",
            Value::BigInt(_) => "BigInt",
            _ => "String",
        },
        _ => "Object",
    }
}
