//! The sandbox itself.

mod archive;
mod environment;
mod files;
mod fork;

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bstr::BString;
use hotcell_meter::Account;
use hotcell_process::Programs;
use hotcell_shell::{Shell, ShellOptions};
use hotcell_vfs::{OverlayVfs, Vfs, VfsPath, VfsPathBuf};

use crate::{
    audit::{Audit, AuditKind, KillReason, Origin},
    boundary::Slot,
    command::Command,
    error::{Result, SandboxError},
    history::{History, HistoryEntry},
    limits::Limits,
    line::Line,
    mount::{Mount, Mounted},
    options::SandboxOptions,
    programs::compose,
    run::Running,
    world::World,
};

/// Files, and a shell that works on them: see the [crate documentation](crate).
///
/// A handle: clones are the same sandbox, and may be used from any thread. It ends with its last handle, or with
/// [`destroy`](Self::destroy).
#[derive(Clone)]
pub struct Sandbox(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: Arc<SandboxOptions>,
    pub(crate) programs: Arc<dyn Programs>,
    /// What processes and the shell hold.
    pub(crate) account: Account,
    pub(crate) audit: Audit,
    /// The process that commands run in, if they run in one.
    pub(crate) worker: Slot,
    /// Invariant: it is held for a few moves of memory. Behind it no command runs, no file is read or written, and nothing of the
    /// host's is called, woken or dropped: listeners, sinks, file systems, wakers.
    state: Mutex<State>,
}

pub(crate) struct State {
    /// `None` once it is destroyed.
    pub(crate) live: Option<Live>,
    pub(crate) line: Line,
    /// How many runs there were.
    pub(crate) runs: u64,
}

/// What is there until it is destroyed.
pub(crate) struct Live {
    pub(crate) world: World,
    /// As the last command left it that ran to its end.
    pub(crate) shell: Shell,
    pub(crate) history: History,
    /// What the host has set since the command under way began: it comes after what that does.
    pub(crate) changes: Vec<(BString, Option<BString>)>,
}

impl Sandbox {
    /// Makes a sandbox.
    pub fn create(options: SandboxOptions) -> Result<Self> {
        let world = World::new(&options)?;
        let shell = Shell::new(ShellOptions {
            name: options.name.clone(),
            arguments: options.arguments.clone(),
            environment: options.environment.clone(),
            cwd: VfsPath::ROOT.join(&options.cwd),
            ..ShellOptions::default()
        });
        let live = Live::new(world, shell, History::default());
        Ok(Self::of(Arc::new(options), None, live, Origin::New))
    }

    /// A sandbox of its parts. `programs` are those of another one with the same options.
    pub(crate) fn of(
        options: Arc<SandboxOptions>,
        programs: Option<Arc<dyn Programs>>,
        live: Live,
        origin: Origin,
    ) -> Self {
        let account = new_account(&options.limits);
        Self::on(account, options, programs, live, origin)
    }

