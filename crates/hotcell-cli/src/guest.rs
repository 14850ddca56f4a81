//! `hotcell guest`: WebAssembly guests that start sandboxed programs.

use std::{
    fs::{File, OpenOptions},
    io::{BufReader, BufWriter, Read as _},
    path::Path,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use hotcell::exec::{
    Capabilities, Config, Engine, ExecLimits, ExecPolicy, FilePolicy, Grant, Host, ModuleError,
    Outcome, Registry, RunOptions, Standard, net::NetPolicy, transcript::Divergence,
};
use hotcell::js::JsPrograms;
use hotcell::meter::{StopToken, Stopped};
use hotcell::net::{Network, NetworkPolicy};
use hotcell::process::{Program, Programs};
use hotcell::shell::ShellPrograms;
use hotcell::utilities::Utilities;
use hotcell::vfs::{
    Access, Clock, DevOptions, HostVfs, Limits, MemVfs, MountVfs, OverlayVfs, Vfs, VfsPath,
    VfsPathBuf, dev,
};
use hotcell::wasi::{WasiEngine, WasiPrograms};

use crate::{
    args::{GuestArgs, GuestCommand, GuestLimitArgs, GuestRunArgs},
    exit::{CliError, Exit},
    print,
    sh::streams,
};

pub(crate) fn guest(args: &GuestArgs) -> Result<Exit, CliError> {
    match &args.command {
        GuestCommand::Run(args) => run(args),
    }
}

fn run(args: &GuestRunArgs) -> Result<Exit, CliError> {
    let bytes = read(&args.module)?;
    // Compiling is on the guest's clock, too.
    let stop = StopToken::until(Instant::now() + args.limits.timeout);
    let cancel = stop.clone();
    // Where no handler can be set, the system's stays.
    let _ = ctrlc::set_handler(move || cancel.cancel());
    let engine = Engine::new().map_err(|error| unusable(&args.module, &error))?;
    let module = match engine.module_until(&bytes, &stop) {
        Ok(module) => module,
        Err(ModuleError::Stopped(stopped)) => {
            return Ok(told(&Outcome::Stopped(stopped), &args.limits));
        }
        Err(error) => return Err(unusable(&args.module, &error)),
    };
    let options = RunOptions {
        stop,
        fuel: args.limits.fuel,
        memory: size(args.limits.memory),
    };
    let ended = pollster::block_on(module.run(host(args)?, options));
    Ok(told(&ended.outcome, &args.limits))
}

/// Says what a reader has to know, and what the exit code is.
fn told(outcome: &Outcome, limits: &GuestLimitArgs) -> Exit {
    let (exit, text) = match outcome {
        Outcome::Returned => return Exit::Success,
        Outcome::Stopped(Stopped::Cancelled) => return Exit::Cancelled,
        Outcome::Stopped(Stopped::Deadline) => (
            Exit::Timeout,
            format!(
                "stopped at the time limit of {:?} (--timeout)",
                limits.timeout
            ),
        ),
        Outcome::OutOfFuel => (Exit::Timeout, "all fuel is used (--fuel)".to_owned()),
        Outcome::OutOfMemory => (
            Exit::Memory,
            format!(
                "the guest needs more memory than its {} bytes (--memory)",
                limits.memory
            ),
        ),
        Outcome::Trapped(why) => (Exit::Failed, format!("the guest trapped: {why}")),
        Outcome::Diverged(divergence) => (Exit::Failed, differs(divergence)),
        other => (Exit::Usage, format!("{other:?}")),
    };
    print::error_line(format_args!("hotcell: {}", print::for_stderr(&text)));
    exit
}

/// Who replays has the transcript, so its bytes may be shown.
fn differs(divergence: &Divergence) -> String {
    let mut text = divergence.to_string();
    if let Some(context) = &divergence.context {
        for (what, bytes) in [
            ("recorded: ", &context.recorded),
            ("now:      ", &context.came),
        ] {
            text.extend(["\n  ", what, bytes]);
        }
    }
    text
}

fn host(args: &GuestRunArgs) -> Result<Host, CliError> {
    let standard = Standard {
        input: streams::input(),
        output: streams::output(),
        log: streams::log(),
    };
    let mut host = match &args.replay {
        Some(path) => {
            let file = File::open(path).map_err(CliError::file("open", path))?;
            Host::replay(Box::new(BufReader::new(file)), standard)
        }
        None => Host::new(capabilities(args)?, standard),
    };
    if let Some(path) = &args.record {
        let file = private(path).map_err(CliError::file("create", path))?;
        let recorded = host.record(Box::new(BufWriter::new(file)));
        host = recorded.map_err(CliError::file("write", path))?;
    }
    if let Some(schedule) = args.chunks {
        host = host.chunks(schedule);
    }
    Ok(host.on_log(Arc::new(|topic, msg| {
        let (topic, msg) = (String::from_utf8_lossy(topic), String::from_utf8_lossy(msg));
        print::guest_error_line(&format!("{topic}: {msg}"));
    })))
}

/// A file that only its owner reads: a transcript has secrets in it.
fn private(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)
}

