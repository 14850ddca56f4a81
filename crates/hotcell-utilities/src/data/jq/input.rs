//! What a program is run on.

use std::{cell::RefCell, collections::VecDeque, io::Read};

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::{Input, Process, error_text, limit_error};

use super::{
    json::{Parser, Step},
    stop::Stop,
    value::{Heap, Value},
};
use crate::languages::budget::Held;

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// How inputs are read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mode {
    pub(crate) is_raw: bool,
    pub(crate) slurps: bool,
    pub(crate) streams: bool,
    pub(crate) is_sequence: bool,
}

/// The values of all files, one after the other.
pub(crate) struct Inputs<'p>(RefCell<State<'p>>);

struct State<'p> {
    heap: Heap,
    mode: Mode,
    files: VecDeque<BString>,
    file: Option<BString>,
    input: Option<Input<'p>>,
    parser: Parser,
    buffer: Vec<u8>,
    start: usize,
    is_over: bool,
    charge: Charge,
    /// Events that are still to be given, for `--stream`.
    events: VecDeque<Value>,
    has_slurped: bool,
    failed: bool,
}

impl<'p> Inputs<'p> {
    pub(crate) fn new(
        process: &Process,
        heap: &Heap,
        mode: Mode,
        files: Vec<BString>,
    ) -> std::io::Result<Self> {
        let mut parser = Parser::new(heap);
        parser.is_sequence = mode.is_sequence;
        let mut files: VecDeque<BString> = files.into();
        if files.is_empty() {
            files.push_back("-".into());
        }
        Ok(Self(RefCell::new(State {
            heap: heap.clone(),
            mode,
            files,
            file: None,
            input: None,
            parser,
            buffer: Vec::new(),
            start: 0,
            is_over: false,
            charge: process.charge(0)?,
            events: VecDeque::new(),
            has_slurped: false,
            failed: false,
        })))
    }

    /// Values that are there already.
    pub(crate) fn of(
        process: &Process,
        heap: &Heap,
        values: VecDeque<Value>,
    ) -> std::io::Result<Self> {
        let inputs = Self::new(process, heap, Mode::default(), Vec::new())?;
        {
            let mut state = inputs.0.borrow_mut();
            state.files.clear();
            state.is_over = true;
            state.events = values;
        }
        Ok(inputs)
    }

    /// Whether a file could not be read.
    pub(crate) fn failed(&self) -> bool {
        self.0.borrow().failed
    }

    pub(crate) fn file_name(&self) -> Option<String> {
        let state = self.0.borrow();
        let name = state.file.as_ref().filter(|name| name.as_slice() != b"-");
        name.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// How many lines were read.
    pub(crate) fn line(&self) -> usize {
        let state = self.0.borrow();
        let before = state.buffer.get(..state.start).unwrap_or_default();
        let after = state.buffer.get(state.start..).unwrap_or_default();
        let lines = state.parser.lines_passed() + memchr::memchr_iter(b'\n', before).count();
        lines + usize::from(!before.ends_with(b"\n") && memchr::memchr(b'\n', after).is_some())
    }

    /// Where the last value was, for messages.
    pub(crate) fn place(&self) -> String {
        let name = {
            let state = self.0.borrow();
            match &state.file {
                None => return "<unknown>".to_owned(),
                Some(name) if name.as_slice() == b"-" => "<stdin>".to_owned(),
                Some(name) => String::from_utf8_lossy(name).into_owned(),
            }
        };
        format!("{name}:{}", self.line())
    }

    /// The next value.
    pub(crate) fn next(&self, process: &'p Process) -> Result<Option<Value>, Stop> {
        self.0.borrow_mut().next(process)
    }
}

/// Bytes that grow, and are charged while they do.
pub(crate) struct Bytes {
    bytes: Vec<u8>,
    held: Held,
}

impl Bytes {
    pub(crate) fn new(heap: &Heap) -> Self {
        Self {
            bytes: Vec::new(),
            held: Held::nothing(&heap.0),
        }
    }

