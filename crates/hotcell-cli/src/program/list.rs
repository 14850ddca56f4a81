//! `hotcell program list`.

use hotcell::wasi::ProgramStore;
use serde_json::json;

use super::store;
use crate::{
    args::ProgramListArgs,
    exit::{CliError, Exit},
    print,
};

pub(super) fn list(args: &ProgramListArgs) -> Result<Exit, CliError> {
    let installed = store(args.data.data.as_deref())?.list();
    let others: Vec<_> = ProgramStore::recipes()
        .iter()
        .filter(|recipe| installed.iter().all(|one| one.name() != recipe.name))
        .collect();
    if args.json {
        let programs: Vec<_> = installed
            .iter()
            .map(|one| {
                json!({
                    "name": one.name(),
                    "version": one.version(),
                    "commands": one.commands(),
                    "source": one.source(),
                    "library": one.library().map(|(at, _)| at.to_string()),
                    "directory": one.directory(),
                })
            })
            .collect();
        let available: Vec<_> = others.iter().map(|recipe| recipe.name).collect();
        print::line(json!({"version": 1, "programs": programs, "available": available}));
        return Ok(Exit::Success);
    }
    for one in &installed {
        let version = one.version().unwrap_or("-");
        print::line(format_args!(
            "{:<10} {version:<8} {:<30} {}",
            one.name(),
            one.commands().join(" "),
            one.source()
        ));
    }
    if !others.is_empty() {
        print::error_line("to be had with hotcell program add:");
        for recipe in others {
            print::error_line(format_args!("  {:<8} {}", recipe.name, recipe.summary));
        }
    }
    Ok(Exit::Success)
}
