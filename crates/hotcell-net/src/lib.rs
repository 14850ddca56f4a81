//! The network, as far as a host allows it.
//!
//! Code in a sandbox has no network. A host that gives it one says what it may reach: a [`NetworkPolicy`] of hosts, ports,
//! methods and paths. [`Network`] acts on it: for [`fetch`](Network::fetch), for connections, and for `curl` and `wget`, which
//! [`NetPrograms`] puts among the programs of a shell.
//!
//! ```
//! use std::sync::Arc;
//! use hotcell_net::{NetPrograms, Network, NetworkPolicy};
//! use hotcell_process::{Capture, Kernel, KernelOptions, Spec};
//! use hotcell_utilities::Utilities;
//!
//! let network = Network::new(NetworkPolicy::new().allow("api.example.com")?)?;
//! let kernel = Kernel::new(KernelOptions {
//!     programs: Arc::new(NetPrograms::new(Arc::new(Utilities), network)),
//!     ..KernelOptions::default()
//! });
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let run = kernel.run(Spec::new(["sh"]).stderr(Arc::new(output.clone())), |process| {
//!     let status = process.execute(process.spec(["curl", "-sS", "https://evil.example/"]));
//!     Ok(status.map_or(127, |status| status.code()))
//! });
//! assert_eq!(pollster::block_on(run).status.code(), 7);
//! let said = output.take().bytes;
//! assert_eq!(
//!     String::from_utf8_lossy(&said),
//!     "curl: (7) network: host evil.example is not allowed; allowed: api.example.com:443 GET,HEAD\n"
//! );
//! # Ok::<(), hotcell_net::PolicyError>(())
//! ```
//!
//! # How a request goes
//!
//! 1. The URL is parsed once, as browsers do; whoever needs a part of it takes it from there.
//! 2. [`NetworkPolicy::decide`] says whether the request is allowed. It looks at the host, port, method and path, and at
//!    headers that would make the request another one. A denial says what is allowed.
//! 3. The name is resolved once. All addresses are [checked](AddressKind), and one of these very addresses is connected to:
//!    nothing is looked up a second time.
//! 4. The head is written, and the host's [secrets](InjectedSecret) for this host go into it there. The program sees a head
//!    without them.
//! 5. The response is read with limits on everything that has a length. A redirect is a new request, from 1.
//!
//! # Invariants
//!
//! - **Everything is a future.** A name server that does not answer, a handshake that hangs, a body that never ends: dropping
//!   the future closes the socket, and nothing else is left. One thread of the process, the reactor of `async-io`, waits for
//!   all sockets.
//! - **Nothing is connected to that was not checked**, and nothing is sent that was not decided on.
//! - **A secret is on the wire and nowhere else.**
//! - **Decisions are told** ([`NetworkEvent`]) by the code that makes them.
//!
//! # Adding an option to `curl` or `wget`
//!
//! A row in `curl/options.rs` or `wget/options.rs` makes it known, to `--help`, too; a field of the configuration beside it
//! keeps its value. Cases that are compared with the machine's own programs are in `tests/conformance`.

#![forbid(unsafe_code)]

mod address;
mod connect;
mod connection;
mod cookies;
mod curl;
mod date;
mod deadline;
mod decide;
mod driver;
mod error;
mod event;
mod exchange;
mod fetch;
mod http;
mod network;
mod note;
mod policy;
mod programs;
mod redirect;
mod report;
mod request;
mod resolve;
mod session;
mod tcp;
mod tls;
mod upload;
mod wget;

pub use address::{AddressKind, kind_of};
pub use decide::{Decision, Denial, DenialReason};
pub use error::{NetError, Phase};
pub use event::{NetworkEvent, Target};
pub use fetch::{Fetch, FetchOptions, FetchResponse};
pub use network::{Network, NetworkBuilder};
pub use policy::{
    HostPattern, InjectedSecret, Methods, NetworkLimits, NetworkPolicy, PolicyError, Rule, Scheme,
    SecretPlace, SecretValue, TrustRoots,
};
pub use programs::NetPrograms;
pub use request::{BodyLength, Request};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use tcp::{CheckedStream, TcpOptions};
