//! The words around the code.
#![forbid(unsafe_code)]
mod context;
mod declare;
mod error;
mod names;
mod parse;
mod render;
mod tags;
mod tool;

pub use context::{Limits, PromptContext, VariableSpec};
pub use declare::{declare_tool, tools_prompt};
pub use error::PromptError;
pub use names::NameKind;
pub use parse::{BlockKind, CodeBlock, ParseError, ParseOptions, ParsedCode, Take, parse_code};
pub use render::{PLACEHOLDERS, SYSTEM_PROMPT_TEMPLATE, render_system_prompt, render_template};
pub use tags::CodeTags;
pub use tool::{ToolMode, ToolSpec};
