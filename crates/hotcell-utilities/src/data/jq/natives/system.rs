//! What is around a program.

use std::io::Write as _;

use super::{
    super::{stop::Stop, value::Value},
    Table, arg,
    strings::text_of,
};

pub(super) const TABLE: Table = &[
    ("input_filename", 0, |machine, _, _| {
        match machine.inputs.file_name() {
            Some(name) => machine.heap.string(name),
            None => Ok(Value::Null),
        }
    }),
    ("input_line_number", 0, |machine, _, _| {
        #[allow(clippy::cast_precision_loss, reason = "no file has so many lines")]
        Ok(Value::Number(machine.inputs.line() as f64))
    }),
    ("debug", 0, |machine, value, _| {
        let line = format!("[\"DEBUG:\",{}]\n", text_of(machine, &value)?);
        machine.process.stderr().write_all(line.as_bytes())?;
        Ok(value)
    }),
    ("stderr", 0, |machine, value, _| {
        let text = match &value {
            Value::String(text) => text.text.clone(),
            other => text_of(machine, other)?,
        };
        machine.process.stderr().write_all(text.as_bytes())?;
        Ok(value)
    }),
    ("halt", 0, |_, _, _| Err(Stop::Halt(0))),
    ("halt_error", 1, |machine, value, args| {
        let Some(code) = arg(args, 0).as_number() else {
            return Err(Stop::message("halt_error/1: number required"));
        };
        let text = match &value {
            Value::String(text) => text.text.clone(),
            other => text_of(machine, other)? + "\n",
        };
        machine.process.stderr().write_all(text.as_bytes())?;
        Err(Stop::Halt(code as i32))
    }),
];
