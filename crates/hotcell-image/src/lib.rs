//! The image every cell starts from.
//!
//! A cell is not started, it is continued: the image is the memory and the machine code of a QuickJS-ng engine in which
//! SES `lockdown()` has run and our own library is loaded. `cargo xtask image` makes it (the `build` module, see the
//! `build` feature) and this crate carries it. What is inside is described by `guest/`: `guest/c` is the glue around the
//! engine, `guest/js` the library that user code sees.
//!
//! ```
//! let image = hotcell_image::Image::embedded();
//! let engine = wasmtime::Engine::new(&hotcell_image::running_config())?;
//! let module = image.load(&engine)?;
//! assert!(module.exports().any(|export| export.name() == "evaluate"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is trusted
//!
//! Machine code in an image runs with the rights of the host, so an image is loaded only if it is, byte for byte, the one
//! this library was built with ([`Image::from_bytes`]). Anything else is an [`ImageError`].

#[cfg(feature = "build")]
pub mod build;
mod engine;
mod format;
#[cfg(hotcell_has_image)]
mod fresh;
#[cfg(hotcell_has_image)]
mod image;
#[cfg(hotcell_has_image)]
mod in_place;

#[cfg(hotcell_has_image)]
pub use engine::running_config;
pub use engine::{MAX_WASM_STACK, TARGET_FEATURES, engine_config};
pub use format::Layout;
#[cfg(hotcell_has_image)]
pub use fresh::FreshMemory;
#[cfg(hotcell_has_image)]
pub use image::{BuildId, Image, ImageError, LAYOUT};
