//! Installed programs, for the sandboxes of a server.

use hotcell::sandbox::SandboxOptions;
use hotcell::wasi::{Installed, WasiEngine};

use super::store;

/// Gives sandboxes the programs that are installed at the time. Where no place for any is known, there are none.
pub(crate) fn furnish() -> crate::rpc::Furnish {
    match store(None) {
        Ok(store) => {
            let engine = store.engine();
            Box::new(move |options| with_all(options, &engine, store.list()))
        }
        Err(_) => Box::new(|options| options.missing_program(ADVICE)),
    }
}

/// What is said of a program that is not there: whoever runs this command can add it.
const ADVICE: &str = "not installed here; the host can add it with: hotcell program add {program}";

/// Gives a sandbox all programs that are installed.
pub(crate) fn with_all(
    options: SandboxOptions,
    engine: &WasiEngine,
    installed: Vec<Installed>,
) -> SandboxOptions {
    options.programs(engine, installed).missing_program(ADVICE)
}
