//! Files for code: texts, bytes, lines and lists as values, with nothing for the eye mixed in.

use hotcell_cell::{Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;
use hotcell_tools::{FileToolError, FileTools};
use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};

use super::{on_turn, over, told};
use crate::{files::Files, tool::AgentTool};

/// Does the work of a function, on this thread.
type Work = fn(&FileTools, &ToolCall) -> Result<Value, ToolError>;

struct Function {
    name: &'static str,
    work: Work,
    kind: Kind,
    changes: bool,
    description: &'static str,
    parameters: fn() -> Json,
    returns: fn() -> Json,
}

#[derive(Clone, Copy)]
enum Kind {
    Plain,
    Json,
    Paged,
}

const PATH: fn() -> Json = || json!({ "type": "string" });

const FUNCTIONS: [Function; 7] = [
    Function {
        name: "readText",
        work: read_text,
        kind: Kind::Plain,
        changes: false,
        description: "A whole text file, up to 16 MB, as it is: for code that works on it",
        parameters: || object(&json!({ "path": PATH() }), 1),
        returns: || json!({ "type": "string" }),
    },
    Function {
        name: "readBytes",
        work: read_bytes,
        kind: Kind::Plain,
        changes: false,
        description: "The bytes of a file, or a part of them",
        parameters: || {
            let count = || json!({ "type": "integer", "minimum": 0 });
            object(
                &json!({ "path": PATH(), "offset": count(), "length": count() }),
                1,
            )
        },
        returns: || json!({ "type": "string", "format": "binary" }),
    },
    Function {
        name: "readJson",
        work: read_json,
        kind: Kind::Json,
        changes: false,
        description: "What a JSON file holds",
        parameters: || object(&json!({ "path": PATH() }), 1),
        returns: || json!(true),
    },
    Function {
        name: "readLines",
        work: read_lines,
        kind: Kind::Paged,
        changes: false,
        description: "The lines of a text file of any size: for await (const line of readLines(path))",
        parameters: || {
            let offset =
                json!({ "type": "integer", "minimum": 0, "description": "Byte to begin at" });
            object(&json!({ "path": PATH(), "offset": offset }), 1)
        },
        returns: || json!({ "type": "string" }),
    },
    Function {
        name: "writeText",
        work: write_text,
        kind: Kind::Plain,
        changes: true,
        description: "Writes a whole text file, with the directories above it; gives its length in bytes",
        parameters: || object(&json!({ "path": PATH(), "text": { "type": "string" } }), 2),
        returns: || json!({ "type": "number" }),
    },
    Function {
        name: "list",
        work: list,
        kind: Kind::Plain,
        changes: false,
        description: "The names in a directory, or with recursive the paths of everything below it; directories end in /",
        parameters: || {
            let recursive = json!({ "type": "boolean", "default": false });
            object(&json!({ "path": PATH(), "recursive": recursive }), 0)
        },
        returns: || json!({ "type": "array", "items": { "type": "string" } }),
    },
    Function {
        name: "exists",
        work: exists,
        kind: Kind::Plain,
        changes: false,
        description: "Whether there is a file or directory",
        parameters: || object(&json!({ "path": PATH() }), 1),
        returns: || json!({ "type": "boolean" }),
    },
];

fn object(properties: &Json, required: usize) -> Json {
    let names = properties.as_object().into_iter().flatten();
    let required: Vec<&String> = names.map(|(name, _)| name).take(required).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What the function of that name does, if there is one.
pub(super) fn find(name: &str) -> Option<Work> {
    let function = FUNCTIONS.iter().find(|function| function.name == name);
    function.map(|function| function.work)
}

/// The functions as tools.
pub(super) fn tools(files: &Files) -> Vec<(String, AgentTool)> {
    let offered = FUNCTIONS
        .iter()
        .filter(|function| !function.changes || !files.is_read_only());
    offered
        .map(|function| (function.name.to_owned(), tool(files, function)))
        .collect()
}

fn tool(files: &Files, function: &'static Function) -> AgentTool {
    let Function { work, kind, .. } = *function;
    let tool = AgentTool::on_files(files, move |files| {
        let (tools, turns) = (files.tools().clone(), files.turns().clone());
        let run = move |call| on_turn(&tools, &turns, call, work);
        match kind {
            Kind::Plain => Tool::asynchronous(run),
            Kind::Json => Tool::json(run),
            Kind::Paged => Tool::paged(run),
        }
        .shadowable()
    });
    let spec = ToolSpec::new(function.name)
        .description(function.description)
        .parameters((function.parameters)())
        .returns((function.returns)())
        .positional();
    AgentTool::with_spec(tool, spec)
        .self_checking()
        .ends_with_run()
        .named_file_tool(function.name)
}

fn read_text(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = path(call)?;
    tools.read_text(&path).map(Value::from).map_err(failed)
}

fn read_bytes(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = path(call)?;
    let offset = count(call, 1, "offset")?.unwrap_or(0);
    let length = count(call, 2, "length")?;
    let bytes = tools.read_bytes(&path, offset, length);
    bytes.map(Value::bytes).map_err(failed)
}

fn read_json(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = path(call)?;
    let text = tools.read_text(&path).map_err(failed)?;
    // Some editors put a mark before the text that is no JSON.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    // Checked here, the error is the call's: it has the place of the call and the name of the tool.
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => Ok(Value::from(text)),
        Err(error) => Err(ToolError::new(
            "SyntaxError",
            format!("readJson found no JSON: {path}: {error}"),
        )),
    }
}

