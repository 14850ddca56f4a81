//! Opening files and directories.

use std::{future::poll_fn, sync::Arc};

use hotcell_process::OpenFile;
use hotcell_vfs::{FileType, OpenOptions, VfsFile, VfsPathBuf};

use crate::{
    abi::{Errno, FdFlags, OpenFlags, Rights, errno_of, follows_symlinks},
    ending::Answer,
    fds::{Descriptor, Directory, Place, Target},
    guest::Guest,
    mailbox::Request,
    memory::{Call, Memory},
};

use super::path::{locate, named_stream};

/// What a program asks for.
struct Wanted {
    path: VfsPathBuf,
    options: OpenOptions,
    rights: Rights,
    inheriting: Rights,
    flags: FdFlags,
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) async fn path_open(
    mut call: Call<'_>,
    fd: u32,
    lookup: u32,
    path: u32,
    length: u32,
    open: u32,
    rights: u64,
    inheriting: u64,
    flags: u32,
    out: u32,
) -> Answer {
    let (guest, memory) = call.parts();
    // What cannot be told is not opened.
    memory.check(out, 4)?;
    if !guest.fds.has_room() {
        return Err(Errno::Mfile.into());
    }
    let rights = (Rights::from_bits(rights), Rights::from_bits(inheriting));
    let flags = FdFlags::from_bits(flags)?;
    let wanted = wanted(guest, &memory, (fd, lookup, path, length), open, rights)?;
    let wanted = Wanted { flags, ..wanted };
    if let Some(stream) = named_stream(guest, &wanted.path) {
        let mut descriptor = Descriptor::inherited(stream?);
        descriptor.rights = descriptor.rights & wanted.rights;
        descriptor.flags = wanted.flags;
        return finish(&mut call, descriptor, out);
    }
    let file = guest.files.vfs.open(&wanted.path, &wanted.options)?;
    let kind = file.stat()?.kind;
    let target = if kind == FileType::Dir {
        Target::Directory(Directory {
            place: Place::Opened {
                path: guest.files.vfs.realpath(&wanted.path)?,
                file,
            },
            listing: None,
        })
    } else if kind == FileType::Fifo && !file.is_seekable() {
        meet(&mut call, file, wanted.options).await?
    } else {
        // Appending is a flag of the descriptor, which a program can change.
        Target::Stream(Arc::new(OpenFile::new(file, false)))
    };
    let possible = match &target {
        Target::Directory(_) => Rights::DIRECTORY,
        Target::Stream(stream) if stream.file().is_some_and(|file| file.is_seekable()) => {
            Rights::FILE
        }
        Target::Stream(_) => Rights::STREAM,
    };
    let descriptor = Descriptor {
        target,
        rights: wanted.rights & possible,
        inheriting: wanted.inheriting,
        flags: wanted.flags,
    };
    finish(&mut call, descriptor, out)
}

fn finish(call: &mut Call<'_>, descriptor: Descriptor, out: u32) -> Answer {
    let (guest, mut memory) = call.parts();
    let fd = guest.fds.add(descriptor)?;
    memory.write_u32(out, fd)?;
    Ok(())
}

fn wanted(
    guest: &Guest,
    memory: &Memory<'_>,
    (fd, lookup, path, length): (u32, u32, u32, u32),
    open: u32,
    (rights, inheriting): (Rights, Rights),
) -> Result<Wanted, Errno> {
    let follows = follows_symlinks(lookup)?;
    let open = OpenFlags::from_bits(open)?;
    let mut needed = Rights::PATH_OPEN;
    if open.creates() {
        needed = needed | Rights::PATH_CREATE_FILE;
    }
    if open.truncates() {
        needed = needed | Rights::PATH_FILESTAT_SET_SIZE;
    }
    let path = locate(guest, memory, fd, needed, (path, length))?;
    // What the directory does not hand on, nobody below it has.
    let handed_on = guest.fds.get(fd)?.inheriting;
    if !handed_on.has(rights) || !handed_on.has(inheriting) {
        return Err(Errno::Notcapable);
    }
    let writing = Rights::FD_WRITE | Rights::FD_ALLOCATE | Rights::FD_FILESTAT_SET_SIZE;
    let write = rights.has_any(writing);
    let options = OpenOptions {
        // Who asks for nothing wants to look.
        read: rights.has_any(Rights::FD_READ | Rights::FD_READDIR) || !write,
        write,
        append: false,
        create: open.creates(),
        create_new: open.creates() && open.is_exclusive(),
        truncate: open.truncates(),
        no_follow: !follows,
        directory: open.wants_directory(),
        mode: 0o666 & !guest.files.umask,
    };
    Ok(Wanted {
        path,
        options,
        rights,
        inheriting,
        flags: FdFlags::default(),
    })
}

/// Opens a named pipe, by way of the process: it waits for the other end.
async fn meet(
    call: &mut Call<'_>,
    file: Arc<dyn VfsFile>,
    options: OpenOptions,
) -> Result<Target, Errno> {
    let mailbox = call.parts().0.mailbox.clone();
    mailbox.ask(Request::Meet { file, options });
    let stream = poll_fn(|_| mailbox.poll_answer()).await;
    Ok(Target::Stream(stream.map_err(|error| errno_of(&error))?))
}
