//! Reading JSON, piece by piece.
//!
//! A [`Parser`] holds the containers that are open, so that it goes on where the last piece ended; nothing calls itself, however
//! deep the text is.

use std::rc::Rc;

use hotcell_process::Process;
use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::{
    stop::Stop,
    value::{Array, Heap, Object, Text, Value},
};

/// How deep a text may be.
const MOST_DEPTH: usize = 10_000;

/// Keys that were seen lately are shared: the objects of an array mostly have the same ones.
const SHARED_KEYS: usize = 1024;

enum Open {
    Array(Array),
    Object(Object, Option<Rc<Text>>),
}

/// What is allowed next.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// A value; at the top, or behind a comma or colon.
    Value,
    /// A value or the end of the container that was just opened.
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

pub(crate) struct Parser {
    heap: Heap,
    open: Vec<Open>,
    expect: Expect,
    keys: Vec<Option<Rc<Text>>>,
    /// Newlines before what is in the buffer, and bytes of the line that it begins in.
    lines: usize,
    columns: usize,
    /// A record separator ends what is before it.
    pub(crate) is_sequence: bool,
}

/// What came of a piece of text.
pub(crate) enum Step {
    /// A value; this much of the text was used.
    Value(Value, usize),
    /// Everything was looked at; from here on, more text is needed.
    More(usize),
}

pub(crate) struct Wrong {
    pub(crate) text: String,
    pub(crate) at: usize,
}

impl Parser {
    pub(crate) fn new(heap: &Heap) -> Self {
        Self {
            heap: heap.clone(),
            open: Vec::new(),
            expect: Expect::Value,
            keys: vec![None; SHARED_KEYS],
            lines: 0,
            columns: 0,
            is_sequence: false,
        }
    }

    /// Forgets what was begun.
    pub(crate) fn reset(&mut self) {
        self.open.clear();
        self.expect = Expect::Value;
    }

    /// Counts text that is gone from the buffer.
    pub(crate) fn passed(&mut self, text: &[u8]) {
        self.lines += memchr_iter(b'\n', text).count();
        match memrchr(b'\n', text) {
            Some(last) => self.columns = text.len() - last - 1,
            None => self.columns += text.len(),
        }
    }

    /// Where a byte of the buffer is: line and column.
    pub(crate) fn place(&self, before: &[u8]) -> (usize, usize) {
        let lines = memchr_iter(b'\n', before).count();
        let column = match memrchr(b'\n', before) {
            Some(last) => before.len() - last - 1,
            None => self.columns + before.len(),
        };
        (self.lines + lines + 1, column)
    }

    pub(crate) fn lines_passed(&self) -> usize {
        self.lines
    }

