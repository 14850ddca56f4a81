//! From names to addresses.

mod dns;
mod system;

use std::{future::Future, io, net::IpAddr, pin::Pin};

pub use system::SystemResolver;

/// Looks up names.
///
/// A lookup is a future and nothing else: dropping it ends it, and no thread stays behind. That is why `getaddrinfo` is not
/// used here, which cannot be interrupted.
pub trait Resolve: Send + Sync {
    /// All addresses of a name, which is in lower case and ASCII.
    ///
    /// It is asked once for a connection. What it says is checked, and one of the checked addresses is connected to, so that
    /// a name cannot mean something else the next moment.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// A lookup under way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;
