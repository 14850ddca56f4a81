//! Archives that are changed where they are.

use std::{
    io::{self, Read, SeekFrom, Write},
    ops::Range,
    sync::Arc,
};

use hotcell_process::{Stream, file_error};
use hotcell_vfs::OpenOptions;

use super::{
    Tar,
    list::{self, Wanted},
    source,
};

/// What an archive ends with.
const END: [u8; 1024] = [0; 1024];

/// Takes members out of an archive.
pub(super) fn delete(tar: &mut Tar<'_>) -> io::Result<()> {
    let mut wanted = Wanted::new(tar);
    let mut kept = Vec::new();
    for (name, place) in members(tar)? {
        if wanted.is_for_nobody() || !wanted.takes(tar, &name) {
            kept.push(place);
        }
    }
    let stream = open(tar)?;
    let mut end = 0;
    for place in kept {
        copy(tar, (&stream, place.clone()), (&stream, end))?;
        end += place.end - place.start;
    }
    finish(tar, &stream, end)?;
    wanted.report(tar);
    Ok(())
}

/// Adds the members of other archives.
pub(super) fn concatenate(tar: &mut Tar<'_>) -> io::Result<()> {
    let target = tar.options.archive.clone();
    let is_there = tar
        .process
        .metadata(&target, true)
        .is_ok_and(|meta| meta.size > 0);
    let mut end = if is_there {
        members(tar)?.last().map_or(0, |(_, place)| place.end)
    } else {
        0
    };
    let stream = open(tar)?;
    for (name, folder) in tar.options.members.clone() {
        let path = tar.process.resolve(&folder).join(&name);
        tar.options.archive = path.as_bytes().into();
        let more = members(tar)?.last().map_or(0, |(_, place)| place.end);
        let other = tar.process.open(path.as_bytes(), &OpenOptions::read())?;
        copy(tar, (&other, 0..more), (&stream, end))?;
        end += more;
    }
    tar.options.archive = target;
    finish(tar, &stream, end)
}

/// The members of an archive, each with the bytes it takes: what belongs to it begins where the one before it ends.
fn members(tar: &Tar<'_>) -> io::Result<Vec<(bstr::BString, Range<u64>)>> {
    if tar.options.codec.is_some() {
        tar.process.complain("Cannot update compressed archives");
        tar.process
            .complain("Error is not recoverable: exiting now");
        tar.process.exit(2);
    }
    let mut archive = tar::Archive::new(source::open(tar)?);
    let mut members = Vec::new();
    let mut charge = tar.process.charge(0)?;
    let mut start = 0;
    for entry in archive.entries()? {
        let entry = list::checked(tar, entry)?;
        tar.process.spend(256);
        let name = list::name_of(&entry);
        let end = entry.raw_file_position() + entry.size().next_multiple_of(512);
        charge
            .grow(name.len() + 64)
            .map_err(hotcell_process::limit_error)?;
        members.push((name, start..end));
        start = end;
    }
    Ok(members)
}

fn open(tar: &Tar<'_>) -> io::Result<Arc<dyn Stream>> {
    let name = &tar.options.archive;
    let opened = tar.process.open(name, &OpenOptions::read_write().create());
    Ok(opened.unwrap_or_else(|error| source::cannot_open(tar.process, name, &error)))
}

/// Copies bytes from one place to another, which is not behind the first in the same file.
fn copy(
    tar: &Tar<'_>,
    (from, mut place): (&Arc<dyn Stream>, Range<u64>),
    (to, mut end): (&Arc<dyn Stream>, u64),
) -> io::Result<()> {
    let mut piece = vec![0; 64 << 10];
    while place.start < place.end {
        tar.process.spend(1024);
        let wanted = usize::try_from(place.end - place.start).unwrap_or(usize::MAX);
        let wanted = wanted.min(piece.len());
        let piece = piece.get_mut(..wanted).unwrap_or_default();
        from.seek(SeekFrom::Start(place.start))?;
        tar.process.input(Arc::clone(from)).read_exact(piece)?;
        to.seek(SeekFrom::Start(end))?;
        let mut out = tar.process.output(Arc::clone(to));
        out.write_all(piece)?;
        out.flush()?;
        place.start += wanted as u64;
        end += wanted as u64;
    }
    Ok(())
}

fn finish(tar: &Tar<'_>, stream: &Arc<dyn Stream>, end: u64) -> io::Result<()> {
    stream.seek(SeekFrom::Start(end))?;
    let mut out = tar.process.output(Arc::clone(stream));
    out.write_all(&END)?;
    out.flush()?;
    let path = tar.process.resolve(&tar.options.archive);
    let length = end + END.len() as u64;
    tar.process
        .vfs()
        .truncate(&path, length)
        .map_err(file_error)
}