    /// Goes on to the next value. With `is_end` the text is all that there is.
    pub(crate) fn step(
        &mut self,
        process: &Process,
        text: &[u8],
        is_end: bool,
    ) -> Result<Result<Step, Wrong>, Stop> {
        let mut at = 0;
        macro_rules! wrong {
            ($at:expr, $text:expr) => {
                return Ok(Err(Wrong {
                    text: $text.into(),
                    at: $at,
                }))
            };
        }
        let mut spent = 0;
        loop {
            process.spend((at - spent) / 8 + 1);
            spent = at;
            let Some(byte) = text.get(at) else {
                if is_end && !self.open.is_empty() {
                    wrong!(at, "Unfinished JSON term at EOF");
                }
                return Ok(Ok(Step::More(at)));
            };
            let value = match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    at += 1;
                    continue;
                }
                0x1e if self.is_sequence => {
                    if !self.open.is_empty() {
                        wrong!(at + 1, "Potentially truncated top-level value");
                    }
                    at += 1;
                    continue;
                }
                0xef if self.open.is_empty() && text.get(at..at + 3) == Some(b"\xef\xbb\xbf") => {
                    at += 3;
                    continue;
                }
                b',' => {
                    match (self.expect, self.open.last()) {
                        (Expect::CommaOrEnd, Some(Open::Array(_))) => self.expect = Expect::Value,
                        (Expect::CommaOrEnd, Some(Open::Object(..))) => self.expect = Expect::Key,
                        (Expect::Colon, _) => {
                            wrong!(at + 1, "Objects must consist of key:value pairs")
                        }
                        (_, None) if self.expect == Expect::Value => {
                            wrong!(at + 1, "Expected value before ','")
                        }
                        _ => wrong!(at + 1, "Expected value before ','"),
                    }
                    at += 1;
                    continue;
                }
                b':' => {
                    if self.expect != Expect::Colon {
                        match self.open.last() {
                            Some(Open::Object(..)) if self.expect == Expect::KeyOrEnd => {
                                wrong!(at + 1, "Expected string key before ':'")
                            }
                            Some(Open::Object(..)) => {
                                wrong!(at + 1, "':' should follow a key")
                            }
                            Some(Open::Array(_)) => {
                                wrong!(at + 1, "':' as part of an object outside of an object")
                            }
                            None => wrong!(at + 1, "':' not as part of an object"),
                        }
                    }
                    self.expect = Expect::Value;
                    at += 1;
                    continue;
                }
                b']' => match (self.open.pop(), self.expect) {
                    (Some(Open::Array(array)), Expect::ValueOrEnd | Expect::CommaOrEnd) => {
                        at += 1;
                        array.close()
                    }
                    (Some(Open::Array(_)), _) => wrong!(at + 1, "Expected another array element"),
                    (Some(Open::Object(..)), _) => {
                        wrong!(at + 1, "Unmatched ']' in the middle of an object")
                    }
                    (None, _) => wrong!(at + 1, "Unmatched ']'"),
                },
                b'}' => match (self.open.pop(), self.expect) {
                    (Some(Open::Object(object, None)), Expect::KeyOrEnd | Expect::CommaOrEnd) => {
                        at += 1;
                        object.close()
                    }
                    (Some(Open::Object(..)), Expect::Key) => {
                        wrong!(at + 1, "Expected another key-value pair")
                    }
                    (Some(Open::Object(..)), _) => {
                        wrong!(at + 1, "Objects must consist of key:value pairs")
                    }
                    (Some(Open::Array(_)), _) => {
                        wrong!(at + 1, "Unmatched '}' in the middle of an array")
                    }
                    (None, _) => wrong!(at + 1, "Unmatched '}'"),
                },
                _ if self.expect == Expect::CommaOrEnd => {
                    wrong!(at + 1, "Expected separator between values")
                }
                _ if self.expect == Expect::Colon => {
                    wrong!(at + 1, "Objects must consist of key:value pairs")
                }
                b'[' | b'{' => {
                    if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) {
                        wrong!(at + 1, "Object keys must be strings");
                    }
                    if self.open.len() >= MOST_DEPTH {
                        wrong!(at + 1, "Exceeds depth limit for parsing");
                    }
                    if *byte == b'[' {
                        self.open.push(Open::Array(self.heap.open_array()?));
                        self.expect = Expect::ValueOrEnd;
                    } else {
                        self.open.push(Open::Object(self.heap.open_object()?, None));
                        self.expect = Expect::KeyOrEnd;
                    }
                    at += 1;
                    continue;
                }
                b'"' => {
                    let Some(end) = end_of_string(text, at + 1) else {
                        if is_end {
                            wrong!(text.len(), "Unfinished string at EOF");
                        }
                        return Ok(Ok(Step::More(at)));
                    };
                    let inside = text.get(at + 1..end).unwrap_or_default();
                    self.heap.room_for_text(inside.len())?;
                    let is_key = matches!(self.expect, Expect::Key | Expect::KeyOrEnd);
                    if is_key {
                        let key = match self.key(inside)? {
                            Ok(key) => key,
                            Err(text) => wrong!(end + 1, text),
                        };
                        if let Some(Open::Object(_, pending)) = self.open.last_mut() {
                            *pending = Some(key);
                        }
                        self.expect = Expect::Colon;
                        at = end + 1;
                        continue;
                    }
                    at = end + 1;
                    // Short ones come again and again.
                    if inside.len() <= 16 {
                        match self.key(inside)? {
                            Ok(text) => Value::String(text),
                            Err(text) => wrong!(at, text),
                        }
                    } else {
                        match unescape(inside) {
                            Ok(string) => self.heap.string(string)?,
                            Err(text) => wrong!(at, text),
                        }
                    }
                }
                _ => {
                    if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) {
                        wrong!(at + 1, "Object keys must be strings");
                    }
                    let rest = text.get(at..).unwrap_or_default();
                    let length = rest
                        .iter()
                        .position(|byte| {
                            matches!(
                                byte,
                                b' ' | b'\t'
                                    | b'\n'
                                    | b'\r'
                                    | b','
                                    | b':'
                                    | b'['
                                    | b']'
                                    | b'{'
                                    | b'}'
                                    | b'"'
                                    | 0x1e
                            )
                        })
                        .unwrap_or(rest.len());
                    if length == rest.len() && !is_end {
                        return Ok(Ok(Step::More(at)));
                    }
                    let token = rest.get(..length).unwrap_or_default();
                    let behind = (at + length + 1).min(text.len());
                    at += length;
                    match token {
                        b"null" => Value::Null,
                        b"true" => Value::Bool(true),
                        b"false" => Value::Bool(false),
                        b"nan" | b"NaN" => Value::Number(f64::NAN),
                        _ => {
                            let is_word = matches!(token.first(), Some(b'n' | b't' | b'f'))
                                && matches!(token.len(), 4 | 5);
                            let number = match std::str::from_utf8(token) {
                                Ok(token) => self.heap.literal(token)?,
                                Err(_) => None,
                            };
                            match number {
                                Some(number) => number,
                                None if is_word => wrong!(behind, "Invalid literal"),
                                None if at == text.len() => {
                                    wrong!(at, "Invalid numeric literal at EOF")
                                }
                                None => wrong!(behind, "Invalid numeric literal"),
                            }
                        }
                    }
                }
            };
            match self.open.last_mut() {
                None => {
                    self.expect = Expect::Value;
                    return Ok(Ok(Step::Value(value, at)));
                }
                Some(Open::Array(array)) => array.push(value)?,
                Some(Open::Object(object, pending)) => {
                    if let Some(key) = pending.take() {
                        object.set(key, value)?;
                    }
                }
            }
            self.expect = Expect::CommaOrEnd;
        }
    }

    /// The text of a key, shared with the same key before.
    fn key(&mut self, inside: &[u8]) -> Result<Result<Rc<Text>, String>, Stop> {
        let hash = inside.iter().take(32).fold(inside.len(), |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(*byte))
        });
        let slot = hash % SHARED_KEYS;
        if let Some(Some(known)) = self.keys.get(slot)
            && known.text.as_bytes() == inside
            && !inside.contains(&b'\\')
        {
            return Ok(Ok(Rc::clone(known)));
        }
        let key = match unescape(inside) {
            Ok(text) => self.heap.text(text)?,
            Err(wrong) => return Ok(Err(wrong)),
        };
        if inside.len() <= 64
            && let Some(slot) = self.keys.get_mut(slot)
        {
            *slot = Some(Rc::clone(&key));
        }
        Ok(Ok(key))
    }
}

