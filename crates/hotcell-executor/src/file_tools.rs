//! The file tools as tools of an executor.

use hotcell_cell::{ToolCall, ToolError};
use hotcell_prompt::ToolSpec;
use hotcell_tools::{FileTools, ToolInfo};

use crate::{
    plain::{from_plain, to_plain},
    tool::AgentTool,
};

/// The file tools, by all their names, for [`Executor::send_tools`](crate::Executor::send_tools).
///
/// Each call runs on a thread for blocking work, so that a search through many files neither blocks the caller nor outlives
/// its run.
pub fn file_tools(tools: &FileTools) -> Vec<(String, AgentTool)> {
    let mut named = Vec::new();
    for info in FileTools::list() {
        let tool = file_tool(tools, &info);
        for alias in info.aliases {
            named.push(((*alias).to_owned(), tool.clone().hidden()));
        }
        named.push((info.name.to_owned(), tool));
    }
    named
}

fn file_tool(tools: &FileTools, info: &ToolInfo) -> AgentTool {
    let tools = tools.clone();
    let name = info.name;
    let tool = AgentTool::asynchronous(move |call: ToolCall| {
        let cancel = call.cancel.clone();
        let tools = tools.with_cancel(move || cancel.is_cancelled());
        let arguments: Result<Vec<_>, _> = call.arguments.iter().map(to_plain).collect();
        async move {
            let arguments = arguments
                .map_err(|problem| ToolError::new("TypeError", format!("{name}: {problem}")))?;
            let answer = blocking::unblock(move || tools.call(name, &arguments)).await;
            match answer {
                Ok(result) => Ok(from_plain(&result)),
                Err(error) => Err(ToolError::from(error.to_string())),
            }
        }
    });
    let spec = ToolSpec::new(name)
        .description(info.description)
        .parameters(info.arguments.clone())
        .returns(info.result.clone());
    // They take their arguments in more forms than one schema can say, and know better words.
    AgentTool::with_spec(tool, spec).self_checking()
}
