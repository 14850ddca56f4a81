//! What needs no executor: checking code, and the words around it. JSON in, JSON out.

use hotcell_executor::ExecutorOptions;
use hotcell_prompt::{
    ParseOptions, PromptContext, parse_code, render_system_prompt, render_template,
};
use napi::Result;
use napi_derive::napi;
use serde_json::json;

use crate::host::{bug, mistake};

/// What there is to say about code.
#[napi]
pub fn validate_code(code: String, options: String) -> Result<String> {
    serde_json::to_string(&read_options(&options)?.validate_code(&code)).map_err(bug)
}

/// What would run of code.
#[napi]
pub fn prepare_program(code: String, options: String) -> Result<String> {
    let program = read_options(&options)?.prepare_program(&code);
    Ok(json!({
        "originalCode": *program.original,
        "transformedCode": *program.transformed,
        "diagnostics": program.diagnostics,
        "language": program.language,
    })
    .to_string())
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

/// The version of the library.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names the image: snapshots are good for one build.
#[napi]
pub fn build_id() -> String {
    hotcell_cell::BuildId::CURRENT.to_string()
}

fn read_options(options: &str) -> Result<ExecutorOptions> {
    let options = serde_json::from_str(options).map_err(bug)?;
    ExecutorOptions::from_json(&options).map_err(mistake)
}
