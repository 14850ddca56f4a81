//! The state of a cell as bytes.
//!
//! A header (magic, build of the image, checksum), then, compressed: what the host knows, and the pages of memory that
//! differ from a fresh cell's. The bytes may come from anywhere. The checksum finds accidents; against malice stands that
//! all of it is either checked here or ends up as guest memory, where anything is allowed.

use std::sync::Arc;

use hotcell_image::BuildId;

use crate::{
    held::{Arguments, Held},
    host::{Host, PendingCall, Slot, read_values},
    memory::PAGE,
    tool::{Answer, ToolError},
    value::Value,
    wire::{Budget, Reader, put_number, put_value},
};

const MAGIC: [u8; 8] = *b"HCSNAP\x00\x01";
const HEADER: usize = 8 + 32 + 16 + 8;
/// For what is not pages: outstanding calls and their arguments.
const MAX_STATE: usize = 64 << 20;

/// Why bytes are not a snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// They begin otherwise, or are too short.
    #[error("not a hotcell snapshot")]
    NotASnapshot,
    /// Made with another build of hotcell.
    #[error("the snapshot was made with build {found}, this is build {expected}")]
    Foreign {
        /// The build it was made with.
        found: BuildId,
        /// This build.
        expected: BuildId,
    },
    /// Truncated or altered.
    #[error("the snapshot is damaged: its content does not match its checksum")]
    Damaged,
    /// The checksum is right, but the content says what cannot be.
    #[error("the snapshot is malformed")]
    Malformed,
    /// The cell had more memory than this one may have.
    #[error("the snapshot needs {needed} bytes of memory, more than the limit of {limit}")]
    TooLarge {
        /// What it needs.
        needed: u64,
        /// What is allowed.
        limit: u64,
    },
    /// Compression failed, for lack of memory.
    #[error("failed to compress the snapshot")]
    Compress(#[source] std::io::Error),
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outstanding {
    /// Names it to [`crate::Cell::answer`].
    pub id: u32,
    /// The tool that was called.
    pub tool: String,
    /// What it was called with.
    pub arguments: Arguments,
    /// Whether only [`crate::Cell::answer`] can answer it.
    pub is_deferred: bool,
}

/// What the host knows of a cell.
pub(crate) struct State {
    pub(crate) memory_size: usize,
    pub(crate) is_running: bool,
    tools: Vec<(Arc<str>, u8)>,
    calls: Vec<(u32, PendingCall)>,
    answers: Vec<(u32, Held<Answer>)>,
}

impl State {
    pub(crate) fn of(host: &Host, is_running: bool, memory_size: usize) -> Self {
        Self {
            memory_size,
            is_running,
            tools: host
                .tools
                .iter()
                .map(|slot| (Arc::clone(&slot.name), slot.kind))
                .collect(),
            calls: host
                .calls
                .iter()
                .map(|(id, call)| (*id, call.clone()))
                .collect(),
            answers: host.answers.iter().cloned().collect(),
        }
    }

    pub(crate) fn apply(self, host: &mut Host) {
        host.tools = self
            .tools
            .into_iter()
            .map(|(name, kind)| Slot {
                name,
                tool: None,
                kind,
            })
            .collect();
        host.calls = self.calls.into_iter().collect();
        host.answers = self.answers.into();
    }

    /// As a value, since there is a checked codec for those.
    fn to_value(&self) -> Value {
        let tools = self
            .tools
            .iter()
            .map(|(name, kind)| Value::array([Value::from(&**name), Value::from(*kind)]));
        let calls = self.calls.iter().map(|(id, call)| {
            Value::array([
                Value::from(*id),
                Value::from(&*call.tool),
                pack(&call.arguments),
            ])
        });
        let answers = self.answers.iter().map(|(id, answer)| {
            let (ok, value) = match &**answer {
                Ok(value) => (true, pack(std::slice::from_ref(value))),
                Err(error) => (false, pack(&[Value::Error(error.0.clone())])),
            };
            Value::array([Value::from(*id), Value::Bool(ok), value])
        });
        #[expect(clippy::cast_precision_loss, reason = "at most 4 GiB")]
        let memory_size = self.memory_size as f64;
        Value::array([
            Value::Number(memory_size),
            Value::Bool(self.is_running),
            Value::array(tools),
            Value::array(calls),
            Value::array(answers),
        ])
    }

    fn from_value(value: Value) -> Option<Self> {
        let [memory_size, is_running, tools, calls, answers] = array(value)?;
        let memory_size = memory_size
            .as_f64()
            .filter(|size| (0.0..=4_294_967_296.0).contains(size))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked above"
        )]
        let memory_size = memory_size as usize;
        Some(Self {
            memory_size,
            is_running: is_running.as_bool()?,
            tools: list(tools, |tool| {
                let [name, kind] = array(tool)?;
                Some((Arc::from(name.as_str()?), u8::try_from(index(&kind)?).ok()?))
            })?,
            calls: list(calls, |call| {
                let [id, tool, arguments] = array(call)?;
                let arguments = unpack(&arguments)?.into();
                Some((
                    index(&id)?,
                    PendingCall {
                        tool: Arc::from(tool.as_str()?),
                        arguments,
                        has_future: false,
                    },
                ))
            })?,
            answers: list(answers, |answer| {
                let [id, ok, value] = array(answer)?;
                let answer = match (ok.as_bool()?, unpack(&value)?.pop()?) {
                    (true, value) => Ok(value),
                    (false, Value::Error(error)) => Err(ToolError(error)),
                    _ => return None,
                };
                Some((index(&id)?, Held::free(answer)))
            })?,
        })
    }
}

