//! Runs a program.
//!
//! The tree is walked as it is. Each kind of use has a way of its own through it: what is wanted as a number
//! ([`Interpreter::number`]), as a string at the end of others ([`Interpreter::put`]) or as a condition
//! ([`Interpreter::truth`]) is not made a [`Value`] first, so that most of what a program does with fields takes no memory.

mod arithmetic;
mod arrays;
mod assign;
mod builtins;
mod compare;
mod evaluate;
mod execute;
mod format;
mod input;
mod random;
mod settings;
mod sort;
mod strings;
mod substitute;
mod time;

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};

pub(crate) use self::input::is_name;
use self::{input::MainInput, random::Random, settings::Settings};
use super::{
    inplace::InPlace,
    lexer::SourceText,
    record::Record,
    regexes::Regexes,
    streams::Streams,
    syntax::{Place, Program},
    value::Value,
};
use crate::languages::budget::Budget;

/// What has to be left of the stack for one more level.
const STACK_RESERVE: usize = 256 << 10;

/// Why a program does not simply go on.
pub(crate) enum Halt {
    Next,
    NextFile,
    Exit,
    /// What is wrong, without where.
    Fatal(String),
}

pub(crate) type Result<T> = std::result::Result<T, Box<Halt>>;

impl From<io::Error> for Box<Halt> {
    #[cold]
    fn from(error: io::Error) -> Self {
        Box::new(Halt::Fatal(error_text(&error)))
    }
}

impl From<String> for Box<Halt> {
    #[cold]
    fn from(message: String) -> Self {
        Box::new(Halt::Fatal(message))
    }
}

/// Which part of a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Begin,
    Main,
    End,
    BeginFile,
    EndFile,
}

pub(crate) struct Interpreter<'a> {
    process: &'a Process,
    program: &'a Program,
    sources: &'a [SourceText],
    budget: Budget,
    regexes: Regexes<'a>,
    streams: Streams<'a>,
    record: Record,
    settings: Settings,
    input: MainInput<'a>,
    globals: Vec<Value>,
    /// Parameters of all functions that are being called, the innermost last.
    locals: Vec<Value>,
    /// Where those of the innermost begin.
    base: usize,
    returned: Value,
    /// The statement that runs.
    place: Place,
    stage: Stage,
    /// Whether each range of records has begun.
    ranges: Vec<bool>,
    random: Random,
    exit_code: i32,
    in_place: Option<InPlace<'a>>,
    is_bytes: bool,
    /// Buffers to use again.
    scratch: Vec<Vec<u8>>,
}

