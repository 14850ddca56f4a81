//! Where installed programs are.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use hotcell::wasi::ProgramStore;

use crate::exit::CliError;

/// The variable that says where.
const VARIABLE: &str = "HOTCELL_DATA";

/// The programs in `--data`, in `$HOTCELL_DATA`, or in the user's data directory.
pub(crate) fn store(data: Option<&Path>) -> Result<ProgramStore, CliError> {
    let known = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let directory = data
        .map(Path::to_owned)
        .or_else(|| known(VARIABLE).map(PathBuf::from))
        .or_else(|| Some(PathBuf::from(known("XDG_DATA_HOME")?).join("hotcell")))
        .or_else(|| Some(PathBuf::from(known("HOME")?).join(".local/share/hotcell")));
    let directory = directory.ok_or_else(|| {
        CliError::Usage(format!(
            "where programs are is not known: give --data DIR, or set {VARIABLE} or HOME"
        ))
    })?;
    Ok(ProgramStore::new(directory))
}
