//! Reading YAML.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashMap,
};

use hotcell_process::Process;
use saphyr_parser::{Event, Input, Parser, ScalarStyle, Tag};

use super::super::jq::{
    print,
    stop::Stop,
    value::{Array, Heap, MOST_DEPTH, Object, Value},
};
use crate::languages::budget::Held;

/// What an anchor takes beside what it stands for.
const ANCHOR_COST: usize = 64;

/// So many keys are shared.
const SHARED_NAMES: usize = 1024;

enum Open {
    Array(Array),
    Object {
        object: Object,
        key: Option<Value>,
        /// The key is `<<` without quotes.
        merges: bool,
    },
}

struct Reader<'h> {
    process: &'h Process,
    heap: &'h Heap,
    /// What is open, with the number of its anchor.
    open: Vec<(Open, usize)>,
    anchors: HashMap<usize, (Value, Held)>,
    documents: Array,
    /// Keys that were seen: the mappings of a sequence mostly have the same ones.
    names: HashMap<String, Value>,
}

/// The documents of a text, in an array.
pub(super) fn read(
    process: &Process,
    heap: &Heap,
    text: &[u8],
) -> Result<Result<Value, String>, Stop> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(Err("it is not UTF-8".to_owned()));
    };
    let reader = Reader {
        process,
        heap,
        open: Vec::new(),
        anchors: HashMap::new(),
        documents: heap.open_array()?,
        names: HashMap::new(),
    };
    if memchr::memchr2_iter(b'[', b'{', text.as_bytes())
        .next()
        .is_none()
    {
        return reader.documents(Parser::new_from_str(text), None);
    }
    let ahead = Ahead {
        process,
        heap,
        taken: Cell::new(0),
        held: RefCell::new(heap.0.hold(0)?),
        refused: RefCell::new(None),
    };
    let characters = ahead.watched(text);
    reader.documents(Parser::new_from_iter(characters), Some(&ahead))
}

/// What a character that ends or begins a part of a collection in brackets may take in the parser: some tokens, in a queue that
/// doubles as it grows.
const TOKENS: usize = 400;

/// How far the parser has read ahead of what it has said. A collection in brackets may be the key of a mapping, so that the parser
/// says nothing of it before its end, and keeps it in pieces until then.
struct Ahead<'h> {
    process: &'h Process,
    heap: &'h Heap,
    taken: Cell<usize>,
    held: RefCell<Held>,
    refused: RefCell<Option<Stop>>,
}