    pub(crate) fn on(
        account: Account,
        options: Arc<SandboxOptions>,
        programs: Option<Arc<dyn Programs>>,
        live: Live,
        origin: Origin,
    ) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let audit = Audit {
            sandbox: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            sink: options.on_audit.clone(),
        };
        let sandbox = Self(Arc::new(Inner {
            programs: programs.unwrap_or_else(|| compose(&options)),
            account,
            audit,
            worker: Slot::default(),
            options,
            state: Mutex::new(State {
                live: Some(live),
                line: Line::default(),
                runs: 0,
            }),
        }));
        sandbox.0.audit.tell(None, || AuditKind::Created { origin });
        sandbox.tell_mounts();
        sandbox
    }

    /// Its number, unique in this program: what audit events call it.
    pub fn id(&self) -> u64 {
        self.0.audit.sandbox
    }

    /// How much it may have of everything.
    pub fn limits(&self) -> &Limits {
        &self.0.options.limits
    }

    /// Runs a command. The future does the work wherever it is polled (or on a [pool](SandboxOptions::pool), if there is one);
    /// dropping it kills the command.
    ///
    /// Whatever comes of the command is a [`RunResult`](crate::RunResult). Errors are for a sandbox that does not run it at all.
    pub fn run(&self, command: impl Into<Command>) -> Running {
        Running::new(&self.0, command.into())
    }

    /// Ends the command under way; it comes to exit code 125 and `CANCELLED`. False if there is none.
    pub fn cancel(&self) -> bool {
        let current = self.0.lock().line.current().cloned();
        match current {
            Some(current) => {
                current.stop(KillReason::Cancelled);
                true
            }
            None => false,
        }
    }

    /// Whether a command is under way.
    pub fn is_running(&self) -> bool {
        self.0.lock().line.current().is_some()
    }

    /// Ends everything, and gives its files and its shell up. Commands that wait fail with
    /// [`SandboxError::Destroyed`](crate::SandboxError::Destroyed), and so does whatever is asked of it later.
    pub fn destroy(&self) {
        let (live, everybody) = {
            let mut state = self.0.lock();
            (state.live.take(), state.line.clear())
        };
        let was_there = live.is_some();
        for control in everybody {
            control.stop(KillReason::Destroyed);
        }
        drop(live);
        self.0.worker.clear();
        if was_there {
            self.0.audit.tell(None, || AuditKind::Destroyed);
        }
    }

    /// Whether it was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.0.lock().live.is_none()
    }

    /// What was run before, the latest last.
    pub fn history(&self) -> Result<Vec<HistoryEntry>> {
        self.with(|live| live.history.entries())
    }

    /// Mounts something, over what is there. A relative path begins where the next command does.
    pub fn mount(&self, path: impl AsRef<VfsPath>, mount: Mount) -> Result<()> {
        let kind = mount.kind();
        let (path, mounted) = self.world()?.mount(&self.resolve(path)?, mount)?;
        let old = self.with(|live| live.world.mounts.insert(path.clone(), mounted))?;
        drop(old);
        self.0
            .audit
            .tell(None, || AuditKind::Mounted { path, kind });
        Ok(())
    }

    /// Takes away what is mounted somewhere. Files that are open stay open.
    pub fn unmount(&self, path: impl AsRef<VfsPath>) -> Result<()> {
        let tree = self.world()?.tree;
        let path = tree.realpath(&self.resolve(path)?)?;
        tree.unmount(&path)?;
        let old = self.with(|live| live.world.mounts.remove(&path))?;
        drop(old);
        self.0.audit.tell(None, || AuditKind::Unmounted { path });
        Ok(())
    }

    /// What is kept on top of a directory that is mounted as an [overlay](Mount::Overlay), to be listed or written back.
    pub fn overlay(&self, path: impl AsRef<VfsPath>) -> Result<Option<Arc<OverlayVfs>>> {
        let world = self.world()?;
        let path = world.tree.realpath(&self.resolve(path)?)?;
        Ok(match world.mounts.get(&path) {
            Some(Mounted::Overlay(overlay)) => Some(Arc::clone(overlay)),
            _ => None,
        })
    }

    /// Its files. Paths there are absolute.
    pub fn vfs(&self) -> Result<Arc<dyn Vfs>> {
        Ok(self.world()?.tree)
    }

    /// Whether the last command ended the shell (`exit`, `exec`, a signal), for prompts: the next one runs all the same.
    pub fn has_exited(&self) -> Result<bool> {
        self.with(|live| live.shell.has_exited())
    }

    /// Where the next command begins.
    pub fn cwd(&self) -> Result<VfsPathBuf> {
        self.with(|live| live.shell.cwd().to_owned())
    }

    /// An absolute path for one that may begin where the next command does.
    pub(crate) fn resolve(&self, path: impl AsRef<VfsPath>) -> Result<VfsPathBuf> {
        Ok(self.cwd()?.join(path.as_ref()))
    }

    pub(crate) fn world(&self) -> Result<World> {
        self.with(|live| live.world.clone())
    }

    /// Looks at, or changes, what is there.
    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut Live) -> T) -> Result<T> {
        let mut state = self.0.lock();
        let live = state.live.as_mut().ok_or(SandboxError::Destroyed)?;
        Ok(f(live))
    }

    /// Tells of what was mounted from the beginning.
    fn tell_mounts(&self) {
        for (path, mount) in &self.0.options.mounts {
            let kind = mount.kind();
            let path = VfsPath::ROOT.join(path);
            self.0
                .audit
                .tell(None, || AuditKind::Mounted { path, kind });
        }
    }
}

impl Live {
    pub(crate) fn new(world: World, shell: Shell, history: History) -> Self {
        Self {
            world,
            shell,
            history,
            changes: Vec::new(),
        }
    }
}

impl Inner {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn new_account(limits: &Limits) -> Account {
    Account::new("memory", limits.memory)
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("id", &self.id())
            .field("is_running", &self.is_running())
            .finish_non_exhaustive()
    }
}
