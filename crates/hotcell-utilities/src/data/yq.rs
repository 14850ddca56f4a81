//! `yq`: the language of jq on YAML, JSON, TOML, CSV and TSV.
//!
//! There are two programs of this name. The language is that of jq, as one of them has it; formats, options and the look of the
//! output are those of the other where they do not contradict.

mod arguments;
mod csv;
mod format;
mod toml;
mod yaml;
mod yaml_print;

use std::{
    collections::VecDeque,
    io::{self, Write as _},
};

use bstr::BString;
use hotcell_process::{Output, Process, error_text};

use self::{arguments::Arguments, format::Format};
use super::jq::{
    eval::Machine,
    input::{Bytes, Inputs},
    json, parser, print,
    stop::Stop,
    syntax::Program,
    value::{Heap, Value},
};
use crate::{
    Utility,
    languages::{budget::Budget, sed::InPlace},
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &arguments::USAGE,
    main,
};

fn main(process: &Process) -> io::Result<i32> {
    let heap = Heap(Budget::new(process)?);
    let arguments = match arguments::read(process, &heap) {
        Ok(arguments) => arguments,
        Err(text) => {
            process.complain(format!("error: {text}"));
            return Ok(2);
        }
    };
    let parsed = parser::parse(
        process,
        &heap,
        &arguments.program,
        &arguments.globals,
        Vec::new(),
    );
    let program = match parsed {
        Ok(program) => program,
        Err(error) => {
            process.complain(format!("error: {}", error.text));
            return Ok(3);
        }
    };
    let mut run = Run {
        process,
        heap: &heap,
        arguments: &arguments,
        program: &program,
        printed: 0,
        last: None,
    };
    match run.all() {
        Ok(()) => {}
        Err(Stop::Halt(code)) => return Ok(code),
        Err(stop) => {
            run.complain(stop)?;
            return Ok(1);
        }
    }
    Ok(match run.last {
        Some(false) | None if arguments.exit_status => 1,
        _ => 0,
    })
}

/// A program with what it is run on.
struct Run<'a, 'p> {
    process: &'p Process,
    heap: &'a Heap,
    arguments: &'a Arguments,
    program: &'a Program,
    /// How many results were printed to where they go now.
    printed: usize,
    /// Whether the last result was true.
    last: Option<bool>,
}

impl Run<'_, '_> {
    fn all(&mut self) -> Result<(), Stop> {
        let arguments = self.arguments;
        if arguments.in_place {
            for file in &arguments.files {
                self.printed = 0;
                let (format, values) = self.read(file)?;
                let (place, mut out) = InPlace::begin(self.process, file, true)?;
                self.run(values, format, &mut out)?;
                out.flush()?;
                drop(out);
                place.finish(b"")?;
            }
            return Ok(());
        }
        let mut out = self.process.stdout();
        if arguments.null_input && arguments.files.is_empty() {
            let none = self.heap.array(Vec::new())?;
            return self.run(none, Format::Yaml, &mut out);
        }
        let standard = [BString::from("-")];
        let files = if arguments.files.is_empty() {
            &standard[..]
        } else {
            &arguments.files
        };
        let mut first = None;
        let mut all = self.heap.open_array()?;
        for file in files {
            let (format, values) = self.read(file)?;
            first.get_or_insert(format);
            if let Value::Array(values) = values {
                for value in &values.items {
                    self.process.spend(4);
                    all.push(value.clone())?;
                }
            }
        }
        self.run(all.close(), first.unwrap_or(Format::Yaml), &mut out)
    }