    /// All that an input has.
    pub(crate) fn read(heap: &Heap, input: &mut Input<'_>) -> std::io::Result<Self> {
        let mut all = Self::new(heap);
        let mut piece = vec![0; PIECE];
        loop {
            let count = input.read(&mut piece)?;
            if count == 0 {
                return Ok(all);
            }
            all.push(piece.get(..count).unwrap_or_default())?;
        }
    }

    pub(crate) fn push(&mut self, more: &[u8]) -> std::io::Result<()> {
        let needed = self.bytes.len() + more.len();
        let room = self.bytes.capacity();
        if needed > room {
            let wanted = needed.max(room.saturating_mul(2));
            self.held.grow(wanted - room)?;
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// A string of it; what is not UTF-8 is replaced.
    pub(crate) fn into_string(self, heap: &Heap) -> Result<Value, Stop> {
        match String::from_utf8(self.bytes) {
            Ok(text) => {
                drop(self.held);
                heap.string(text)
            }
            Err(wrong) => heap.string_of(wrong.as_bytes()),
        }
    }
}

impl<'p> State<'p> {
    fn next(&mut self, process: &'p Process) -> Result<Option<Value>, Stop> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        if !self.mode.slurps {
            return if self.mode.is_raw {
                self.line(process)
            } else {
                let Some(value) = self.value(process)? else {
                    return Ok(None);
                };
                if self.mode.streams {
                    self.stream(process, &value)?;
                    return Ok(self.events.pop_front());
                }
                Ok(Some(value))
            };
        }
        if std::mem::replace(&mut self.has_slurped, true) {
            return Ok(None);
        }
        if self.mode.is_raw {
            let mut text = Bytes::new(&self.heap);
            while self.fill(process)? {
                text.push(self.buffer.get(self.start..).unwrap_or_default())?;
                self.start = self.buffer.len();
            }
            return text.into_string(&self.heap).map(Some);
        }
        let mut all = self.heap.array(Vec::new())?;
        while let Some(value) = self.value(process)? {
            if self.mode.streams {
                self.stream(process, &value)?;
                continue;
            }
            if let Value::Array(all) = &mut all {
                self.heap.array_mut(all)?.push(value)?;
            }
        }
        if self.mode.streams {
            let events: Vec<Value> = self.events.drain(..).collect();
            return self.heap.array(events).map(Some);
        }
        Ok(Some(all))
    }

    /// A line as a string.
    fn line(&mut self, process: &'p Process) -> Result<Option<Value>, Stop> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', rest.get(searched..).unwrap_or_default()) {
                let end = searched + end;
                process.spend(end / 16 + 16);
                let line = self.heap.string_of(rest.get(..end).unwrap_or_default())?;
                self.start += end + 1;
                return Ok(Some(line));
            }
            searched = rest.len();
            if !self.fill(process)? {
                let rest = self.buffer.get(self.start..).unwrap_or_default();
                if rest.is_empty() {
                    return Ok(None);
                }
                let line = self.heap.string_of(rest)?;
                self.start = self.buffer.len();
                return Ok(Some(line));
            }
        }
    }

