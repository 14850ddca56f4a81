//! The stack machine.

use std::{cmp::Ordering, collections::BTreeMap, io, rc::Rc};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

use crate::languages::{
    bc::printer::Printer,
    decimal::{Decimal, Math},
};

/// What a value takes beside its digits or characters.
const VALUE: usize = 64;

#[derive(Clone)]
enum Value {
    Number(Decimal),
    Text(Rc<Vec<u8>>),
}

/// A level of a register: a value, and an array.
#[derive(Default)]
struct Level {
    value: Option<Value>,
    array: BTreeMap<i64, Value>,
}

/// A program or a string that is being executed.
struct Frame {
    text: Rc<Vec<u8>>,
    at: usize,
}

/// How a program ended.
pub(super) enum Ended {
    Over,
    Quit,
}

/// What reads a line for `?`.
type ReadLine<'r> = dyn FnMut() -> io::Result<Option<Vec<u8>>> + 'r;

pub(super) struct Machine<'p> {
    process: &'p Process,
    math: Math<'p>,
    printer: Printer<'p>,
    stack: Vec<Value>,
    registers: BTreeMap<u8, Vec<Level>>,
    scale: usize,
    ibase: u32,
    obase: u32,
    zero: Decimal,
    /// The program is an argument, which counts as a string that is executed.
    is_argument: bool,
    /// The levels are left by `q`, which ends the program if there are not enough.
    is_quitting: bool,
    /// What stacks, arrays and strings hold.
    charge: Charge,
}

/// A mistake that is told, after which the program goes on.
struct Mistake(String);

impl<T: Into<String>> From<T> for Mistake {
    fn from(message: T) -> Self {
        Self(message.into())
    }
}

enum Trap {
    Mistake(Mistake),
    Io(io::Error),
}

impl From<io::Error> for Trap {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Mistake> for Trap {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(mistake)
    }
}

type Result<T> = std::result::Result<T, Trap>;

impl<'p> Machine<'p> {
    pub(super) fn new(process: &'p Process) -> io::Result<Self> {
        let math = Math::new(process)?;
        let zero = math.whole(0)?;
        Ok(Self {
            process,
            math,
            printer: Printer::new(process, "DC_LINE_LENGTH").one_wider(),
            stack: Vec::new(),
            registers: BTreeMap::new(),
            scale: 0,
            ibase: 10,
            obase: 10,
            zero,
            is_argument: false,
            is_quitting: false,
            charge: process.charge(0)?,
        })
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.printer.flush()
    }

    pub(super) fn finish(&mut self, code: i32) -> io::Result<i32> {
        self.printer.flush()?;
        Ok(code)
    }

    /// Runs a program. Lines that it asks for come from standard input.
    pub(super) fn run(&mut self, text: Vec<u8>) -> io::Result<Ended> {
        let process = self.process;
        self.run_with(text, &mut || read_line(process), false)
    }

    /// As [`Machine::run`], for a program that is an argument.
    pub(super) fn run_argument(&mut self, text: Vec<u8>) -> io::Result<Ended> {
        self.is_argument = true;
        let ended = self.run(text);
        self.is_argument = false;
        ended
    }

    /// As [`Machine::run`]. If the program itself `is_input`, `?` reads the rest of its line first.
    pub(super) fn run_with(
        &mut self,
        text: Vec<u8>,
        read_line: &mut ReadLine<'_>,
        is_input: bool,
    ) -> io::Result<Ended> {
        let mut frames = vec![Frame {
            text: Rc::new(text),
            at: 0,
        }];
        while let Some(frame) = frames.last_mut() {
            self.process.spend(2);
            let Some(command) = frame.text.get(frame.at).copied() else {
                frames.pop();
                continue;
            };
            frame.at += 1;
            let asked = if command == b'?' && is_input {
                rest_of_line(&mut frames)
            } else {
                None
            };
            let done = match asked {
                Some(line) => self
                    .execute(Value::Text(Rc::new(line)), &mut frames)
                    .map(|()| None),
                None => self.command(command, &mut frames, read_line),
            };
            match done {
                Ok(None) => {}
                Ok(Some(levels)) => {
                    // A file is not left; an argument is. Leaving more levels than there are is leaving.
                    let most = frames.len() - usize::from(!self.is_argument);
                    if levels > most && self.is_quitting {
                        return Ok(Ended::Quit);
                    }
                    frames.truncate(frames.len() - levels.min(most));
                    if levels > most && !self.is_argument {
                        self.printer.flush()?;
                        self.process
                            .complain("Q command argument exceeded string execution depth");
                    }
                }
                Err(Trap::Mistake(Mistake(message))) => {
                    self.printer.flush()?;
                    self.process.complain(message);
                }
                Err(Trap::Io(error)) => {
                    self.printer.flush()?;
                    return Err(error);
                }
            }
        }
        Ok(Ended::Over)
    }

