//! The process boundary.

mod files;
mod inside;
mod jail;
mod message;
mod region;
mod ring;
mod start;
mod supervisor;
#[doc(hidden)]
pub mod testing;

pub use files::*;
pub use inside::*;
pub use jail::*;
pub use message::*;
pub use region::*;
pub use start::*;
pub use supervisor::*;
