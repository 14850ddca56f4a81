//! A sandbox as bytes.
//!
//! A header (magic, seal, checksum), then, compressed: the shell and the history as JSON, and the files. What a sandbox may do is not
//! among it: limits, mounts, programs, network and clock are those of whoever restores. Changes on top of a host directory are
//! state, and the directory is not: whoever restores mounts one in the same place.
//!
//! The bytes may come from anywhere. The checksum finds accidents; a seal ([`SandboxOptions::snapshot_key`]) finds malice,
//! before anything behind the header is looked at. What is decoded is decoded within the limits.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    sync::Arc,
};

use hotcell_shell::{SavedShell, Shell};
use hotcell_vfs::{MemVfs, OverlayVfs, VfsPath, VfsPathBuf};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::{
    audit::Origin,
    error::{Result, SandboxError},
    history::{History, SavedEntry},
    mount::{Mount, Mounted},
    options::SandboxOptions,
    sandbox::{Live, Sandbox, new_account},
    world::World,
};

const MAGIC: [u8; 8] = *b"HCSAND\x00\x01";
const SEAL: usize = 32;
const CHECKSUM: usize = 16;
const HEADER: usize = MAGIC.len() + SEAL + CHECKSUM;
const NO_SEAL: [u8; SEAL] = [0; SEAL];
/// Level 1: a snapshot is taken while somebody waits.
const LEVEL: i32 = 1;
/// More than that a decoder may not ask for: 8 MiB.
const MAX_WINDOW_LOG: u32 = 23;
/// JSON takes at most so many times its length when it is read.
const READ_FACTOR: usize = 16;

/// What is written in JSON.
#[derive(Serialize, Deserialize)]
struct Known {
    shell: SavedShell,
    history: Vec<SavedEntry>,
    /// What comes behind the files at the root.
    mounts: Vec<(String, Kind)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Memory,
    Overlay,
}

impl Sandbox {
    /// Everything that commands have made, as bytes: files, shell, history. While a command runs, the files as they are at that
    /// moment and the shell as it was before.
    pub fn snapshot(&self) -> Result<Vec<u8>> {
        let (world, shell, history) =
            self.with(|live| (live.world.clone(), live.shell.clone(), live.history.clone()))?;
        let mut mounts = Vec::new();
        for (path, mounted) in &world.mounts {
            let kind = match mounted {
                Mounted::Memory(_) => Kind::Memory,
                Mounted::Overlay(_) => Kind::Overlay,
                Mounted::Other(_) => continue,
            };
            // The host named it, and the host's names are text.
            mounts.push((path.to_string(), kind));
        }
        let known = Known {
            shell: shell.save(),
            history: history.save(),
            mounts,
        };
        let bytes = write(&known, &world).map_err(|error| {
            SandboxError::Snapshot(format!("the snapshot could not be written: {error}"))
        })?;
        Ok(self.finish_snapshot(bytes))
    }

    fn finish_snapshot(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let content = bytes.split_off(HEADER);
        let seal = self
            .0
            .options
            .snapshot_key
            .as_ref()
            .map_or(NO_SEAL, |key| key.seal(&[&MAGIC, &content]));
        let checksum = checksum(&seal, &content);
        [&MAGIC[..], &seal, &checksum, &content].concat()
    }