/// Where the quote that ends a string is.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let found = at + memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found + 2;
    }
}

fn unescape(inside: &[u8]) -> Result<String, String> {
    let Some(first) = memchr(b'\\', inside) else {
        return Ok(match std::str::from_utf8(inside) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(inside).into_owned(),
        });
    };
    let mut out = Vec::with_capacity(inside.len());
    let mut at = first;
    out.extend_from_slice(inside.get(..first).unwrap_or_default());
    while let Some(byte) = inside.get(at) {
        if *byte != b'\\' {
            let rest = inside.get(at..).unwrap_or_default();
            let plain = memchr(b'\\', rest).unwrap_or(rest.len());
            out.extend_from_slice(rest.get(..plain).unwrap_or_default());
            at += plain;
            continue;
        }
        let escape = inside.get(at + 1).copied().unwrap_or(b'\\');
        at += 2;
        out.push(match escape {
            b'"' | b'\\' | b'/' => escape,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut code = hex(inside, at).ok_or("Invalid escape")?;
                at += 4;
                if (0xd800..0xdc00).contains(&code)
                    && inside.get(at..at + 2) == Some(b"\\u")
                    && let Some(low) = hex(inside, at + 2)
                    && (0xdc00..0xe000).contains(&low)
                {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    at += 6;
                }
                let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                let mut buffer = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                continue;
            }
            _ => return Err("Invalid escape".to_owned()),
        });
    }
    Ok(String::from_utf8(out)
        .unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned()))
}

fn hex(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0, |code, digit| {
        Some(code * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// All values of a text in an array.
pub(crate) fn parse_all(
    process: &Process,
    heap: &Heap,
    text: &[u8],
) -> Result<Result<Value, String>, Stop> {
    let mut parser = Parser::new(heap);
    let mut all = heap.open_array()?;
    let mut rest = text;
    loop {
        match parser.step(process, rest, true)? {
            Ok(Step::Value(value, used)) => {
                all.push(value)?;
                rest = rest.get(used..).unwrap_or_default();
            }
            Ok(Step::More(_)) => return Ok(Ok(all.close())),
            Err(wrong) => return Ok(Err(wrong.text)),
        }
    }
}

/// The one value that a text is, for `fromjson` and arguments.
pub(crate) fn parse_one(
    process: &Process,
    heap: &Heap,
    text: &[u8],
) -> Result<Result<Option<Value>, String>, Stop> {
    let mut parser = Parser::new(heap);
    let wrong = |parser: &Parser, wrong: Wrong| {
        let (line, column) = parser.place(text.get(..wrong.at).unwrap_or(text));
        format!("{} at line {line}, column {column}", wrong.text)
    };
    let (value, used) = match parser.step(process, text, true)? {
        Ok(Step::Value(value, used)) => (value, used),
        Ok(Step::More(_)) => return Ok(Ok(None)),
        Err(fault) => return Ok(Err(wrong(&parser, fault))),
    };
    match parser.step(process, text.get(used..).unwrap_or_default(), true)? {
        Ok(Step::More(_)) => Ok(Ok(Some(value))),
        Ok(Step::Value(..)) => Ok(Err("Unexpected extra JSON values".to_owned())),
        Err(mut fault) => {
            fault.at += used;
            Ok(Err(wrong(&parser, fault)))
        }
    }
}
