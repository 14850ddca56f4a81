//! Transcripts: everything that goes between a guest and its host, as lines of JSON.
//!
//! A run that is recorded can be replayed without its host: no program runs, no file is read, and the guest gets the same
//! bytes as before. What it writes must be the same, too; the first difference ends the run and is told.
//!
//! ```text
//! {"k":"head","v":1}
//! {"k":"ctl_req","i":0,"b64":…}   {"k":"ctl_res","i":0,"b64":…}
//! {"k":"write","i":1,"h":3,"ret":133,"b64":…}
//! {"k":"read","i":2,"h":3,"cap":4096,"ret":120,"b64":…}
//! {"k":"end","i":3,"h":1}
//! {"k":"log","i":4,"topic_b64":…,"msg_b64":…}
//! {"k":"exit","i":5}
//! ```
//!
//! A call that failed has `ret` −1 and no bytes; a `write` has those that were taken, and `len` if more were offered; a `ctl_req`
//! has `len` if it was longer than any that is answered, and as much of it as could be. Readers pass over kinds that they do not
//! know.
//!
//! A transcript holds the arguments, environments and inputs of programs. It is made only if somebody asks for it, and is as
//! secret as they are.

mod record;
mod replay;

pub(crate) use record::Recorder;
pub use replay::{Context, Divergence};
pub(crate) use replay::{Replayer, Stop};

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_hopper::control::REQUEST_HEADER;
use serde::{Deserialize, Serialize, de};

use crate::control::MAX_PAYLOAD;

/// How much of a request of `_ctl` is kept. What is longer is refused for its length.
const MAX_REQUEST: usize = REQUEST_HEADER + MAX_PAYLOAD;

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "k", rename_all = "snake_case")]
enum Record {
    Head {
        v: u32,
    },
    CtlReq {
        i: u64,
        /// Only if it was longer than what is kept.
        #[serde(skip_serializing_if = "Option::is_none")]
        len: Option<usize>,
        b64: Bytes,
    },
    CtlRes {
        i: u64,
        /// Only if it is −1: there was no reply.
        #[serde(skip_serializing_if = "Option::is_none")]
        ret: Option<i32>,
        b64: Bytes,
    },
    Read {
        i: u64,
        h: i32,
        cap: usize,
        ret: i32,
        b64: Bytes,
    },
    Write {
        i: u64,
        h: i32,
        ret: i32,
        /// Only if more was offered than taken.
        #[serde(skip_serializing_if = "Option::is_none")]
        len: Option<usize>,
        b64: Bytes,
    },
    End {
        i: u64,
        h: i32,
    },
    Log {
        i: u64,
        topic_b64: Bytes,
        msg_b64: Bytes,
    },
    Exit {
        i: u64,
        /// Why, if the guest did not return.
        #[serde(skip_serializing_if = "Option::is_none")]
        trap: Option<String>,
    },
    /// Something that this reader does not know.
    Unknown,
}

/// What a line may have in it, of whatever kind it is.
#[derive(Deserialize)]
struct Fields {
    v: Option<u32>,
    i: Option<u64>,
    h: Option<i32>,
    cap: Option<usize>,
    ret: Option<i32>,
    len: Option<usize>,
    b64: Option<Bytes>,
    topic_b64: Option<Bytes>,
    msg_b64: Option<Bytes>,
    trap: Option<String>,
}

/// A line that is no record. Where, and never what: it may be secret.
#[derive(Debug, thiserror::Error)]
enum BadLine {
    #[error("not JSON, from column {0} on")]
    Json(usize),
    #[error("not a record of its kind")]
    Record,
}

impl From<serde_json::Error> for BadLine {
    fn from(error: serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Data => Self::Record,
            _ => Self::Json(error.column()),
        }
    }
}

impl Record {
    /// Reads a line. Nothing is kept of what is not known, however deep and long it is.
    fn read(line: &[u8]) -> Result<Self, BadLine> {
        #[derive(Deserialize)]
        struct Kind<'a> {
            #[serde(borrow)]
            k: Cow<'a, str>,
        }
        let Kind { k } = serde_json::from_slice(line)?;
        let known = [
            "head", "ctl_req", "ctl_res", "read", "write", "end", "log", "exit",
        ];
        if !known.contains(&&*k) {
            return Ok(Self::Unknown);
        }
        let fields = serde_json::from_slice(line)?;
        Self::of(&k, fields).ok_or(BadLine::Record)
    }

    /// The record of a known kind with these fields, if none is missing.
    fn of(kind: &str, fields: Fields) -> Option<Self> {
        let Fields {
            v,
            i,
            h,
            cap,
            ret,
            len,
            b64,
            topic_b64,
            msg_b64,
            trap,
        } = fields;
        if kind == "head" {
            return Some(Self::Head { v: v? });
        }
        let i = i?;
        Some(match kind {
            "ctl_req" => Self::CtlReq { i, len, b64: b64? },
            "ctl_res" => Self::CtlRes { i, ret, b64: b64? },
            "read" => Self::Read {
                i,
                h: h?,
                cap: cap?,
                ret: ret?,
                b64: b64?,
            },
            "write" => Self::Write {
                i,
                h: h?,
                ret: ret?,
                len,
                b64: b64?,
            },
            "end" => Self::End { i, h: h? },
            "log" => Self::Log {
                i,
                topic_b64: topic_b64?,
                msg_b64: msg_b64?,
            },
            _ => Self::Exit { i, trap },
        })
    }
}

/// Bytes, as base64.
#[derive(Default, PartialEq, Eq)]
struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    /// The length alone: they may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Base64;
        impl de::Visitor<'_> for Base64 {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                STANDARD.decode(text).map(Bytes).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Base64)
    }
}