    /// Does what a command says. Returns how many levels to leave.
    fn command(
        &mut self,
        command: u8,
        frames: &mut Vec<Frame>,
        read_line: &mut ReadLine<'_>,
    ) -> Result<Option<usize>> {
        match command {
            b'0'..=b'9' | b'A'..=b'F' | b'.' | b'_' => self.number(command, frames)?,
            b'[' => self.string(frames)?,
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'#' => skip_line(frames),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' => self.arithmetic(command)?,
            b'|' => self.power_modulo()?,
            b'v' => {
                let number = self.pop_number()?;
                match self.math.square_root(&number, self.scale)? {
                    Some(root) => self.push(Value::Number(root))?,
                    None => return Err(Mistake::from("square root of negative number").into()),
                }
            }
            b'p' | b'n' | b'P' | b'f' => self.print(command)?,
            b'c' => {
                self.stack.clear();
            }
            b'd' => {
                let top = self.top()?.clone();
                self.push(top)?;
            }
            b'r' => {
                let first = self.pop()?;
                match self.pop() {
                    Ok(second) => {
                        self.push(first)?;
                        self.push(second)?;
                    }
                    Err(trap) => {
                        self.push(first)?;
                        return Err(trap);
                    }
                }
            }
            b'R' => self.rotate()?,
            b's' | b'l' | b'S' | b'L' | b':' | b';' => {
                let register = next_byte(frames)?;
                self.register(command, register)?;
            }
            b'i' | b'o' | b'k' => self.set_parameter(command)?,
            b'I' => self.push_count(i64::from(self.ibase))?,
            b'O' => self.push_count(i64::from(self.obase))?,
            b'K' => self.push_count(i64::try_from(self.scale).unwrap_or(i64::MAX))?,
            b'z' => self.push_count(i64::try_from(self.stack.len()).unwrap_or(i64::MAX))?,
            b'Z' | b'X' => self.measure(command)?,
            b'a' => self.to_character()?,
            b'x' => {
                let value = self.pop()?;
                self.execute(value, frames)?;
            }
            b'<' | b'>' | b'=' => self.conditional(command, false, frames)?,
            b'!' => return self.bang(frames).map(|()| None),
            b'?' => {
                self.printer.flush()?;
                if let Some(line) = read_line()? {
                    self.execute(Value::Text(Rc::new(line)), frames)?;
                }
            }
            b'q' => {
                self.is_quitting = true;
                return Ok(Some(2));
            }
            b'Q' => {
                let levels = self.pop_number()?.to_i64();
                let levels = levels.and_then(|levels| usize::try_from(levels).ok());
                self.is_quitting = false;
                return match levels {
                    // GNU's dc does not leave one level alone.
                    Some(1) if frames.len() > 1 || self.is_argument => Ok(None),
                    Some(levels @ 1..) => Ok(Some(levels)),
                    _ => Err(Mistake::from("Q command requires a number >= 1").into()),
                };
            }
            other => {
                let shown = char::from(other).escape_default();
                return Err(Mistake::from(format!("'{shown}' (0{other:o}) unimplemented")).into());
            }
        }
        Ok(None)
    }

    /// Room for one value more, wherever it goes. What is held is counted anew now and then.
    fn charge_value(&mut self) -> io::Result<()> {
        let needed = (self.stack.len() + 1).saturating_mul(VALUE);
        if needed > self.charge.bytes() {
            self.charge
                .resize(needed.saturating_mul(2))
                .map_err(limit_error)?;
        }
        Ok(())
    }

    fn push(&mut self, value: Value) -> Result<()> {
        self.charge_value()?;
        self.stack.push(value);
        Ok(())
    }

    fn push_count(&mut self, count: i64) -> Result<()> {
        let number = self.math.whole(count)?;
        self.push(Value::Number(number))
    }

    fn pop(&mut self) -> Result<Value> {
        self.stack
            .pop()
            .ok_or_else(|| Mistake::from("stack empty").into())
    }

    fn top(&self) -> Result<&Value> {
        self.stack
            .last()
            .ok_or_else(|| Mistake::from("stack empty").into())
    }

