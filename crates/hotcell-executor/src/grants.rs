//! Functions that an executor brings itself when an option says so.
//!
//! They are no tools of the host's: their calls are in no ledger and count for no limit of tools, and their names are free. A tool or
//! variable of the host's takes the place of one, and code may declare what it likes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hotcell_cell::{Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;

use crate::{content, hooks::Hooks, store, tool::AgentTool};

/// Those that the options allow.
pub(crate) fn tools(hooks: &Arc<Hooks>) -> Vec<(String, AgentTool)> {
    let options = &hooks.options;
    let mut tools = options.granted.clone();
    if options.content {
        tools.extend(content::tools(hooks).map(named));
    }
    if let Some(store) = &options.store {
        tools.extend(store::tools(hooks, store).map(named));
    }
    tools
}

fn named((name, mut tool): (&'static str, AgentTool)) -> (String, AgentTool) {
    name.clone_into(&mut tool.spec.name);
    (name.to_owned(), tool)
}

/// Makes those among `tools` that are ours those of `hooks`, and adds what is allowed there and was not before, where the name is
/// free. What is not allowed there stays as a function that says so.
pub(crate) fn renew(
    tools: &mut BTreeMap<String, AgentTool>,
    names: &BTreeSet<String>,
    hooks: &Arc<Hooks>,
) {
    for tool in tools.values_mut().filter(|tool| tool.is_own) {
        tool.tool = Tool::sync(withdrawn).shadowable();
    }
    for (name, tool) in self::tools(hooks) {
        let is_free = || !names.contains(&name);
        if tools.get(&name).map_or_else(is_free, |known| known.is_own) {
            tools.insert(name, tool);
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a tool's function")]
fn withdrawn(call: ToolCall) -> Result<Value, ToolError> {
    Err(ToolError::from(format!(
        "the host does not allow {} any more",
        call.tool
    )))
}

impl AgentTool {
    /// One of these. It checks its arguments itself.
    pub(crate) fn own(tool: Tool, spec: ToolSpec) -> Self {
        let mut tool = Self::with_spec(tool.shadowable(), spec);
        tool.is_own = true;
        tool.is_self_checking = true;
        tool
    }
}
