//! Reading all there is.

use std::io::{self, Read};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

/// All of a stream. Each byte is charged as `factor` bytes, before it is kept: for what is made of it besides.
pub(crate) fn whole(
    process: &Process,
    mut input: impl Read,
    factor: usize,
) -> io::Result<(Vec<u8>, Charge)> {
    let mut data = Vec::new();
    let mut charge = process.charge(0)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok((data, charge));
        }
        charge
            .grow(read.saturating_mul(factor))
            .map_err(limit_error)?;
        data.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
}
