//! The words around the code: what a model is told before it writes JavaScript for a hotcell, and how its answer is read.
//!
//! An agent is a loop of three steps, and this crate is the first and the last of them; between them the executor runs the
//! code. Nothing here runs anything: text in, text out.
//!
//! ```
//! use hotcell_prompt::{ParseOptions, PromptContext, ToolSpec, parse_code, render_system_prompt};
//! use serde_json::json;
//!
//! let context = PromptContext {
//!     tools: vec![
//!         ToolSpec::new("web_search")
//!             .description("Searches the web")
//!             .parameters(json!({
//!                 "type": "object",
//!                 "properties": {"query": {"type": "string"}},
//!                 "required": ["query"],
//!             }))
//!             .returns(json!({"type": "array", "items": {"type": "string"}})),
//!     ],
//!     ..PromptContext::default()
//! };
//! let system_prompt = render_system_prompt(&context)?;
//! assert!(system_prompt.contains("declare function web_search(args: { query: string }): Promise<string[]>;"));
//!
//! // ... a model answers ...
//! let answer = "Thought: I look it up.\n<code>\nconst hits = await web_search({ query: \"hot cell\" });\n</code>";
//! let parsed = parse_code(answer, &ParseOptions::default())?;
//! assert_eq!(parsed.code, "const hits = await web_search({ query: \"hot cell\" });");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - [`PromptContext`] holds all that a prompt tells: tools, variables, imports, limits, the marks around code.
//! - [`render_system_prompt`] fills in our template ([`SYSTEM_PROMPT_TEMPLATE`]); [`render_template`] fills in yours, with
//!   the same [`PLACEHOLDERS`].
//! - [`ToolSpec`] describes a tool by JSON Schema; [`tools_prompt`] and [`declare_tool`] turn it into TypeScript, which
//!   models read better than schemas and in fewer tokens. What types cannot say (bounds, formats, defaults) goes into the
//!   doc comments.
//! - A tool that is [deferred](ToolSpec::deferred) is not declared: with hundreds of tools the code looks for those that it
//!   needs, in a [`ToolIndex`].
//! - [`CodeTags`] are the marks around code. Prompt and parser must be given the same ones.
//! - [`parse_code`] finds the code in an answer. It accepts what models really write, and its errors teach the format: send
//!   them back to the model as they are.
//!
//! # What is trusted
//!
//! Answers are hostile: any text is parsed without panic, in time linear in its length, up to
//! [`max_bytes`](ParseOptions::max_bytes). Schemas and descriptions may come from strangers, such as an MCP server: they
//! cannot leave their comment or their declaration, and depth and size are bounded. What a description *says* still
//! reaches the model: that is what it is for, so offer only tools whose words you would put into a prompt. Templates,
//! custom instructions and [type texts](VariableSpec::type_text) are the host's own and are used as they are.

#![forbid(unsafe_code)]

mod context;
mod declare;
mod error;
mod names;
mod parse;
mod render;
mod search;
mod tags;
mod tool;

pub use context::{Limits, ModuleSpec, PromptContext, VariableSpec};
pub use declare::{declare_tool, tools_prompt};
pub use error::PromptError;
pub use names::{NameKind, RESERVED_PREFIX, check_name};
pub use parse::{BlockKind, CodeBlock, ParseError, ParseOptions, ParsedCode, Take, parse_code};
pub use render::{PLACEHOLDERS, SYSTEM_PROMPT_TEMPLATE, render_system_prompt, render_template};
pub use search::{FoundTool, ToolIndex};
pub use tags::CodeTags;
pub use tool::{ToolMode, ToolSpec};
