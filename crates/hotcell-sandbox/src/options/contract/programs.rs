//! The option `programs`: what is installed on this machine, and modules in its files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use hotcell_wasi::{Installed, ProgramStore, WasiEngine};
use serde_json::Value as Json;

use super::{Given, OptionsError};
use crate::options::SandboxOptions;

const EXPECTED: &str = "\"installed\", or an object by name, of true (the installed program of that name) or the path of a .wasm file";

impl SandboxOptions {
    pub(super) fn set_programs(&mut self, given: &Given<'_>) -> Result<(), OptionsError> {
        self.installed.clear();
        let by_name = match given.value {
            Json::String(all) if all == "installed" => {
                let store = store()?;
                self.wasi = engine_of(&store);
                self.installed = store.list();
                return Ok(());
            }
            Json::Object(by_name) => by_name,
            _ => return Err(given.must_be(EXPECTED)),
        };
        for (name, what) in by_name {
            let program = match what {
                Json::Bool(true) => {
                    let store = store()?;
                    self.wasi = engine_of(&store);
                    installed(&store, name)?
                }
                Json::String(path) => Installed::from_file(name, Path::new(path))
                    .map_err(|error| wrong(error.in_words()))?,
                _ => return Err(given.must_be(EXPECTED)),
            };
            self.installed.push(program);
        }
        Ok(())
    }
}

fn wrong(problem: String) -> OptionsError {
    OptionsError::Part {
        name: "programs",
        problem,
    }
}

/// Where programs are installed.
fn store() -> Result<ProgramStore, OptionsError> {
    ProgramStore::of_user().ok_or_else(|| {
        wrong("where programs are installed is not known: set HOTCELL_DATA, or HOME".to_owned())
    })
}

fn installed(store: &ProgramStore, name: &str) -> Result<Installed, OptionsError> {
    let mut all = store.list().into_iter();
    let found = all.find(|program| program.name() == name);
    found.ok_or_else(|| {
        wrong(format!(
            "{name:?} is not installed in {}: add it with `hotcell program add`, or give the path of a .wasm file",
            store.directory().display()
        ))
    })
}

/// The engine of a store: one in a process, so that its sandboxes share compiled code.
fn engine_of(store: &ProgramStore) -> WasiEngine {
    static ENGINES: Mutex<BTreeMap<PathBuf, WasiEngine>> = Mutex::new(BTreeMap::new());
    // Held to find or add one, which sets nothing up yet.
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engines.entry(store.directory().to_owned());
    engine.or_insert_with(|| store.engine()).clone()
}
