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
//! A call that failed has `ret` −1 and no bytes; a `write` has those that were taken, and `len` if more were offered. Readers
//! pass over kinds that they do not know.
//!
//! A transcript holds the arguments, environments and inputs of programs. It is made only if somebody asks for it, and is as
//! secret as they are.

mod record;
mod replay;

pub(crate) use record::Recorder;
pub use replay::{Context, Divergence};
pub(crate) use replay::{Replayer, Stop};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "snake_case")]
enum Record {
    Head {
        v: u32,
    },
    CtlReq {
        i: u64,
        b64: Bytes,
    },
    CtlRes {
        i: u64,
        /// Only if it is −1: there was no reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trap: Option<String>,
    },
    #[serde(other)]
    Unknown,
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
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text);
        bytes.map(Self).map_err(serde::de::Error::custom)
    }
}
