//! Loading an image.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

use wasmtime::{Engine, Module};

use crate::{
    format::{HEADER_LEN, Header, Layout, checksum},
    fresh::FreshMemory,
};

/// Code and memory must begin on a page.
#[repr(align(4096))]
struct Aligned<const N: usize>([u8; N]);

const FILE: &[u8] = include_bytes!(env!("HOTCELL_IMAGE_FILE"));

/// The image that was built with this library.
static EMBEDDED: Aligned<{ FILE.len() }> = Aligned(*include_bytes!(env!("HOTCELL_IMAGE_FILE")));

/// Its header. Every image that is loaded must have this one.
const EXPECTED: Header = match Header::parse(FILE) {
    Some(header) => header,
    None => panic!("the cell image is damaged: build it again with `cargo xtask image`"),
};

/// Where the memory is in the image.
const MEMORY_AT: usize = FILE.len() - EXPECTED.memory_length as usize;
/// Where it belongs in a cell: above the stack.
const MEMORY_START: usize = LAYOUT.stack_top as usize;
/// Where things are in a cell.
pub const LAYOUT: Layout = EXPECTED.layout;
const _: () = assert!(MEMORY_AT == HEADER_LEN + EXPECTED.module_length as usize);

/// Why an image was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes are not an image.
    #[error("not a hotcell image")]
    NotAnImage,
    /// A good image, but of another build of hotcell.
    #[error("the image is of build {found}, but this library needs build {expected}")]
    Foreign {
        /// The build of the image.
        found: BuildId,
        /// The build of this library.
        expected: BuildId,
    },
    /// Truncated or altered.
    #[error("the image is damaged: its content does not match its checksum")]
    Damaged,
    /// Wasmtime does not take it, for instance because the CPU lacks a feature the image needs.
    #[error("the image does not run on this machine")]
    Unsupported(#[source] wasmtime::Error),
}

/// Names a build of the image: a hash of everything that went into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuildId([u8; 32]);

impl BuildId {
    /// The build of the image in this library.
    pub const CURRENT: Self = Self(EXPECTED.build_id);

    /// The hash itself.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for BuildId {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to tell builds apart, short enough to read aloud.
        self.0[..8]
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BuildId({self})")
    }
}

impl fmt::Debug for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("is_embedded", &self.is_embedded)
            .finish_non_exhaustive()
    }
}

/// Whether an engine runs the embedded image where it lies. Wasmtime knows code by its address, so only one may; any other
/// engine of the process gets a copy.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// An image whose bytes have been checked.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// Header, module and memory.
    bytes: &'a [u8],
    /// Whether it is part of the program, and so can be run where it is.
    is_embedded: bool,
}

impl Image<'static> {
    /// The image in this library. It is as whole as the program that it is a part of.
    pub fn embedded() -> Self {
        Self {
            bytes: &EMBEDDED.0,
            is_embedded: true,
        }
    }
}

impl<'a> Image<'a> {
    /// Checks that `bytes` are the image this library was built with.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let header = Header::parse(bytes).ok_or(ImageError::NotAnImage)?;
        if header.build_id != EXPECTED.build_id {
            return Err(ImageError::Foreign {
                found: BuildId(header.build_id),
                expected: BuildId::CURRENT,
            });
        }
        let whole = header == EXPECTED
            && bytes.len() == EMBEDDED.0.len()
            && checksum(&bytes[HEADER_LEN..]) == EXPECTED.checksum;
        if whole {
            Ok(Self {
                bytes,
                is_embedded: false,
            })
        } else {
            Err(ImageError::Damaged)
        }
    }

    /// The memory that every cell begins with.
    pub fn memory(&self) -> FreshMemory {
        if self.is_embedded {
            FreshMemory::in_program(&EMBEDDED.0, MEMORY_AT, MEMORY_START)
        } else {
            FreshMemory::copied(&self.bytes[MEMORY_AT..], MEMORY_START)
        }
    }

    /// Maps the image into `engine`, which must have been made with [`crate::engine_config`].
    pub fn load(&self, engine: &Engine) -> Result<Module, ImageError> {
        let module = &self.bytes[HEADER_LEN..MEMORY_AT];
        // SAFETY: both run what they are given as machine code. The bytes are the ones that our own build wrote: they are
        // a part of this library, or `from_bytes` compared their hash with the one compiled into it. What is run in
        // place is static and never written to.
        let module = unsafe {
            if self.is_embedded && !IN_USE.swap(true, Ordering::Relaxed) {
                Module::deserialize_raw(engine, module.into())
            } else {
                Module::deserialize(engine, module)
            }
        };
        module.map_err(ImageError::Unsupported)
    }
}
