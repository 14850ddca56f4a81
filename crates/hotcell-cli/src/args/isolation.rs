//! Where code runs.

use clap::Args;
use hotcell::{ExecutorOptions, Isolation, SandboxOptions};

use crate::exit::CliError;

/// Where code runs.
#[derive(Args, Clone, Copy)]
pub(crate) struct IsolationArgs {
    /// Where code runs: on threads of this process, or in a jailed worker process (Linux)
    #[arg(long, value_name = "thread|process", default_value = "thread", value_parser = parse)]
    pub(crate) isolation: Isolation,
    /// Do not run where the jail of --isolation process would lack a part, see `hotcell doctor`
    #[arg(long)]
    pub(crate) require_jail: bool,
}

fn parse(text: &str) -> Result<Isolation, String> {
    Isolation::from_name(text).ok_or_else(|| "expected thread or process".into())
}

impl IsolationArgs {
    /// What cannot be meant.
    pub(crate) fn check(self) -> Result<(), CliError> {
        if self.require_jail && self.isolation == Isolation::Thread {
            let problem = "--require-jail is about --isolation process: say that, too";
            return Err(CliError::Usage(problem.into()));
        }
        Ok(())
    }

    /// Whether everything has to run in processes of its own.
    pub(crate) fn is_process(self) -> bool {
        self.isolation == Isolation::Process
    }

    pub(crate) fn of_executor(self, options: ExecutorOptions) -> ExecutorOptions {
        let options = options.isolation(self.isolation);
        if self.require_jail {
            options.require_jail(true)
        } else {
            options
        }
    }

    pub(crate) fn of_sandbox(self, options: SandboxOptions) -> SandboxOptions {
        let options = options.isolation(self.isolation);
        if self.require_jail {
            options.require_jail(true)
        } else {
            options
        }
    }
}
