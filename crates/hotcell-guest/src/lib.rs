//! For guests of the exec capability that are written in Rust.
//!
//! A guest is a WebAssembly module that a host runs: it imports seven functions from `lembeh`, and through them starts programs
//! that the host lets it start, writes their input, and reads their output. This crate is those functions ([`Lembeh`]), a
//! client of the hub ([`Hub`]), and streams that know their direction ([`Source`], [`Sink`]). It needs neither `std` nor an
//! allocator.
//!
//! ```no_run
//! use hotcell_guest::{Error, Hub, Imports, Lembeh, Sink, StartRequest, WANT_STDOUT};
//!
//! /// What the host calls, with the handles of standard input and output.
//! #[unsafe(no_mangle)]
//! pub extern "C" fn lembeh_handle(_input: i32, output: i32) {
//!     let _ = run(&mut Imports, output);
//! }
//!
//! fn run(host: &mut impl Lembeh, output: i32) -> Result<(), Error> {
//!     let mut hub = Hub::<4096>::open(host)?;
//!     let mut echo = hub.start(host, &StartRequest {
//!         prog_id: "tools/echo",
//!         flags: WANT_STDOUT,
//!         args: &["echo", "hi"],
//!         env: &[],
//!     })?;
//!     let mut buf = [0; 1024];
//!     if let Some(stdout) = &mut echo.stdout {
//!         loop {
//!             let read = stdout.read(host, &mut buf)?;
//!             if read.is_empty() { break; }
//!             Sink::standard(output).write_all(host, read)?;
//!         }
//!     }
//!     let status = hub.status(host, echo.exec_id)?;
//!     hub.end(host);
//!     # let _ = status;
//!     Ok(())
//! }
//! ```
//!
//! `Cargo.toml` says that it is a module, and `rustup` brings what compiles it, once:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//! ```
//!
//! ```text
//! rustup target add wasm32-unknown-unknown
//! cargo build --release --target wasm32-unknown-unknown
//! hotcell guest run target/wasm32-unknown-unknown/release/NAME.wasm --allow tools/echo
//! ```
//!
//! `std` may be used (`Vec`, `format!`); its files, clocks and threads are not there. Without `std` a guest needs a
//! `#[panic_handler]`: see `examples/hello.rs`.
//!
//! # What it holds a host to
//!
//! Every answer is checked before it is believed: its form to the last byte, that it answers what was asked, that a handle is
//! there for each stream that was wanted and for no other. What does not hold is [`Error::Malformed`].

#![no_std]
#![deny(unsafe_code)]

mod error;
mod host;
mod hub;
mod stream;

pub use error::{Error, Failed, Trace};
pub use host::Lembeh;
#[cfg(target_arch = "wasm32")]
pub use host::imports::Imports;
#[cfg(not(target_arch = "wasm32"))]
pub use host::no_imports::Imports;
pub use hotcell_hopper as hopper;
pub use hotcell_hopper::selector::exec::{
    StartRequest, State, Status, WANT_STDERR, WANT_STDIN, WANT_STDOUT,
};
pub use hub::{Connection, Hub, Program};
pub use stream::{Sink, Source};
