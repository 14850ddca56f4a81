//! The files of an agent, which are a part of its state.

use std::{
    fmt,
    io::{self, Read},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use async_lock::Semaphore;
use hotcell_tools::FileTools;
use hotcell_vfs::{
    Access, Change, Clock, Errno, HostVfs, Limits, MemVfs, OverlayVfs, Overwrite, Vfs, VfsError,
    VfsPath, VfsPathBuf,
};

/// The files that tools of an executor work on.
///
/// Files in memory, and changes on top of a directory, belong to the state of the executor that has tools on them: a fork has
/// a copy of its own, which costs nothing until one of the two is written, and a snapshot carries them along. A directory of
/// the host is what it is, for all.
///
/// ```
/// # pollster::block_on(async {
/// use hotcell_cell::Value;
/// use hotcell_executor::{Executor, ExecutorOptions, Files};
///
/// let executor = Executor::new(ExecutorOptions::default());
/// executor.init().await?;
/// let files = Files::memory();
/// executor.enable_files(&files).await?;
/// executor.run("await writeText('notes.txt', 'tea')").await?;
///
/// let twin = executor.fork().await?;
/// twin.run("await writeText('notes.txt', 'milk')").await?;
/// assert_eq!(executor.run("await readText('notes.txt')").await?.output, Value::from("tea"));
/// assert_eq!(files.tools().read_text("notes.txt").as_deref(), Ok("tea"));
/// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Files(Arc<Inner>);

struct Inner {
    kind: Kind,
    tools: FileTools,
    /// Where the tools work.
    directory: VfsPathBuf,
    /// Held while what a snapshot says is put in.
    loading: Mutex<()>,
    turns: Turns,
}

/// How many operations on the same files are under way at once. Code may ask for a thousand: they would take a thread each, and the
/// memory of each, and those that cannot stop at once would go on for that much longer when the run has ended.
const AT_ONCE: usize = 2;

/// Who works on files, on threads for blocking work.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    /// Does something when it is its turn. If nobody waits for it any more before that, it is not done.
    pub(crate) async fn take<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let turn = self.0.acquire_arc().await;
        blocking::unblock(move || {
            let _turn = turn;
            work()
        })
        .await
    }
}

enum Kind {
    /// A directory of the host, the same for everybody.
    Shared(Arc<dyn Vfs>, Access),
    Memory(Arc<MemVfs>),
    Overlay {
        lower: Arc<dyn Vfs>,
        overlay: Arc<OverlayVfs>,
    },
    /// A file system of the host's that can be copied, but not saved.
    Forkable(Arc<dyn Vfs>),
}

/// What files in memory may hold unless the host says otherwise: 64 MiB and 10,000 files.
const LIMITS: fn() -> Limits = || Limits {
    bytes: 64 << 20,
    files: 10_000,
    ..Limits::default()
};

impl Files {
    /// An empty file system in memory, for at most 64 MiB in 10,000 files.
    pub fn memory() -> Self {
        Self::memory_with(LIMITS())
    }

    /// The same, with other limits.
    pub fn memory_with(limits: Limits) -> Self {
        Self::new(Kind::Memory(Arc::new(MemVfs::with(limits, clock()))))
    }

    /// A directory of the host.
    pub fn directory(path: impl AsRef<Path>, access: Access) -> io::Result<Self> {
        let host = HostVfs::open(path.as_ref(), access)?;
        Ok(Self::new(Kind::Shared(Arc::new(host), access)))
    }

    /// A directory of the host that stays as it is: changes are kept in memory, at most 64 MiB in 10,000 files. See
    /// [`Files::changes`] and [`Files::apply`].
    pub fn overlay(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::overlay_with(path, LIMITS())
    }

    /// The same, with other limits.
    pub fn overlay_with(path: impl AsRef<Path>, limits: Limits) -> io::Result<Self> {
        // What may be written is decided when changes are applied.
        let lower: Arc<dyn Vfs> = Arc::new(HostVfs::open(path.as_ref(), Access::ReadWrite)?);
        let overlay = Arc::new(OverlayVfs::new(Arc::clone(&lower), limits, clock()));
        Ok(Self::new(Kind::Overlay { lower, overlay }))
    }

    /// A directory of a file system of your own. A fork has a copy if it can be copied; a snapshot does not carry it.
    pub fn of(vfs: Arc<dyn Vfs>, directory: impl AsRef<VfsPath>) -> Self {
        Self::at(Kind::Forkable(vfs), directory.as_ref())
    }

    fn new(kind: Kind) -> Self {
        Self::at(kind, VfsPath::ROOT)
    }

    fn at(kind: Kind, directory: &VfsPath) -> Self {
        let tools = FileTools::new(kind.vfs(), directory);
        Self(Arc::new(Inner {
            kind,
            tools,
            directory: directory.to_owned(),
            loading: Mutex::new(()),
            turns: Turns(Arc::new(Semaphore::new(AT_ONCE))),
        }))
    }

    /// The file system itself.
    pub fn vfs(&self) -> Arc<dyn Vfs> {
        self.0.kind.vfs()
    }

    /// File tools for the host itself.
    pub fn tools(&self) -> &FileTools {
        &self.0.tools
    }

