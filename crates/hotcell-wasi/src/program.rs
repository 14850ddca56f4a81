//! A module in the virtual file system as a program.

use std::io;

use hotcell_process::{Process, Program, error_text};
use hotcell_vfs::{OpenOptions, VfsPathBuf};

use crate::{
    abi::Version,
    engine::WasiEngine,
    files::Naming,
    module::{Key, Lane, Loaded, NotRunnable, Source},
    options::WasiOptions,
    run::{Invocation, run},
};

/// How much is read at once.
const PIECE: usize = 256 << 10;

/// The exit code of what cannot be run.
pub(crate) const NOT_RUNNABLE: i32 = 126;

/// A module at a path.
pub(crate) struct Wasm {
    pub(crate) engine: WasiEngine,
    pub(crate) options: WasiOptions,
    pub(crate) path: VfsPathBuf,
}

impl Program for Wasm {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let ready = match self.engine.ready() {
            Ok(ready) => ready,
            Err(error) => return Ok(refuse(process, &NotRunnable::Machine(error.to_owned()))),
        };
        let (key, source) = match self.read(process)? {
            Ok(found) => found,
            Err(error) => return Ok(refuse(process, &error)),
        };
        let loaded = match ready.modules.load(process, Lane::Guest, key, source) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(refuse(process, &error)),
        };
        let invocation = Invocation {
            options: &self.options,
            naming: naming_of(&loaded),
            args: process.args().to_vec(),
            environment: &[],
        };
        run(process, ready, &loaded, invocation)
    }
}

/// Says why a program cannot be run; returns the exit code for it.
pub(crate) fn refuse(process: &Process, error: &NotRunnable) -> i32 {
    process.complain(format!("cannot execute: {error}"));
    NOT_RUNNABLE
}

/// What a program means by its paths, if nobody says: libraries of the older version told absolute paths from relative ones.
pub(crate) fn naming_of(loaded: &Loaded) -> Naming {
    match loaded.version {
        Version::Zero => Naming::Exact,
        Version::One => Naming::Merged,
    }
}

impl Wasm {
    /// The module, and its hash. Large ones are read piece by piece, so that others get their turn.
    fn read(&self, process: &Process) -> io::Result<Result<(Key, Source), NotRunnable>> {
        let limit = self.engine.limits().bytes;
        let file = process.open_file(&self.path, &OpenOptions::read())?;
        let failed = |error: hotcell_vfs::VfsError| {
            let text = error_text(&hotcell_process::file_error(error));
            NotRunnable::File(format!("{}: {text}", self.path))
        };
        let size = match file.stat() {
            Ok(metadata) => usize::try_from(metadata.size).unwrap_or(usize::MAX),
            Err(error) => return Ok(Err(failed(error))),
        };
        if size > limit {
            let what = "bytes of the module";
            return Ok(Err(NotRunnable::TooLarge {
                what,
                found: size,
                limit,
            }));
        }
        let charge = process.charge(size)?;
        let mut hasher = blake3::Hasher::new();
        let mut bytes = vec![0; size];
        let mut done = 0;
        while done < size {
            let end = size.min(done + PIECE);
            let piece = bytes.get_mut(done..end).unwrap_or_default();
            let count = match file.read_at(done as u64, piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => return Ok(Err(failed(error))),
            };
            hasher.update(piece.get(..count).unwrap_or_default());
            done += count;
            process.spend(count / 16);
        }
        bytes.truncate(done);
        let source = Source::Bytes {
            bytes,
            _charge: charge,
        };
        Ok(Ok((hasher.finalize(), source)))
    }
}
