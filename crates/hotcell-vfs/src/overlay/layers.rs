//! The two layers, and how something gets from the lower one to the upper one.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::file::{Live, OverlayFile};
use crate::clock::{SetTime, Times};
use crate::direct::Direct;
use crate::error::{Errno, Fault};
use crate::file::{VfsFile, copy_content};
use crate::mem::MemVfs;
use crate::metadata::{DirEntry, FileType, Metadata};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};

/// What two layers have in common: a path that both know leads to the upper one's file.
pub(crate) struct Layers {
    pub(super) lower: Direct,
    pub(super) upper: Direct,
    memory: Arc<MemVfs>,
    /// Paths where nothing of the lower layer shows any more, there or below.
    pub(super) hidden: OrdSet<VfsPathBuf>,
    /// What lower files were when they were first changed or hidden.
    pub(super) base: OrdMap<VfsPathBuf, Base>,
    /// Lower files that are open.
    live: Live,
}

/// What a lower file was, to notice that somebody else changed it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) kind: FileType,
    pub(super) mode: u32,
    /// Size and time of change; a directory's say nothing about the directory itself.
    pub(super) content: Option<(u64, crate::Timestamp)>,
}

impl From<&Metadata> for Base {
    fn from(meta: &Metadata) -> Self {
        Self {
            kind: meta.kind,
            mode: meta.mode,
            content: (!meta.is_dir()).then_some((meta.size, meta.modified)),
        }
    }
}

/// The device number of the lower layer, so that its files are not mistaken for those of the upper one.
const LOWER_DEV: u64 = 2;

impl Layers {
    pub(super) fn new(lower: Direct, upper: MemVfs) -> Self {
        let memory = Arc::new(upper);
        Self {
            lower,
            upper: Direct(Arc::clone(&memory) as Arc<dyn crate::Vfs>),
            memory,
            hidden: OrdSet::new(),
            base: OrdMap::new(),
            live: Live::default(),
        }
    }

    pub(super) fn fork(&self) -> Self {
        Self {
            hidden: self.hidden.clone(),
            base: self.base.clone(),
            ..Self::new(Direct(Arc::clone(&self.lower.0)), self.memory.fork())
        }
    }

    pub(super) fn reset(&mut self) {
        let limits = *self.memory.limits();
        let empty = MemVfs::with(limits, self.memory.clock().clone());
        *self = Self::new(Direct(Arc::clone(&self.lower.0)), empty);
    }

    /// The upper layer as a whole.
    pub(crate) fn memory(&self) -> &MemVfs {
        &self.memory
    }

    /// What the upper layer has at `path`.
    pub(super) fn in_upper(&self, path: &VfsPath) -> Result<Option<Metadata>, Fault> {
        match self.upper.lstat(path) {
            // The root is always there, and says nothing about the lower one until it was changed.
            Ok(_) if path == VfsPath::ROOT && !self.base.contains_key(path) => Ok(None),
            Ok(meta) => Ok(Some(meta)),
            Err(fault) if matches!(fault.errno, Errno::ENOENT | Errno::ENOTDIR) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The path, if nothing hides what the lower layer has there.
    pub(super) fn visible<'a>(&self, path: &'a VfsPath) -> Result<&'a VfsPath, Fault> {
        let mut at = Some(path);
        while let Some(here) = at {
            if self.hidden.contains(here) {
                return Err(Errno::ENOENT.into());
            }
            at = here.parent();
        }
        Ok(path)
    }

    /// What the lower layer shows at `path`.
    pub(super) fn in_lower(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        let meta = self.lower.lstat(self.visible(path)?)?;
        Ok(Metadata {
            dev: LOWER_DEV,
            ..meta
        })
    }

