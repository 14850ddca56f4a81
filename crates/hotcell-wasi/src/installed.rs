//! Programs that the host has installed.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::BString;
use hotcell_process::{Process, Program};
use hotcell_vfs::{Access, HostVfs, MountVfs, VfsPath};

use crate::{
    engine::WasiEngine,
    files::Naming,
    front,
    module::{Key, Lane, NotRunnable, Source},
    options::WasiOptions,
    program::{naming_of, refuse},
    run::{Invocation, run},
    store::Manifest,
};

/// A program that the host has installed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Installed(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    manifest: Manifest,
    module: Key,
}

impl Installed {
    pub(crate) fn new(directory: PathBuf, manifest: Manifest, module: Key) -> Self {
        Self(Arc::new(Inner {
            directory,
            manifest,
            module,
        }))
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

    pub(crate) fn module_file(&self) -> PathBuf {
        self.0.directory.join(MODULE)
    }

    pub(crate) fn module(&self) -> Key {
        self.0.module
    }

    /// It as a program that can be run.
    pub(crate) fn program(&self, engine: &WasiEngine, options: WasiOptions) -> Arc<dyn Program> {
        Arc::new(InstalledProgram {
            installed: self.clone(),
            engine: engine.clone(),
            options,
        })
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
        let source = Source::File(self.installed.module_file());
        let key = self.installed.module();
        let loaded = match ready.modules.load(process, Lane::Host, key, source) {
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
