//! Random numbers.

use crate::{
    ending::Answer,
    memory::{Buffer, Call},
};

use super::proc::give_way;

/// How much is made at once: some hundred microseconds' worth.
const PIECE: u32 = 64 << 10;

pub(super) async fn random_get(mut call: Call<'_>, buffer: u32, length: u32) -> Answer {
    let mut rest = Buffer { at: buffer, length };
    let (_, memory) = call.parts();
    memory.check(rest.at, rest.length)?;
    loop {
        let piece = rest.first(PIECE);
        let (guest, mut memory) = call.parts();
        guest
            .chance
            .fill(memory.bytes_mut(piece.at, piece.length)?)?;
        rest = rest.after(piece.length);
        if rest.length == 0 {
            return Ok(());
        }
        give_way().await;
    }
}