    /// Where the tools work.
    pub(crate) fn working_directory(&self) -> &VfsPath {
        &self.0.directory
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.0.turns
    }

    /// A copy that goes its own way, or the same files if they cannot be copied.
    pub fn fork(&self) -> Result<Self, VfsError> {
        let copy = match &self.0.kind {
            Kind::Shared(..) => return Ok(self.clone()),
            Kind::Memory(memory) => Kind::Memory(Arc::new(memory.fork())),
            Kind::Overlay { lower, overlay } => Kind::Overlay {
                lower: Arc::clone(lower),
                overlay: Arc::new(overlay.fork()),
            },
            Kind::Forkable(vfs) => match vfs.fork_dyn() {
                Ok(fork) => Kind::Forkable(fork),
                Err(error) if error.errno() == Errno::ENOTSUP => return Ok(self.clone()),
                Err(error) => return Err(error),
            },
        };
        Ok(Self::at(copy, &self.0.directory))
    }

    /// Whether tools on them change nothing.
    pub fn is_read_only(&self) -> bool {
        matches!(&self.0.kind, Kind::Shared(_, Access::ReadOnly))
    }

    /// What is different from the directory, if this is an [overlay](Files::overlay).
    pub fn changes(&self) -> Result<Vec<Change>, VfsError> {
        match &self.0.kind {
            Kind::Overlay { overlay, .. } => overlay.changes(),
            _ => Ok(Vec::new()),
        }
    }

    /// Makes the changes of an [overlay](Files::overlay) in the directory itself; it is left without changes then. Nothing is
    /// touched if somebody else has changed the same files meanwhile.
    pub fn apply(&self) -> Result<Vec<Change>, VfsError> {
        match &self.0.kind {
            Kind::Overlay { lower, overlay } => {
                let changes = overlay.apply(&**lower, Overwrite::Refuse)?;
                overlay.reset();
                Ok(changes)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The directory under an [overlay](Files::overlay).
    pub fn lower(&self) -> Option<Arc<dyn Vfs>> {
        match &self.0.kind {
            Kind::Overlay { lower, .. } => Some(Arc::clone(lower)),
            _ => None,
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What a snapshot has to carry of them: which kind, and the bytes.
    pub(crate) fn save(&self) -> Result<Option<(SavedKind, Vec<u8>)>, VfsError> {
        let mut bytes = Vec::new();
        Ok(match &self.0.kind {
            Kind::Memory(memory) => {
                memory.save(&mut bytes)?;
                Some((SavedKind::Memory, bytes))
            }
            Kind::Overlay { overlay, .. } => {
                overlay.save(&mut bytes)?;
                Some((SavedKind::Overlay, bytes))
            }
            Kind::Shared(..) | Kind::Forkable(_) => None,
        })
    }

    pub(crate) fn saved_kind(&self) -> Option<SavedKind> {
        match &self.0.kind {
            Kind::Memory(_) => Some(SavedKind::Memory),
            Kind::Overlay { .. } => Some(SavedKind::Overlay),
            Kind::Shared(..) | Kind::Forkable(_) => None,
        }
    }

    /// Puts in what [`Files::save`] gave, which may come from anywhere. False if there is something here already.
    pub(crate) fn load(&self, bytes: &mut dyn Read) -> Result<bool, VfsError> {
        let loading = self.0.loading.lock();
        let _loading = loading.unwrap_or_else(PoisonError::into_inner);
        match &self.0.kind {
            Kind::Memory(memory) => {
                if !memory.readdir(VfsPath::ROOT)?.is_empty() {
                    return Ok(false);
                }
                let loaded = MemVfs::load(bytes, *memory.limits(), clock())?;
                memory.restore(&loaded.snapshot());
            }
            Kind::Overlay { lower, overlay } => {
                if !overlay.changes()?.is_empty() {
                    return Ok(false);
                }
                let loaded = OverlayVfs::load(Arc::clone(lower), bytes, overlay.limits(), clock())?;
                overlay.replace(loaded);
            }
            Kind::Shared(..) | Kind::Forkable(_) => {}
        }
        Ok(true)
    }
}

impl Kind {
    fn vfs(&self) -> Arc<dyn Vfs> {
        match self {
            Self::Shared(vfs, _) | Self::Forkable(vfs) => Arc::clone(vfs),
            Self::Memory(memory) => Arc::clone(memory) as Arc<dyn Vfs>,
            Self::Overlay { overlay, .. } => Arc::clone(overlay) as Arc<dyn Vfs>,
        }
    }
}

/// Which kind of files a snapshot carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavedKind {
    Memory = 0,
    Overlay = 1,
}

impl SavedKind {
    pub(crate) fn of(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Memory),
            1 => Some(Self::Overlay),
            _ => None,
        }
    }
}

fn clock() -> Clock {
    Clock::from_fn(|| SystemTime::now().into())
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0.kind {
            Kind::Shared(..) => "Files::directory",
            Kind::Memory(_) => "Files::memory",
            Kind::Overlay { .. } => "Files::overlay",
            Kind::Forkable(_) => "Files::of",
        })
    }
}
