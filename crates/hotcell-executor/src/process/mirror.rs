//! What code in a worker has printed, as it comes: for who listens, and for the error if the worker does not live to tell it.

use hotcell_meter::Unwatched;

use super::{
    pack::{Malformed, Unpacker},
    told::take_entry,
};
use crate::{log::LogEntry, options::ExecutorOptions};

/// What an entry has beside its text.
const ENTRY_BYTES: usize = 17;
/// For so many bytes of the budget there is one entry at most, and the mark at the end.
const BYTES_PER_ENTRY: usize = 8;

pub(super) struct Mirror {
    /// The beginning of an entry whose end has not come yet.
    part: Vec<u8>,
    entries: Vec<LogEntry>,
    /// How many bytes of text may still come.
    room: usize,
}

impl Mirror {
    pub(super) fn new() -> Self {
        Self {
            part: Vec::new(),
            entries: Vec::new(),
            room: 0,
        }
    }

    /// A run begins.
    pub(super) fn begin(&mut self, options: &ExecutorOptions) {
        self.part.clear();
        self.entries.clear();
        // What is cut is marked, behind the last byte that there was room for.
        self.room = options.max_log_bytes.saturating_add(64);
    }

    /// A suspended run goes on: what it printed before is told again by its end.
    pub(super) fn take(&mut self) -> Vec<LogEntry> {
        std::mem::take(&mut self.entries)
    }

    /// Takes in what the worker printed. An error: none of ours prints that, or so much.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        options: &ExecutorOptions,
    ) -> Result<(), Malformed> {
        self.part.extend_from_slice(bytes);
        let most = options.max_log_bytes / BYTES_PER_ENTRY + 1;
        let mut rest = std::mem::take(&mut self.part);
        let mut read = 0;
        while let Some((length, after)) = rest[read..].split_first_chunk::<8>() {
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Malformed)?;
            if length > self.room.saturating_add(ENTRY_BYTES) {
                return Err(Malformed);
            }
            let Some(frame) = after.get(..length) else {
                break;
            };
            let mut from = Unpacker::new(frame, 0, &Unwatched);
            let entry = take_entry(&mut from)?;
            from.finish()?;
            // An empty line takes a byte too: lines are joined.
            let taken = entry.message.len();
            self.room = self.room.checked_sub(taken).ok_or(Malformed)?;
            if self.entries.len() > most {
                return Err(Malformed);
            }
            if let Some(tell) = &options.on_log {
                tell(&entry);
            }
            self.entries.push(entry);
            read += 8 + length;
        }
        rest.drain(..read);
        self.part = rest;
        Ok(())
    }
}