fn read_lines(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = path(call)?;
    let offset = count(call, 1, "offset")?.unwrap_or(0);
    let page = tools.read_lines(&path, offset).map_err(failed)?;
    let next = match page.next {
        #[expect(
            clippy::cast_precision_loss,
            reason = "files are shorter than 2^53 bytes"
        )]
        Some(next) => Value::object([
            ("path", Value::from(path)),
            ("offset", Value::from(next as f64)),
        ]),
        None => Value::Undefined,
    };
    let items = page.lines.into_iter().map(Value::from).collect();
    Ok(Value::object([
        ("items", Value::Array(items)),
        ("next", next),
    ]))
}

fn write_text(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = path(call)?;
    let text = given(call, 1, "text");
    let Some(Value::String(text)) = text else {
        return Err(mistyped(
            call,
            "text",
            "a string",
            text.or(call.arguments.get(1)),
        ));
    };
    // A text with half a character in it takes longer to write down.
    let times = if text.as_str().is_some() { 1 } else { 3 };
    let bytes = call.arguments.iter().map(Value::heap_size).sum::<usize>();
    let _copy = call
        .charge(times * bytes)
        .map_err(|problem| over(call, &problem))?;
    let text = text.to_str_lossy().into_owned();
    let bytes = tools.write_text(&path, text).map_err(failed)?;
    #[expect(clippy::cast_precision_loss, reason = "shorter than 2^53 bytes")]
    Ok(Value::from(bytes as f64))
}

fn list(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    let path = match given(call, 0, "path") {
        None | Some(Value::Undefined | Value::Null) => None,
        Some(_) => Some(path(call)?),
    };
    let recursive = match given(call, 1, "recursive") {
        None | Some(Value::Undefined | Value::Null) => false,
        Some(Value::Bool(recursive)) => *recursive,
        other => return Err(mistyped(call, "recursive", "true or false", other)),
    };
    let names = tools
        .list_names(path.as_deref(), recursive)
        .map_err(failed)?;
    Ok(Value::Array(names.into_iter().map(Value::from).collect()))
}

fn exists(tools: &FileTools, call: &ToolCall) -> Result<Value, ToolError> {
    tools.exists(&path(call)?).map(Value::from).map_err(failed)
}

/// An argument: a property of an object that is the last argument, or by its position.
fn given<'a>(call: &'a ToolCall, at: usize, name: &str) -> Option<&'a Value> {
    let named = match &*call.arguments {
        [.., last @ Value::Object(_)] => last.get(name),
        _ => None,
    };
    let placed = call.arguments.get(at);
    named.or(placed.filter(|value| !matches!(value, Value::Object(_))))
}

fn path(call: &ToolCall) -> Result<String, ToolError> {
    match given(call, 0, "path") {
        Some(Value::String(path)) => Ok(path.to_str_lossy().into_owned()),
        other => Err(mistyped(call, "path", "a string", other)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole and not negative"
)]
fn count(call: &ToolCall, at: usize, name: &str) -> Result<Option<u64>, ToolError> {
    match given(call, at, name) {
        None | Some(Value::Undefined | Value::Null) => Ok(None),
        Some(Value::Number(number)) if *number >= 0.0 && number.fract() == 0.0 => {
            Ok(Some(*number as u64))
        }
        other => Err(mistyped(call, name, "a whole number of at least 0", other)),
    }
}

fn mistyped(call: &ToolCall, name: &str, expected: &str, got: Option<&Value>) -> ToolError {
    let got = match got {
        None | Some(Value::Undefined) => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "an array",
        Some(Value::View(_) | Value::Buffer(_)) => "bytes",
        Some(_) => "an object",
    };
    let tool = &call.tool;
    let hint = if name == "text" {
        "; JSON.stringify makes a text of data"
    } else {
        ""
    };
    ToolError::new(
        "TypeError",
        format!("{tool}: {name} must be {expected}, got {got}{hint}"),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn failed(error: FileToolError) -> ToolError {
    let failed = told(&error);
    match error.errno() {
        Some(errno) => failed.with("code", errno.to_string().as_str()),
        None => failed,
    }
}
