//! What needs no executor: checking code, and the words around it. JSON in, JSON out.

use std::sync::Arc;

use hotcell::prompt::{
    ParseOptions, PromptContext, parse_code, render_system_prompt, render_template,
};
use hotcell::{ExecutorOptions, ObservationOptions, observation_of_json, observation_of_output};
use napi::{
    Result,
    bindgen_prelude::{BigInt, Utf16String},
};
use napi_derive::napi;
use serde_json::{Value as Json, json};

use crate::{
    fault::{bug, mistake},
    host::Host,
    main_thread::Weight,
    outcome::Outcome,
    sent::Borrowed,
};

/// Names the program that runs code with `isolation: "process"`. The variable `HOTCELL_WORKER` of the environment goes first.
#[napi]
pub fn workers_are(program: String) {
    #[cfg(target_os = "linux")]
    hotcell::workers_are(program);
    #[cfg(not(target_os = "linux"))]
    drop(program);
}

/// What there is to say about code, while Node waits.
#[napi]
pub fn validate_code(code: String, options: String) -> Result<String> {
    serde_json::to_string(&read_options(&options)?.validate_code(&code)).map_err(bug)
}

/// What would run of code, while Node waits.
#[napi]
pub fn prepare_program(code: String, options: String) -> Result<String> {
    Ok(prepared(&read_options(&options)?, &code).to_string())
}

fn prepared(options: &ExecutorOptions, code: &str) -> Json {
    let program = options.prepare_program(code);
    json!({
        "originalCode": *program.original,
        "transformedCode": *program.transformed,
        "diagnostics": program.diagnostics,
        "language": program.language,
    })
}

#[napi]
impl Host {
    /// What there is to say about code.
    #[napi]
    pub fn validate_code(&self, operation: u32, code: String, options: String) -> Result<bool> {
        let options = read_options(&options)?;
        Ok(self.tell(operation, Weight::of_code(&code), move || {
            Outcome::data(&options.validate_code(&code))
        }))
    }

    /// What would run of code.
    #[napi]
    pub fn prepare_program(&self, operation: u32, code: String, options: String) -> Result<bool> {
        let options = read_options(&options)?;
        Ok(self.tell(operation, Weight::of_code(&code), move || {
            Outcome::data(&prepared(&options, &code))
        }))
    }

    /// Does something that is so much work.
    fn tell(
        &self,
        operation: u32,
        weight: Weight,
        work: impl FnOnce() -> Outcome + Send + 'static,
    ) -> bool {
        let bridge = Arc::clone(&self.bridge);
        let affinity = Arc::default();
        let working = async move { bridge.done(0, operation, work()) };
        self.bridge.spawn(operation, weight, &affinity, working)
    }
}

/// The system prompt, by our template or by another.
#[napi]
pub fn render_prompt(context: String, template: Option<String>) -> Result<String> {
    let context: PromptContext = serde_json::from_str(&context).map_err(mistake)?;
    match template {
        Some(template) => render_template(&template, &context),
        None => render_system_prompt(&context),
    }
    .map_err(mistake)
}

/// The code in a model's answer.
#[napi(js_name = "parseCode")]
pub fn parse_answer(answer: String, options: String) -> Result<String> {
    let options: ParseOptions = serde_json::from_str(&options).map_err(mistake)?;
    let parsed = parse_code(&answer, &options).map_err(mistake)?;
    serde_json::to_string(&parsed).map_err(bug)
}

/// What a model should read after a run that went well. `report` is the rest of its report.
#[napi]
pub fn observe_output(
    report: String,
    options: String,
    row: &[f64],
    text: Utf16String,
    bytes: &[u8],
    bigints: Option<Vec<BigInt>>,
) -> Result<String> {
    let report: Json = serde_json::from_str(&report).map_err(bug)?;
    let options = observation_options(&options)?;
    let pieces = Borrowed {
        row,
        text,
        bytes,
        bigints,
    };
    // Those with large numbers beside the row can only be read when they are kept.
    let pieces = pieces.into_owned();
    let output = pieces.read(|mut reader| reader.value()).map_err(bug)?;
    Ok(observation_of_output(&output, &report, &options))
}

/// What a model should read after a run that failed with this error.
#[napi]
pub fn observe_error(error: String, options: String) -> Result<String> {
    let error: Json = serde_json::from_str(&error).map_err(bug)?;
    observation_of_json(&error, &observation_options(&options)?).map_err(mistake)
}

fn observation_options(options: &str) -> Result<ObservationOptions> {
    let options = serde_json::from_str(options).map_err(bug)?;
    ObservationOptions::from_json(&options).map_err(mistake)
}

/// The version of the library.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names the image: snapshots are good for one build.
#[napi]
pub fn build_id() -> String {
    hotcell::cell::BuildId::CURRENT.to_string()
}

fn read_options(options: &str) -> Result<ExecutorOptions> {
    let options = serde_json::from_str(options).map_err(bug)?;
    ExecutorOptions::from_json(&options).map_err(mistake)
}
