//! What a model should read next.
//!
//! One text for what came of a run: its result or its error with the place in the code, what to do about it, what it printed,
//! which tools it had called. It fits into a budget, and says what was left out.

mod cut;
mod parts;

use hotcell_cell::Value;
use hotcell_prepare::rule;
use serde_json::{Map, Value as Json, json};

use crate::{
    content::{notes, notes_of_json},
    error::{ErrorCode, ExecutorError},
    inspect::{Plain, inspect},
    json::from_json,
    output::{CodeOutput, Execution},
    rejection::thrown,
};
use parts::Parts;

/// How long an observation may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObservationOptions {
    /// The most characters. What is cut is said in them.
    pub max_characters: usize,
}

/// A token is about so many characters of text and code.
const CHARACTERS_PER_TOKEN: usize = 4;
/// With less nothing can be told.
const LEAST_CHARACTERS: usize = 200;

impl Default for ObservationOptions {
    /// 20,000 characters, about 5,000 tokens.
    fn default() -> Self {
        Self {
            max_characters: 20_000,
        }
    }
}

impl ObservationOptions {
    /// At most so many characters, at least 200.
    #[must_use]
    pub fn max_characters(mut self, characters: usize) -> Self {
        self.max_characters = characters.max(LEAST_CHARACTERS);
        self
    }

    /// At most about so many tokens.
    #[must_use]
    pub fn max_tokens(self, tokens: usize) -> Self {
        self.max_characters(tokens.saturating_mul(CHARACTERS_PER_TOKEN))
    }

    /// From `{maxCharacters?, maxTokens?}`; an error says what is wrong.
    pub fn from_json(options: &Json) -> Result<Self, String> {
        let mut result = Self::default();
        let options = match options {
            Json::Null => return Ok(result),
            Json::Object(options) => options,
            _ => return Err("the options of an observation must be an object".into()),
        };
        for (name, value) in options {
            let number = value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .filter(|number| *number > 0);
            let number = number.ok_or_else(|| {
                format!("{name} is {value}: it must be a whole number of at least 1")
            })?;
            result = match &**name {
                "maxCharacters" => result.max_characters(number),
                "maxTokens" => result.max_tokens(number),
                _ => {
                    return Err(format!(
                        "unknown option {name:?}: the options are maxCharacters and maxTokens"
                    ));
                }
            };
        }
        Ok(result)
    }
}

impl Execution {
    /// What a model should read next.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # use hotcell_executor::{Executor, ExecutorOptions, ObservationOptions};
    /// # let executor = Executor::new(ExecutorOptions::default());
    /// # executor.init().await?;
    /// let step = executor.execute("console.log('hm');\nmissing + 1").await;
    /// assert_eq!(
    ///     step.observation(&ObservationOptions::default()),
    ///     "Error: Runtime exception: ReferenceError: missing is not defined (line 2, column 1)\n\
    ///      \x20 1 | console.log('hm');\n\
    ///      > 2 | missing + 1\n\
    ///      \x20   | ^\n\
    ///      Hint: declare it first; there are no tools here\n\
    ///      Logs before the error:\n\
    ///      hm"
    /// );
    /// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
    /// ```
    pub fn observation(&self, options: &ObservationOptions) -> String {
        match &self.error {
            Some(error) => error.observation(options),
            None => succeeded(
                &self.output,
                &self.logs,
                notes(&self.content),
                self.is_final_answer,
                &json!(self.diagnostics),
            )
            .render(*options),
        }
    }
}

impl CodeOutput {
    /// What a model should read next, see [`Execution::observation`].
    pub fn observation(&self, options: &ObservationOptions) -> String {
        let diagnostics = json!(self.diagnostics);
        succeeded(
            &self.output,
            &self.logs,
            notes(&self.content),
            self.is_final_answer,
            &diagnostics,
        )
        .render(*options)
    }
}

impl ExecutorError {
    /// What a model should read next, see [`Execution::observation`].
    pub fn observation(&self, options: &ObservationOptions) -> String {
        let logs = self.logs.as_deref().unwrap_or_default();
        failed(
            self.code.as_str(),
            &self.message,
            &self.details,
            logs,
            notes(&self.content),
        )
        .render(*options)
    }
}

/// The observation for an output that has left the executor already; `report` is what came with it, as JSON.
pub fn observation_of_output(
    output: &Value,
    report: &Json,
    options: &ObservationOptions,
) -> String {
    let logs = report.get("logs").and_then(Json::as_str);
    succeeded(
        output,
        logs.unwrap_or_default(),
        report.get("content").and_then(notes_of_json),
        report.get("is_final_answer") == Some(&Json::Bool(true)),
        report.get("diagnostics").unwrap_or(&Json::Null),
    )
    .render(*options)
}