    /// The documents of a file, in an array, and what they were written in.
    fn read(&self, file: &BString) -> Result<(Format, Value), Stop> {
        let name = String::from_utf8_lossy(file);
        let read = self
            .process
            .open_input(file)
            .and_then(|mut input| Bytes::read(self.heap, &mut input));
        let text = read
            .map_err(|error| Stop::Parse(format!("cannot read {name}: {}", error_text(&error))))?;
        let format = self
            .arguments
            .input
            .unwrap_or_else(|| Format::of_file(file));
        let text = text.as_slice();
        let values = match format {
            Format::Yaml => yaml::read(self.process, self.heap, text)?,
            Format::Json => json::parse_all(self.process, self.heap, text)?,
            Format::Toml => toml::read(self.process, self.heap, text)?,
            Format::Csv => csv::read(self.process, self.heap, text, b',')?,
            Format::Tsv => csv::read(self.process, self.heap, text, b'\t')?,
        };
        match values {
            Ok(values) => Ok((format, values)),
            Err(wrong) => Err(Stop::Parse(format!("{name}: {wrong}"))),
        }
    }

    /// Runs the program on each document.
    fn run(&mut self, values: Value, format: Format, out: &mut Output<'_>) -> Result<(), Stop> {
        let arguments = self.arguments;
        let format = arguments.output.unwrap_or(format);
        let values: VecDeque<Value> = match values {
            _ if arguments.slurps => VecDeque::from([values]),
            Value::Array(values) => values.items.iter().cloned().collect(),
            _ => VecDeque::new(),
        };
        let _room = self.heap.room_for(values.len())?;
        let inputs = Inputs::of(self.process, self.heap, values)?;
        let machine = Machine::new(self.process, self.program, self.heap, &inputs);
        let mut is_first = true;
        loop {
            let value = if arguments.null_input {
                if !std::mem::take(&mut is_first) {
                    break;
                }
                Value::Null
            } else {
                match inputs.next(self.process)? {
                    Some(value) => value,
                    None => break,
                }
            };
            let mut of_document = 0;
            machine.run(value, &mut |value| {
                self.last = Some(value.is_true());
                let separates = of_document == 0 || arguments.separates_all;
                of_document += 1;
                self.print(&value, format, separates, out)
            })?;
        }
        out.flush()?;
        Ok(())
    }

    fn print(
        &mut self,
        value: &Value,
        format: Format,
        separates: bool,
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let arguments = self.arguments;
        let is_first = self.printed == 0;
        self.printed += 1;
        if format == Format::Yaml && !is_first && separates && !arguments.no_separators {
            out.write_all(b"---\n")?;
        }
        let is_plain = format != Format::Json || arguments.is_raw;
        let is_container = matches!(value, Value::Array(_) | Value::Object(_));
        match value {
            Value::String(text) if is_plain && !arguments.is_wrapped => {
                out.write_all(text.text.as_bytes())?;
                out.write_all(b"\n")?;
            }
            _ => match format {
                Format::Json => self.json(value, out)?,
                // JSON on one line is YAML, too.
                Format::Yaml if arguments.style.indent.is_none() => self.json(value, out)?,
                Format::Yaml => yaml_print::print(self.process, out, value, arguments)?,
                // What is no table or row stands for itself.
                Format::Toml | Format::Csv | Format::Tsv if !is_container => {
                    self.json(value, out)?;
                }
                Format::Toml => toml::print(self.process, out, value)?,
                Format::Csv => csv::print(self.process, self.heap, out, value, b',')?,
                Format::Tsv => csv::print(self.process, self.heap, out, value, b'\t')?,
            },
        }
        Ok(())
    }

    fn json(&self, value: &Value, out: &mut Output<'_>) -> io::Result<()> {
        let mut text = String::new();
        let style = &self.arguments.style;
        print::put(self.process, &mut text, value, style, &mut |text| {
            out.write_all(text.as_bytes())?;
            text.clear();
            Ok(())
        })?;
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")
    }

    /// Says what went wrong.
    fn complain(&self, stop: Stop) -> io::Result<()> {
        let text = match stop {
            Stop::Io(error) => error_text(&error),
            Stop::Parse(text) | Stop::Message(text) => text,
            Stop::Error(Value::String(text)) => text.text.clone(),
            Stop::Error(value) => {
                let text = print::compact(self.process, self.heap, &value)?;
                format!("(not a string): {text}")
            }
            Stop::Break(_) => "break".to_owned(),
            Stop::Halt(_) => return Ok(()),
        };
        self.process.complain(format!("error: {text}"));
        Ok(())
    }
}