impl Ahead<'_> {
    /// The characters of a text. They end when there is no memory for what they become.
    fn watched<'t>(&'t self, text: &'t str) -> impl Iterator<Item = char> + 't {
        text.chars().map_while(|character| {
            self.process.spend(4);
            self.taken.set(self.taken.get() + 1);
            if matches!(character, ',' | ':' | '?' | '[' | ']' | '{' | '}')
                && let Err(error) = self.held.borrow_mut().grow(TOKENS)
            {
                *self.refused.borrow_mut() = Some(error.into());
            }
            self.refused.borrow().is_none().then_some(character)
        })
    }

    /// The parser has said what there is up to a place.
    fn reached(&self, at: usize) -> Result<(), Stop> {
        if let Some(stop) = self.refused.borrow_mut().take() {
            return Err(stop);
        }
        // A line of a mapping at most.
        if self.taken.get().saturating_sub(at) <= 2048 {
            *self.held.borrow_mut() = self.heap.0.hold(0)?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn documents<I: Input>(
        mut self,
        parser: Parser<'_, I>,
        ahead: Option<&Ahead<'_>>,
    ) -> Result<Result<Value, String>, Stop> {
        let reader = &mut self;
        let process = reader.process;
        let mut is_empty = true;
        let mut last = 0;
        let mut parser = parser.keep_tags(true);
        while let Some(event) = parser.next_event() {
            let (event, span) = match event {
                Ok(event) => event,
                Err(wrong) => {
                    if let Some(ahead) = ahead {
                        ahead.reached(usize::MAX)?;
                    }
                    let place = wrong.marker();
                    return Ok(Err(format!(
                        "{} at line {}, column {}",
                        wrong.info(),
                        place.line(),
                        place.col() + 1
                    )));
                }
            };
            let at = span.end.index();
            process.spend(at.saturating_sub(last) * 4 + 32);
            last = at;
            if let Some(ahead) = ahead {
                ahead.reached(at)?;
            }
            match event {
                Event::DocumentStart(_) => {
                    is_empty = true;
                    reader.anchors.clear();
                }
                Event::DocumentEnd if is_empty => reader.documents.push(Value::Null)?,
                Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) => is_empty = false,
                Event::MappingStart(..) => is_empty = false,
                _ => {}
            }
            if let Err(wrong) = reader.event(event)? {
                let (line, column) = (span.start.line(), span.start.col() + 1);
                return Ok(Err(format!("{wrong} at line {line}, column {column}")));
            }
        }
        Ok(Ok(self.documents.close()))
    }

    fn event(&mut self, event: Event<'_>) -> Result<Result<(), String>, Stop> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                // The name of a key is its text, whatever it would be as a value.
                if let Some((Open::Object { key, merges, .. }, _)) = self.open.last_mut()
                    && key.is_none()
                {
                    *merges = is_plain && text == "<<";
                    let name = match self.names.get(text.as_ref()) {
                        Some(known) => known.clone(),
                        None => {
                            let name = self.heap.string(text.as_ref())?;
                            if self.names.len() < SHARED_NAMES && text.len() <= 64 {
                                self.names.insert(text.into_owned(), name.clone());
                            }
                            name
                        }
                    };
                    *key = Some(name.clone());
                    self.anchor(anchor, &name)?;
                    return Ok(Ok(()));
                }
                let value = self.scalar(text, is_plain, tag.as_deref())?;
                self.anchor(anchor, &value)?;
                self.add(value)
            }
            Event::Alias(number) => {
                let Some((value, _)) = self.anchors.get(&number) else {
                    return Ok(Err("an alias inside of what it stands for".to_owned()));
                };
                let value = value.clone();
                self.add(value)
            }
            Event::SequenceStart(anchor, _) => {
                let open = Open::Array(self.heap.open_array()?);
                Ok(self.begin(open, anchor))
            }
            Event::MappingStart(anchor, _) => {
                let open = Open::Object {
                    object: self.heap.open_object()?,
                    key: None,
                    merges: false,
                };
                Ok(self.begin(open, anchor))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (value, anchor) = match self.open.pop() {
                    Some((Open::Array(array), anchor)) => (array.close(), anchor),
                    Some((Open::Object { object, .. }, anchor)) => (object.close(), anchor),
                    None => return Err(Stop::fault()),
                };
                self.anchor(anchor, &value)?;
                self.add(value)
            }
            _ => Ok(Ok(())),
        }
    }

    fn begin(&mut self, open: Open, anchor: usize) -> Result<(), String> {
        if self.open.len() >= MOST_DEPTH as usize {
            return Err("nested too deeply".to_owned());
        }
        self.open.push((open, anchor));
        Ok(())
    }

    fn anchor(&mut self, number: usize, value: &Value) -> Result<(), Stop> {
        if number > 0 {
            let held = self.heap.0.hold(ANCHOR_COST)?;
            self.anchors.insert(number, (value.clone(), held));
        }
        Ok(())
    }

    /// Puts a value where it belongs.
    fn add(&mut self, value: Value) -> Result<Result<(), String>, Stop> {
        match self.open.last_mut() {
            None => self.documents.push(value)?,
            Some((Open::Array(array), _)) => array.push(value)?,
            Some((
                Open::Object {
                    object,
                    key,
                    merges,
                },
                _,
            )) => match key.take() {
                None => {
                    *merges = false;
                    *key = Some(match value {
                        Value::String(_) => value,
                        other => {
                            let text = print::compact(self.process, self.heap, &other)?;
                            self.heap.string(text)?
                        }
                    });
                }
                Some(_) if *merges => return merge(self.process, object, &value),
                Some(Value::String(key)) => object.set(key, value)?,
                Some(_) => return Err(Stop::fault()),
            },
        }
        Ok(Ok(()))
    }

    fn scalar(&self, text: Cow<'_, str>, is_plain: bool, tag: Option<&Tag>) -> Result<Value, Stop> {
        let core = tag.filter(|tag| tag.is_yaml_core_schema());
        match core.map(|tag| tag.suffix.as_str()) {
            Some("int" | "float" | "bool" | "null") => {}
            Some(_) => return self.heap.string(text),
            None if !is_plain => return self.heap.string(text),
            None => {}
        }
        match resolve(&text) {
            Plain::Null => Ok(Value::Null),
            Plain::Bool(value) => Ok(Value::Bool(value)),
            Plain::Number(value) => Ok(Value::Number(value)),
            Plain::Decimal => match self.heap.literal(text.trim_start_matches('+'))? {
                Some(number) => Ok(number),
                None => self.heap.string(text),
            },
            Plain::Text => self.heap.string(text),
        }
    }
}

/// `<<`: entries of another object, or of several, that are not there yet.
fn merge(
    process: &Process,
    object: &mut Object,
    value: &Value,
) -> Result<Result<(), String>, Stop> {
    let sources = match value {
        Value::Array(array) => array.items.as_slice(),
        other => std::slice::from_ref(other),
    };
    for source in sources {
        let Value::Object(source) = source else {
            return Ok(Err("only mappings can be merged".to_owned()));
        };
        for (key, value) in &source.map {
            process.spend(16);
            if !object.map.contains_key(&key.text) {
                object.set(std::rc::Rc::clone(key), value.clone())?;
            }
        }
    }
    Ok(Ok(()))
}

/// What a scalar without quotes means.
pub(super) enum Plain {
    Null,
    Bool(bool),
    Number(f64),
    /// A number in decimal digits.
    Decimal,
    Text,
}

/// What a scalar without quotes means by the core schema; but a number that begins with zero is octal, as the programs that read
/// such files have it.
pub(super) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Number(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Plain::Number(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Plain::Number(f64::NEG_INFINITY),
        _ => {}
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.starts_with('+')
            && let Ok(number) = u64::from_str_radix(digits, radix)
        {
            #[allow(clippy::cast_precision_loss, reason = "doubles are what there is")]
            return Plain::Number(number as f64);
        }
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_digit = digits
        .trim_start_matches('.')
        .starts_with(|c: char| c.is_ascii_digit());
    if digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        #[allow(clippy::cast_precision_loss, reason = "doubles are what there is")]
        return match i64::from_str_radix(text, 8) {
            Ok(number) => Plain::Number(number as f64),
            Err(_) => Plain::Text,
        };
    }
    if has_digit
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && digits.parse::<f64>().is_ok()
    {
        return Plain::Decimal;
    }
    Plain::Text
}