/// Values as bytes: each counts its objects for itself, which it could not do inside a larger value.
fn pack(values: &[Value]) -> Value {
    let mut bytes = Vec::new();
    put_number(&mut bytes, values.len() as u64);
    for value in values {
        // What cannot be encoded could not have come from a cell.
        if put_value(&mut bytes, value).is_err() {
            bytes.push(0);
        }
    }
    Value::Buffer(bytes)
}

fn unpack(value: &Value) -> Option<Vec<Value>> {
    let Value::Buffer(bytes) = value else {
        return None;
    };
    read_values(&mut Reader::new(bytes, Budget::bytes(MAX_STATE))).ok()
}

fn array<const N: usize>(value: Value) -> Option<[Value; N]> {
    let Value::Array(elements) = value else {
        return None;
    };
    elements.try_into().ok()
}

fn list<T>(value: Value, read: impl Fn(Value) -> Option<T>) -> Option<Vec<T>> {
    let Value::Array(elements) = value else {
        return None;
    };
    elements.into_iter().map(read).collect()
}

fn index(value: &Value) -> Option<u32> {
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "compared with the original"
    )]
    let integer = number as u32;
    (f64::from(integer).to_bits() == number.to_bits()).then_some(integer)
}

/// The bytes of a snapshot.
pub(crate) fn write<'a>(
    state: &State,
    pages: impl Iterator<Item = (usize, &'a [u8])>,
) -> Result<Vec<u8>, SnapshotError> {
    let mut content = vec![0; 4];
    put_value(&mut content, &state.to_value()).map_err(|_| SnapshotError::Malformed)?;
    let length = u32::try_from(content.len() - 4).map_err(|_| SnapshotError::Malformed)?;
    content[..4].copy_from_slice(&length.to_le_bytes());
    for (number, page) in pages {
        let number = u32::try_from(number).map_err(|_| SnapshotError::Malformed)?;
        content.extend_from_slice(&number.to_le_bytes());
        content.extend_from_slice(page);
    }
    seal(&content)
}

