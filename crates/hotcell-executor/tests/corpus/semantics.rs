//! What preparation does to code does not change what it means: every snippet gives the same value, the same output, the same
//! error at the same place and the same count of operations, prepared and not, and what the language says that it gives.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use hotcell_cell::{CellError, CellOptions, Exception, Program};
use hotcell_executor::{ErrorCode, Execution, ExecutorError, ExecutorOptions, json};
use pollster::block_on;
use serde_json::Value as Json;

use crate::{
    snippets::{Expected, Snippet, Step, read},
    support::{engine, ready},
};

/// What can be seen of a step from outside.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    ended: Ended,
    logs: String,
    operations: u64,
    /// Promises that were rejected while nobody listened.
    rejections: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Ended {
    Value(Json),
    Error {
        name: String,
        message: String,
        /// Line and column.
        place: Option<(u32, u32)>,
    },
    /// What was thrown is no error.
    Thrown(Json),
    /// It does not compile. Two parsers agree on that, but not on the words for it.
    NoProgram,
    Failed(&'static str),
}

impl Ended {
    fn is(&self, expected: &Expected) -> bool {
        match (self, expected) {
            (Self::Value(value), Expected::Value(expected))
            | (Self::Thrown(value), Expected::Thrown(expected)) => value == expected,
            (
                Self::Error { name, message, .. },
                Expected::Error {
                    name: its,
                    message: text,
                },
            ) => name == its && text.as_ref().is_none_or(|text| text == message),
            (Self::NoProgram, Expected::Error { name, .. }) => name == "SyntaxError",
            (Self::Failed(code), Expected::Code(expected)) => code == expected,
            _ => false,
        }
    }
}

/// Code as it is given to an executor.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Dress {
    /// As it is.
    Plain,
    /// In a Markdown fence.
    Fenced,
    /// With a type after it, so that types are erased.
    Erased,
    /// With an enum after it, so that TypeScript is lowered and all of the code is printed anew.
    Lowered,
}

impl Dress {
    fn put_on(self, code: &str) -> String {
        match self {
            Self::Plain => code.to_owned(),
            Self::Fenced => format!("```js\n{code}\n```"),
            Self::Erased => format!("{code}\n;type Unused = 0"),
            Self::Lowered => format!("{code}\n;enum Unused {{ A }}"),
        }
    }

    /// Whether this is the same text to a reader of JavaScript.
    fn fits(self, step: &Step) -> bool {
        let is_plain = step.javascript.is_none();
        match self {
            Self::Plain => true,
            Self::Fenced => is_plain && !step.code.contains("```"),
            Self::Erased => is_plain,
            // What is printed anew is no longer what was written: functions show that, and the engine may trip over
            // what was written only.
            Self::Lowered => {
                is_plain
                    && step.is_typescript
                    && step.fault.is_none()
                    && !step.code.contains(".toString()")
            }
        }
    }
}

macro_rules! topics {
    ($($topic:ident),*) => {
        $(#[test]
        fn $topic() {
            check(include_str!(concat!("../data/semantics/", stringify!($topic), ".js")));
        })*

        /// All snippets.
        pub(crate) const TOPICS: &[&str] = &[$(include_str!(concat!("../data/semantics/", stringify!($topic), ".js"))),*];
    };
}

topics!(
    asi, bindings, builtins, classes, completion, generators, lexical, loops, modern, objects,
    state, typescript
);

#[test]
fn there_are_many() {
    let count: usize = TOPICS.iter().map(|text| read(text).len()).sum();
    assert!(count >= 600, "{count}");
}

fn check(text: &str) {
    let snippets = read(text);
    let problems: Vec<String> = snippets
        .iter()
        .flat_map(|snippet| problems(snippet))
        .collect();
    assert!(
        problems.is_empty(),
        "{} of {} snippets:\n\n{}",
        problems.len(),
        snippets.len(),
        problems.join("\n")
    );
}

/// What is wrong with the steps of a snippet.
fn problems(snippet: &Snippet<'_>) -> Vec<String> {
    let raw = raw(snippet);
    let mut problems = Vec::new();
    let mut say = |step: usize, what: &dyn fmt::Display| {
        problems.push(format!("{} (step {}): {what}\n", snippet.name, step + 1));
    };
    for (number, (step, seen)) in snippet.steps.iter().zip(&raw).enumerate() {
        let is_right = seen.ended.is(&step.expected);
        match &step.fault {
            Some(fault) if is_right => say(number, &format!("is right, and this is over: {fault}")),
            None if !is_right && !matches!(step.expected, Expected::Code(_)) => {
                let text = format!("expected {:?}\n raw {:?}", step.expected, seen.ended);
                say(number, &text);
            }
            _ => {}
        }
        if seen.logs != step.logs {
            say(
                number,
                &format!("expected {:?}\n printed {:?}", step.logs, seen.logs),
            );
        }
    }
    for dress in [Dress::Plain, Dress::Fenced, Dress::Erased, Dress::Lowered] {
        if !snippet.steps.iter().all(|step| dress.fits(step)) {
            continue;
        }
        let prepared = prepared(snippet, dress);
        for (number, (step, (seen, raw))) in snippet
            .steps
            .iter()
            .zip(prepared.iter().zip(&raw))
            .enumerate()
        {
            let is_same = match &step.expected {
                Expected::Code(_) => seen.ended.is(&step.expected),
                _ if step.javascript.is_none() => seen == raw,
                _ => seen.without_place() == raw.without_place(),
            };
            if !is_same {
                say(number, &format!("{dress:?}\n raw {raw:?}\n got {seen:?}"));
            }
        }
    }
    problems
}

