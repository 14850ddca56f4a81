//! The words around the code: prompt, answer, observation.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::sync::Arc;

use hotcell::prompt::{
    ParseOptions, PromptContext, parse_code, render_system_prompt, render_template,
};
use hotcell::{ExecutorOptions, ObservationOptions, observation_of_json};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::error::RpcError;
use super::executors::{time_to_look, too_long};
use super::message::{Reply, result};
use super::params::params;
use super::session::Session;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Observation {
    /// What `executor.run` gave.
    result: Option<Json>,
    /// The error that it gave, or its `data`.
    error: Option<Json>,
    #[serde(default)]
    options: Json,
}

/// What a model should read next.
pub(super) async fn observation(_: Arc<Session>, given: Json) -> Reply {
    let Observation {
        result: output,
        error,
        options,
    } = params(given)?;
    let options = ObservationOptions::from_json(&options).map_err(RpcError::params)?;
    let error = error.map(|mut error| match error.get_mut("data") {
        Some(data) if data.get("code").is_some() => data.take(),
        _ => error,
    });
    let ((Some(report), None) | (None, Some(report))) = (output, error) else {
        return Err(RpcError::params(
            "one of result and error is needed: what executor.run gave",
        ));
    };
    let text = observation_of_json(&report, &options).map_err(RpcError::params)?;
    result(&json!({ "text": text }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parse {
    answer: String,
    #[serde(default)]
    options: Option<ParseOptions>,
}

/// The code in a model's answer.
pub(super) async fn parse(session: Arc<Session>, given: Json) -> Reply {
    let Parse { answer, options } = params(given)?;
    let parsed = session.lane.spawn(async move {
        let parsed = parse_code(&answer, &options.unwrap_or_default());
        result(&parsed.map_err(|error| RpcError::params(error.to_string()))?)
    });
    parsed.await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Render {
    #[serde(default)]
    context: PromptContext,
    template: Option<String>,
}

/// The system prompt.
pub(super) async fn render(_: Arc<Session>, given: Json) -> Reply {
    let Render { context, template } = params(given)?;
    rendered(&context, template.as_deref())
}

/// A prompt.
pub(super) fn rendered(context: &PromptContext, template: Option<&str>) -> Reply {
    let text = match template {
        Some(template) => render_template(template, context),
        None => render_system_prompt(context),
    };
    let text = text.map_err(|error| RpcError::params(error.to_string()))?;
    result(&json!({ "text": text }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Validate {
    code: String,
    #[serde(default)]
    options: Json,
}

/// What there is to say about code under these options, without an executor.
pub(super) async fn validate(session: Arc<Session>, given: Json) -> Reply {
    let Validate { code, options } = params(given)?;
    let options = match options {
        Json::Null => ExecutorOptions::default(),
        options => ExecutorOptions::from_json(&options)
            .map_err(|error| RpcError::params(error.to_string()))?,
    };
    let looked = session.lane.spawn(async move {
        let found = options.validate_code_watched(&code, &time_to_look());
        let found = found.map_err(too_long)?;
        result(&json!({ "diagnostics": found }))
    });
    looked.await
}
