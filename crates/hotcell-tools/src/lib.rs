//! File tools for a model: `read`, `write`, `edit`, `grep`, `find` and `ls` on any [`Vfs`](hotcell_vfs::Vfs).
//!
//! ```
//! use std::sync::Arc;
//!
//! use hotcell_tools::{EditParams, Edits, FileTools, Replacement, WriteParams};
//! use hotcell_vfs::MemVfs;
//!
//! let tools = FileTools::new(Arc::new(MemVfs::new()), "/work");
//! tools.write(&WriteParams {
//!     path: "src/greet.js".into(),
//!     content: "const greeting = ‘hello’;\n".into(),
//! })?;
//! // The quotes differ. It is found all the same, and only what was found changes.
//! let result = tools.edit(&EditParams {
//!     path: "src/greet.js".into(),
//!     edits: Edits::One(Replacement {
//!         old_text: "greeting = 'hello'".into(),
//!         new_text: "greeting = 'good day'".into(),
//!     }),
//! })?;
//! assert_eq!(result.to_text(), "Successfully replaced text in src/greet.js.");
//! # Ok::<(), hotcell_tools::FileToolError>(())
//! ```
//!
//! # Concepts
//!
//! - [`FileTools`] are the tools of one workspace: a directory of a file system. Each tool is a method that takes its
//!   parameters as a struct and gives a [`ToolResult`]: `content` for the model, `details` for programs.
//! - [`FileTools::list`] tells names, descriptions and JSON Schemas, and [`FileTools::call`] takes JSON: that is how a host
//!   offers them to code it did not write.
//! - Results are texts for a model. They are limited (50 KB, 2,000 lines), and always say when there is more and how to get
//!   it. Paths in them are relative to the workspace, so that they can be given to the next tool.
//! - What is for models' eyes is no data. For programs there are [`FileTools::read_text`], [`FileTools::read_bytes`],
//!   [`FileTools::write_text`], [`FileTools::list_names`], [`FileTools::exists`] and [`FileTools::read_lines`].
//! - [`FileToolError`] says what to correct.
//!
//! # What may be assumed
//!
//! Arguments and files are hostile. No path, `..` or symbolic link leads out of the workspace, also if somebody swaps
//! directories for links at that very moment: the tools work on a [confined view](hotcell_vfs::View::confined) that they make
//! themselves, once, when the workspace is there.
//! Patterns are matched in linear time within fixed memory. Nothing is written halfway: new content goes to a
//! temporary name and takes the file's place in one step, and edits of one file through clones of one [`FileTools`] come
//! one after the other.

#![forbid(unsafe_code)]

mod args;
mod catalog;
mod charged;
mod code;
mod edit;
mod error;
mod find;
mod glob;
mod grep;
mod ignored;
mod limits;
mod listing;
mod locks;
mod ls;
mod params;
mod read;
mod replace;
mod result;
mod schema;
mod shown;
mod spelling;
mod tools;
mod walk;
mod workspace;
mod write;

pub use code::Lines;
pub use error::FileToolError;
pub use limits::{
    CODE_MAX_BYTES, EDIT_MAX_BYTES, FIND_LIMIT, GREP_LIMIT, GREP_LINE_CHARS, IMAGE_MAX_BYTES,
    LIST_MAX, LS_LIMIT, MAX_BYTES, PAGE_BYTES, PAGE_LINES, READ_MAX_LINES,
};
pub use params::{
    EditParams, Edits, FindParams, GrepParams, LsParams, ReadParams, Replacement, WriteParams,
};
pub use result::{Content, Details, EditDetails, ToolResult, TruncatedBy, Truncation};
pub use tools::{FileTools, ToolInfo};
