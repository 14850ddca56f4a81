//! What can be run by name in a sandbox: one wrapper around the next, the innermost first.
//!
//! | | |
//! |---|---|
//! | utilities | what every Unix has |
//! | WebAssembly | modules among the files, and installed programs |
//! | `js` | JavaScript in a cell |
//! | network | `curl`, `wget`, or the word that there is no network |
//! | host commands | functions of the host's |
//! | shell | `bash` and `sh`, for scripts and `xargs` |
//! | list | what may be run of all this, if there is such a list |
//!
//! Who adds another kind of program adds a line here.

use std::sync::Arc;

use hotcell_js::JsPrograms;
use hotcell_process::Programs;
use hotcell_shell::ShellPrograms;
use hotcell_utilities::Utilities;
use hotcell_wasi::WasiPrograms;

use crate::{
    allow::AllowList, commands::HostPrograms, network::NoNetwork, options::SandboxOptions,
};

/// The programs of a sandbox with these options. Forks share them.
pub(crate) fn compose(options: &SandboxOptions) -> Arc<dyn Programs> {
    let mut programs: Arc<dyn Programs> = Arc::new(Utilities);
    let wasi = WasiPrograms::with_options(programs, &options.wasi, options.of_wasi());
    let wasi = wasi.with_installed(options.installed.iter().cloned());
    programs = Arc::new(wasi.with_advice(&options.advice));
    programs = Arc::new(JsPrograms::with_options(programs, options.of_js()));
    programs = match &options.network {
        Some(network) => network.programs(programs),
        None => Arc::new(NoNetwork::new(programs)),
    };
    if !options.commands.is_empty() {
        programs = Arc::new(HostPrograms::new(programs, Arc::clone(&options.commands)));
    }
    programs = Arc::new(ShellPrograms::new(programs));
    if let Some(allowed) = &options.allowed {
        programs = Arc::new(AllowList::new(programs, Arc::clone(allowed)));
    }
    programs
}