    /// A sandbox as it was when the snapshot was taken, in this program or another. What it may do is for you to say: limits,
    /// mounts, programs, network and clock are those of `options`, and so is the environment that it does not have of its own.
    pub fn restore(snapshot: &[u8], options: SandboxOptions) -> Result<Self> {
        let content = check(snapshot, &options)?;
        let account = new_account(&options.limits);
        let mut input = decoder(content).map_err(|error| malformed(&error))?;
        let known = read_known(&mut input, options.limits.memory / READ_FACTOR)?;
        let limits = options.limits.of_files();
        let root = MemVfs::load(&mut input, limits, options.clock.clone())
            .map_err(|error| malformed(&error))?;
        let mut world = World::around(root, &options)?;
        let mut given: BTreeMap<VfsPathBuf, Mount> = BTreeMap::new();
        for (path, mount) in &options.mounts {
            given.insert(VfsPath::ROOT.join(path).normalize(), mount.clone());
        }
        for (path, kind) in known.mounts {
            let path = VfsPath::ROOT.join(&path).normalize();
            let mounted = match (kind, given.remove(&path)) {
                (Kind::Memory, None | Some(Mount::Memory)) => {
                    let vfs = MemVfs::load(&mut input, limits, options.clock.clone());
                    Mounted::Memory(Arc::new(vfs.map_err(|error| malformed(&error))?))
                }
                (Kind::Overlay, Some(mount @ Mount::Overlay(_))) => {
                    let Mounted::Overlay(empty) = mount.open(limits, options.clock.clone())? else {
                        continue;
                    };
                    let clock = options.clock.clone();
                    let vfs = OverlayVfs::load(empty.lower(), &mut input, limits, clock);
                    Mounted::Overlay(Arc::new(vfs.map_err(|error| malformed(&error))?))
                }
                (Kind::Overlay, _) => {
                    return Err(SandboxError::Snapshot(format!(
                        "the snapshot has changes on top of a directory at {path}: mount one there, as an overlay"
                    )));
                }
                (Kind::Memory, Some(_)) => {
                    return Err(SandboxError::Snapshot(format!(
                        "the snapshot has files of its own at {path}: nothing else can be mounted there"
                    )));
                }
            };
            let place = world.mount_opened(&path, &mounted)?;
            world.mounts.insert(place, mounted);
        }
        for (path, mount) in given {
            let (place, mounted) = world.mount(&path, mount)?;
            world.mounts.insert(place, mounted);
        }
        let shell = load_shell(&known.shell, &options)?
            .fork(&account)
            .map_err(|full| SandboxError::Limit(full.to_string()))?;
        let history = History::load(known.history, options.limits.history);
        let live = Live::new(world, shell, history);
        Ok(Self::on(
            account,
            Arc::new(options),
            None,
            live,
            Origin::Snapshot,
        ))
    }
}

fn load_shell(saved: &SavedShell, options: &SandboxOptions) -> Result<Shell> {
    Shell::load_within(saved, options.limits.memory).map_err(|error| malformed(&error))
}

/// Room for the header, and what comes behind it.
fn write(known: &Known, world: &World) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(known)?;
    let mut out = zstd::Encoder::new(vec![0; HEADER], LEVEL)?;
    out.write_all(&(json.len() as u64).to_le_bytes())?;
    out.write_all(&json)?;
    world.root.save(&mut out).map_err(io::Error::other)?;
    for mounted in world.mounts.values() {
        match mounted {
            Mounted::Memory(vfs) => vfs.save(&mut out).map_err(io::Error::other)?,
            Mounted::Overlay(vfs) => vfs.save(&mut out).map_err(io::Error::other)?,
            Mounted::Other(_) => {}
        }
    }
    out.finish()
}

fn checksum(seal: &[u8; SEAL], content: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = Xxh3::new();
    hasher.update(&MAGIC);
    hasher.update(seal);
    hasher.update(content);
    hasher.digest128().to_le_bytes()
}

/// What is behind a header that is in order.
fn check<'s>(snapshot: &'s [u8], options: &SandboxOptions) -> Result<&'s [u8]> {
    let refused = |text: &str| SandboxError::Snapshot(text.to_owned());
    let not_one = || refused("not a snapshot of a sandbox");
    let rest = snapshot.strip_prefix(&MAGIC).ok_or_else(not_one)?;
    let (seal, rest) = rest.split_first_chunk::<SEAL>().ok_or_else(not_one)?;
    let (found, content) = rest.split_first_chunk().ok_or_else(not_one)?;
    if let Some(key) = &options.snapshot_key {
        if *seal == NO_SEAL {
            return Err(refused(
                "the snapshot is not sealed, and only snapshots with the right seal are accepted here",
            ));
        }
        if !key.fits(*seal, &[&MAGIC, content]) {
            return Err(refused(
                "the seal of the snapshot does not fit: it was made with another key, or altered",
            ));
        }
    }
    if checksum(seal, content) != *found {
        return Err(refused(
            "the snapshot is damaged: its content does not match its checksum",
        ));
    }
    Ok(content)
}

fn decoder(content: &[u8]) -> io::Result<zstd::Decoder<'static, &[u8]>> {
    let mut decoder = zstd::Decoder::with_buffer(content)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

fn read_known(input: &mut dyn Read, most: usize) -> Result<Known> {
    let mut length = [0; 8];
    input
        .read_exact(&mut length)
        .map_err(|error| malformed(&error))?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most {
        return Err(SandboxError::Snapshot(format!(
            "the shell of the snapshot takes {length} bytes: at most {most}, a part of the limit of memory"
        )));
    }
    let mut json = vec![0; length];
    input
        .read_exact(&mut json)
        .map_err(|error| malformed(&error))?;
    serde_json::from_slice(&json).map_err(|error| malformed(&error))
}

/// The content says what cannot be.
fn malformed(error: &dyn std::error::Error) -> SandboxError {
    SandboxError::Snapshot(format!("the snapshot is malformed: {error}"))
}
