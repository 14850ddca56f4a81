//! What the pool tells Node, and how it looks there: an array of a number, the lane, and what `lib/host.cjs` expects behind
//! them.

use std::sync::Arc;

use hotcell::cell::Origin;
use napi::{
    Env, Result,
    bindgen_prelude::{Array, Buffer},
};

use crate::{
    calls::{Caller, Calls, First},
    outcome::{Insert, Outcome},
    packed::Packed,
    parcel::values,
    shared::pool,
    transit::Passage,
};

/// Something that concerns JavaScript. Values are packed already: that is work for the pool.
pub(crate) struct Event {
    /// Whose it is: the events of one lane are dealt with in their order. 0 if it does not matter.
    pub(crate) lane: u32,
    pub(crate) what: What,
}

pub(crate) enum What {
    /// Code in a cell calls a tool.
    Call {
        set: u32,
        tool: Arc<str>,
        arguments: Packed,
        origin: Option<Origin>,
        answer: Caller<First>,
        passage: Passage,
    },
    /// Code in a cell printed lines: JSON, with a comma between each two.
    Log { hooks: u32, entries: String },
    /// Code tells of its progress.
    Notice { hooks: u32, text: String },
    /// A tool call waits for somebody's consent. The answer is a value that says whether it has it.
    Approval {
        hooks: u32,
        tool: Arc<str>,
        arguments: Packed,
        answer: Caller<First>,
        passage: Passage,
    },
    /// Things happened in an executor: JSON, with a comma between each two.
    Happened { hooks: u32, events: String },
    /// A command of a sandbox printed something.
    Output {
        hooks: u32,
        stream: &'static str,
        bytes: Vec<u8>,
    },
    /// Something was decided about a sandbox: JSON.
    Audit { hooks: u32, event: String },
    /// A shell calls a function of Node's.
    Command {
        set: u32,
        name: String,
        call: Insert,
        answer: Caller<First>,
    },
    /// An operation is over.
    Done { operation: u32, outcome: Outcome },
}

const CALL: u32 = 0;
const LOG: u32 = 1;
const APPROVAL: u32 = 2;
const DONE: u32 = 3;
const OUTPUT: u32 = 5;
const COMMAND: u32 = 6;
const NOTICE: u32 = 7;
const HAPPENED: u32 = 8;
const AUDIT: u32 = 9;
/// There are more events to be taken.
pub(crate) const MORE: u32 = 4;

impl Event {
    /// How much work it is to tell it, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        match &self.what {
            What::Call { arguments, .. } | What::Approval { arguments, .. } => arguments.size(),
            What::Log { entries, .. } => entries.len(),
            What::Happened { events, .. } => events.len(),
            What::Notice { text, .. } => text.len(),
            What::Audit { event, .. } => event.len(),
            What::Output { bytes, .. } => bytes.len(),
            What::Command { name, .. } => name.len(),
            What::Done { outcome, .. } => outcome.size(),
        }
    }

    /// For Node. `None` if nobody waits for it any more.
    pub(crate) fn into_js<'env>(
        self,
        env: &'env Env,
        calls: &Calls,
    ) -> Result<Option<Array<'env>>> {
        let Self { lane, what } = self;
        let mut row = env.create_array(0)?;
        match what {
            What::Call {
                answer, arguments, ..
            }
            | What::Approval {
                answer, arguments, ..
            } if answer.is_gone() => {
                // Letting go of much takes a while, too.
                if arguments.is_large() {
                    pool().spawn(async move { drop(arguments) }).detach();
                }
                return Ok(None);
            }
            What::Call {
                set,
                tool,
                arguments,
                origin,
                answer,
                passage: _passage,
            } => {
                begin(&mut row, CALL, lane, calls.expect(answer))?;
                row.insert(set)?;
                row.insert(&*tool)?;
                values(env, &mut row, arguments)?;
                if let Some(origin) = origin {
                    row.insert(origin.call())?;
                    if let Some(trace) = origin.trace() {
                        row.insert(trace.to_string())?;
                    }
                }
            }
            What::Happened { hooks, events } => {
                begin(&mut row, HAPPENED, lane, hooks)?;
                row.insert(format!("[{events}]"))?;
            }
            What::Log { hooks, entries } => {
                begin(&mut row, LOG, lane, hooks)?;
                row.insert(format!("[{entries}]"))?;
            }
            What::Notice { hooks, text } => {
                begin(&mut row, NOTICE, lane, hooks)?;
                row.insert(text)?;
            }
            What::Audit { hooks, event } => {
                begin(&mut row, AUDIT, lane, hooks)?;
                row.insert(event)?;
            }
            What::Output {
                hooks,
                stream,
                bytes,
            } => {
                begin(&mut row, OUTPUT, lane, hooks)?;
                row.insert(stream)?;
                row.insert(Buffer::from(bytes))?;
            }
            What::Command { answer, .. } if answer.is_gone() => return Ok(None),
            What::Command {
                set,
                name,
                call,
                answer,
            } => {
                begin(&mut row, COMMAND, lane, calls.expect(answer))?;
                row.insert(set)?;
                row.insert(name)?;
                call(env, &mut row)?;
            }
            What::Approval {
                hooks,
                tool,
                arguments,
                answer,
                passage: _passage,
            } => {
                begin(&mut row, APPROVAL, lane, calls.expect(answer))?;
                row.insert(hooks)?;
                row.insert(&*tool)?;
                values(env, &mut row, arguments)?;
            }
            What::Done { operation, outcome } => {
                calls.sweep();
                begin(&mut row, DONE, lane, operation)?;
                if let Err(error) = outcome.push(env, &mut row) {
                    // Whoever waits has to be told something.
                    row = env.create_array(0)?;
                    begin(&mut row, DONE, lane, operation)?;
                    Outcome::Threw(format!("the outcome cannot be given to Node: {error}"))
                        .push(env, &mut row)?;
                }
            }
        }
        Ok(Some(row))
    }
}

/// Every event begins with its kind, its lane, and the number that it is about.
fn begin(row: &mut Array<'_>, kind: u32, lane: u32, number: u32) -> Result<()> {
    row.insert(kind)?;
    row.insert(lane)?;
    row.insert(number)
}
