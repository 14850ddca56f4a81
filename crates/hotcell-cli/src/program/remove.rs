//! `hotcell program remove`.

use super::store;
use crate::{
    args::ProgramRemoveArgs,
    exit::{CliError, Exit},
    print,
};

pub(super) fn remove(args: &ProgramRemoveArgs) -> Result<Exit, CliError> {
    let store = store(args.data.data.as_deref())?;
    for name in &args.programs {
        store.remove(name).map_err(CliError::Program)?;
        print::line(format_args!("removed {name}"));
    }
    Ok(Exit::Success)
}
