//! Messages between the host and a guest, and what their size costs.

use hotcell_meter::{Charge, OverLimit};

use super::Host;
use crate::{
    guest::{INBOX_SIZE, answer, place},
    held::{over_limit, room},
    tool::{Answer, ToolError},
    value::{ErrorValue, Value},
    wire::{Budget, Reader, WireError, put_number, put_value},
};

/// A message and what it is charged.
pub(crate) struct Waiting {
    pub(crate) message: Vec<u8>,
    /// `None` for the host's own.
    _charge: Option<Charge>,
}

/// What the host has to say to the guest.
#[derive(Default)]
pub(crate) struct Outbox {
    /// A message too long for the inbox, until the guest takes it.
    pub(crate) waiting: Option<Waiting>,
    /// Where messages are put together.
    scratch: Vec<u8>,
}

/// Why there is no room for what the guest says.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(crate) enum Refusal {
    /// A single value may not take so much.
    #[error("more than {0}")]
    Value(Budget),
    /// There is no room beside what is kept already.
    #[error(transparent)]
    Account(OverLimit),
    /// There is no time left to look at it.
    #[error("the run has ended")]
    Stopped,
}

impl Host {
    /// Reads a message of the guest's. The inner error is for the guest: there is no room for what it says.
    pub(crate) fn read<T>(
        &self,
        message: &[u8],
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, WireError>,
    ) -> Result<Result<(T, Charge), Refusal>, WireError> {
        let room = room(&self.account);
        let budget = self.budget.at_most(room);
        let mut reader = Reader::watched(message, budget, self.watch());
        match read(&mut reader) {
            Ok(value) => {
                let charge = self.account.charge(budget.less(reader.left()));
                Ok(charge
                    .map(|charge| (value, charge))
                    .map_err(Refusal::Account))
            }
            Err(WireError::TooLarge) => {
                let over = if room < self.budget.less(0) {
                    over_limit(&self.account, room)
                } else {
                    None
                };
                Ok(Err(
                    over.map_or(Refusal::Value(self.budget), Refusal::Account)
                ))
            }
            Err(WireError::Stopped) => Ok(Err(Refusal::Stopped)),
            Err(error) => Err(error),
        }
    }

    /// Writes an answer where the guest looks for it and returns its length. One for which there is no room becomes an
    /// error that says so.
    pub(crate) fn reply_answer(
        &mut self,
        memory: &mut [u8],
        write: impl Fn(&mut Vec<u8>, &Answer) -> Result<(), WireError>,
        answer: &Answer,
    ) -> wasmtime::Result<i32> {
        match self.try_reply(memory, |out| write(out, answer))? {
            Ok(length) => Ok(length),
            Err(over) => self.reply(memory, |out| write(out, &Err(no_room(&over)))),
        }
    }

    /// Writes a reply where the guest looks for it and returns its length.
    pub(crate) fn reply(
        &mut self,
        memory: &mut [u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>,
    ) -> wasmtime::Result<i32> {
        self.try_reply(memory, write)?
            .map_err(|over| wasmtime::format_err!("{over}"))
    }

    /// As [`Host::reply`]. The inner error says that there is no room for the message to wait in.
    fn try_reply(
        &mut self,
        memory: &mut [u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>,
    ) -> wasmtime::Result<Result<i32, OverLimit>> {
        // A message that the guest did not take is of no use any more.
        self.outbox.waiting = None;
        let mut message = std::mem::take(&mut self.outbox.scratch);
        message.clear();
        write(&mut message)?;
        let charge = if message.len() > INBOX_SIZE {
            match self.account.charge(message.capacity()) {
                Ok(charge) => Some(charge),
                Err(over) => return Ok(Err(over)),
            }
        } else {
            None
        };
        self.put_message(memory, message, charge).map(Ok)
    }

    /// Puts a message of the host's own where the guest will look for it, and returns its length.
    pub(crate) fn send(&mut self, memory: &mut [u8], message: Vec<u8>) -> wasmtime::Result<i32> {
        self.outbox.waiting = None;
        self.put_message(memory, message, None)
    }

    fn put_message(
        &mut self,
        memory: &mut [u8],
        message: Vec<u8>,
        charge: Option<Charge>,
    ) -> wasmtime::Result<i32> {
        let length = i32::try_from(message.len())?;
        if message.len() > INBOX_SIZE {
            self.outbox.waiting = Some(Waiting {
                message,
                _charge: charge,
            });
            return Ok(length);
        }
        let inbox = memory
            .get_mut(place::INBOX..)
            .and_then(|memory| memory.get_mut(..message.len()));
        inbox
            .ok_or_else(|| wasmtime::format_err!("the inbox is not in memory"))?
            .copy_from_slice(&message);
        // One that became much longer, but then could not be sent, is not kept.
        if message.capacity() <= 2 * INBOX_SIZE {
            self.outbox.scratch = message;
        }
        Ok(length)
    }
}

/// The error for an answer that there is no room for.
pub(super) fn no_room(over: &OverLimit) -> ToolError {
    let message = format!("the answer of the tool cannot be kept: {over}");
    ToolError::new("RangeError", message)
}

/// Values and nothing else, with their count before them.
pub(crate) fn read_values(reader: &mut Reader<'_>) -> Result<Vec<Value>, WireError> {
    let values = reader.values()?;
    reader.finish()?;
    Ok(values)
}

/// An answer as the guest reads it. A value that cannot enter the cell is a failure of the tool.
pub(crate) fn put_answer(out: &mut Vec<u8>, answer: &Answer) -> Result<(), WireError> {
    let start = out.len();
    let written = match answer {
        Ok(value) => {
            out.push(answer::VALUE);
            put_value(out, value)
        }
        Err(error) => {
            out.push(answer::ERROR);
            put_value(out, &Value::Error(error.error.clone()))
        }
    };
    if let Err(error) = written {
        out.truncate(start);
        out.push(answer::ERROR);
        let message = format!("the tool's answer cannot enter the cell: {error}");
        put_value(out, &ErrorValue::new("TypeError", message).into())?;
    }
    Ok(())
}

/// Which call, then its answer.
pub(crate) fn put_numbered_answer(
    out: &mut Vec<u8>,
    id: u32,
    answer: &Answer,
) -> Result<(), WireError> {
    put_number(out, u64::from(id));
    put_answer(out, answer)
}
