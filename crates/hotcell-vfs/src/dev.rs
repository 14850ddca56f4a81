//! `/dev`: the devices programs expect, none of them the host's.

use std::sync::Arc;

use crate::error::{Errno, Fault};
use crate::fixed::{Device, FixedVfs};

/// What `/dev/random` and `/dev/urandom` give: fills the buffer.
pub type RandomSource = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// What the devices in `/dev` are connected to. What is missing cannot be read or written, and says so.
#[derive(Clone, Default)]
pub struct DevOptions {
    /// Chance, by the sandbox's policy.
    pub random: Option<RandomSource>,
    /// What `/dev/stdin` reads.
    pub stdin: Option<Arc<dyn Device>>,
    /// Where `/dev/stdout` writes.
    pub stdout: Option<Arc<dyn Device>>,
    /// Where `/dev/stderr` writes.
    pub stderr: Option<Arc<dyn Device>>,
}

/// A file system to be mounted at `/dev`: `null`, `zero`, `full`, `random`, `urandom`, `stdin`, `stdout`, `stderr`.
pub fn dev(options: DevOptions) -> FixedVfs {
    let random: Arc<dyn Device> = match options.random {
        Some(source) => Arc::new(Random(source)),
        None => Arc::new(Missing("this sandbox has no source of chance")),
    };
    let stream = |stream: Option<Arc<dyn Device>>| {
        stream.unwrap_or_else(|| Arc::new(Missing("nothing is connected to it")))
    };
    FixedVfs::new()
        .device("/null", Arc::new(Null))
        .device("/zero", Arc::new(Zero))
        .device("/full", Arc::new(Full))
        .device("/random", Arc::clone(&random))
        .device("/urandom", random)
        .device("/stdin", stream(options.stdin))
        .device("/stdout", stream(options.stdout))
        .device("/stderr", stream(options.stderr))
}

struct Null;

impl Device for Null {
    fn read(&self, _buf: &mut [u8]) -> Result<usize, Fault> {
        Ok(0)
    }

    fn write(&self, data: &[u8]) -> Result<usize, Fault> {
        Ok(data.len())
    }
}

struct Zero;

impl Device for Zero {
    fn read(&self, buf: &mut [u8]) -> Result<usize, Fault> {
        buf.fill(0);
        Ok(buf.len())
    }

    fn write(&self, data: &[u8]) -> Result<usize, Fault> {
        Ok(data.len())
    }
}

struct Full;

impl Device for Full {
    fn read(&self, buf: &mut [u8]) -> Result<usize, Fault> {
        buf.fill(0);
        Ok(buf.len())
    }

    fn write(&self, _data: &[u8]) -> Result<usize, Fault> {
        Err(Errno::ENOSPC.into())
    }
}

struct Random(RandomSource);

impl Device for Random {
    fn read(&self, buf: &mut [u8]) -> Result<usize, Fault> {
        (self.0)(buf);
        Ok(buf.len())
    }

    fn write(&self, data: &[u8]) -> Result<usize, Fault> {
        Ok(data.len())
    }
}

struct Missing(&'static str);

impl Device for Missing {
    fn read(&self, _buf: &mut [u8]) -> Result<usize, Fault> {
        Err(Fault::new(Errno::ENXIO, self.0))
    }

    fn write(&self, _data: &[u8]) -> Result<usize, Fault> {
        Err(Fault::new(Errno::ENXIO, self.0))
    }
}
