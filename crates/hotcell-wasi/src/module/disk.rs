//! Compiled code on disk.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use wasmtime::{Engine, Module};

use super::{
    Key,
    seal::{SealKey, make_private, touch},
};

const MAGIC: &[u8; 8] = b"HCWASM1\n";

/// A file is the magic number, the hash of the module, that of the settings, the seal of all the rest, and the code.
const HEADER: usize = 8 + 32 + 32 + 32;

/// What no compiled program comes near.
const MAX_FILE: u64 = 1 << 30;

/// Compiled code that is safe to load: it was compiled here, or it has our seal.
pub(super) struct Code {
    bytes: Vec<u8>,
    start: usize,
}

impl Code {
    /// What the compiler of this process returned.
    #[cfg(feature = "compile")]
    pub(super) fn compiled_here(bytes: Vec<u8>) -> Self {
        Self { bytes, start: 0 }
    }

    /// What was [sealed](Self::sealed) with this key, as this module, for an engine with the same settings.
    pub(super) fn unseal(
        bytes: Vec<u8>,
        key: &SealKey,
        module: &Key,
        engine: &Engine,
    ) -> Option<Self> {
        let (header, code) = bytes.split_at_checked(HEADER)?;
        let (about, seal) = header.split_at_checked(HEADER - 32)?;
        let seal = blake3::Hash::from_slice(seal).ok()?;
        if !is_about(about, module, engine) || key.seal(&[about, code]) != seal {
            return None;
        }
        Some(Self {
            bytes,
            start: HEADER,
        })
    }

    /// Its bytes behind a seal, as they are kept on disk and given to other processes.
    #[cfg(feature = "compile")]
    pub(super) fn sealed(&self, key: &SealKey, module: &Key, engine: &Engine) -> Vec<u8> {
        let about = about(module, &settings_of(engine));
        let seal = key.seal(&[&about, self.as_bytes()]);
        [&about[..], seal.as_bytes(), self.as_bytes()].concat()
    }

    pub(super) fn len(&self) -> usize {
        self.as_bytes().len()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Makes it a module. Fails if it was compiled for another machine or other settings.
    #[expect(
        unsafe_code,
        reason = "there is no other way to load what was compiled before"
    )]
    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Module> {
        // SAFETY: the bytes are what `Engine::precompile_module` returned, unchanged: a value of this type is made of its
        // result (`compiled_here`), or of bytes whose seal over all of them was checked in memory, after they were read
        // (`unseal`). The key of the seal is known to this host alone, or to it and the one process that it started with this key,
        // and it seals nothing but such results (`Disk::put`, `sealed`). Whether they fit this version, this machine and these
        // settings, Wasmtime checks itself.
        unsafe { Module::deserialize(engine, self.as_bytes()) }
    }
}

/// A directory of compiled code.
pub(super) struct Disk {
    pub(super) directory: PathBuf,
    pub(super) key: SealKey,
    #[cfg_attr(
        not(feature = "compile"),
        expect(dead_code, reason = "nothing is added without the compiler")
    )]
    pub(super) limit: u64,
}

impl Disk {
    /// `None` if the directory or the key cannot be made: programs are then compiled once per process.
    pub(super) fn open(directory: &Path, limit: u64, key: Option<[u8; 32]>) -> Option<Self> {
        make_private(directory).ok()?;
        let key = match key {
            Some(key) => SealKey::new(key),
            None => SealKey::load(&directory.with_extension("key")).ok()?,
        };
        Some(Self {
            directory: directory.to_owned(),
            key,
            limit,
        })
    }

    /// The code of a module, if it is there and is ours.
    pub(super) fn get(&self, module: &Key, engine: &Engine) -> Option<Code> {
        let mut file = File::open(self.path(module)).ok()?;
        let length = file.metadata().ok()?.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(MAX_FILE)).ok()?);
        file.by_ref().take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        let code = Code::unseal(bytes, &self.key, module, engine)?;
        touch(&file);
        Some(code)
    }

    pub(super) fn path(&self, module: &Key) -> PathBuf {
        self.directory.join(format!("{}.code", module.to_hex()))
    }
}

/// What stands before the seal.
pub(super) fn about(module: &Key, settings: &blake3::Hash) -> Vec<u8> {
    [&MAGIC[..], module.as_bytes(), settings.as_bytes()].concat()
}

/// Whether code is of this module, and for this engine.
#[cfg(feature = "compile")]
fn is_about(found: &[u8], module: &Key, engine: &Engine) -> bool {
    found == about(module, &settings_of(engine))
}

/// The same without the compiler, whose settings are not known then: Wasmtime checks them when it loads the code.
#[cfg(not(feature = "compile"))]
fn is_about(found: &[u8], module: &Key, _engine: &Engine) -> bool {
    let unknown = blake3::Hash::from_bytes([0; 32]);
    found.starts_with(
        about(module, &unknown)
            .strip_suffix(unknown.as_bytes())
            .unwrap_or_default(),
    )
}

/// A hash of everything that compiled code depends on, beside the module.
#[cfg(feature = "compile")]
pub(super) fn settings_of(engine: &Engine) -> blake3::Hash {
    use std::hash::{Hash, Hasher};

    struct Blake(blake3::Hasher);

    impl Hasher for Blake {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }

        fn finish(&self) -> u64 {
            0
        }
    }

    let mut hasher = Blake(blake3::Hasher::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.0.finalize()
}
