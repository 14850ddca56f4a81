//! From bytes to commands.

mod error;

pub use error::{ErrorKind, Message, SyntaxError};