    /// A value of JSON.
    fn value(&mut self, process: &'p Process) -> Result<Option<Value>, Stop> {
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            let is_end = self.is_over && self.files.is_empty();
            match self.parser.step(process, rest, is_end)? {
                Ok(Step::Value(value, used)) => {
                    self.start += used;
                    return Ok(Some(value));
                }
                Ok(Step::More(used)) => {
                    self.start += used;
                    if is_end {
                        return Ok(None);
                    }
                    self.fill(process)?;
                }
                Err(wrong) => {
                    let at = self.start + wrong.at;
                    let (line, column) = self
                        .parser
                        .place(self.buffer.get(..at).unwrap_or(&self.buffer));
                    let text = format!("{} at line {line}, column {column}", wrong.text);
                    // Nothing more comes after this.
                    self.parser.reset();
                    self.files.clear();
                    self.input = None;
                    self.is_over = true;
                    self.start = self.buffer.len();
                    return Err(Stop::Parse(text));
                }
            }
        }
    }

    /// Reads on behind what is left; false if there is nothing more in any file.
    fn fill(&mut self, process: &'p Process) -> Result<bool, Stop> {
        self.parser
            .passed(self.buffer.get(..self.start).unwrap_or_default());
        self.buffer.drain(..self.start);
        self.start = 0;
        loop {
            let Some(input) = &mut self.input else {
                let Some(file) = self.files.pop_front() else {
                    self.is_over = true;
                    return Ok(false);
                };
                match process.open_input(&file) {
                    Ok(input) => self.input = Some(input),
                    Err(error) => {
                        let mut text = b"error: Could not open ".to_vec();
                        text.extend_from_slice(&file);
                        text.extend_from_slice(b": ");
                        text.extend_from_slice(error_text(&error).as_bytes());
                        process.complain(text);
                        self.failed = true;
                    }
                }
                self.file = Some(file);
                self.is_over = self.files.is_empty() && self.input.is_none();
                continue;
            };
            let length = self.buffer.len();
            let wanted = length + length.max(PIECE);
            if wanted > self.charge.bytes() {
                self.charge.resize(wanted).map_err(limit_error)?;
            }
            self.buffer.reserve_exact(wanted - length);
            self.buffer.resize(wanted, 0);
            let mut filled = length;
            // What is left of a long string is looked at from its beginning each time: so it has to be twice as long.
            let enough = if length < PIECE { length + 1 } else { wanted };
            let mut read = Ok(1);
            while filled < enough && matches!(read, Ok(1..)) {
                read = input.read(self.buffer.get_mut(filled..).unwrap_or_default());
                filled += *read.as_ref().unwrap_or(&0);
            }
            self.buffer.truncate(filled);
            match read {
                Ok(0) => {
                    self.input = None;
                    if filled > length {
                        return Ok(true);
                    }
                    if self.files.is_empty() {
                        self.is_over = true;
                        return Ok(false);
                    }
                }
                Ok(_) => return Ok(true),
                Err(error) => {
                    process.complain(format!("error: {}", error_text(&error)));
                    self.failed = true;
                    self.input = None;
                }
            }
        }
    }

    /// The events of a value.
    fn stream(&mut self, process: &Process, value: &Value) -> Result<(), Stop> {
        let mut path = Vec::new();
        self.events_of(process, value, &mut path)
    }

    fn events_of(
        &mut self,
        process: &Process,
        value: &Value,
        path: &mut Vec<Value>,
    ) -> Result<(), Stop> {
        process.spend(32 + path.len());
        let count = match value {
            Value::Array(array) => array.items.len(),
            Value::Object(object) => object.map.len(),
            _ => 0,
        };
        let _room = self.heap.room_for(count.saturating_mul(2))?;
        let entries: Vec<(Value, Value)> = match value {
            #[allow(clippy::cast_precision_loss, reason = "nothing is that long")]
            Value::Array(array) => array
                .items
                .iter()
                .enumerate()
                .map(|(number, item)| (Value::Number(number as f64), item.clone()))
                .collect(),
            Value::Object(object) => object
                .map
                .iter()
                .map(|(key, item)| (Value::String(std::rc::Rc::clone(key)), item.clone()))
                .collect(),
            _ => Vec::new(),
        };
        let Some((last, _)) = entries.last().cloned() else {
            let event = vec![self.heap.array(path.clone())?, value.clone()];
            self.events.push_back(self.heap.array(event)?);
            return Ok(());
        };
        for (key, item) in entries {
            path.push(key);
            self.events_of(process, &item, path)?;
            path.pop();
        }
        path.push(last);
        let event = vec![self.heap.array(path.clone())?];
        self.events.push_back(self.heap.array(event)?);
        path.pop();
        Ok(())
    }
}