/// The observation for what a front door gave as JSON: the result of a run, or its normalised error. An error says why it is
/// neither.
pub fn observation_of_json(report: &Json, options: &ObservationOptions) -> Result<String, String> {
    let text = |json: &Json, key: &str| {
        json.get(key)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    // The report of `--json` and of `execute` holds the error inside.
    let error = report.get("error").filter(|error| error.is_object());
    let error = error.unwrap_or(report);
    if error.get("code").is_some() && error.get("message").is_some() {
        let nothing = Map::new();
        let details = error
            .get("details")
            .and_then(Json::as_object)
            .unwrap_or(&nothing);
        let mut logs = text(error, "logs");
        if logs.is_empty() {
            logs = text(report, "logs");
        }
        let content = error.get("content").or_else(|| report.get("content"));
        let parts = failed(
            &text(error, "code"),
            &text(error, "message"),
            details,
            &logs,
            content.and_then(notes_of_json),
        );
        return Ok(parts.render(*options));
    }
    let Some(output) = report.get("output") else {
        return Err(
            "it is neither the result of a run, with output, nor an error, with code and message"
                .into(),
        );
    };
    let output = from_json(output).map_err(|error| error.to_string())?;
    Ok(observation_of_output(&output, report, options))
}

fn succeeded(
    output: &Value,
    logs: &str,
    shown: Option<String>,
    is_final_answer: bool,
    diagnostics: &Json,
) -> Parts {
    let label = if is_final_answer {
        "Final answer"
    } else {
        "Result"
    };
    let printed = match output {
        // As it is: quotes and backslashes only cost tokens.
        Value::String(text) => text.to_str_lossy().into_owned(),
        value => inspect(value, &Plain),
    };
    let is_silent = output.is_undefined() && logs.is_empty() && shown.is_none() && !is_final_answer;
    Parts {
        head: Vec::new(),
        label: "Warnings:",
        warnings: parts::warnings(diagnostics),
        logs: (!logs.is_empty()).then(|| ("Logs", logs.to_owned())),
        shown: shown.map(|shown| ("Shown", shown)),
        value: (!output.is_undefined() || is_final_answer).then_some((label, printed)),
        calls: Vec::new(),
        tail: if is_silent {
            vec!["(nothing was printed, and the value is undefined: end with an expression that has a value, or console.log what you want to see)".into()]
        } else {
            Vec::new()
        },
    }
}

fn failed(
    code: &str,
    message: &str,
    details: &Map<String, Json>,
    logs: &str,
    shown: Option<String>,
) -> Parts {
    let text = |key: &str| details.get(key).and_then(Json::as_str);
    let hint = text("hint");
    // The message may end with the hint, for those who see nothing else.
    let message = hint.map_or(message, |hint| {
        let before = message.strip_suffix(hint);
        let before = before.and_then(|rest| {
            rest.strip_suffix("; hint: ")
                .or_else(|| rest.strip_suffix("; fix: "))
        });
        before.unwrap_or(message)
    });
    let mut head = vec![format!("Error: {message}")];
    head.extend(text("tool").map(|tool| format!("The tool that failed: {tool}")));
    head.extend(details.get("cause").map(parts::causes).unwrap_or_default());
    head.extend(text("codeFrame").map(str::to_owned));
    head.extend(hint.map(|hint| format!("Hint: {hint}")));
    let is_refused = matches!(code, "ERR_VALIDATION_FAILED" | "ERR_IMPORT_NOT_ALLOWED");
    let mut label = "Warnings:";
    let found = details.get("diagnostics").and_then(Json::as_array);
    let found = found.into_iter().flatten();
    // What the error is about need not be said twice.
    let others = found.filter(|one| !is_told_by(message, one));
    let mut warnings = parts::warnings(&Json::Array(others.cloned().collect()));
    if is_refused && !warnings.is_empty() {
        // The first is the message.
        let first = warnings.remove(0);
        if code == ErrorCode::ImportNotAllowed.as_str() && hint.is_none() {
            head.push(first);
        }
        head.push("Nothing of the code was run.".into());
        label = "Also found:";
    } else if let Some(hint) = hint {
        // What the hint says need not be said twice.
        warnings.retain(|warning| {
            !warning.contains(hint)
                && !hint
                    .split(" (the tools are")
                    .next()
                    .is_some_and(|part| warning.contains(part))
        });
    }
    let calls = details.get("calls").and_then(Json::as_array);
    let calls = calls
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .filter_map(|call| without_the_error(call, message));
    Parts {
        head,
        label,
        warnings,
        logs: (!logs.is_empty()).then(|| ("Logs before the error", logs.to_owned())),
        shown: shown.map(|shown| ("Shown before the error", shown)),
        value: None,
        calls: calls.collect(),
        tail: Vec::new(),
    }
}

/// Whether the message of an error is about what a rule found.
fn is_told_by(message: &str, finding: &Json) -> bool {
    if finding["rule"] == rule::TOOL_ARGUMENTS {
        return message.contains("invalid arguments for");
    }
    let thrown = finding["message"].as_str().and_then(thrown);
    thrown.is_some_and(|thrown| message.contains(thrown))
}

/// A call as the list of calls has it, without what the error says already; `None` if nothing is left to say.
fn without_the_error(call: &str, message: &str) -> Option<String> {
    let is_told = |reason: &str| message.contains(reason.trim_end_matches('…'));
    if let Some((_, reason)) = call.split_once(" did not take place: ") {
        return (!is_told(reason)).then(|| call.to_owned());
    }
    match call.split_once(" failed: ") {
        Some((call, reason)) if is_told(reason) => Some(format!("{call} failed, as told above")),
        _ => Some(call.to_owned()),
    }
}
