//! Which modules are compiled at all.

use std::{fmt, io, path::Path, time::Duration};

use wasmparser::{Encoding, ExternalKind, Parser, Payload, TypeRef};

use crate::{abi::Version, engine::ModuleLimits};

/// Why a module cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotRunnable {
    #[error("not a WebAssembly module that can be run: {0}")]
    Malformed(String),
    #[error(
        "a WebAssembly component (WASI preview 2): only modules for WASI preview 1 run here; build it for wasm32-wasip1"
    )]
    Component,
    #[error(
        "it imports {0}, which is not a function of WASI preview 1: build it for wasm32-wasip1 without other imports"
    )]
    Import(String),
    #[error("it has no _start: a library or reactor, not a program")]
    NoStart,
    #[error("it has no memory that is exported as \"memory\"")]
    NoMemory,
    #[error("{what}: {found}, and the limit is {limit}")]
    TooLarge {
        what: &'static str,
        found: usize,
        limit: usize,
    },
    #[cfg(feature = "compile")]
    #[error("compiling it takes longer than the limit of {0:?}")]
    TooSlow(Duration),
    #[error(
        "compiling it, and what is before it, takes longer than the limit of {0:?}; it may be ready later"
    )]
    NotYet(Duration),
    #[cfg(feature = "compile")]
    #[error("the compiler failed on it ({how}; it may have {memory} bytes of memory)")]
    Crashed { how: String, memory: usize },
    #[error("the compiler failed on it")]
    Panicked,
    /// Nobody waited any more.
    #[cfg(feature = "compile")]
    #[error("it was not compiled")]
    Abandoned,
    #[error("the file changed while it was read")]
    Changed,
    #[error("its code was compiled elsewhere, and has not the seal that it should have")]
    Unsealed,
    #[error("cannot read {0}")]
    File(String),
    #[cfg_attr(
        feature = "compile",
        expect(dead_code, reason = "only without the compiler")
    )]
    #[error("it was not compiled before, and this build of hotcell has no compiler")]
    NoCompiler,
    #[error("{0}")]
    Machine(String),
}

impl NotRunnable {
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::File(format!("{}: {error}", path.display()))
    }

    /// Whether it is as true of the same module tomorrow.
    pub(super) fn lasts(&self) -> bool {
        match self {
            Self::NotYet(_) | Self::Changed | Self::Unsealed | Self::File(_) | Self::Machine(_) => {
                false
            }
            #[cfg(feature = "compile")]
            Self::TooSlow(_) | Self::Abandoned => false,
            _ => true,
        }
    }
}

/// Looks at the sizes of a module alone.
#[cfg(feature = "compile")]
pub(super) fn measure(bytes: &[u8], limits: &ModuleLimits) -> Result<(), NotRunnable> {
    within("bytes of the module", bytes.len(), limits.bytes)?;
    for payload in Parser::new(0).parse_all(bytes) {
        sizes(&payload.map_err(malformed)?, limits)?;
    }
    Ok(())
}

fn sizes(payload: &Payload<'_>, limits: &ModuleLimits) -> Result<(), NotRunnable> {
    match payload {
        Payload::CodeSectionStart { count, .. } => {
            within("functions of the module", *count as usize, limits.functions)
        }
        Payload::CodeSectionEntry(body) => within(
            "bytes of one function",
            body.range().len(),
            limits.function_bytes,
        ),
        _ => Ok(()),
    }
}

/// Looks at a module as far as its limits and its imports go. Whether its code is valid, the compiler says.
pub(super) fn admit(bytes: &[u8], limits: &ModuleLimits) -> Result<(), NotRunnable> {
    within("bytes of the module", bytes.len(), limits.bytes)?;
    let mut functions = 0;
    let (mut has_start, mut has_memory) = (false, false);
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(malformed)?;
        sizes(&payload, limits)?;
        match payload {
            Payload::Version {
                encoding: Encoding::Component,
                ..
            } => return Err(NotRunnable::Component),
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import.map_err(malformed)?;
                    let is_known = [Version::Zero, Version::One]
                        .iter()
                        .any(|version| version.module() == import.module);
                    if !is_known || !matches!(import.ty, TypeRef::Func(_)) {
                        let (module, name) = (Name(import.module), Name(import.name));
                        return Err(NotRunnable::Import(format!("{module}.{name}")));
                    }
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.map_err(malformed)?;
                    has_start |= export.name == "_start" && export.kind == ExternalKind::Func;
                    has_memory |= export.name == "memory" && export.kind == ExternalKind::Memory;
                }
            }
            Payload::CodeSectionStart { count, .. } => functions = count as usize,
            _ => {}
        }
    }
    if !has_start || functions == 0 {
        return Err(NotRunnable::NoStart);
    }
    if !has_memory {
        return Err(NotRunnable::NoMemory);
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn malformed(error: wasmparser::BinaryReaderError) -> NotRunnable {
    NotRunnable::Malformed(error.to_string())
}

fn within(what: &'static str, found: usize, limit: usize) -> Result<(), NotRunnable> {
    if found > limit {
        return Err(NotRunnable::TooLarge { what, found, limit });
    }
    Ok(())
}

/// A name out of a module, for a message: not too long, and on one line.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short: String = self.0.chars().take(80).collect();
        write!(f, "{}", short.escape_debug())
    }
}