    fn pop_number(&mut self) -> Result<Decimal> {
        match self.pop()? {
            Value::Number(number) => Ok(number),
            Value::Text(_) => Err(Mistake::from("non-numeric value").into()),
        }
    }

    /// A number that begins with this character.
    fn number(&mut self, first: u8, frames: &mut [Frame]) -> Result<()> {
        let mut digits = Vec::new();
        let is_negative = first == b'_';
        let mut has_point = first == b'.';
        if !is_negative {
            digits.push(first);
        }
        if let Some(frame) = frames.last_mut() {
            while let Some(byte) = frame.text.get(frame.at) {
                match byte {
                    b'0'..=b'9' | b'A'..=b'F' => digits.push(*byte),
                    b'.' if !has_point => {
                        has_point = true;
                        digits.push(b'.');
                    }
                    _ => break,
                }
                frame.at += 1;
            }
        }
        let number = self.math.read_freely(&digits, self.ibase)?;
        let number = if is_negative {
            self.math.negate(&number)
        } else {
            number
        };
        self.push(Value::Number(number))
    }

    /// A string, whose opening bracket was read.
    fn string(&mut self, frames: &mut [Frame]) -> Result<()> {
        let Some(frame) = frames.last_mut() else {
            return Ok(());
        };
        let rest = frame.text.get(frame.at..).unwrap_or_default();
        let mut depth = 1usize;
        let mut length = rest.len();
        for (at, byte) in rest.iter().enumerate() {
            depth = match byte {
                b'[' => depth + 1,
                b']' => depth - 1,
                _ => depth,
            };
            if depth == 0 {
                length = at;
                break;
            }
        }
        self.process.spend(length / 4);
        let text = rest.get(..length).unwrap_or_default().to_vec();
        frame.at = (frame.at + length + 1).min(frame.text.len());
        self.charge.grow(text.len()).map_err(limit_error)?;
        self.push(Value::Text(Rc::new(text)))
    }

    fn arithmetic(&mut self, operator: u8) -> Result<()> {
        let [.., left, right] = self.stack.as_slice() else {
            return Err(Mistake::from("stack empty").into());
        };
        let (Value::Number(left), Value::Number(right)) = (left, right) else {
            return Err(Mistake::from("non-numeric value").into());
        };
        let (math, scale) = (&self.math, self.scale);
        let zero = |message: &str| Trap::from(Mistake::from(message));
        let mut second = None;
        let result = match operator {
            b'+' => math.add(left, right)?,
            b'-' => math.subtract(left, right)?,
            b'*' => math.multiply(left, right, scale)?,
            b'/' => math
                .divide(left, right, scale)?
                .ok_or_else(|| zero("divide by zero"))?,
            b'%' => {
                let rest = math.divide_with_rest(left, right, scale)?;
                rest.ok_or_else(|| zero("remainder by zero"))?.1
            }
            b'~' => {
                let both = math.divide_with_rest(left, right, scale)?;
                let (quotient, rest) = both.ok_or_else(|| zero("divide by zero"))?;
                second = Some(rest);
                quotient
            }
            _ => {
                let Some(exponent) = right.to_i64() else {
                    return Err(Mistake::from("exponent too large").into());
                };
                let power = math.power(left, exponent, scale)?;
                power.ok_or_else(|| zero("divide by zero"))?
            }
        };
        self.stack.truncate(self.stack.len() - 2);
        self.push(Value::Number(result))?;
        if let Some(second) = second {
            self.push(Value::Number(second))?;
        }
        Ok(())
    }

    fn power_modulo(&mut self) -> Result<()> {
        let [.., base, exponent, modulus] = self.stack.as_slice() else {
            return Err(Mistake::from("stack empty").into());
        };
        let (Value::Number(base), Value::Number(exponent), Value::Number(modulus)) =
            (base, exponent, modulus)
        else {
            return Err(Mistake::from("non-numeric value").into());
        };
        if exponent.is_negative() {
            return Err(Mistake::from("negative exponent").into());
        }
        let power = self.math.power_modulo(base, exponent, modulus)?;
        let power = power.ok_or_else(|| Trap::from(Mistake::from("remainder by zero")))?;
        self.stack.truncate(self.stack.len() - 3);
        self.push(Value::Number(power))
    }

