//! Makes a program of the text that a model wrote: parses it, takes off what is not JavaScript, checks it against the rules,
//! and keeps the way back to the original positions.
//!
//! ```
//! use hotcell_prepare::{PrepareOptions, prepare_program};
//!
//! let answer = "Here is the code:\n```ts\nconst n: number = await count();\nfinal_answer(n);\n```";
//! let program = prepare_program(answer, &PrepareOptions::default());
//! assert!(!program.has_errors());
//! assert_eq!(program.transformed.lines().nth(2), Some("const n         = await count();"));
//!
//! let program = prepare_program("const fs = await import('fs')", &PrepareOptions::default());
//! let found = &program.diagnostics[0];
//! assert_eq!((found.rule.as_ref(), found.module.as_deref()), ("import_allowed", Some("fs")));
//! ```
//!
//! # Concepts
//!
//! - **A program is a script**: strict, with `await` and `return` at its top level, HTML-like comments and a hashbang.
//!   The engine runs that as it is, so the text changes only where it must: Markdown around the code, a hashbang,
//!   HTML-like comments and types are blanked out. Lines and columns stay; [`PositionMap`] is the identity.
//! - **TypeScript** is what is not JavaScript but parses as TypeScript. Types are blanked; enums, namespaces and parameter
//!   properties are lowered, and the map leads back.
//! - **Rules** report [`Diagnostic`]s, each with an id from [`rule`], a severity, a place and, where one is known, a fix.
//!   Errors forbid the run. A host adds [`Rule`]s and [`Transform`]s of its own, which see a [`ProgramView`] or text, never
//!   the parser's types.
//! - **Places** are lines and columns from 1, columns in UTF-16 code units. QuickJS counts columns in bytes:
//!   [`PreparedProgram::engine_location`] takes those.
//! - **Modules** ([`KnownModule`]) are what code may import: an `import` declaration of one that is there and authorised becomes an
//!   `await import()` before everything else.
//! - **Dynamic code** is what evaluators inside a cell get; [`prepare_dynamic`] checks it and never changes it.
//! - **[`Preparer`]** remembers results by content.
//!
//! # Threat assumptions
//!
//! Every text is hostile. Nothing here panics, and nothing recurses further than the stack: a linear scan refuses code that is
//! nested too deep, and whatever passes is parsed where there is room for the worst that a text of its tokens could do, on
//! the caller's stack if that is little (callers need 512 KiB), else on a thread made for it. Time is bounded in the same
//! way. What is *not* claimed: that accepted code is harmless. Rules help a model to correct itself; the wall is the cell.
#![forbid(unsafe_code)]

mod aside;
mod audit;
mod cache;
mod collect;
mod diagnostic;
mod dynamic;
mod extend;
mod fence;
mod findings;
mod frame;
mod lines;
mod module;
mod nearest;
mod options;
mod position;
mod program;
mod rewrite;
pub mod rule;
mod rules;
mod scan;
mod signature;
mod splice;
mod stack;
mod syntax;
mod typescript;
mod view;

pub use cache::Preparer;
pub use diagnostic::{Diagnostic, Location, Severity};
pub use dynamic::{DynamicKind, prepare_dynamic, prepare_dynamic_watched};
pub use extend::{Rule, Transform};
pub use frame::{code_at, code_frame};
pub use module::KnownModule;
pub use nearest::nearest_name;
pub use options::PrepareOptions;
pub use position::PositionMap;
pub use program::{
    GlobalName, Language, PreparedProgram, is_quick, prepare_program, prepare_program_watched,
    validate_code,
};
pub use rules::{
    BUILTIN_GLOBALS, RESERVED_PREFIX, TIMER_GLOBALS, instead_of_global, is_foreign_global,
};
pub use signature::{Kind, Parameter, Signature};
pub use view::{
    Call, CallResult, Declaration, DeclarationKind, Identifier, ProgramView, Role, StringText,
};
