//! The changes of an overlay as bytes, and back.

use std::io::{Read, Write};

use imbl::{OrdMap, OrdSet};

use super::layers::{Base, Layers};
use crate::clock::{Clock, Timestamp};
use crate::direct::Direct;
use crate::error::Fault;
use crate::image::{Source, damaged, put_bytes, put_i64, put_u32, put_u64};
use crate::mem::{Limits, MemVfs};
use crate::metadata::FileType;
use crate::path::{PATH_MAX, VfsPath, VfsPathBuf};

/// The kinds of files, by the number that stands for each.
const KINDS: [FileType; 7] = [
    FileType::File,
    FileType::Dir,
    FileType::Symlink,
    FileType::CharDevice,
    FileType::BlockDevice,
    FileType::Fifo,
    FileType::Socket,
];

impl Layers {
    pub(super) fn save(&self, out: &mut dyn Write) -> Result<(), Fault> {
        put_u64(out, self.hidden.len() as u64)?;
        for path in &self.hidden {
            put_bytes(out, path.as_bytes())?;
        }
        put_u64(out, self.base.len() as u64)?;
        for (path, base) in &self.base {
            put_bytes(out, path.as_bytes())?;
            let kind = KINDS.iter().position(|kind| *kind == base.kind);
            put_u32(out, u32::try_from(kind.unwrap_or_default()).unwrap_or(0))?;
            put_u32(out, base.mode)?;
            put_u32(out, u32::from(base.content.is_some()))?;
            let (size, time) = base.content.unwrap_or_default();
            put_u64(out, size)?;
            put_i64(out, time.as_nanos())?;
        }
        self.memory()
            .save(out)
            .map_err(|error| Fault::from(error.clone()))
    }

    pub(super) fn load(
        lower: Direct,
        input: &mut dyn Read,
        limits: Limits,
        clock: Clock,
    ) -> Result<Self, Fault> {
        let mut source = Source(input);
        let mut hidden = OrdSet::new();
        for _ in 0..count(&mut source, &limits)? {
            hidden.insert(path(&mut source)?);
        }
        let mut base = OrdMap::new();
        for _ in 0..count(&mut source, &limits)? {
            let path = path(&mut source)?;
            let kind = KINDS.get(source.u32()? as usize);
            let kind = *kind.ok_or_else(|| damaged("a file is of no kind"))?;
            let mode = source.u32()?;
            let has_content = source.u32()? != 0;
            let content = (source.u64()?, Timestamp::from_nanos(source.i64()?));
            let content = has_content.then_some(content);
            let entry = Base {
                kind,
                mode,
                content,
            };
            base.insert(path, entry);
        }
        let memory = MemVfs::load(input, limits, clock).map_err(Fault::from)?;
        let mut layers = Self::new(lower, memory);
        layers.hidden = hidden;
        layers.base = base;
        Ok(layers)
    }
}

/// Files of the lower layer that may be gone or changed, beside as many as there may be in memory.
const LOWER_FILES: u64 = 1_000_000;

/// How many names come.
fn count(source: &mut Source<'_>, limits: &Limits) -> Result<u64, Fault> {
    let count = source.u64()?;
    if count > limits.files.saturating_add(LOWER_FILES) {
        return Err(damaged("there are more changes than there may be files"));
    }
    Ok(count)
}

fn path(source: &mut Source<'_>) -> Result<VfsPathBuf, Fault> {
    let path = VfsPathBuf::from_vec(source.bytes(PATH_MAX)?);
    // A path without `.`, `..`, empty names and links is all that ever gets there.
    if !path.as_bytes().starts_with(b"/") || VfsPath::normalize(&path) != path {
        return Err(damaged("a path is none"));
    }
    Ok(path)
}
