//! The bytes between a WebAssembly guest and the host that starts programs for it.
//!
//! A guest of the exec capability talks to its host in frames of packed little-endian fields. This crate is the one home of
//! every layout: the host ([`hotcell-exec`]) and guests ([`hotcell-guest`]) read and write them with the same code.
//!
//! ```
//! use hotcell_hopper::{Encode, Raw, command, frame::{self, Frame}};
//! use hotcell_hopper::selector::exec::{Start, StartRequest, WANT_STDOUT};
//! use hotcell_hopper::source::{Call, Source};
//!
//! // A guest asks for `echo hi` …
//! let params = StartRequest { prog_id: "tools/echo", flags: WANT_STDOUT, args: &["echo", "hi"], env: &[] };
//! let call = Call { kind: b"exec", name: b"default", selector: b"exec.start.v1", params };
//! let mut buffer = [0; 256];
//! let bytes = Frame::command(command::REGISTER_FUTURE, 1, 100, &call).encode_into(&mut buffer)?;
//!
//! // … and the host reads it, from where the guest left it.
//! let frame = Frame::decode(bytes, frame::COMMAND)?;
//! let Source::Selector(call) = Source::decode(frame.payload.0)? else { panic!() };
//! let start = Start::decode(call.params.0)?;
//! assert_eq!(start.args.iter().collect::<Vec<_>>(), [b"echo".as_slice(), b"hi"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The layers
//!
//! | | |
//! |---|---|
//! | [`field`], [`sink`] | Hopper: integers of 1, 2, 4 and 8 bytes, `HSTR`, `HBYTES`, and lists of them |
//! | [`control`] | ZCL1, the frames of `_ctl`: what capabilities there are, and opening the hub |
//! | [`frame`], [`event`] | ZAX1, the frames of the hub: commands to the host, events to the guest |
//! | [`source`] | what a `REGISTER_FUTURE` carries: which selector of which capability, and its parameters |
//! | [`selector`] | parameters and results of every selector |
//! | [`failure`], [`trace`] | how a failure is told, and every code there is, with its words |
//!
//! # Invariants
//!
//! - **Any bytes are a value or [`Malformed`]**: no panic, no recursion, no allocation, time linear in the bytes. A count is
//!   believed only if the bytes behind it can hold so many items.
//! - **Exact**: a payload is read to its last byte, or it is malformed.
//! - **Reading borrows**: texts and lists are views of the frame they came in.
//! - **`Debug` tells no content** of arguments, environment or parameters: they may be secrets, and logs are forever.
//!
//! [`hotcell-exec`]: ../hotcell_exec/index.html
//! [`hotcell-guest`]: ../hotcell_guest/index.html

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod control;
pub mod event;
pub mod failure;
pub mod field;
pub mod frame;
pub mod list;
pub mod selector;
pub mod sink;
pub mod source;
pub mod trace;

pub use field::{Malformed, Reader, is_text};
pub use frame::command;
pub use list::List;
pub use sink::{Encode, Full, Raw, Sink};
