//! The files of a sandbox: a tree in memory, devices, and what is mounted.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use hotcell_vfs::{
    Clock, FixedVfs, Limits, MemVfs, MountVfs, ProcState, Vfs, VfsPath, VfsPathBuf, proc,
};

use crate::{
    error::{Result, SandboxError},
    mount::{Mount, Mounted},
    options::{HOME, SandboxOptions, WORKSPACE},
    random::Chance,
};

const DEV: &str = "/dev";
const PROC: &str = "/proc";

/// What a program may look for, about a machine that is none.
const ETC: [(&str, &str); 4] = [
    ("/etc/hostname", "hotcell\n"),
    (
        "/etc/passwd",
        "root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/home/user:/bin/bash\n",
    ),
    ("/etc/group", "root:x:0:\nuser:x:1000:\n"),
    (
        "/etc/os-release",
        "NAME=hotcell\nID=hotcell\nPRETTY_NAME=\"hotcell sandbox\"\n",
    ),
];

/// The files of a sandbox.
#[derive(Clone)]
pub(crate) struct World {
    /// What everybody sees.
    pub(crate) tree: Arc<MountVfs>,
    /// What is at its root.
    pub(crate) root: Arc<MemVfs>,
    /// What the host has mounted, by path.
    pub(crate) mounts: BTreeMap<VfsPathBuf, Mounted>,
    chance: Chance,
    limits: Limits,
    clock: Clock,
}

impl World {
    /// The files of a new sandbox.
    pub(crate) fn new(options: &SandboxOptions) -> Result<Self> {
        let limits = options.limits.of_files();
        let root = template().fork_with(limits, options.clock.clone());
        let mut world = Self::around(root, options)?;
        for (path, mount) in &options.mounts {
            let (place, mounted) = world.mount(path, mount.clone())?;
            world.mounts.insert(place, mounted);
        }
        world.begin(options)?;
        Ok(world)
    }

    /// A tree with this at its root, and devices.
    pub(crate) fn around(root: MemVfs, options: &SandboxOptions) -> Result<Self> {
        let root = Arc::new(root);
        let tree = MountVfs::new(Arc::clone(&root) as Arc<dyn Vfs>);
        let chance = options.chance();
        tree.mount(VfsPath::new(DEV), chance.devices())?;
        tree.mount(VfsPath::new(PROC), about(options.limits.memory))?;
        for program in &options.installed {
            program.mount(&tree).map_err(|error| {
                SandboxError::Invalid(format!(
                    "the library of {} cannot be used: {error}",
                    program.name()
                ))
            })?;
        }
        Ok(Self {
            tree: Arc::new(tree),
            root,
            mounts: BTreeMap::new(),
            chance,
            limits: options.limits.of_files(),
            clock: options.clock.clone(),
        })
    }

    /// Makes what is to be there from the beginning.
    fn begin(&self, options: &SandboxOptions) -> Result<()> {
        let cwd = VfsPath::ROOT.join(&options.cwd);
        if options.cwd.as_bytes() != WORKSPACE.as_bytes() {
            self.tree.mkdir_all(&cwd, 0o755)?;
        }
        for (path, content) in &options.files {
            let path = cwd.join(path);
            if let Some(above) = path.parent() {
                self.tree.mkdir_all(above, 0o755)?;
            }
            self.tree.write_file(&path, content)?;
        }
        Ok(())
    }

    /// Mounts something in the tree; says where, as the tree knows the place, and what. The list of mounts is the caller's to
    /// keep, which may have it behind a lock.
    pub(crate) fn mount(&self, path: &VfsPath, mount: Mount) -> Result<(VfsPathBuf, Mounted)> {
        let mounted = mount.open(self.limits, self.clock.clone())?;
        Ok((self.mount_opened(path, &mounted)?, mounted))
    }

    pub(crate) fn mount_opened(&self, path: &VfsPath, mounted: &Mounted) -> Result<VfsPathBuf> {
        let path = VfsPath::ROOT.join(path);
        self.tree.mount(&path, mounted.vfs())?;
        Ok(self.tree.realpath(&path)?)
    }

    /// The same files, to go their own way.
    pub(crate) fn fork(&self, options: &SandboxOptions) -> Result<Self> {
        let (limits, clock) = (options.limits.of_files(), options.clock.clone());
        let root = Arc::new(self.root.fork_with(limits, clock.clone()));
        let chance = self.chance.fork();
        let mut mounts = BTreeMap::new();
        for (path, mounted) in &self.mounts {
            mounts.insert(path.clone(), mounted.fork(path)?);
        }
        let tree = self.tree.fork_with(|path, vfs| {
            if path == VfsPath::ROOT {
                return Ok(Arc::clone(&root) as Arc<dyn Vfs>);
            }
            if let Some(mounted) = mounts.get(path) {
                return Ok(mounted.vfs());
            }
            if path.as_bytes() == DEV.as_bytes() && !chance.is_shared() {
                return Ok(chance.devices());
            }
            // What is left holds nothing that could be changed.
            Ok(Arc::clone(vfs))
        })?;
        Ok(Self {
            tree: Arc::new(tree),
            root,
            mounts,
            chance,
            limits,
            clock,
        })
    }

    /// How often a limit of the files was met.
    pub(crate) fn refusals(&self) -> u64 {
        let mounted: u64 = self.mounts.values().map(Mounted::refusals).sum();
        self.root.usage().refusals + mounted
    }
}

/// What every sandbox begins with, made once.
fn template() -> &'static MemVfs {
    static TEMPLATE: OnceLock<MemVfs> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let vfs = MemVfs::new();
        let folders = [
            WORKSPACE, HOME, "/root", "/etc", "/tmp", "/var/tmp", DEV, PROC,
        ];
        for folder in folders
            .into_iter()
            .chain(["/bin", "/usr/bin", "/usr/local/bin"])
        {
            // A file system without anything in it has no reason to refuse.
            let _ = vfs.mkdir_all(VfsPath::new(folder), 0o755);
        }
        for (path, text) in ETC {
            let _ = vfs.write_file(VfsPath::new(path), text.as_bytes());
        }
        vfs
    })
}

/// `/proc`. It tells of the limits, and holds nothing that changes: so sandboxes with the same ones share it.
fn about(memory: usize) -> Arc<dyn Vfs> {
    static USUAL: OnceLock<(usize, Arc<FixedVfs>)> = OnceLock::new();
    let make = || {
        let state = ProcState {
            memory: memory as u64,
            ..ProcState::default()
        };
        Arc::new(proc(move || state.clone()))
    };
    let (known, made) = USUAL.get_or_init(|| (memory, make()));
    let made = if *known == memory {
        Arc::clone(made)
    } else {
        make()
    };
    made as Arc<dyn Vfs>
}
