//! Reading and writing.
//!
//! Bytes go straight between the program's memory and the stream. A large piece is moved in parts, between which others get
//! their turn and the program can be killed.

use std::{
    future::poll_fn,
    io::SeekFrom,
    sync::Arc,
    task::{Poll, Waker},
};

use hotcell_process::{Signal, Stream};
use hotcell_vfs::VfsFile;

use crate::{
    abi::{Errno, FdFlags, Rights, errno_of},
    ending::{Answer, Ending},
    memory::{Buffer, Call, Memory},
};

use super::proc::give_way;

/// How much is moved at once: some hundred microseconds' worth.
const PIECE: u32 = 1 << 20;

/// Writes to a pipe of no more than this are not torn apart, also if they come as several buffers.
const ATOMIC: u32 = 4096;

pub(super) async fn fd_read(
    mut call: Call<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    out: u32,
) -> Answer {
    let (guest, memory) = call.parts();
    memory.check(out, 4)?;
    let descriptor = guest.fds.get(fd)?;
    let stream = Arc::clone(descriptor.stream()?);
    descriptor.rights.check(Rights::FD_READ)?;
    let nonblocking = descriptor.flags.is_nonblocking();
    let buffers = memory.buffers(buffers, count)?;
    let mut total = 0;
    for buffer in buffers {
        let (read, is_short) =
            read_buffer(&mut call, &stream, buffer, total > 0, nonblocking).await?;
        total += read;
        if is_short {
            break;
        }
    }
    let (_, mut memory) = call.parts();
    memory.write_u32(out, total)?;
    Ok(())
}

/// Fills a buffer as far as there is something. With `has_some`, or once it has got something, it does not wait. Says how
/// much it was, and whether that was all for now.
async fn read_buffer(
    call: &mut Call<'_>,
    stream: &Arc<dyn Stream>,
    mut buffer: Buffer,
    mut has_some: bool,
    nonblocking: bool,
) -> Answer<(u32, bool)> {
    let mut total = 0;
    while buffer.length > 0 {
        let piece = buffer.first(PIECE);
        let mut read = |waker: &Waker| {
            let (_, mut memory) = call.parts();
            match memory.bytes_mut(piece.at, piece.length) {
                Ok(bytes) => stream
                    .poll_read(bytes, waker)
                    .map_err(|error| errno_of(&error)),
                Err(errno) => Poll::Ready(Err(errno)),
            }
        };
        let polled = if has_some || nonblocking {
            read(Waker::noop())
        } else {
            Poll::Ready(poll_fn(|context| read(context.waker())).await)
        };
        let count = match polled {
            Poll::Ready(Ok(count)) => u32::try_from(count).map_err(|_| Errno::Overflow)?,
            // What was read before the error is not lost; the error comes again.
            Poll::Ready(Err(_)) | Poll::Pending if has_some => return Ok((total, true)),
            Poll::Ready(Err(errno)) => return Err(errno.into()),
            Poll::Pending => return Err(Errno::Again.into()),
        };
        total += count;
        has_some |= count > 0;
        buffer = buffer.after(count);
        if count < piece.length {
            return Ok((total, true));
        }
        if buffer.length > 0 {
            give_way().await;
        }
    }
    Ok((total, false))
}

pub(super) async fn fd_write(
    mut call: Call<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    out: u32,
) -> Answer {
    let (guest, memory) = call.parts();
    memory.check(out, 4)?;
    let descriptor = guest.fds.get(fd)?;
    let stream = Arc::clone(descriptor.stream()?);
    descriptor.rights.check(Rights::FD_WRITE)?;
    let flags = descriptor.flags;
    let buffers = memory.buffers(buffers, count)?;
    let size: u32 = buffers.iter().map(|buffer| buffer.length).sum();
    let mut written = 0;
    if buffers.len() > 1 && size <= ATOMIC {
        let mut all = Vec::with_capacity(size as usize);
        for buffer in &buffers {
            all.extend_from_slice(memory.bytes(buffer.at, buffer.length)?);
        }
        let data = Data::Gathered(all);
        written = write_data(&mut call, &stream, data, false, flags).await?.0;
    } else {
        for buffer in buffers {
            let data = Data::InMemory(buffer);
            let (count, is_short) =
                write_data(&mut call, &stream, data, written > 0, flags).await?;
            written += count;
            if is_short {
                break;
            }
        }
    }
    if flags.syncs()
        && let Some(file) = stream.file()
    {
        file.sync()?;
    }
    let (_, mut memory) = call.parts();
    memory.write_u32(out, written)?;
    Ok(())
}

/// What is to be written.
enum Data {
    InMemory(Buffer),
    Gathered(Vec<u8>),
}

