//! Installed programs, for the sandboxes of a server.

use hotcell::sandbox::SandboxOptions;

use super::store;

/// Gives sandboxes the programs that are installed at the time. Where no place for any is known, there are none.
pub(crate) fn furnish() -> crate::rpc::Furnish {
    match store(None) {
        Ok(store) => {
            let engine = store.engine();
            Box::new(move |options: SandboxOptions| options.programs(&engine, store.list()))
        }
        Err(_) => Box::new(|options| options),
    }
}
