//! Reads `tests/data/semantics`.
//!
//! A file holds snippets, each under a line `//// name`. A snippet has one or more steps, with `//// step` between them, which
//! run one after the other in the same executor. A step is code followed by what is expected of it:
//!
//! ```text
//! //=> JSON             its value, in the tagged form of `hotcell_executor::json`; `undefined` without quotes
//! //!! Name: message    its error; without `: message` any message will do; JSON if no error was thrown but a value;
//!                       ERR_… if it does not run
//! //>> text             a line that it prints
//! //== js               above stands what is not JavaScript, below the JavaScript that it means
//! //?? reason           the engine gets it wrong; when it no longer does, the test says so
//! //~~ reason           cannot be lowered as TypeScript
//! //-- reason           Node is no judge of this step, see `verify.mjs`
//! ```

use serde_json::Value as Json;

pub(crate) struct Snippet<'a> {
    pub(crate) name: &'a str,
    pub(crate) steps: Vec<Step>,
}

pub(crate) struct Step {
    /// As a model would have written it.
    pub(crate) code: String,
    /// The same as JavaScript, if it is not that already.
    pub(crate) javascript: Option<String>,
    pub(crate) expected: Expected,
    pub(crate) logs: String,
    /// Whether TypeScript allows it.
    pub(crate) is_typescript: bool,
    /// What the engine has not learnt yet.
    pub(crate) fault: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Expected {
    Value(Json),
    Error {
        name: String,
        message: Option<String>,
    },
    Thrown(Json),
    Code(String),
}

/// The snippets of a file.
pub(crate) fn read(text: &str) -> Vec<Snippet<'_>> {
    let mut snippets: Vec<Snippet<'_>> = Vec::new();
    let parts = text.split("\n//// ").enumerate();
    for (number, part) in parts {
        let part = match number {
            0 => part.strip_prefix("//// ").unwrap(),
            _ => part,
        };
        let (name, body) = part.split_once('\n').unwrap();
        if name == "step" {
            snippets.last_mut().unwrap().steps.push(step(body));
        } else {
            let steps = vec![step(body)];
            snippets.push(Snippet { name, steps });
        }
    }
    snippets
}

fn step(text: &str) -> Step {
    let mut sources = vec![Vec::new()];
    let mut is_typescript = true;
    let (mut expected, mut logs, mut fault) = (None, Vec::new(), None);
    for line in text.trim_end_matches('\n').split('\n') {
        if let Some(value) = line.strip_prefix("//=> ") {
            expected = Some(Expected::Value(json(value)));
        } else if let Some(error) = line.strip_prefix("//!! ") {
            expected = Some(failure(error));
        } else if let Some(log) = line.strip_prefix("//>> ") {
            logs.push(log);
        } else if let Some(reason) = line.strip_prefix("//?? ") {
            fault = Some(reason.to_owned());
        } else if line.starts_with("//~~ ") {
            is_typescript = false;
        } else if line == "//== js" {
            sources.push(Vec::new());
        } else if !line.starts_with("//-- ") {
            sources.last_mut().unwrap().push(line);
        }
    }
    let mut sources = sources.into_iter().map(|lines| lines.join("\n"));
    Step {
        code: sources.next().unwrap(),
        javascript: sources.next(),
        expected: expected.unwrap_or_else(|| panic!("expects nothing: {text}")),
        logs: logs.join("\n"),
        is_typescript,
        fault,
    }
}

fn failure(text: &str) -> Expected {
    if text.starts_with("ERR_") {
        return Expected::Code(text.to_owned());
    }
    let (name, message) = match text.split_once(": ") {
        Some((name, message)) => (name, Some(message.to_owned())),
        None => (text, None),
    };
    if name.starts_with(|first: char| first.is_ascii_uppercase()) {
        let name = name.to_owned();
        return Expected::Error { name, message };
    }
    Expected::Thrown(json(text))
}

fn json(text: &str) -> Json {
    match text {
        "undefined" => serde_json::json!({ "$": "undefined" }),
        _ => serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}")),
    }
}
