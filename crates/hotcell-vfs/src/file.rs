//! An open file, and what can be done with any open file.

use crate::clock::Times;
use crate::error::{Errno, Fault, Result, VfsError};
use crate::metadata::Metadata;
use crate::path::VfsPath;

/// The most that [`Vfs::read_file`](crate::Vfs::read_file) reads: a sparse file may claim any size, and the answer has to fit in memory.
pub const WHOLE_FILE_MAX: u64 = 1 << 30;

/// The most that is read of a device or stream as a whole: some never end.
pub(crate) const WHOLE_STREAM_MAX: u64 = 64 << 20;

/// How much is moved at once where a file is copied through a buffer.
pub(crate) const COPY_BUFFER: usize = 64 * 1024;

/// An open file. It stays usable when its name is gone. Positions are kept by whoever reads.
pub trait VfsFile: Send + Sync {
    /// Reads into `buf` from `offset`; fewer bytes than asked for only at the end of the file (devices and streams give
    /// what they have). At or past the end: 0.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;

    /// Writes at `offset`; a gap before it reads as zeros. A file opened with
    /// [`append`](crate::OpenOptions::append) is written at its end, whatever the offset.
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize>;

    /// Writes at the end of the file, in one step; tells the offset it wrote to.
    fn append(&self, data: &[u8]) -> Result<u64>;

    /// Makes the file this long.
    fn truncate(&self, size: u64) -> Result<()>;

    /// What is known about the file.
    fn stat(&self) -> Result<Metadata>;

    /// Sets the times.
    fn set_times(&self, times: Times) -> Result<()>;

    /// Sets the permission bits.
    fn chmod(&self, mode: u32) -> Result<()>;

    /// Whether offsets mean something; false for devices and streams.
    fn is_seekable(&self) -> bool {
        true
    }

    /// Makes sure that what was written survives the machine, where that means something.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// The path the file was opened by, for error messages.
    fn opened_as(&self) -> &VfsPath;

    /// Writes all of `data` at `offset`.
    fn write_all_at(&self, mut offset: u64, mut data: &[u8]) -> Result<()> {
        while !data.is_empty() {
            let count = self.write_at(offset, data)?;
            if count == 0 {
                return Err(Fault::new(Errno::EIO, "nothing more could be written")
                    .at("write", self.opened_as()));
            }
            data = data.get(count..).unwrap_or_default();
            offset = offset.saturating_add(count as u64);
        }
        Ok(())
    }

    /// Reads everything to the end: of a file up to [`WHOLE_FILE_MAX`], of a device or stream up to 64 MiB.
    fn read_all(&self) -> Result<Vec<u8>> {
        if !self.is_seekable() {
            return read_pieces(self, WHOLE_STREAM_MAX);
        }
        let mut out = Vec::new();
        // What one read gives belongs together, what several give may not. Somebody who makes the file grow each time
        // gets the pieces.
        for _ in 0..ATTEMPTS {
            let size = self.stat()?.size;
            if size > WHOLE_FILE_MAX {
                return Err(too_large(WHOLE_FILE_MAX).at("read", self.opened_as()));
            }
            // One byte more than there should be, so that the read that finds the end needs no second round.
            let room = usize::try_from(size).unwrap_or(usize::MAX);
            let room = room.saturating_add(1);
            out.clear();
            if out.try_reserve_exact(room).is_err() {
                return Err(VfsError::new(Errno::ENOMEM, "read", self.opened_as()));
            }
            out.resize(room, 0);
            let count = self.read_at(0, &mut out)?;
            if count < room {
                out.truncate(count);
                return Ok(out);
            }
        }
        read_pieces(self, WHOLE_FILE_MAX)
    }
}

/// How often a file that grew while it was read is read again.
const ATTEMPTS: usize = 16;

/// Reads to the end, piece after piece.
fn read_pieces<F: VfsFile + ?Sized>(file: &F, most: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let start = out.len();
        if out.try_reserve(COPY_BUFFER).is_err() {
            return Err(VfsError::new(Errno::ENOMEM, "read", file.opened_as()));
        }
        out.resize(start.saturating_add(COPY_BUFFER), 0);
        let count = file.read_at(start as u64, out.get_mut(start..).unwrap_or_default())?;
        out.truncate(start.saturating_add(count));
        if count == 0 {
            return Ok(out);
        }
        if out.len() as u64 > most {
            return Err(too_large(most).at("read", file.opened_as()));
        }
    }
}

/// Writes a piece of a file that has nothing there yet; what is only zeros becomes a hole.
pub(crate) fn write_unless_zeros(output: &dyn VfsFile, offset: u64, piece: &[u8]) -> Result<()> {
    static ZEROS: [u8; COPY_BUFFER] = [0; COPY_BUFFER];
    let zeros = ZEROS.get(..piece.len());
    if zeros == Some(piece) {
        return Ok(());
    }
    output.write_all_at(offset, piece)
}

/// Makes `output` as long as `input` and the same, in pieces; what is only zeros becomes a hole.
pub(crate) fn copy_content(input: &dyn VfsFile, output: &dyn VfsFile) -> Result<u64> {
    output.truncate(0)?;
    let mut buffer = vec![0; COPY_BUFFER];
    let mut offset = 0_u64;
    loop {
        let count = input.read_at(offset, &mut buffer)?;
        let Some(piece) = buffer.get(..count).filter(|piece| !piece.is_empty()) else {
            break;
        };
        write_unless_zeros(output, offset, piece)?;
        offset = offset.saturating_add(count as u64);
        if offset > WHOLE_STREAM_MAX && !input.is_seekable() {
            return Err(too_large(WHOLE_STREAM_MAX).at("read", input.opened_as()));
        }
    }
    output.truncate(offset)?;
    Ok(offset)
}

pub(crate) fn too_large(most: u64) -> Fault {
    let detail = format!("more than {most} bytes: read it in pieces");
    Fault::new(Errno::EFBIG, detail)
}
