//! The worker's side: what a process does that was started to be one.

mod calls;
mod control;
mod parent;

use std::{
    io::Write,
    os::fd::{AsFd, OwnedFd},
    panic::AssertUnwindSafe,
};

pub(crate) use calls::Late;
pub use calls::{Called, PendingCall};
pub(crate) use control::{CANCEL, CONTROL_BYTES};
pub use parent::Parent;

use crate::{
    files::ProxyVfs,
    jail,
    message::Message,
    region::{Client, Region},
    ring::Ring,
    start::{self, PROTOCOL, WORKER_ARGUMENT},
};

/// What a worker does: it is given commands one after the other, and answers each.
pub trait Service {
    /// Carries out a command. What it needs meanwhile it asks its parent for.
    fn handle(&mut self, command: Message, parent: &Parent) -> Message;

    /// Ends the command under way soon. Called from another thread, again and again until it says that somebody listens.
    fn canceller(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        Box::new(|| true)
    }
}

/// Makes a service. It runs before the jail is entered: what it has to open or to load it opens and loads here, without
/// starting threads.
pub type MakeService = fn() -> Result<Box<dyn Service>, String>;

/// What a program offers as a worker.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Names the build; parent and worker must be of the same.
    pub build: &'a str,
    /// What it can be, by name.
    pub services: &'a [(&'a str, MakeService)],
}

/// Whether this process was started to be a worker.
pub fn is_worker() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == WORKER_ARGUMENT)
}

/// Is a worker until the parent has no more use for it.
///
/// To be called first thing in `main`, while there is one thread.
pub fn run(program: &Program<'_>) -> ! {
    // A panic has said what it has to say by then, and whatever it left behind is not worth looking at.
    let begun = std::panic::catch_unwind(AssertUnwindSafe(|| begin(program)));
    match begun {
        Err(_) => std::process::exit(PANICKED),
        Ok(Ok(never)) => match never {},
        Ok(Err(reason)) => {
            // The parent reads it when the process has ended.
            let _ = writeln!(std::io::stderr(), "{reason}");
            std::process::exit(FAILED_TO_START)
        }
    }
}

/// How a worker ends that panicked; as any Rust program does.
const PANICKED: i32 = 101;

/// How a worker ends that cannot begin.
pub(crate) const FAILED_TO_START: i32 = 3;

enum Never {}

fn begin(program: &Program<'_>) -> Result<Never, String> {
    jail::close_inherited();
    let socket = std::io::stdin().as_fd().try_clone_to_owned();
    let socket = socket.map_err(|error| format!("there is no parent: {error}"))?;
    let (start, descriptors) =
        start::receive(&socket).map_err(|error| format!("there is no parent: {error}"))?;
    drop(socket);
    if start.protocol != PROTOCOL || start.build != program.build {
        return Err(format!(
            "the worker is build {} ({PROTOCOL}), its parent {} ({}): both must be the same",
            program.build, start.build, start.protocol
        ));
    }
    let made = program
        .services
        .iter()
        .find(|(name, _)| *name == start.service);
    let (_, make) = made.ok_or_else(|| format!("there is no service {:?}", start.service))?;
    let [commands, files, output_file] = descriptors;
    let mut commands = Client::new(region(commands)?);
    let files = ProxyVfs::new(Client::new(region(files)?));
    let output = Ring::from_file(output_file.as_fd())
        .map_err(|error| format!("no shared memory: {error}"))?;
    drop(output_file);
    let mut service = make()?;
    let report = jail::enter(&start.jail, start.parent).map_err(|error| error.to_string())?;
    let current = control::Current::default();
    control::listen(current.clone(), service.canceller())
        .map_err(|error| format!("no thread: {error}"))?;
    let ready = Message::new(
        &serde_json::json!({ "op": "ready", "jail": report }),
        Vec::new(),
    );
    let mut command = parent::ask_for_command(&mut commands, &ready);
    let parent = Parent::new(commands, files, output, current);
    loop {
        parent.begin();
        let result = service.handle(command, &parent);
        command = parent.finish(&result);
    }
}

/// The memory is mapped; the file behind it is not needed any more, and closed.
#[expect(clippy::needless_pass_by_value, reason = "it is closed")]
fn region(file: OwnedFd) -> Result<Region, String> {
    Region::from_file(file.as_fd()).map_err(|error| format!("no shared memory: {error}"))
}