/// What a program is run with.
pub(crate) struct Setup<'a> {
    pub(crate) sources: &'a [SourceText],
    /// Its name and operands.
    pub(crate) arguments: Vec<BString>,
    /// `-F`
    pub(crate) field_separator: Option<BString>,
    /// `-v`
    pub(crate) assignments: Vec<(BString, BString)>,
    pub(crate) is_bytes: bool,
    pub(crate) is_csv: bool,
    /// `-i inplace`
    pub(crate) in_place: Option<InPlace<'a>>,
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(
        process: &'a Process,
        program: &'a Program,
        budget: &Budget,
        setup: Setup<'a>,
    ) -> Result<Self> {
        let mut interpreter = Self {
            process,
            program,
            sources: setup.sources,
            budget: budget.clone(),
            regexes: Regexes::new(process, setup.is_bytes),
            streams: Streams::new(process),
            record: Record::new(setup.is_bytes, budget),
            settings: Settings::default(),
            input: MainInput::default(),
            globals: vec![Value::Nothing; program.globals.len()],
            locals: Vec::new(),
            base: 0,
            returned: Value::Nothing,
            place: Place::default(),
            stage: Stage::Begin,
            ranges: vec![false; program.rules.len()],
            random: Random::default(),
            exit_code: 0,
            in_place: setup.in_place,
            is_bytes: setup.is_bytes,
            scratch: Vec::new(),
        };
        interpreter.fill_arrays(&setup.arguments)?;
        if let Some(separator) = setup.field_separator {
            interpreter.assign_text("FS", &separator)?;
        }
        if setup.is_csv {
            interpreter.use_csv();
        }
        for (name, value) in setup.assignments {
            interpreter.assign_text(&name.to_str_lossy(), &value)?;
        }
        Ok(interpreter)
    }

    /// Runs the program to its end, and returns the exit code.
    pub(crate) fn run(&mut self) -> i32 {
        let ended = self.run_stages();
        if let Some(mut in_place) = self.in_place.take() {
            if ended.is_err() {
                in_place.give_up(&mut self.streams.stdout);
            } else if let Err(error) = in_place.end(&mut self.streams.stdout) {
                self.complain(&format!("fatal: inplace: {}", error_text(&error)));
                self.exit_code = 2;
            }
        }
        let closed = self.streams.finish();
        if let Err(halt) = ended {
            self.explain(&halt);
        } else if let Err(error) = closed {
            self.complain(&format!("fatal: {}", error_text(&error)));
            return 2;
        }
        self.exit_code
    }

    fn run_stages(&mut self) -> Result<()> {
        let program = self.program;
        self.stage = Stage::Begin;
        let mut has_exited = false;
        for block in &program.begin {
            match self.run_block(block) {
                Ok(()) => {}
                Err(halt) if matches!(*halt, Halt::Exit) => {
                    has_exited = true;
                    break;
                }
                Err(halt) => return Err(halt),
            }
        }
        let needs_input = !program.rules.is_empty()
            || !program.end.is_empty()
            || !program.begin_file.is_empty()
            || !program.end_file.is_empty();
        if needs_input && !has_exited {
            match self.run_rules() {
                Ok(()) => {}
                Err(halt) if matches!(*halt, Halt::Exit) => {}
                Err(halt) => return Err(halt),
            }
        }
        self.stage = Stage::End;
        for block in &program.end {
            match self.run_block(block) {
                Ok(()) => {}
                Err(halt) if matches!(*halt, Halt::Exit) => return Ok(()),
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    /// Says why the program could not go on.
    fn explain(&mut self, halt: &Halt) {
        if let Halt::Fatal(message) = halt {
            self.complain(&format!("fatal: {message}"));
            self.exit_code = 2;
        }
    }

    /// A message with where the program and its input are.
    fn complain(&self, message: &str) {
        let mut text = Vec::new();
        if self.place.line > 0 {
            text.extend_from_slice(describe_place(self.sources, self.place).as_bytes());
            text.extend_from_slice(b": ");
        }
        let record = self.settings.nr;
        if self.input.has_begun() && record > 0.0 && self.stage != Stage::Begin {
            let name = self.input_name();
            text.extend_from_slice(
                format!("(FILENAME={name} FNR={}) ", self.settings.fnr).as_bytes(),
            );
        }
        text.extend_from_slice(message.as_bytes());
        self.process.complain(text);
    }

    fn warn(&self, message: &str) {
        self.complain(&format!("warning: {message}"));
    }

    fn take_scratch(&mut self) -> Vec<u8> {
        self.scratch.pop().unwrap_or_default()
    }

    fn give_scratch(&mut self, mut buffer: Vec<u8>) {
        // A buffer that has grown for one long string is not kept.
        if buffer.capacity() <= 1 << 16 && self.scratch.len() < 16 {
            buffer.clear();
            self.scratch.push(buffer);
        }
    }

    /// Makes sure that there is memory for so many bytes.
    fn check_room(&self, bytes: usize) -> Result<()> {
        self.budget.take(bytes)?;
        self.budget.give_back(bytes);
        Ok(())
    }
}

/// `cmd. line:1`, or `file:1`.
pub(crate) fn describe_place(sources: &[SourceText], place: Place) -> String {
    let source = sources.get(usize::from(place.source));
    match source.and_then(|source| source.name.as_ref()) {
        Some(name) => format!("{name}:{}", place.line),
        None => format!("cmd. line:{}", place.line),
    }
}
