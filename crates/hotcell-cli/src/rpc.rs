//! Every feature by name, in JSON-RPC 2.0: the dispatcher behind all front doors that speak it.
//!
//! A [`Session`] is one client. A transport hands it messages ([`Session::take`]) and sends what it has to say
//! ([`Transport`]); what the methods are is in [`methods`]. Nothing in here knows of lines, pipes or sockets.
//!
//! Requests for one executor or sandbox begin in the order in which they came, so that a client may send variables and a run in one
//! breath; none waits for a run to end.

mod batch;
mod call;
mod entry;
mod error;
mod events;
mod executors;
mod files;
mod line;
mod message;
mod methods;
mod params;
mod remote;
mod runs;
mod sandbox;
mod session;
mod texts;
mod tools;

pub(crate) use error::RpcError;
pub(crate) use session::{Furnish, Limits, Message, Session, Transport};
