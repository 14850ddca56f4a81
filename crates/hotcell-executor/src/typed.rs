//! Tools that are functions of Rust's own types.

use std::future::Future;

use hotcell_cell::{ToolCall, ToolError, Value, from_value, to_value};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::tool::AgentTool;

impl AgentTool {
    /// A function from one type to another: what it takes and gives is told to the model, checked, and converted.
    ///
    /// The argument is a struct, whose fields code passes as one object or one by one.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use hotcell_cell::Value;
    /// use hotcell_executor::{AgentTool, Executor, ExecutorOptions, schemars};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Forecast {
    ///     /// Where
    ///     city: String,
    ///     days: Option<u8>,
    /// }
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Weather { degrees: i32 }
    ///
    /// let forecast = AgentTool::typed(|args: Forecast| async move {
    ///     match args.city.as_str() {
    ///         "Oslo" => Ok(Weather { degrees: -3 }),
    ///         city => Err(format!("no such city: {city}")),
    ///     }
    /// });
    /// # let executor = Executor::new(ExecutorOptions::default());
    /// # executor.init().await?;
    /// executor.send_tools([("forecast", forecast.description("The weather to come"))]).await?;
    /// assert_eq!(executor.run("(await forecast({ city: 'Oslo' })).degrees").await?.output, Value::from(-3));
    ///
    /// let declared = hotcell_prompt::tools_prompt(&executor.tools());
    /// assert!(declared.is_ok_and(|text| text.contains("degrees: number")));
    /// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
    /// ```
    pub fn typed<A, R, E, F>(function: impl Fn(A) -> F + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize + JsonSchema,
        E: Into<ToolError>,
        F: Future<Output = Result<R, E>> + Send + 'static,
    {
        let tool = Self::asynchronous(move |call| {
            let answer = argument(&call).map(&function);
            async move { answered(answer?.await) }
        });
        described::<A, R>(tool)
    }

    /// As [`AgentTool::typed`], for a function that has its answer when it returns.
    pub fn typed_sync<A, R, E>(function: impl Fn(A) -> Result<R, E> + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize + JsonSchema,
        E: Into<ToolError>,
    {
        described::<A, R>(Self::sync(move |call| answered(function(argument(&call)?))))
    }
}

fn described<A: JsonSchema, R: JsonSchema>(tool: AgentTool) -> AgentTool {
    let parameters = schemars::schema_for!(A).to_value();
    // `()` takes nothing.
    let parameters = match parameters.get("type").and_then(Json::as_str) {
        Some("null") => {
            json!({ "type": "object", "properties": {}, "additionalProperties": false })
        }
        _ => parameters,
    };
    tool.parameters(parameters)
        .returns(schemars::schema_for!(R).to_value())
}

fn argument<A: DeserializeOwned>(call: &ToolCall) -> Result<A, ToolError> {
    let nothing = Value::Object(Vec::new());
    let given = match call.argument(0) {
        // Who takes nothing but options may be called without any.
        Value::Undefined if size_of::<A>() > 0 => &nothing,
        given => given,
    };
    from_value(given).map_err(|error| {
        let message = format!("invalid arguments for {}: {error}", call.tool);
        ToolError::new("TypeError", message)
    })
}

fn answered<R: Serialize, E: Into<ToolError>>(answer: Result<R, E>) -> Result<Value, ToolError> {
    let answer = answer.map_err(Into::into)?;
    to_value(&answer).map_err(|error| {
        ToolError::from(format!(
            "the tool's answer cannot be given to the code: {error}"
        ))
    })
}
