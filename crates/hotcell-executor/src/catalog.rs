//! `searchTools` and `describeTool`: how code finds tools that no prompt declares.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hotcell_cell::{ToolCall, ToolError, Value};
use hotcell_prepare::nearest_name;
use hotcell_prompt::{ToolIndex, ToolSpec};
use serde_json::json;

use crate::{hooks::Hooks, plain::from_plain, shorten::shorten, tool::AgentTool};

/// The function that finds tools by words.
pub(crate) const SEARCH: &str = "searchTools";
/// The function that gives the declaration of a tool.
pub(crate) const DESCRIBE: &str = "describeTool";

/// So many tools a search gives unless told otherwise, and so many at most.
const FOUND: usize = 8;
const MAX_FOUND: usize = 50;
/// Of what is asked for so many bytes are looked at.
const MAX_QUERY: usize = 1000;

/// The tools that there are. Their words are read when the first search comes.
#[derive(Debug, Default)]
pub(crate) struct Catalog(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    tools: Arc<[ToolSpec]>,
    index: Option<Arc<ToolIndex>>,
}

impl Catalog {
    pub(crate) fn replace(&self, tools: Vec<ToolSpec>) {
        let mut state = self.state();
        let old = std::mem::replace(
            &mut *state,
            State {
                tools: tools.into(),
                index: None,
            },
        );
        drop(state);
        drop(old);
    }

    fn index(&self) -> Arc<ToolIndex> {
        let tools = {
            let state = self.state();
            if let Some(index) = &state.index {
                return Arc::clone(index);
            }
            Arc::clone(&state.tools)
        };
        let index = Arc::new(ToolIndex::new(&tools));
        self.state().index = Some(Arc::clone(&index));
        index
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Both functions, for an executor with tools that are not declared.
pub(crate) fn tools(hooks: &Arc<Hooks>) -> [(&'static str, AgentTool); 2] {
    let of = Arc::clone(hooks);
    let search = AgentTool::sync(move |call| search(&of.catalog.index(), &call))
        .description("Finds tools that are not declared here by what they do.")
        .parameters(json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "a few words" },
                "limit": { "type": "integer", "minimum": 1, "maximum": MAX_FOUND, "default": FOUND },
            },
            "required": ["query"],
        }))
        .returns(json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": { "name": { "type": "string" }, "summary": { "type": "string" }, "signature": { "type": "string" } },
                "required": ["name", "summary", "signature"],
            },
        }))
        .positional();
    let of = Arc::clone(hooks);
    let describe = AgentTool::sync(move |call| describe(&of.catalog.index(), &call))
        .description("The whole declaration of a tool, in TypeScript.")
        .parameters(json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
        }))
        .returns(json!({ "type": "string" }))
        .positional();
    [(SEARCH, search), (DESCRIBE, describe)].map(|(name, mut tool)| {
        tool.is_catalog = true;
        (name, tool)
    })
}

fn text<'a>(call: &'a ToolCall, key: &str) -> std::borrow::Cow<'a, str> {
    let given = call.argument(0);
    let given = given.get(key).unwrap_or(given);
    match given {
        Value::String(text) => match text.to_str_lossy() {
            std::borrow::Cow::Borrowed(text) => {
                std::borrow::Cow::Borrowed(&text[..text.floor_char_boundary(MAX_QUERY)])
            }
            std::borrow::Cow::Owned(text) => text[..text.floor_char_boundary(MAX_QUERY)]
                .to_owned()
                .into(),
        },
        _ => "".into(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the schema has checked it"
)]
#[expect(clippy::unnecessary_wraps, reason = "a tool's function")]
fn search(index: &ToolIndex, call: &ToolCall) -> Result<Value, ToolError> {
    let limit = call.argument(0).get("limit").or(call.arguments.get(1));
    let limit = limit
        .and_then(Value::as_f64)
        .map_or(FOUND, |limit| limit as usize);
    let found = index.search(&text(call, "query"), limit.clamp(1, MAX_FOUND));
    Ok(from_plain(json!(found)))
}

fn describe(index: &ToolIndex, call: &ToolCall) -> Result<Value, ToolError> {
    let name = text(call, "name");
    if let Some(declaration) = index.describe(&name) {
        return Ok(Value::from(declaration));
    }
    let shown = shorten(&name, 100);
    Err(ToolError::from(match nearest_name(&name, index.names()) {
        Some(nearest) => format!("there is no tool {shown:?}: did you mean {nearest:?}?"),
        None => format!("there is no tool {shown:?}: look for it with {SEARCH}(\"words\")"),
    }))
}
