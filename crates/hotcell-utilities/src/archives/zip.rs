//! `zip` and `unzip`.

mod format;
mod pack;
mod unzip;

use std::io::{self, Read};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

pub(crate) use pack::UTILITY as ZIP;
pub(crate) use unzip::UTILITY as UNZIP;

/// All of a stream: the directory of an archive is at its end.
fn read_all(process: &Process, mut input: impl Read) -> io::Result<(Vec<u8>, Charge)> {
    let mut data = Vec::new();
    let mut charge = process.charge(0)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok((data, charge));
        }
        charge.grow(read).map_err(limit_error)?;
        data.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
}

/// A line of standard input; `None` at its end. One byte at a time: what follows is for the next question.
fn read_answer(process: &Process) -> io::Result<Option<Vec<u8>>> {
    let mut input = process.stdin();
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        if input.read(&mut byte)? == 0 {
            return Ok((!line.is_empty()).then_some(line));
        }
        let [found] = byte;
        if found == b'\n' {
            return Ok(Some(line));
        }
        // Answers are letters; of a longer line the beginning tells enough.
        if line.len() < 4096 {
            line.push(found);
        }
    }
}
