//! x
#![forbid(unsafe_code)]

mod cache;
mod collect;
mod diagnostic;
mod dynamic;
mod extend;
mod fence;
mod frame;
mod options;
mod position;
mod program;
pub mod rule;
mod rules;
mod scan;
mod stack;
mod syntax;
mod typescript;
mod view;

pub use cache::Preparer;
pub use diagnostic::{Diagnostic, Location, Severity};
pub use dynamic::{DynamicKind, prepare_dynamic};
pub use extend::{Rule, Transform};
pub use frame::code_frame;
pub use options::PrepareOptions;
pub use position::PositionMap;
pub use program::{Language, PreparedProgram, prepare_program, validate_code};
pub use view::{
    Call, CallResult, Declaration, DeclarationKind, Identifier, ProgramView, Role, StringText,
};
