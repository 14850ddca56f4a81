//! `jq`.
//!
//! A program is read by the [`parser`] into a tree with resolved names ([`syntax`]), which [`eval`] walks. Behaviour and messages
//! are those of jq 1.7.

mod arguments;
pub(super) mod eval;
pub(super) mod input;
pub(super) mod json;
mod lexer;
mod map;
mod natives;
pub(super) mod number;
pub(super) mod parser;
mod prelude;
pub(super) mod print;
pub(super) mod stop;
pub(super) mod syntax;
pub(super) mod value;

use std::io::{self, Write as _};

use hotcell_process::{Output, Process, error_text};

use self::{
    arguments::{Arguments, USAGE},
    eval::Machine,
    input::Inputs,
    print::Style,
    stop::Stop,
    value::{Heap, Value},
};
use crate::{Utility, languages::budget::Budget};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

fn main(process: &Process) -> io::Result<i32> {
    let heap = Heap(Budget::new(process)?);
    let arguments = match arguments::read(process, &heap)? {
        Ok(arguments) => arguments,
        Err(code) => return Ok(code),
    };
    let parsed = parser::parse(
        process,
        &heap,
        &arguments.program,
        &arguments.globals,
        arguments.library.clone(),
    );
    let program = match parsed {
        Ok(program) => program,
        Err(error) => {
            process.complain(format!("error: {}", error.text));
            process.complain("1 compile error");
            return Ok(3);
        }
    };
    let inputs = Inputs::new(process, &heap, arguments.mode, arguments.files.clone())?;
    let machine = Machine::new(process, &program, &heap, &inputs);
    Run {
        process,
        heap: &heap,
        arguments: &arguments,
        inputs: &inputs,
        out: process.stdout(),
        last: None,
    }
    .all(&machine)
}

struct Run<'a, 'p> {
    process: &'p Process,
    heap: &'a Heap,
    arguments: &'a Arguments,
    inputs: &'a Inputs<'p>,
    out: Output<'p>,
    /// Whether the last result was true.
    last: Option<bool>,
}

impl Run<'_, '_> {
    fn all(mut self, machine: &Machine<'_, '_>) -> io::Result<i32> {
        let mut code = 0;
        let mut is_first = true;
        loop {
            let value = if self.arguments.null_input {
                if !std::mem::take(&mut is_first) {
                    break;
                }
                Value::Null
            } else {
                match machine.inputs.next(machine.process) {
                    Ok(Some(value)) => value,
                    Ok(None) => break,
                    Err(stop) => {
                        code = self.stopped(stop)?.unwrap_or(2);
                        break;
                    }
                }
            };
            let run = machine.run(value, &mut |value| {
                self.last = Some(value.is_true());
                self.print(&value).map_err(Stop::Io)
            });
            if let Err(stop) = run {
                if let Stop::Halt(halt) = stop {
                    self.out.flush()?;
                    return Ok(halt);
                }
                let is_parse = matches!(stop, Stop::Parse(_));
                match self.stopped(stop)? {
                    Some(wrong) => code = wrong,
                    None => code = 5,
                }
                if is_parse {
                    break;
                }
            }
        }
        self.out.flush()?;
        if code == 0 && self.inputs.failed() {
            code = 2;
        }
        if code == 0 && self.arguments.exit_status {
            code = match self.last {
                Some(true) => 0,
                Some(false) => 1,
                None => 4,
            };
        }
        Ok(code)
    }

    /// Says what went wrong; the exit code, if it is not that of an error in the program.
    fn stopped(&mut self, stop: Stop) -> io::Result<Option<i32>> {
        self.out.flush()?;
        let place = self.inputs.place();
        match stop {
            Stop::Io(error) => {
                self.process
                    .complain(format!("error: {}", error_text(&error)));
                return Ok(Some(5));
            }
            Stop::Parse(text) => {
                self.process.complain(format!("parse error: {text}"));
                return Ok(Some(2));
            }
            Stop::Message(text) => self.process.complain(format!("error (at {place}): {text}")),
            Stop::Error(Value::String(text)) => {
                self.process
                    .complain(format!("error (at {place}): {}", text.text));
            }
            Stop::Error(Value::Object(object)) if object.get("__jq").is_some() => {
                self.process.complain(format!("error (at {place}): break"));
            }
            Stop::Error(value) => {
                let text = print::compact(self.process, self.heap, &value)?;
                self.process
                    .complain(format!("error (at {place}) (not a string): {text}"));
            }
            Stop::Break(_) => self.process.complain(format!("error (at {place}): break")),
            Stop::Halt(_) => {}
        }
        Ok(None)
    }

    fn print(&mut self, value: &Value) -> io::Result<()> {
        let arguments = self.arguments;
        if arguments.is_sequence {
            self.out.write_all(b"\x1e")?;
        }
        match value {
            Value::String(text) if arguments.is_raw => {
                if arguments.style.ascii {
                    let mut quoted = String::new();
                    print::quote(&mut quoted, &text.text, true);
                    self.out.write_all(quoted.as_bytes())?;
                } else {
                    self.out.write_all(text.text.as_bytes())?;
                }
            }
            _ => self.json(value, &arguments.style)?,
        }
        self.out.write_all(arguments.end.as_bytes())?;
        if arguments.unbuffered {
            self.out.flush()?;
        }
        Ok(())
    }

    fn json(&mut self, value: &Value, style: &Style) -> io::Result<()> {
        let mut text = String::new();
        let out = &mut self.out;
        print::put(self.process, &mut text, value, style, &mut |text| {
            out.write_all(text.as_bytes())?;
            text.clear();
            Ok(())
        })?;
        self.out.write_all(text.as_bytes())
    }
}
