//! Running the embedded image where it lies.
//!
//! The image is part of the program's file, and the system maps that file page by page as it is needed. Copying it into
//! fresh memory first would cost several milliseconds of every process start, so its code is made executable in place.

use std::sync::Arc;

use rustix::mm::{MprotectFlags, mprotect};
use wasmtime::{Config, CustomCodeMemory};

/// Lets an engine made with `config` run code in memory that Wasmtime did not map itself.
pub(crate) fn allow(config: &mut Config) {
    config.with_custom_code_memory(Some(Arc::new(CodeInPlace)));
}

struct CodeInPlace;

impl CustomCodeMemory for CodeInPlace {
    fn required_alignment(&self) -> usize {
        rustix::param::page_size()
    }

    fn publish_executable(&self, start: *const u8, length: usize) -> wasmtime::Result<()> {
        // SAFETY: Wasmtime calls this with the text section of a module it is loading: either of the image in this
        // program, which nothing writes to, or of a copy that it has just made. Taking away write access and adding
        // execute access changes nothing for whoever reads it.
        unsafe {
            mprotect(
                start.cast_mut().cast(),
                length,
                MprotectFlags::READ | MprotectFlags::EXEC,
            )
        }?;
        Ok(())
    }

    fn unpublish_executable(&self, _start: *const u8, _length: usize) -> wasmtime::Result<()> {
        // A copy is about to be unmapped, and the image in the program may be in use by another engine.
        Ok(())
    }
}
