//! What the pool tells Node, and how it looks there: an array of a number and what `lib/host.cjs` expects behind it.

use std::sync::Arc;

use futures_channel::oneshot;
use hotcell_cell::Text;
use napi::{
    Env, Result,
    bindgen_prelude::{Array, Float64ArraySlice, Uint8ArraySlice},
};

use crate::{
    bridge::{Bridge, First},
    outcome::Outcome,
    packed::Packed,
};

/// Something that concerns JavaScript. Values are packed already: that is work for the pool.
pub(crate) enum Event {
    /// Code in a cell calls a tool.
    Call {
        set: u32,
        tool: Arc<str>,
        arguments: Packed,
        answer: oneshot::Sender<First>,
    },
    /// Code in a cell printed a line.
    Log { hooks: u32, entry: String },
    /// A tool call waits for somebody's consent. The answer is a value that says whether it has it.
    Approval {
        hooks: u32,
        tool: Arc<str>,
        arguments: Packed,
        answer: oneshot::Sender<First>,
    },
    /// An operation is over.
    Done { operation: u32, outcome: Outcome },
}

const CALL: u32 = 0;
const LOG: u32 = 1;
const APPROVAL: u32 = 2;
const DONE: u32 = 3;

impl Event {
    /// For Node. `None` if nobody waits for it any more.
    pub(crate) fn into_js<'env>(
        self,
        env: &'env Env,
        bridge: &Bridge,
    ) -> Result<Option<Array<'env>>> {
        let mut row = env.create_array(0)?;
        match self {
            Self::Call { answer, .. } | Self::Approval { answer, .. } if answer.is_canceled() => {
                return Ok(None);
            }
            Self::Call {
                set,
                tool,
                arguments,
                answer,
            } => {
                let arguments = pieces(env, &arguments)?;
                row.insert(CALL)?;
                row.insert(bridge.expect(answer))?;
                row.insert(set)?;
                row.insert(&*tool)?;
                row.insert(arguments)?;
            }
            Self::Log { hooks, entry } => {
                row.insert(LOG)?;
                row.insert(hooks)?;
                row.insert(entry)?;
            }
            Self::Approval {
                hooks,
                tool,
                arguments,
                answer,
            } => {
                let arguments = pieces(env, &arguments)?;
                row.insert(APPROVAL)?;
                row.insert(bridge.expect(answer))?;
                row.insert(hooks)?;
                row.insert(&*tool)?;
                row.insert(arguments)?;
            }
            Self::Done { operation, outcome } => {
                bridge.sweep();
                if let Err(error) = outcome.push(env, &mut row, DONE, operation) {
                    // Whoever waits has to be told something. It can be too much for one string, say.
                    row = env.create_array(0)?;
                    Outcome::Threw(format!("the result cannot be given to Node: {error}"))
                        .push(env, &mut row, DONE, operation)?;
                }
            }
        }
        Ok(Some(row))
    }
}

/// A packed value for `lib/unpack.cjs`.
pub(crate) fn pieces<'env>(env: &'env Env, packed: &Packed) -> Result<Array<'env>> {
    let length = u32::try_from(packed.strings.len()).unwrap_or(u32::MAX);
    let mut strings = env.create_array(length)?;
    for (index, text) in (0..length).zip(&packed.strings) {
        string(env, &mut strings, index, text)?;
    }
    let mut all = env.create_array(3)?;
    all.set(0, packed.count)?;
    all.set(1, Float64ArraySlice::copy_from(env, &packed.row)?)?;
    all.set(2, strings)?;
    if !packed.bytes.is_empty() {
        all.set(3, Uint8ArraySlice::copy_from(env, &packed.bytes)?)?;
    }
    Ok(all)
}

fn string(env: &Env, strings: &mut Array<'_>, index: u32, text: &Text) -> Result<()> {
    match text.as_str() {
        // V8 copies Latin-1 as it is, and need not look at it first.
        Some(text) if text.is_ascii() => strings.set(index, env.create_string_latin1(text)?),
        Some(text) => strings.set(index, text),
        None => strings.set(index, env.create_string_utf16(text.to_utf16())?),
    }
}
