//! Tools as TypeScript declarations.
//!
//! - `types`: what each kind of schema becomes
//! - `docs`: what the doc comments say
//! - `functions`: parameter lists, promises, names
//! - `refs`: references, cycles, clashes
//! - `hostile`: schemas that are deep, large, wrong or mean
//!
//! With `HOTCELL_DECLARATIONS=<directory>` in the environment every declaration made here is also written to a `.ts` file
//! there, so that TypeScript's own compiler can check the whole corpus: `tsc --noEmit --strict <directory>/*.ts`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod docs;
mod functions;
mod hostile;
mod refs;
mod types;

use std::hash::{DefaultHasher, Hash, Hasher};

use hotcell_prompt::{PromptError, ToolSpec, tools_prompt};
use serde_json::Value;

pub(crate) fn declare(tools: &[ToolSpec]) -> Result<String, PromptError> {
    let text = tools_prompt(tools)?;
    if let Some(directory) = std::env::var_os("HOTCELL_DECLARATIONS") {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let path = std::path::Path::new(&directory).join(format!("{:016x}.ts", hasher.finish()));
        std::fs::write(path, format!("export {{}};\n{text}\n")).unwrap();
    }
    Ok(text)
}

/// The type a schema becomes, and the named types before it.
pub(crate) fn type_of(schema: Value) -> String {
    let text = declare(&[ToolSpec::new("f").sync().returns(schema)]).unwrap();
    let (before, ty) = text
        .split_once("declare function f(...args: unknown[]): ")
        .unwrap();
    // What the function's own comment says about the result is not part of the type.
    let before = match before.rfind("/**") {
        Some(at) if before[at..].contains("@returns") => &before[..at],
        _ => before,
    };
    format!("{before}{}", ty.strip_suffix(';').unwrap())
}

/// The declaration of a tool that takes one object with one property `p`.
pub(crate) fn with_property(schema: &Value) -> String {
    let parameters =
        serde_json::json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
    declare(&[ToolSpec::new("f").parameters(parameters)]).unwrap()
}