impl Seen {
    fn without_place(&self) -> Self {
        let mut seen = self.clone();
        if let Ended::Error { place, .. } = &mut seen.ended {
            *place = None;
        }
        seen
    }
}

/// The steps in a cell, as they are.
fn raw(snippet: &Snippet<'_>) -> Vec<Seen> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let console = Arc::clone(&lines);
    let options = CellOptions::default()
        .on_console(move |line| console.lock().unwrap().push(line.text.to_owned()));
    let mut cell = engine().cell(options).unwrap();
    let mut seen = Vec::new();
    for (number, step) in snippet.steps.iter().enumerate() {
        let code = step.javascript.as_ref().unwrap_or(&step.code);
        let name = format!("run-{}.js", number + 1);
        let before = cell.stats().operations;
        let result = block_on(cell.evaluate(Program::new(code).name(&name)));
        let mut rejections = 0;
        let ended = match result {
            Ok(outcome) => {
                rejections = outcome.unhandled_rejections.len();
                Ended::Value(json::to_json(&outcome.value))
            }
            Err(CellError::Uncloneable { printed, .. }) => Ended::Value(Json::from(printed)),
            Err(CellError::Exception(exception)) => thrown(&exception, &name, code),
            Err(error) => Ended::Failed(error.code()),
        };
        seen.push(Seen {
            ended,
            logs: std::mem::take(&mut *lines.lock().unwrap()).join("\n"),
            operations: cell.stats().operations - before,
            rejections,
        });
    }
    seen
}

fn thrown(exception: &Exception, name: &str, code: &str) -> Ended {
    match &exception.value {
        _ if exception.at_compile => Ended::NoProgram,
        Some(hotcell_cell::Value::Error(_)) => Ended::Error {
            name: exception.name(),
            message: exception.message(),
            place: place(&exception.stack(), name, code),
        },
        Some(value) => Ended::Thrown(json::to_json(value)),
        None => Ended::Thrown(Json::from(exception.printed.clone())),
    }
}

/// The first place of a stack that is in this program. The engine counts bytes, readers count UTF-16.
fn place(stack: &str, name: &str, code: &str) -> Option<(u32, u32)> {
    let start = format!("{name}:");
    let mut places = stack.split(&start).skip(1).filter_map(|after| {
        let mut numbers = after.split(|c: char| !c.is_ascii_digit());
        let line: usize = numbers.next()?.parse().ok()?;
        let column: usize = numbers.next()?.parse().ok()?;
        Some((line.checked_sub(1)?, column.checked_sub(1)?))
    });
    let (line, column) = places.next()?;
    let text = code.split('\n').nth(line)?;
    let units = text.get(..column)?.encode_utf16().count();
    let number = |index: usize| u32::try_from(index).unwrap() + 1;
    Some((number(line), number(units)))
}

/// The steps in an executor.
fn prepared(snippet: &Snippet<'_>, dress: Dress) -> Vec<Seen> {
    let executor = ready(ExecutorOptions::default());
    let mut seen = Vec::new();
    for step in &snippet.steps {
        let execution = block_on(executor.execute(dress.put_on(&step.code)));
        let mut one = outside(execution);
        // Where the engine does not know the place it names the beginning, and that is the fence.
        if let Ended::Error {
            place: Some(place), ..
        } = &mut one.ended
            && dress == Dress::Fenced
            && *place != (1, 1)
        {
            place.0 -= 1;
        }
        seen.push(one);
    }
    seen
}

fn outside(execution: Execution) -> Seen {
    let rejections = execution
        .diagnostics
        .iter()
        .filter(|one| one.rule == "unhandled_rejection")
        .count();
    Seen {
        ended: match &execution.error {
            None => Ended::Value(json::to_json(&execution.output)),
            Some(error) => failed(error),
        },
        logs: execution.logs,
        operations: execution.stats.operations,
        rejections,
    }
}

fn failed(error: &ExecutorError) -> Ended {
    match error.code {
        ErrorCode::ValidationFailed => {
            let mut rules = error.diagnostics().iter().map(|one| &one["rule"]);
            // Beside errors there may be remarks.
            assert!(rules.any(|rule| rule == "syntax_valid"), "{error:#?}");
            Ended::NoProgram
        }
        ErrorCode::RuntimeException => {
            let cause = &error.details["cause"];
            let text = |key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            match cause.get("value") {
                Some(value) => Ended::Thrown(value.clone()),
                None => Ended::Error {
                    name: text("name"),
                    message: text("message"),
                    place: error.location.map(|place| (place.line, place.column)),
                },
            }
        }
        code => Ended::Failed(code.as_str()),
    }
}