    fn show(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Number(number) => {
                let text = self.math.show(number, self.obase)?;
                self.printer.text(&text)?;
            }
            Value::Text(text) => self.printer.raw(text)?,
        }
        Ok(())
    }

    fn print(&mut self, command: u8) -> Result<()> {
        match command {
            b'p' => {
                let top = self.top()?.clone();
                self.show(&top)?;
                self.printer.newline()?;
            }
            b'n' => {
                let value = self.pop()?;
                self.show(&value)?;
            }
            b'f' => {
                for at in (0..self.stack.len()).rev() {
                    if let Some(value) = self.stack.get(at).cloned() {
                        self.show(&value)?;
                        self.printer.newline()?;
                    }
                }
            }
            _ => match self.pop()? {
                Value::Number(number) => {
                    let bytes = self.math.bytes(&number);
                    self.printer.raw(&bytes)?;
                }
                Value::Text(text) => self.printer.raw(&text)?,
            },
        }
        Ok(())
    }

    /// Turns the upper part of the stack: so many values, either way.
    fn rotate(&mut self) -> Result<()> {
        let count = self.pop_number()?.to_i64().unwrap_or(i64::MAX);
        let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        let length = self.stack.len();
        let part = self
            .stack
            .get_mut(length - wanted.min(length)..)
            .unwrap_or_default();
        if part.len() < 2 {
            return Ok(());
        }
        self.process.spend(part.len());
        if count > 0 {
            part.rotate_left(1);
        } else {
            part.rotate_right(1);
        }
        Ok(())
    }

    fn register(&mut self, command: u8, register: u8) -> Result<()> {
        self.charge.grow(VALUE).map_err(limit_error)?;
        let levels = self.registers.entry(register).or_default();
        match command {
            b's' => {
                let Some(value) = self.stack.pop() else {
                    return Err(Mistake::from("stack empty").into());
                };
                match levels.last_mut() {
                    Some(level) => level.value = Some(value),
                    None => levels.push(Level {
                        value: Some(value),
                        ..Level::default()
                    }),
                }
            }
            b'S' => {
                let Some(value) = self.stack.pop() else {
                    return Err(Mistake::from("stack empty").into());
                };
                levels.push(Level {
                    value: Some(value),
                    ..Level::default()
                });
            }
            b'l' => {
                let value = levels.last().and_then(|level| level.value.clone());
                let value = value.unwrap_or_else(|| Value::Number(self.zero.clone()));
                self.push(value)?;
            }
            b'L' => {
                let value = levels.pop().and_then(|level| level.value);
                let Some(value) = value else {
                    let shown = char::from(register).escape_default();
                    return Err(Mistake::from(format!(
                        "stack register '{shown}' (0{register:o}) is empty"
                    ))
                    .into());
                };
                self.push(value)?;
            }
            _ => self.element(command, register)?,
        }
        Ok(())
    }

    /// `:` stores into an array, `;` gets out of it.
    fn element(&mut self, command: u8, register: u8) -> Result<()> {
        let index = self.pop_number()?;
        let index = index.to_i64().filter(|index| *index >= 0);
        let Some(index) = index else {
            return Err(Mistake::from("array index must be a nonnegative integer").into());
        };
        let value = match command {
            b':' => Some(self.pop()?),
            _ => None,
        };
        let levels = self.registers.entry(register).or_default();
        if levels.is_empty() {
            levels.push(Level::default());
        }
        let Some(level) = levels.last_mut() else {
            return Ok(());
        };
        match value {
            Some(value) => {
                level.array.insert(index, value);
                Ok(())
            }
            None => {
                let value = level.array.get(&index).cloned();
                self.push(value.unwrap_or_else(|| Value::Number(self.zero.clone())))
            }
        }
    }

    fn set_parameter(&mut self, command: u8) -> Result<()> {
        let number = self.pop_number()?.to_i64();
        match command {
            b'i' => {
                let base = number.filter(|base| (2..=16).contains(base));
                let base = base.and_then(|base| u32::try_from(base).ok());
                self.ibase = base.ok_or_else(|| {
                    Mistake::from("input base must be a number between 2 and 16 (inclusive)")
                })?;
            }
            b'o' => {
                let base = number.filter(|base| *base >= 2);
                let base = base.and_then(|base| u32::try_from(base.min(1 << 31)).ok());
                self.obase = base
                    .ok_or_else(|| Mistake::from("output base must be a number greater than 1"))?;
            }
            _ => {
                let scale = number.and_then(|scale| i32::try_from(scale).ok());
                let scale = scale.and_then(|scale| usize::try_from(scale).ok());
                self.scale =
                    scale.ok_or_else(|| Mistake::from("scale must be a nonnegative number"))?;
            }
        }
        Ok(())
    }

    fn measure(&mut self, command: u8) -> Result<()> {
        let count = match (self.pop()?, command) {
            (Value::Number(number), b'Z') => number.significant(),
            (Value::Number(number), _) => number.scale(),
            (Value::Text(text), b'Z') => text.len(),
            (Value::Text(_), _) => 0,
        };
        self.push_count(i64::try_from(count).unwrap_or(i64::MAX))
    }

    fn to_character(&mut self) -> Result<()> {
        let text = match self.pop()? {
            Value::Number(number) => vec![number.low_byte()],
            Value::Text(text) => text.first().copied().into_iter().collect(),
        };
        self.push(Value::Text(Rc::new(text)))
    }

    /// Runs a string, or puts a number back.
    fn execute(&mut self, value: Value, frames: &mut Vec<Frame>) -> Result<()> {
        match value {
            Value::Number(_) => self.push(value),
            Value::Text(text) => {
                // What ends with running something else needs no place to come back to.
                if frames.len() > 1
                    && let Some(frame) = frames.last()
                    && frame.at >= frame.text.len()
                {
                    frames.pop();
                }
                if frames.len().is_multiple_of(1024) {
                    self.charge
                        .grow(1024 * size_of::<Frame>())
                        .map_err(limit_error)?;
                }
                frames.push(Frame { text, at: 0 });
                Ok(())
            }
        }
    }

    /// `<r`, `>r`, `=r` and their opposites: runs a register if the upper two values are in that order.
    fn conditional(
        &mut self,
        command: u8,
        is_negated: bool,
        frames: &mut Vec<Frame>,
    ) -> Result<()> {
        let register = next_byte(frames)?;
        let first = self.pop_number()?;
        let second = self.pop_number()?;
        let ordering = self.math.compare(&first, &second)?;
        let holds = match command {
            b'<' => ordering == Ordering::Less,
            b'>' => ordering == Ordering::Greater,
            _ => ordering == Ordering::Equal,
        };
        if holds == is_negated {
            return Ok(());
        }
        let levels = self.registers.get(&register);
        let value = levels.and_then(|levels| levels.last()?.value.clone());
        let value = value.unwrap_or_else(|| Value::Number(self.zero.clone()));
        self.execute(value, frames)
    }

    /// `!` turns a comparison around, or runs a command of the shell.
    fn bang(&mut self, frames: &mut Vec<Frame>) -> Result<()> {
        let next = frames
            .last()
            .and_then(|frame| frame.text.get(frame.at).copied());
        if let Some(command @ (b'<' | b'>' | b'=')) = next {
            if let Some(frame) = frames.last_mut() {
                frame.at += 1;
            }
            return self.conditional(command, true, frames);
        }
        let Some(frame) = frames.last_mut() else {
            return Ok(());
        };
        let rest = frame.text.get(frame.at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let command = rest.get(..length).unwrap_or_default().to_vec();
        frame.at += length;
        self.printer.flush()?;
        let spec = self.process.spec([&b"sh"[..], b"-c", &command]);
        if let Err(error) = self.process.execute(spec) {
            return Err(Mistake::from(format!("sh: {error}")).into());
        }
        Ok(())
    }
}