fn capabilities(args: &GuestRunArgs) -> Result<Capabilities, CliError> {
    let vfs: Arc<dyn Vfs> = Arc::new(tree(args)?);
    let registry = registry(args)?;
    let allow = allowed(&registry, &args.allow)?;
    let first = args.mount.first().map(|(name, _)| format!("/{name}"));
    let cwd = args.cwd.clone().or(first).unwrap_or_else(|| "/".into());
    let exec = ExecPolicy {
        allow,
        cwd: VfsPath::new(&cwd).to_owned(),
        clock: clock(),
        limits: limits(&args.limits),
        ..ExecPolicy::all(registry, Arc::clone(&vfs))
    };
    let files = match &args.view {
        None => Grant::Absent,
        Some(path) => Grant::Given(FilePolicy::new(vfs, VfsPath::new(path)).map_err(failed)?),
    };
    let mut config = Config::default();
    for (key, value) in &args.config {
        config = config.value(key.clone(), value.clone());
    }
    for (key, value) in &args.secret {
        config = config.secret(key.clone(), value.clone());
    }
    let has_config = !args.config.is_empty() || !args.secret.is_empty();
    Ok(Capabilities {
        exec: Grant::Given(exec),
        files,
        config: if has_config {
            Grant::Given(config)
        } else {
            Grant::Absent
        },
        net: network(args)?,
        max_handles: size(args.limits.max_handles),
        host_memory: size(args.limits.host_memory),
        ..Capabilities::default()
    })
}

/// The connections that were named; without any there is no network.
fn network(args: &GuestRunArgs) -> Result<Grant<NetPolicy>, CliError> {
    if args.connect.is_empty() {
        return Ok(Grant::Denied);
    }
    let policy = NetworkPolicy {
        rules: args.connect.clone(),
        allow_private: args.connect_private,
        ..NetworkPolicy::default()
    };
    let network = Network::new(policy).map_err(|error| CliError::Usage(error.to_string()))?;
    Ok(Grant::Given(NetPolicy::checked(network)))
}

fn limits(args: &GuestLimitArgs) -> ExecLimits {
    ExecLimits {
        max_args: size(args.max_args),
        max_env: size(args.max_env),
        max_stdin_bytes: args.max_stdin,
        max_stdout_bytes: args.max_stdout,
        time_limit: args.program_timeout,
        cpu_time: args.program_cpu.unwrap_or(Duration::ZERO),
        mem_limit_bytes: size(args.program_memory),
        max_running: size(args.max_running),
        max_starts: args.max_starts,
        ..ExecLimits::default()
    }
}

