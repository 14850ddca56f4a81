//! `display`, `image`, `audio`, `text` and `notify`: how code shows things.

use std::sync::Arc;

use hotcell_cell::{Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;
use serde_json::{Value as Json, json};

use super::{ContentItem, kind::Family, take};
use crate::{hooks::Hooks, tool::AgentTool};

/// All of them, for an executor whose code may show things.
pub(crate) fn tools(hooks: &Arc<Hooks>) -> [(&'static str, AgentTool); 5] {
    let bytes = json!({ "description": "bytes, a data URL, or the block of a tool's answer" });
    let media = |what: &str| {
        json!({
            "type": "object",
            "properties": { what: bytes, "mime": { "type": "string" } },
            "required": [what],
        })
    };
    let values = json!({ "type": "object", "properties": { "value": {} }, "required": ["value"] });
    let line = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    [
        (
            "display",
            function(
                hooks,
                "Shows a value to whoever reads the result: data, a text, an image, what a tool gave.",
                values.clone(),
                display,
            ),
        ),
        (
            "image",
            function(
                hooks,
                "Shows an image: PNG, JPEG, GIF, WebP or SVG.",
                media("image"),
                |hooks, call| show_media(Family::Image, hooks, call),
            ),
        ),
        (
            "audio",
            function(
                hooks,
                "Plays a sound: WAV, MP3, Ogg or FLAC.",
                media("audio"),
                |hooks, call| show_media(Family::Audio, hooks, call),
            ),
        ),
        (
            "text",
            function(
                hooks,
                "Shows a text, or a value as text.",
                values,
                show_text,
            ),
        ),
        (
            "notify",
            function(
                hooks,
                "Tells of progress at once, in a line, while the code goes on.",
                line,
                notify,
            ),
        ),
    ]
}

type Work = fn(&Hooks, &ToolCall) -> Result<(), ToolError>;

fn function(hooks: &Arc<Hooks>, description: &str, parameters: Json, work: Work) -> AgentTool {
    let hooks = Arc::clone(hooks);
    let tool = Tool::sync(move |call| work(&hooks, &call).map(|()| Value::Undefined));
    let spec = ToolSpec::default()
        .description(description)
        .parameters(parameters)
        .returns(json!({ "type": "null" }))
        .positional();
    AgentTool::own(tool, spec)
}

fn display(hooks: &Hooks, call: &ToolCall) -> Result<(), ToolError> {
    for value in &call.arguments {
        for item in take::anything(value, call.watch())? {
            hooks.show(item)?;
        }
    }
    Ok(())
}

fn show_media(family: Family, hooks: &Hooks, call: &ToolCall) -> Result<(), ToolError> {
    let mime = match call.argument(1) {
        Value::Undefined | Value::Null => None,
        Value::String(mime) => Some(mime.to_str_lossy()),
        _ => {
            return Err(ToolError::new(
                "TypeError",
                "the type is a text, such as \"image/png\"",
            ));
        }
    };
    let item = take::media(family, call.argument(0), mime.as_deref(), call.watch())?;
    hooks.show(item)
}

/// One item, however many values there are, with spaces between them as the console has it.
fn show_text(hooks: &Hooks, call: &ToolCall) -> Result<(), ToolError> {
    hooks.show(joined(call))
}

fn notify(hooks: &Hooks, call: &ToolCall) -> Result<(), ToolError> {
    let item = joined(call);
    let text = item.text().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(ToolError::new(
            "TypeError",
            "notify takes a text that says something",
        ));
    }
    hooks.notify(text)
}

fn joined(call: &ToolCall) -> ContentItem {
    let mut items = call
        .arguments
        .iter()
        .map(|value| take::text(value, call.watch()));
    match (items.next(), items.next()) {
        (None, _) => take::plain(String::new()),
        (Some(only), None) => only,
        (Some(first), Some(second)) => {
            let all = [first, second].into_iter().chain(items);
            let all: Vec<String> = all.map(|item| item.note().into_owned()).collect();
            take::plain(all.join(" "))
        }
    }
}
