//! `zip` and `unzip`.

mod format;
mod pack;
mod unzip;

use std::io::{self, Read};

use hotcell_process::Process;

pub(crate) use pack::UTILITY as ZIP;
pub(crate) use unzip::UTILITY as UNZIP;

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
