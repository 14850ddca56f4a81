//! `hotcell program add`.

use std::path::Path;

use hotcell::wasi::{ProgramStore, WasiEngine};

use super::store;
use crate::{
    args::ProgramAddArgs,
    exit::{CliError, Exit},
    print,
};

pub(super) fn add(args: &ProgramAddArgs) -> Result<Exit, CliError> {
    if !WasiEngine::can_compile() {
        return Err(CliError::Usage(
            "this build of hotcell has no compiler; add programs with one that has, then this one runs them".into(),
        ));
    }
    let store = store(args.data.data.as_deref())?;
    let engine = store.engine();
    for program in &args.programs {
        let installed = match ProgramStore::recipes()
            .iter()
            .find(|recipe| recipe.name == program)
        {
            Some(recipe) => {
                print::error_line(format_args!(
                    "adding {program} ({}): this fetches and compiles, and takes a while",
                    recipe.summary
                ));
                store.add(recipe, &engine)
            }
            None if Path::new(program)
                .extension()
                .is_some_and(|extension| extension == "wasm") =>
            {
                store.add_file(Path::new(program), args.name.as_deref(), &engine)
            }
            None => return Err(unknown(program)),
        };
        let installed = installed.map_err(CliError::Program)?;
        print::line(format_args!(
            "added {}: {}",
            installed.name(),
            installed.commands().join(", ")
        ));
    }
    Ok(Exit::Success)
}

fn unknown(program: &str) -> CliError {
    let known: Vec<_> = ProgramStore::recipes()
        .iter()
        .map(|recipe| recipe.name)
        .collect();
    CliError::Usage(format!(
        "there is no program {program:?} to add: name one of {}, or a file that ends in .wasm",
        known.join(", ")
    ))
}
