//! How an operation ended.

use hotcell::cell::Value;
use napi::{
    Env, Result,
    bindgen_prelude::{Array, Buffer},
};
use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    packed::{Packed, pack},
    parcel::values,
};

/// More than this JSON does not say: it would be read at once.
const SMALL: usize = 64 << 10;

/// Appends an object of the library's to a row: what is told does not know whose object it is.
pub(crate) type Insert =
    Box<dyn for<'env> FnOnce(&'env Env, &mut Array<'env>) -> Result<()> + Send>;

/// How an operation ended.
pub(crate) enum Outcome {
    /// Well, and there is nothing to tell.
    Nothing,
    /// What a run has to report.
    Report(Packed),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Another executor.
    Executor(Insert),
    /// Something that JSON can say.
    Data(Data),
    /// Not well: the normalised error.
    Failed(Data),
    /// Not well: a message.
    Threw(String),
    /// What came of a command: JSON, and what it printed on its two streams.
    Ran(String, Vec<u8>, Vec<u8>),
    /// A sandbox.
    Sandbox(Insert),
    /// A sandbox did not do it: JSON.
    Refused(String),
}

/// Something that JSON can say.
pub(crate) enum Data {
    Json(String),
    /// It is large, and said in another way.
    Packed(Packed),
}

impl Data {
    pub(crate) fn new(data: &impl Serialize) -> std::result::Result<Self, serde_json::Error> {
        let json = serde_json::to_string(data)?;
        if json.len() <= SMALL {
            return Ok(Self::Json(json));
        }
        drop(json);
        Ok(Self::Packed(pack([to_value(serde_json::to_value(data)?)])))
    }

    fn size(&self) -> usize {
        match self {
            Self::Json(json) => json.len(),
            Self::Packed(packed) => packed.size(),
        }
    }

    fn push<'env>(self, env: &'env Env, row: &mut Array<'env>) -> Result<()> {
        match self {
            Self::Json(json) => row.insert(json),
            Self::Packed(packed) => values(env, row, packed),
        }
    }
}

const NOTHING: u32 = 0;
const REPORT: u32 = 1;
const BYTES: u32 = 2;
const EXECUTOR: u32 = 3;
const DATA: u32 = 4;
const FAILED: u32 = 5;
const THREW: u32 = 6;
const RAN: u32 = 7;
const SANDBOX: u32 = 8;
const REFUSED: u32 = 9;

impl Outcome {
    /// Something that JSON can say.
    pub(crate) fn data(data: &impl Serialize) -> Self {
        Data::new(data).map_or_else(|error| Self::Threw(error.to_string()), Self::Data)
    }

    /// The normalised error.
    pub(crate) fn failed(error: &impl Serialize) -> Self {
        Data::new(error).map_or_else(|error| Self::Threw(error.to_string()), Self::Failed)
    }

    /// How much work it is to tell it, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Report(packed) => packed.size(),
            Self::Data(data) | Self::Failed(data) => data.size(),
            Self::Threw(message) => message.len(),
            Self::Ran(json, ..) | Self::Refused(json) => json.len(),
            // Bytes are not copied.
            Self::Nothing | Self::Bytes(_) | Self::Executor(_) | Self::Sandbox(_) => 0,
        }
    }

    /// Appends the number of the outcome and what belongs to it.
    pub(crate) fn push<'env>(self, env: &'env Env, row: &mut Array<'env>) -> Result<()> {
        match self {
            Self::Nothing => row.insert(NOTHING),
            Self::Report(packed) => {
                row.insert(REPORT)?;
                values(env, row, packed)
            }
            Self::Bytes(bytes) => {
                row.insert(BYTES)?;
                row.insert(Buffer::from(bytes))
            }
            Self::Executor(executor) => {
                row.insert(EXECUTOR)?;
                executor(env, row)
            }
            Self::Data(data) => {
                row.insert(DATA)?;
                data.push(env, row)
            }
            Self::Failed(data) => {
                row.insert(FAILED)?;
                data.push(env, row)
            }
            Self::Threw(message) => {
                row.insert(THREW)?;
                row.insert(message)
            }
            Self::Ran(json, stdout, stderr) => {
                row.insert(RAN)?;
                row.insert(json)?;
                row.insert(Buffer::from(stdout))?;
                row.insert(Buffer::from(stderr))
            }
            Self::Sandbox(sandbox) => {
                row.insert(SANDBOX)?;
                sandbox(env, row)
            }
            Self::Refused(json) => {
                row.insert(REFUSED)?;
                row.insert(json)
            }
        }
    }
}

/// Something that JSON can say, as a value.
pub(crate) fn to_value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(bool),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::String(text.into()),
        Json::Array(values) => Value::Array(values.into_iter().map(to_value).collect()),
        Json::Object(object) => Value::Object(
            object
                .into_iter()
                .map(|(key, json)| (key.into(), to_value(json)))
                .collect(),
        ),
    }
}