    pub(super) fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        match self.in_upper(path)? {
            Some(meta) => Ok(meta),
            None => self.in_lower(path),
        }
    }

    /// Whether a named pipe of the lower layer shows at `path`.
    pub(super) fn is_lower_pipe(&self, path: &VfsPath) -> Result<bool, Fault> {
        if self.in_upper(path)?.is_some() {
            return Ok(false);
        }
        Ok(self
            .in_lower(path)
            .is_ok_and(|meta| meta.kind == FileType::Fifo))
    }

    pub(super) fn vacant(&self, path: &VfsPath) -> Result<(), Fault> {
        match self.lstat(path) {
            Ok(_) => Err(Errno::EEXIST.into()),
            Err(fault) if fault.errno == Errno::ENOENT => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    pub(super) fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        let mut entries = match self.upper.readdir(path) {
            Ok(entries) => entries,
            Err(fault) if fault.errno == Errno::ENOENT => Vec::new(),
            Err(fault) => return Err(fault),
        };
        let own: super::Names = entries.iter().map(|entry| entry.name.clone()).collect();
        let below = match self.visible(path).and_then(|path| self.lower.readdir(path)) {
            Ok(below) => below,
            // The directory exists in the upper layer alone.
            Err(fault)
                if matches!(fault.errno, Errno::ENOENT | Errno::ENOTDIR)
                    && self.in_upper(path)?.is_some() =>
            {
                return Ok(entries);
            }
            Err(fault) => return Err(fault),
        };
        entries.extend(below.into_iter().filter(|entry| {
            !own.contains(&entry.name) && !self.hidden.contains(&child(path, &entry.name))
        }));
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    pub(super) fn open_to_read(
        &self,
        path: &VfsPath,
        options: &OpenOptions,
    ) -> Result<Arc<dyn VfsFile>, Fault> {
        if self.in_upper(path)?.is_some() {
            return self.upper.open(path, options);
        }
        let file = self.lower.open(self.visible(path)?, options)?;
        let file = Arc::new(OverlayFile::new(file, LOWER_DEV, *options, path));
        self.live.add(path, &file);
        Ok(file)
    }

    /// Makes the upper layer have all directories above `path`.
    pub(super) fn copy_up_parents(&mut self, path: &VfsPath) -> Result<(), Fault> {
        let mut above = VfsPathBuf::root();
        let names: Vec<&[u8]> = path.components().collect();
        self.copy_up_one(&above, false)?;
        for name in names.iter().take(names.len().saturating_sub(1)) {
            above.push_name(name);
            self.copy_up_one(&above, false)?;
        }
        Ok(())
    }

    /// Makes the upper layer have the file at `path`; without its content if that is about to go.
    pub(super) fn copy_up(&mut self, path: &VfsPath, content: bool) -> Result<(), Fault> {
        self.copy_up_parents(path)?;
        self.copy_up_one(path, content)
    }

    /// Makes the upper layer have everything at `path` and below.
    pub(super) fn copy_up_tree(&mut self, path: &VfsPath) -> Result<(), Fault> {
        self.copy_up(path, true)?;
        let mut todo = vec![path.to_owned()];
        while let Some(at) = todo.pop() {
            if !self.lstat(&at)?.is_dir() {
                continue;
            }
            for entry in self.readdir(&at)? {
                let below = child(&at, &entry.name);
                self.copy_up_one(&below, true)?;
                todo.push(below);
            }
        }
        Ok(())
    }

    fn copy_up_one(&mut self, path: &VfsPath, content: bool) -> Result<(), Fault> {
        if self.in_upper(path)?.is_some() {
            return Ok(());
        }
        let meta = self.in_lower(path)?;
        match meta.kind {
            FileType::Dir if path == VfsPath::ROOT => self.upper.chmod(path, meta.mode)?,
            FileType::Dir => self.upper.mkdir(path, meta.mode)?,
            FileType::Symlink => {
                let target = self.lower.readlink(path)?;
                self.upper.symlink(VfsPath::new(&target), path)?;
            }
            FileType::File => {
                if let Err(fault) = self.copy_up_file(path, &meta, content) {
                    // Half a file must not stand in for the whole one.
                    let _gone = self.upper.unlink(path);
                    return Err(fault);
                }
            }
            FileType::Fifo => self.upper.mkfifo(path, meta.mode)?,
            _ => return Err(only_files()),
        }
        let times = Times {
            accessed: SetTime::At(meta.accessed),
            modified: SetTime::At(meta.modified),
        };
        self.upper.set_times(path, times)?;
        self.remember(path, &meta);
        Ok(())
    }

    fn copy_up_file(&self, path: &VfsPath, meta: &Metadata, content: bool) -> Result<(), Fault> {
        let options = OpenOptions::write().create_new().mode(meta.mode);
        let output = self.upper.open(path, &options)?;
        if content {
            let input = self.lower.open(path, &OpenOptions::read())?;
            copy_content(&*input, &*output)?;
        }
        self.live.move_to_upper(path, &self.upper);
        Ok(())
    }

    /// Makes `data` the content of the file at `path`, or leaves everything as it is.
    pub(super) fn write_file(&mut self, path: &VfsPath, data: &[u8]) -> Result<(), Fault> {
        let below = match self.in_upper(path)? {
            Some(_) => None,
            None => match self.in_lower(path) {
                Ok(meta) => Some(meta),
                Err(fault) if fault.errno == Errno::ENOENT => None,
                Err(fault) => return Err(fault),
            },
        };
        if below.is_some_and(|meta| !meta.is_file()) {
            return Err(only_files());
        }
        self.copy_up_parents(path)?;
        let written = self.upper.write_file(path, data);
        written.unwrap_or_else(|| Err(Errno::ENOTSUP.into()))?;
        if let Some(meta) = below {
            self.upper.chmod(path, meta.mode)?;
            self.remember(path, &meta);
            self.live.move_to_upper(path, &self.upper);
        }
        Ok(())
    }

    /// Keeps what a lower file was before it is changed for the first time.
    fn remember(&mut self, path: &VfsPath, meta: &Metadata) {
        let base = Base::from(meta);
        self.base.entry(path.to_owned()).or_insert(base);
    }

    /// Hides what the lower layer has at `path`. Where it has nothing there is nothing to remember: a guest that makes
    /// and removes files for ever must not fill the memory with marks.
    pub(super) fn hide(&mut self, path: &VfsPath) {
        let Ok(visible) = self.visible(path) else {
            return;
        };
        match self.lower.lstat(visible) {
            Ok(meta) => self.remember(path, &meta),
            Err(fault) if matches!(fault.errno, Errno::ENOENT | Errno::ENOTDIR) => return,
            Err(_) => {}
        }
        // What is hidden below needs no mark of its own any more.
        let below: Vec<VfsPathBuf> = self
            .hidden
            .range(path.to_owned()..)
            .take_while(|other| other.as_bytes().starts_with(path.as_bytes()))
            .filter(|other| other.starts_with(path))
            .cloned()
            .collect();
        for other in below {
            self.hidden.remove(&other);
        }
        self.hidden.insert(path.to_owned());
    }
}

fn only_files() -> Fault {
    let detail = "only files, directories, links and named pipes can be changed";
    Fault::new(Errno::ENXIO, detail)
}

pub(super) fn child(path: &VfsPath, name: &[u8]) -> VfsPathBuf {
    let mut child = path.to_owned();
    child.push_name(name);
    child
}