/// Compresses `content` and puts the header before it.
fn seal(content: &[u8]) -> Result<Vec<u8>, SnapshotError> {
    // Level 1: a snapshot is taken while somebody waits.
    let compressed = zstd::bulk::compress(content, 1).map_err(SnapshotError::Compress)?;
    let mut bytes = Vec::with_capacity(HEADER + compressed.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(BuildId::CURRENT.as_bytes());
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_128(&compressed).to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&compressed);
    Ok(bytes)
}

/// A snapshot with `content`, whatever that is, for the fuzz target and tests.
#[doc(hidden)]
pub fn seal_for_fuzzing(content: &[u8]) -> Vec<u8> {
    seal(content).unwrap_or_default()
}

/// What is behind the header of a good snapshot, to be altered and sealed again.
#[doc(hidden)]
pub fn unseal_for_fuzzing(bytes: &[u8]) -> Vec<u8> {
    read(bytes, u64::from(u32::MAX))
        .map(|snapshot| snapshot.content)
        .unwrap_or_default()
}

/// A snapshot that has been checked.
pub(crate) struct Snapshot {
    pub(crate) state: State,
    content: Vec<u8>,
    pages_at: usize,
}

impl Snapshot {
    /// Numbers and contents of the pages.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.content[self.pages_at..]
            .chunks_exact(4 + PAGE)
            .map(|entry| {
                let number = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
                (number as usize, &entry[4..])
            })
    }
}

/// Checks `bytes` and unpacks them.
pub(crate) fn read(bytes: &[u8], memory_limit: u64) -> Result<Snapshot, SnapshotError> {
    let (header, compressed) = bytes
        .split_first_chunk::<HEADER>()
        .ok_or(SnapshotError::NotASnapshot)?;
    let (magic, rest) = header.split_at(8);
    let (build_id, rest) = rest.split_at(32);
    let (checksum, length) = rest.split_at(16);
    if magic != MAGIC {
        return Err(SnapshotError::NotASnapshot);
    }
    if build_id != BuildId::CURRENT.as_bytes() {
        let found: [u8; 32] = build_id
            .try_into()
            .map_err(|_| SnapshotError::NotASnapshot)?;
        return Err(SnapshotError::Foreign {
            found: found.into(),
            expected: BuildId::CURRENT,
        });
    }
    if checksum != xxhash_rust::xxh3::xxh3_128(compressed).to_le_bytes() {
        return Err(SnapshotError::Damaged);
    }
    let length = u64::from_le_bytes(length.try_into().map_err(|_| SnapshotError::Malformed)?);
    // Pages and their numbers, and the state.
    let most = memory_limit + memory_limit / 1024 + MAX_STATE as u64;
    if length > most {
        return Err(SnapshotError::TooLarge {
            needed: length,
            limit: memory_limit,
        });
    }
    let capacity = usize::try_from(length).map_err(|_| SnapshotError::Malformed)?;
    let content =
        zstd::bulk::decompress(compressed, capacity).map_err(|_| SnapshotError::Malformed)?;
    if content.len() != capacity {
        return Err(SnapshotError::Malformed);
    }
    let (state, pages_at) = read_state(&content).ok_or(SnapshotError::Malformed)?;
    if state.memory_size as u64 > memory_limit {
        return Err(SnapshotError::TooLarge {
            needed: state.memory_size as u64,
            limit: memory_limit,
        });
    }
    if (content.len() - pages_at) % (4 + PAGE) != 0 || state.memory_size % 65536 != 0 {
        return Err(SnapshotError::Malformed);
    }
    Ok(Snapshot {
        state,
        content,
        pages_at,
    })
}

fn read_state(content: &[u8]) -> Option<(State, usize)> {
    let (length, rest) = content.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let mut reader = Reader::new(rest.get(..length)?, Budget::bytes(MAX_STATE));
    let state = State::from_value(reader.value().ok()?)?;
    reader.finish().ok()?;
    Some((state, 4 + length))
}
