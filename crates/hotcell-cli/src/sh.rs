//! `hotcell sh`: shell commands, over files that are not the machine's.

mod changes;
mod completion;
mod interactive;
pub(crate) mod streams;

use std::{io::IsTerminal as _, process::ExitCode, time::Duration};

use hotcell::sandbox::{Command, CommandKind, ErrorClass, Limits, Mount, Sandbox, SandboxOptions};

use crate::{args::ShArgs, exit::CliError, program};
use changes::Changes;
use streams::Streams;

/// Where commands begin: the directory of `--root`, or an empty one.
const WORKSPACE: &str = "/workspace";

/// A sandbox, and who waits for it.
struct Session {
    sandbox: Sandbox,
    timeout: Option<Duration>,
}

/// What came of a command.
struct Ran {
    code: u8,
    was_killed: bool,
}

pub(crate) fn sh(args: &ShArgs) -> Result<ExitCode, CliError> {
    let host = args.root.as_deref().map(changes::open).transpose()?;
    let sandbox = Sandbox::create(options(args)).map_err(CliError::usage)?;
    let mut session = Session {
        sandbox,
        timeout: args.timeout,
    };
    session.cancel_on_interrupt();
    let code = match (&args.command, args.script.first()) {
        (Some(command), _) => {
            let command = Command::new(command.as_str()).kind(CommandKind::Argument);
            session.run(command, Streams::standard())?.code
        }
        (None, Some(script)) if script.as_os_str() != "-" => {
            let text = std::fs::read(script).map_err(CliError::file("read", script))?;
            let command = Command::new(text).kind(CommandKind::Script);
            session.run(command, Streams::standard())?.code
        }
        (None, _) if std::io::stdin().is_terminal() => interactive::converse(&mut session)?,
        (None, _) => {
            let command = Command::new("").kind(CommandKind::Input);
            session.run(command, Streams::standard())?.code
        }
    };
    if let Some(host) = host {
        let changes = Changes::new(host, &session.sandbox)?;
        if args.diff {
            changes.print()?;
        }
        if args.commit {
            changes.commit()?;
        }
    }
    Ok(ExitCode::from(code))
}

/// Nothing of the caller's environment is inherited. What a person runs here has room for a project and what is made of it, and
/// takes as long as it takes.
fn options(args: &ShArgs) -> SandboxOptions {
    let limits = Limits {
        command_bytes: usize::MAX,
        file_bytes: 1 << 30,
        files: 1_000_000,
        memory: usize::try_from(args.memory).unwrap_or(usize::MAX),
        time: args.timeout.unwrap_or(Duration::MAX),
        cpu_time: Duration::MAX,
        recursion: usize::MAX,
        ..Limits::default()
    };
    let mut options = SandboxOptions::default().limits(limits).cwd(WORKSPACE);
    for (name, value) in &args.env {
        options = options.env(name.as_str(), value.as_str());
    }
    let words: Vec<_> = args
        .script
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some((name, arguments)) = words.split_first() {
        let arguments = arguments.iter().map(String::as_str);
        options = options.arguments(name.as_str(), arguments);
    }
    if let Ok(store) = program::store(args.data.data.as_deref()) {
        options = program::with_all(options, &store.engine(), store.list());
    }
    if let Some(root) = &args.root {
        options = options.mount(WORKSPACE, Mount::Overlay(root.clone()));
    }
    options
}

impl Session {
    /// Runs a command or a script.
    fn run(&mut self, command: Command, streams: Streams) -> Result<Ran, CliError> {
        let command = streams.give(command);
        let result = pollster::block_on(self.sandbox.run(command)).map_err(CliError::usage)?;
        if let (Some(ErrorClass::Timeout), Some(timeout)) = (result.error_class, self.timeout) {
            eprintln!("hotcell: stopped at the time limit of {timeout:?} (--timeout)");
        }
        let killed = [Some(ErrorClass::Timeout), Some(ErrorClass::Cancelled)];
        Ok(Ran {
            code: u8::try_from(result.exit_code).unwrap_or(u8::MAX),
            was_killed: killed.contains(&result.error_class),
        })
    }

    /// Ctrl-C ends what is running, and nothing else. Where no handler can be set, the system's stays.
    fn cancel_on_interrupt(&self) {
        let sandbox = self.sandbox.clone();
        let _ = ctrlc::set_handler(move || {
            sandbox.cancel();
        });
    }
}