impl Data {
    /// The part from `start` on, at most `PIECE` bytes.
    fn piece<'a>(&'a self, memory: &'a Memory<'_>, start: u32) -> Result<&'a [u8], Errno> {
        match self {
            Self::InMemory(buffer) => {
                let piece = buffer.after(start).first(PIECE);
                memory.bytes(piece.at, piece.length)
            }
            Self::Gathered(bytes) => Ok(bytes.get(start as usize..).unwrap_or_default()),
        }
    }

    fn length(&self) -> u32 {
        match self {
            Self::InMemory(buffer) => buffer.length,
            // At most `ATOMIC`.
            Self::Gathered(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Writes all of it, as far as it goes. Says how much it was, and whether that was all for now.
async fn write_data(
    call: &mut Call<'_>,
    stream: &Arc<dyn Stream>,
    data: Data,
    has_some: bool,
    flags: FdFlags,
) -> Answer<(u32, bool)> {
    let dies_of_pipe = call.parts().0.dies_of_pipe;
    let mut total = 0;
    while total < data.length() {
        let mut write = |waker: &Waker| {
            let (_, memory) = call.parts();
            match data.piece(&memory, total) {
                Ok(bytes) => write_piece(&**stream, bytes, flags, waker),
                Err(errno) => Poll::Ready(Err(errno)),
            }
        };
        let polled = if flags.is_nonblocking() {
            write(Waker::noop())
        } else {
            Poll::Ready(poll_fn(|context| write(context.waker())).await)
        };
        let count = match polled {
            Poll::Ready(Ok(0)) => return Ok((total, true)),
            Poll::Ready(Ok(count)) => u32::try_from(count).map_err(|_| Errno::Overflow)?,
            Poll::Ready(Err(Errno::Pipe)) if dies_of_pipe => {
                return Err(Ending::Signal(Signal::PIPE).into());
            }
            Poll::Ready(Err(_)) | Poll::Pending if has_some || total > 0 => {
                return Ok((total, true));
            }
            Poll::Ready(Err(errno)) => return Err(errno.into()),
            Poll::Pending => return Err(Errno::Again.into()),
        };
        total += count;
        if total < data.length() {
            give_way().await;
        }
    }
    Ok((total, false))
}

/// Writes some bytes where the position is, or at the end of a file.
fn write_piece(
    stream: &dyn Stream,
    bytes: &[u8],
    flags: FdFlags,
    waker: &Waker,
) -> Poll<Result<usize, Errno>> {
    match stream.file() {
        Some(file) if flags.appends() && file.is_seekable() => Poll::Ready(append(stream, bytes)),
        _ => stream
            .poll_write(bytes, waker)
            .map_err(|error| errno_of(&error)),
    }
}

/// In one step, whoever else writes.
fn append(stream: &dyn Stream, bytes: &[u8]) -> Result<usize, Errno> {
    let file = stream.file().ok_or(Errno::Spipe)?;
    let end = file.append(bytes)?.saturating_add(bytes.len() as u64);
    stream
        .seek(SeekFrom::Start(end))
        .map_err(|error| errno_of(&error))?;
    Ok(bytes.len())
}

pub(super) async fn fd_pread(
    mut call: Call<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    let (guest, memory) = call.parts();
    memory.check(out, 4)?;
    let descriptor = guest.fds.get(fd)?;
    let file = Arc::clone(descriptor.file()?);
    descriptor.rights.check(Rights::FD_READ | Rights::FD_SEEK)?;
    let buffers = memory.buffers(buffers, count)?;
    let total = at_offset(
        &mut call,
        &file,
        &buffers,
        offset,
        |file, memory, at, piece| Ok(file.read_at(at, memory.bytes_mut(piece.at, piece.length)?)?),
    )
    .await?;
    let (_, mut memory) = call.parts();
    memory.write_u32(out, total)?;
    Ok(())
}

pub(super) async fn fd_pwrite(
    mut call: Call<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    let (guest, memory) = call.parts();
    memory.check(out, 4)?;
    let descriptor = guest.fds.get(fd)?;
    let file = Arc::clone(descriptor.file()?);
    descriptor
        .rights
        .check(Rights::FD_WRITE | Rights::FD_SEEK)?;
    let syncs = descriptor.flags.syncs();
    let buffers = memory.buffers(buffers, count)?;
    let total = at_offset(
        &mut call,
        &file,
        &buffers,
        offset,
        |file, memory, at, piece| Ok(file.write_at(at, memory.bytes(piece.at, piece.length)?)?),
    )
    .await?;
    if syncs {
        file.sync()?;
    }
    let (_, mut memory) = call.parts();
    memory.write_u32(out, total)?;
    Ok(())
}

/// Reads or writes one buffer after the other, until one comes out short.
async fn at_offset(
    call: &mut Call<'_>,
    file: &Arc<dyn VfsFile>,
    buffers: &[Buffer],
    offset: u64,
    mut transfer: impl FnMut(&dyn VfsFile, &mut Memory<'_>, u64, Buffer) -> Result<usize, Errno>,
) -> Answer<u32> {
    i64::try_from(offset).map_err(|_| Errno::Inval)?;
    let mut total = 0;
    for buffer in buffers {
        let mut rest = *buffer;
        while rest.length > 0 {
            let piece = rest.first(PIECE);
            let at = offset.checked_add(u64::from(total)).ok_or(Errno::Fbig)?;
            let (_, mut memory) = call.parts();
            let moved = match transfer(&**file, &mut memory, at, piece) {
                Ok(moved) => u32::try_from(moved).map_err(|_| Errno::Overflow)?,
                Err(_) if total > 0 => return Ok(total),
                Err(errno) => return Err(errno.into()),
            };
            total += moved;
            rest = rest.after(moved);
            if moved < piece.length {
                return Ok(total);
            }
            if rest.length > 0 {
                give_way().await;
            }
        }
    }
    Ok(total)
}
