//! What happens in a worker while it runs code, as it comes: for who listens, for who asks how far a run is, and for the error if the
//! worker does not live to tell it.
//!
//! It says what it likes. So what is here is only shown, and never more than the options allow.

use std::sync::Arc;

use hotcell_meter::Unwatched;

use super::{
    happening::{Happening, MAX_FRAME_BYTES},
    pack::{Malformed, Unpacker},
    told::take_entry,
};
use crate::hooks::Hooks;

/// What an entry has beside its text.
const ENTRY_BYTES: usize = 17;
/// For so many bytes of the budget there is one entry at most, and the mark at the end.
const BYTES_PER_ENTRY: usize = 8;

pub(super) struct Mirror {
    hooks: Arc<Hooks>,
    lines: Frames,
    happenings: Frames,
    /// How many bytes of text may still come.
    room: usize,
    /// How many entries.
    entries: usize,
    /// How many calls of tools may still begin.
    calls: usize,
    /// Whether there is no room for more calls.
    is_full: bool,
    /// The calls that the suspended run was given answers to, until it has taken them.
    answered: Option<Vec<String>>,
}

/// A stream of frames, each behind its length.
#[derive(Default)]
struct Frames {
    /// The beginning of a frame whose end has not come yet.
    part: Vec<u8>,
}

impl Frames {
    fn feed(
        &mut self,
        bytes: &[u8],
        most: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.part.extend_from_slice(bytes);
        let mut rest = std::mem::take(&mut self.part);
        let mut read = 0;
        while let Some((length, after)) = rest[read..].split_first_chunk::<8>() {
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Malformed)?;
            if length > most {
                return Err(Malformed);
            }
            let Some(frame) = after.get(..length) else {
                break;
            };
            take(frame)?;
            read += 8 + length;
        }
        rest.drain(..read);
        self.part = rest;
        Ok(())
    }
}

/// How many calls a run may tell of: one that is refused is told of, too.
fn most_calls(hooks: &Hooks) -> usize {
    hooks.options.max_tool_calls.saturating_add(2)
}

impl Mirror {
    pub(super) fn new(hooks: &Arc<Hooks>) -> Self {
        Self {
            hooks: Arc::clone(hooks),
            lines: Frames::default(),
            happenings: Frames::default(),
            room: 0,
            entries: 0,
            calls: most_calls(hooks),
            is_full: false,
            answered: None,
        }
    }

    /// The suspended run is about to be given answers to these calls.
    pub(super) fn answered(&mut self, calls: Vec<String>) {
        self.answered = Some(calls);
    }

    /// Code is run from here on.
    pub(super) fn begin(&mut self, goes_on: bool) {
        self.lines.part.clear();
        self.happenings.part.clear();
        let options = &self.hooks.options;
        // What is cut is marked, behind the last byte that there was room for.
        self.room = options.max_log_bytes.saturating_add(64);
        self.entries = options.max_log_bytes / BYTES_PER_ENTRY + 2;
        if !goes_on {
            self.calls = most_calls(&self.hooks);
            self.is_full = false;
        }
    }

    /// Takes in what the worker printed. An error: none of ours prints that, or so much.
    pub(super) fn print(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let most = self.room.saturating_add(ENTRY_BYTES);
        let Self {
            hooks,
            lines,
            room,
            entries,
            ..
        } = self;
        lines.feed(bytes, most, |frame| {
            let mut from = Unpacker::new(frame, 0, &Unwatched);
            let entry = take_entry(&mut from)?;
            from.finish()?;
            *room = room.checked_sub(entry.message.len()).ok_or(Malformed)?;
            *entries = entries.checked_sub(1).ok_or(Malformed)?;
            hooks.printed_elsewhere(&entry);
            Ok(())
        })
    }

    /// Takes in what has happened. Gives whether answers that were given to a suspended run were taken.
    pub(super) fn happen(&mut self, bytes: &[u8]) -> Result<bool, Malformed> {
        let Self {
            hooks,
            happenings,
            calls,
            is_full,
            answered,
            ..
        } = self;
        let mut is_resumed = false;
        happenings.feed(bytes, MAX_FRAME_BYTES, |frame| {
            match Happening::read(frame)? {
                Happening::Resumed => {
                    is_resumed = true;
                    if let Some(calls) = answered.take() {
                        hooks.tell(|scene, hub| scene.resumed(hub, calls));
                    }
                }
                Happening::Called(call) => {
                    *calls = calls.checked_sub(1).ok_or(Malformed)?;
                    // Once there is no room for one, the places of those after it are not known here.
                    *is_full = *is_full || hooks.called_elsewhere(&call).is_err();
                }
                Happening::Ended(index, came) => {
                    let key = hooks.ledger().key(index);
                    hooks.end_call(key, came.into());
                }
                Happening::Waits(index, reason) => {
                    let key = hooks.ledger().key(index);
                    hooks.suspend_call(key, reason);
                }
            }
            Ok(())
        })?;
        Ok(is_resumed)
    }
}
