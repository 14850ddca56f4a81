//! How an operation ended.

use napi::{
    Env, Result,
    bindgen_prelude::{Array, Buffer},
};

use crate::{event::pieces, executor::NativeExecutor, packed::Packed};

/// How an operation ended.
pub(crate) enum Outcome {
    /// Well, and there is nothing to tell.
    Nothing,
    /// What a run has to report: values, and the rest of it as JSON.
    Report(Packed, String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Another executor.
    Executor(NativeExecutor),
    /// Something that JSON can say.
    Json(String),
    /// Not well: the normalised error, as JSON.
    Failed(String),
    /// Not well: a message.
    Threw(String),
}

const NOTHING: u32 = 0;
const REPORT: u32 = 1;
const BYTES: u32 = 2;
const EXECUTOR: u32 = 3;
const JSON: u32 = 4;
const FAILED: u32 = 5;
const THREW: u32 = 6;

impl Outcome {
    /// Appends the number of the event, of the operation, of the outcome, and what belongs to that.
    pub(crate) fn push<'env>(
        self,
        env: &'env Env,
        row: &mut Array<'env>,
        event: u32,
        operation: u32,
    ) -> Result<()> {
        let mut begin = |kind: u32| -> Result<()> {
            row.insert(event)?;
            row.insert(operation)?;
            row.insert(kind)
        };
        match self {
            Self::Nothing => begin(NOTHING),
            Self::Report(values, report) => {
                begin(REPORT)?;
                row.insert(report)?;
                row.insert(pieces(env, &values)?)
            }
            Self::Bytes(bytes) => {
                begin(BYTES)?;
                row.insert(Buffer::from(bytes))
            }
            Self::Executor(executor) => {
                begin(EXECUTOR)?;
                executor.weigh(env, true)?;
                row.insert(executor)
            }
            Self::Json(json) => {
                begin(JSON)?;
                row.insert(json)
            }
            Self::Failed(json) => {
                begin(FAILED)?;
                row.insert(json)
            }
            Self::Threw(message) => {
                begin(THREW)?;
                row.insert(message)
            }
        }
    }
}