fn next_byte(frames: &mut [Frame]) -> Result<u8> {
    let frame = frames.last_mut();
    let byte = frame.and_then(|frame| {
        let byte = frame.text.get(frame.at).copied()?;
        frame.at += 1;
        Some(byte)
    });
    byte.ok_or_else(|| Mistake::from("unexpected EOS").into())
}

fn skip_line(frames: &mut [Frame]) {
    if let Some(frame) = frames.last_mut() {
        let rest = frame.text.get(frame.at..).unwrap_or_default();
        frame.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }
}

/// What is left of the line that the program is in.
fn rest_of_line(frames: &mut [Frame]) -> Option<Vec<u8>> {
    let frame = frames.first_mut()?;
    let rest = frame.text.get(frame.at..)?;
    let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
    let line = rest.get(..length)?.to_vec();
    frame.at += length;
    (!line.is_empty()).then_some(line)
}

/// A line of standard input, byte by byte: the rest is for others.
fn read_line(process: &Process) -> io::Result<Option<Vec<u8>>> {
    use std::io::Read;
    let mut line = Vec::new();
    let mut byte = [0];
    let mut input = process.stdin();
    while input.read(&mut byte)? > 0 {
        line.extend(byte);
        if byte == *b"\n" {
            break;
        }
    }
    Ok((!line.is_empty()).then_some(line))
}
