//! Numbers and strings of an image of files, one after the other.

use std::io::{Read, Write};

use crate::error::{Errno, Fault};

/// What is wrong with an image.
pub(crate) fn damaged(how: &str) -> Fault {
    Fault::new(Errno::EINVAL, format!("not an image of files: {how}"))
}

pub(crate) fn put_u32(out: &mut dyn Write, number: u32) -> Result<(), Fault> {
    Ok(out.write_all(&number.to_le_bytes())?)
}

pub(crate) fn put_u64(out: &mut dyn Write, number: u64) -> Result<(), Fault> {
    Ok(out.write_all(&number.to_le_bytes())?)
}

pub(crate) fn put_i64(out: &mut dyn Write, number: i64) -> Result<(), Fault> {
    Ok(out.write_all(&number.to_le_bytes())?)
}

pub(crate) fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> Result<(), Fault> {
    let length = u32::try_from(bytes.len()).map_err(|_| Errno::EFBIG)?;
    put_u32(out, length)?;
    Ok(out.write_all(bytes)?)
}

/// What is read from. Nothing is allocated that was not asked for with a limit.
pub(crate) struct Source<'a>(pub(crate) &'a mut dyn Read);

impl Source<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.0
            .read_exact(&mut bytes)
            .map_err(|_| damaged("it ends too early"))?;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Fault> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A string of at most so many bytes.
    pub(crate) fn bytes(&mut self, most: usize) -> Result<Vec<u8>, Fault> {
        let length = self.u32()? as usize;
        if length > most {
            return Err(damaged("something is longer than it may be"));
        }
        let mut bytes = vec![0; length];
        self.0
            .read_exact(&mut bytes)
            .map_err(|_| damaged("it ends too early"))?;
        Ok(bytes)
    }
}
