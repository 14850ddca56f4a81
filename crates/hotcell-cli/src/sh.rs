//! `hotcell sh`: shell commands, over files that are not the machine's.

mod files;
mod interactive;
mod streams;

use std::{
    io::{IsTerminal as _, Read as _},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Ended, Environment, Kernel, KernelOptions};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, VfsPath};

use crate::{
    args::ShArgs,
    exit::{CliError, Exit},
};
use files::Files;

/// A shell, and what it works on.
struct Session {
    shell: Shell,
    files: Files,
    timeout: Option<std::time::Duration>,
    memory: usize,
    /// What ends the command that is running, for Ctrl-C.
    running: Arc<Mutex<StopToken>>,
}

pub(crate) fn sh(args: &ShArgs) -> Result<ExitCode, CliError> {
    let files = Files::new(args.root.as_deref())?;
    let mut session = Session {
        shell: Shell::new(options(args)),
        files,
        timeout: args.timeout,
        memory: usize::try_from(args.memory).unwrap_or(usize::MAX),
        running: Arc::default(),
    };
    let code = match (&args.command, args.script.first()) {
        (Some(command), _) => session.run(command.as_bytes(), streams::standard()),
        (None, Some(script)) if script.as_os_str() != "-" => {
            let text = std::fs::read(script).map_err(CliError::file("read", script))?;
            session.run(&text, streams::standard())
        }
        (None, _) if std::io::stdin().is_terminal() => interactive::converse(&mut session)?,
        (None, _) => {
            let mut text = Vec::new();
            let read = std::io::stdin().read_to_end(&mut text);
            read.map_err(CliError::file(
                "read",
                std::path::Path::new("standard input"),
            ))?;
            session.run(&text, streams::without_input())
        }
    };
    if args.diff {
        session.files.print_diff()?;
    }
    if args.commit {
        session.files.commit()?;
    }
    Ok(ExitCode::from(code))
}

/// Nothing of the caller's environment is inherited.
fn options(args: &ShArgs) -> ShellOptions {
    let usual = [
        ("HOME", files::HOME),
        ("USER", "user"),
        ("LOGNAME", "user"),
        ("SHELL", "/bin/bash"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
    ];
    let mut environment: Environment = usual
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    for (name, value) in &args.env {
        environment.insert(name.as_str().into(), value.as_str().into());
    }
    let words: Vec<_> = args
        .script
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let (name, arguments) = match words.split_first() {
        Some((name, arguments)) => (
            name.as_str().into(),
            arguments.iter().map(|word| word.as_str().into()).collect(),
        ),
        None => ("bash".into(), Vec::new()),
    };
    ShellOptions {
        name,
        arguments,
        environment,
        cwd: VfsPath::new(files::WORKSPACE).to_owned(),
        ..ShellOptions::default()
    }
}

impl Session {
    /// Runs a command or a script; returns its exit code.
    fn run(&mut self, command: &[u8], streams: Streams) -> u8 {
        let stop = match self
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout))
        {
            Some(deadline) => StopToken::until(deadline),
            None => StopToken::new(),
        };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        self.cancel_on_interrupt();
        let kernel = Kernel::new(KernelOptions {
            vfs: self.files.tree(),
            programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
            stop,
            account: Account::new("memory", self.memory),
            clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
            ..KernelOptions::default()
        });
        let ended = pollster::block_on(self.shell.run(&kernel, command, streams));
        if let (Some(Stopped::Deadline), Some(timeout)) = (ended.stopped, self.timeout) {
            eprintln!("hotcell: stopped at the time limit of {timeout:?} (--timeout)");
        }
        exit_code(ended)
    }

    /// Ctrl-C ends what is running, and nothing else. Where no handler can be set, the system's stays.
    fn cancel_on_interrupt(&self) {
        let running = Arc::clone(&self.running);
        let _ = ctrlc::set_handler(move || {
            running
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .cancel();
        });
    }
}

fn exit_code(ended: Ended) -> u8 {
    match ended.stopped {
        Some(Stopped::Deadline) => Exit::Timeout.code(),
        Some(Stopped::Cancelled) => Exit::Cancelled.code(),
        None => u8::try_from(ended.status.code()).unwrap_or(u8::MAX),
    }
}
