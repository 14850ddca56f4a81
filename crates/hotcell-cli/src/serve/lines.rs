//! From bytes to messages.

use std::io::{self, BufRead};

use serde::Deserialize as _;
use serde_json::Value as Json;

/// Brackets in brackets. What is deeper could not be a value either.
const MAX_NESTING: usize = 1000;

pub(super) enum Line {
    Message(Json),
    Malformed(String),
    End,
}

/// Reads lines of limited length.
pub(super) struct Lines<R> {
    from: R,
    max: usize,
    line: Vec<u8>,
    weight: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R, max: usize) -> Self {
        Self {
            from,
            max,
            line: Vec::new(),
            weight: 0,
        }
    }

    /// How many bytes of memory the last message takes, about.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// The next line that is not empty.
    pub(super) fn next(&mut self) -> io::Result<Line> {
        loop {
            self.line.clear();
            // A large line must not take its memory for ever.
            self.line.shrink_to(1 << 20);
            let mut is_too_long = false;
            let is_end = loop {
                let buffer = match self.from.fill_buf() {
                    Ok(buffer) => buffer,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                if buffer.is_empty() {
                    break true;
                }
                let at = buffer.iter().position(|byte| *byte == b'\n');
                let part = buffer.get(..at.unwrap_or(buffer.len())).unwrap_or_default();
                if self.line.len() + part.len() > self.max {
                    is_too_long = true;
                    self.line.clear();
                } else if !is_too_long {
                    self.line.extend_from_slice(part);
                }
                let used = part.len() + usize::from(at.is_some());
                self.from.consume(used);
                if at.is_some() {
                    break false;
                }
            };
            if is_too_long {
                let max = self.max;
                return Ok(Line::Malformed(format!(
                    "a line is longer than {max} bytes (--max-line)"
                )));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(self.parse());
            }
            if is_end {
                return Ok(Line::End);
            }
        }
    }
}

impl<R> Lines<R> {
    fn parse(&mut self) -> Line {
        let Shape { nesting, weight } = Shape::of(&self.line);
        self.weight = weight;
        if nesting > MAX_NESTING {
            return Line::Malformed(format!(
                "the message is nested more than {MAX_NESTING} levels deep"
            ));
        }
        if weight > self.max.saturating_mul(GROWTH) {
            let max = self.max;
            return Line::Malformed(format!(
                "the message would take about {weight} bytes of memory, {GROWTH} times what a line may have ({max} bytes, --max-line) and more: send less at once"
            ));
        }
        match read(&self.line) {
            Ok(json) => Line::Message(json),
            Err(problem) => Line::Malformed(problem),
        }
    }
}

/// Whoever calls this has looked how deep it is, on a stack that has room for it.
fn read(line: &[u8]) -> Result<Json, String> {
    let mut parser = serde_json::Deserializer::from_slice(line);
    parser.disable_recursion_limit();
    let json = Json::deserialize(&mut parser).and_then(|json| parser.end().map(|()| json));
    json.map_err(|error| format!("the line is no JSON: {error}"))
}

/// What bytes say in JSON, up to the depth that lines may have. For threads with much stack.
pub(crate) fn parse_json(bytes: &[u8]) -> Result<Json, String> {
    if nesting(bytes) > MAX_NESTING {
        return Err(format!(
            "the message is nested more than {MAX_NESTING} levels deep"
        ));
    }
    read(bytes)
}

/// How deeply brackets are nested, at most, in what may or may not be JSON.
pub(crate) fn nesting(text: &[u8]) -> usize {
    Shape::of(text).nesting
}

/// How many times as much memory as its longest line may have a message may take once it is read.
const GROWTH: usize = 4;
/// What a value takes of memory once it is read, while the list that it is in grows; an object and its properties take more.
const VALUE: usize = 2 * size_of::<Json>();
const OBJECT: usize = 512;

/// What a text would be once it is read, whether or not it is JSON.
#[derive(Default)]
struct Shape {
    /// How deeply brackets are nested, at most.
    nesting: usize,
    /// How much memory it takes, about.
    weight: usize,
}

impl Shape {
    fn of(text: &[u8]) -> Self {
        let mut shape = Self {
            nesting: 0,
            weight: text.len(),
        };
        let mut depth = 0usize;
        let mut in_string = false;
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => in_string = !in_string,
                b'\\' if in_string => {
                    bytes.next();
                }
                b',' if !in_string => shape.weight += VALUE,
                b'[' | b'{' if !in_string => {
                    depth += 1;
                    shape.nesting = shape.nesting.max(depth);
                    shape.weight += OBJECT;
                }
                b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        shape
    }
}