/// The utilities, the shell, JavaScript, and the files that were named, which may be WASI modules.
fn registry(args: &GuestRunArgs) -> Result<Registry, CliError> {
    let mut programs: Arc<dyn Programs> = Arc::new(Utilities);
    programs = Arc::new(WasiPrograms::new(programs, &WasiEngine::new()));
    programs = Arc::new(JsPrograms::new(programs));
    programs = Arc::new(ShellPrograms::new(programs));
    let mut registry = Registry::new();
    registry.programs("tools", &*programs);
    for (id, path) in &args.program {
        let file: VfsPathBuf = VfsPath::new(path).to_owned();
        let interpreter = match Path::new(path).extension().and_then(|end| end.to_str()) {
            Some("js" | "mjs" | "ts") => Some("js"),
            Some("sh") => Some("bash"),
            _ => None,
        };
        let found = |name: &str| -> Option<Arc<dyn Program>> { programs.find(name.as_bytes()) };
        let added = match interpreter.and_then(|name| Some((name, found(name)?))) {
            Some(interpreter) => registry.script(id, interpreter, file),
            None => registry.file(id, Arc::clone(&programs), file),
        };
        added.map_err(|error| CliError::Usage(error.to_string()))?;
    }
    Ok(registry)
}

/// The ids that are allowed. A name that allows nothing is a mistake.
fn allowed(
    registry: &Registry,
    names: &[String],
) -> Result<std::collections::BTreeSet<String>, CliError> {
    let mut allowed = std::collections::BTreeSet::new();
    for name in names {
        let before = allowed.len();
        let fits = |id: &&str| match name.strip_suffix('*') {
            Some(beginning) => id.starts_with(beginning),
            None => *id == name,
        };
        allowed.extend(registry.ids().filter(fits).map(str::to_owned));
        if allowed.len() == before && !allowed.iter().any(|id| fits(&id.as_str())) {
            return Err(CliError::Usage(format!(
                "there is no program {name:?}: ids are tools/NAME, as in tools/echo, and those of --program"
            )));
        }
    }
    Ok(allowed)
}

/// What programs see: an empty tree, `/dev`, and copies of directories.
fn tree(args: &GuestRunArgs) -> Result<MountVfs, CliError> {
    let tree = MountVfs::new(Arc::new(MemVfs::with(room(), clock())));
    let mount = |path: &str, what: Arc<dyn Vfs>| {
        let path = VfsPath::new(path);
        tree.mkdir_all(path, 0o755)
            .and_then(|()| tree.mount(path, what))
            .map_err(failed)
    };
    mount("/dev", Arc::new(dev(DevOptions::default())))?;
    tree.mkdir_all(VfsPath::new("/tmp"), 0o755)
        .map_err(failed)?;
    for (name, folder) in &args.mount {
        let folder = Path::new(folder);
        let host =
            HostVfs::open(folder, Access::ReadOnly).map_err(CliError::file("open", folder))?;
        let overlay = OverlayVfs::new(Arc::new(host), room(), clock());
        mount(
            &format!("/{}", name.trim_start_matches('/')),
            Arc::new(overlay),
        )?;
    }
    Ok(tree)
}

/// Room for a project and what is made of it.
fn room() -> Limits {
    Limits {
        bytes: 1 << 30,
        files: 1_000_000,
        ..Limits::default()
    }
}

fn clock() -> Clock {
    Clock::from_fn(|| SystemTime::now().into())
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().read_to_end(&mut bytes);
        read.map_err(CliError::file("read", Path::new("standard input")))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(CliError::file("read", path))
}

fn unusable(path: &Path, error: &ModuleError) -> CliError {
    let mut problem = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        problem.extend([": ", &error.to_string()]);
        source = error.source();
    }
    CliError::Content {
        file: path.display().to_string(),
        // A piece of the module may be in it.
        problem: print::for_stderr(&problem).into_owned(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn failed(error: hotcell::vfs::VfsError) -> CliError {
    CliError::Usage(error.to_string())
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
