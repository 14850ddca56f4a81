//! Where installed programs are.

use std::path::Path;

use hotcell::wasi::ProgramStore;

use crate::exit::CliError;

/// The programs in `--data`, in `$HOTCELL_DATA`, or in the user's data directory.
pub(crate) fn store(data: Option<&Path>) -> Result<ProgramStore, CliError> {
    let store = data.map(ProgramStore::new).or_else(ProgramStore::of_user);
    store.ok_or_else(|| {
        CliError::Usage(
            "where programs are is not known: give --data DIR, or set HOTCELL_DATA or HOME".into(),
        )
    })
}
