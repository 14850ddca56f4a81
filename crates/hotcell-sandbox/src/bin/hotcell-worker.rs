//! A program that is nothing but a worker, for hosts that cannot be one themselves: see `hotcell_sandbox::worker`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    hotcell_sandbox::worker();
    eprintln!("hotcell-worker is started by programs that use hotcell, and does nothing by itself");
    ExitCode::from(2)
}
