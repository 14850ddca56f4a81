//! Programs that the host has installed.
//!
//! Their code is in files of the host: a process that sees none of these, such as a jailed worker, asks somebody for it who does
//! ([`Installed::elsewhere`]), and gets it compiled, with the seal of a key that both know.

mod sealed;

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use bstr::BString;
use hotcell_process::{Process, Program};
use hotcell_vfs::{Access, HostVfs, MountVfs, VfsPath};

pub use sealed::Sealing;

use crate::{
    MAGIC,
    engine::{Ready, WasiEngine},
    files::Naming,
    front,
    module::{Ask, Key, Lane, Loaded, NotRunnable, Source},
    options::WasiOptions,
    program::{naming_of, refuse},
    run::{Invocation, run},
    store::{Manifest, StoreError, check_name, file_error},
};

/// A program that the host has installed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Installed(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// What holds it; none if that is not known here.
    directory: PathBuf,
    manifest: Manifest,
    code: Code,
}

/// Where the code of a program is.
enum Code {
    /// A module in a file of the host.
    File {
        path: PathBuf,
        /// Its hash. Of a file that nobody has installed it is found out when it is needed.
        key: OnceLock<Key>,
    },
    /// Somebody else has it.
    Elsewhere(Arc<Ask>),
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, .. } => write!(f, "File({})", path.display()),
            Self::Elsewhere(_) => f.write_str("Elsewhere"),
        }
    }
}

impl Installed {
    pub(crate) fn new(directory: PathBuf, manifest: Manifest, module: Key) -> Self {
        let code = Code::File {
            path: directory.join(MODULE),
            key: OnceLock::from(module),
        };
        Self(Arc::new(Inner {
            directory,
            manifest,
            code,
        }))
    }

    /// A module in a file of the host, under a name. What is in the file is looked at when it is first run, and from then on it must
    /// stay the same.
    pub fn from_file(name: &str, path: &Path) -> Result<Self, StoreError> {
        check_name(name)?;
        let path = std::path::absolute(path).map_err(file_error("find", path))?;
        let mut head = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head))
            .map_err(file_error("read", &path))?;
        if head != MAGIC {
            return Err(StoreError::Module {
                program: name.to_owned(),
                reason: format!("{} is no WebAssembly module", path.display()),
            });
        }
        let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self(Arc::new(Inner {
            directory,
            manifest: Manifest::of_file(name, &path),
            code: Code::File {
                path,
                key: OnceLock::new(),
            },
        })))
    }

    /// A program that was [described](Self::description) elsewhere, whose code `ask` gets from there: what came of
    /// [`Sealing`] with the key of the engine that it is to run in. It is called when the program is first run, on a thread that may
    /// wait.
    pub fn elsewhere(
        description: &str,
        ask: impl Fn() -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Option<Self> {
        Some(Self(Arc::new(Inner {
            directory: PathBuf::new(),
            manifest: serde_json::from_str(description).ok()?,
            code: Code::Elsewhere(Arc::new(ask)),
        })))
    }

    /// What there is to know of it but its code, for [`Self::elsewhere`].
    pub fn description(&self) -> String {
        let mut manifest = self.0.manifest.clone();
        // Names of the host's files are nobody else's business.
        manifest.source.clear();
        serde_json::to_string(&manifest).unwrap_or_default()
    }

    /// What it was added as: `python`.
    pub fn name(&self) -> &str {
        &self.0.manifest.name
    }

    /// Its version, if that is known.
    pub fn version(&self) -> Option<&str> {
        self.0.manifest.version.as_deref()
    }

    /// Where it came from: a package of a registry, or a file.
    pub fn source(&self) -> &str {
        &self.0.manifest.source
    }

    /// The names that it is called by: `python3`, `python`.
    pub fn commands(&self) -> &[String] {
        &self.0.manifest.commands
    }

    /// The directory that holds it.
    pub fn directory(&self) -> &Path {
        &self.0.directory
    }

    /// Its library, if it has one: where programs find it, and the directory of the host.
    pub fn library(&self) -> Option<(&VfsPath, PathBuf)> {
        let at = self.0.manifest.library.as_deref()?;
        Some((VfsPath::new(at), self.0.directory.join(LIBRARY)))
    }

    /// Puts its library where it looks for it, read-only. Without, most interpreters do not begin.
    pub fn mount(&self, tree: &MountVfs) -> io::Result<()> {
        if let Some((at, directory)) = self.library() {
            let library = HostVfs::open(&directory, Access::ReadOnly)?;
            tree.mount(at, Arc::new(library))?;
        }
        Ok(())
    }

    /// It as a program that can be run.
    pub(crate) fn program(&self, engine: &WasiEngine, options: WasiOptions) -> Arc<dyn Program> {
        Arc::new(InstalledProgram {
            installed: self.clone(),
            engine: engine.clone(),
            options,
        })
    }

    /// Its code, once it is there.
    fn load(&self, process: &Process, ready: &Ready) -> Result<Arc<Loaded>, NotRunnable> {
        let (key, source) = match &self.0.code {
            Code::File { path, key } => match key.get() {
                Some(key) => (*key, Source::File(path.clone())),
                None => match hash(path, &mut |count| process.spend(count / 16)) {
                    Ok(found) => (*key.get_or_init(|| found), Source::File(path.clone())),
                    Err(error) => return Err(NotRunnable::file(path, &error)),
                },
            },
            Code::Elsewhere(ask) => (self.sealed_as(), Source::Elsewhere(Arc::clone(ask))),
        };
        ready.modules.load(process, Lane::Host, key, source)
    }
}

/// The hash of a file, read piece by piece.
fn hash(path: &Path, step: &mut dyn FnMut(usize)) -> io::Result<Key> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 256 << 10];
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(hasher.finalize());
        }
        hasher.update(piece.get(..count).unwrap_or_default());
        step(count);
    }
}

/// The files of an installed program.
pub(crate) const MODULE: &str = "program.wasm";
pub(crate) const LIBRARY: &str = "library";

struct InstalledProgram {
    installed: Installed,
    engine: WasiEngine,
    options: WasiOptions,
}

impl Program for InstalledProgram {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let Inner { manifest, .. } = &*self.installed.0;
        let call = match &manifest.front {
            None => front::plain(process, &manifest.arguments),
            Some(front) => match front.call(process) {
                Ok(call) => call,
                Err(code) => return Ok(code),
            },
        };
        let ready = match self.engine.ready() {
            Ok(ready) => ready,
            Err(error) => return Ok(refuse(process, &NotRunnable::Machine(error.to_owned()))),
        };
        let loaded = match self.installed.load(process, ready) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(refuse(process, &error)),
        };
        let mut environment = call.environment;
        for (name, value) in &manifest.environment {
            environment.push((BString::from(name.as_str()), value.as_str().into()));
        }
        let invocation = Invocation {
            options: &self.options,
            naming: if manifest.goes_to_cwd {
                Naming::Whole
            } else {
                naming_of(&loaded)
            },
            args: call.args,
            environment: &environment,
        };
        run(process, ready, &loaded, invocation)
    }
}
