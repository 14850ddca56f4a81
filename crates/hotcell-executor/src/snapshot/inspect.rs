//! What a snapshot says of itself, without an executor.

use hotcell_cell::BuildId;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value as Json;

use super::{NO_SEAL, SavedRun, failed, read};
use crate::{
    content::ContentItem,
    error::ExecutorError,
    ledger::{CallRecord, SuspendReason, records_of},
    options::ExecutorOptions,
    state::State,
};

/// What a snapshot says of itself.
///
/// Whoever wrote the bytes wrote this: unless they are sealed and were looked at with the key, it is for showing, not for trusting.
/// What a run really waits for [`Executor::suspension`](crate::Executor::suspension) tells after a restore.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// The build of hotcell that it was made with.
    pub build: BuildId,
    /// Whether that is this one, so that it can be restored here.
    pub is_current: bool,
    /// How large it is.
    pub bytes: usize,
    /// How large what its cell holds is when it is unpacked.
    pub unpacked: u64,
    /// Whether it has a seal. If a key was given, it is the right one.
    pub is_sealed: bool,
    /// Whether it holds what has changed since another one, which has to be there to restore it.
    pub has_base: bool,
    /// `READY` or `SUSPENDED`.
    pub state: State,
    /// The tools that have to be sent again.
    pub tools: Vec<String>,
    /// The run that waits for answers.
    pub run: Option<SnapshotRun>,
}

/// A run that waits for answers, in a snapshot.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SnapshotRun {
    /// Its id, as in events.
    pub id: String,
    /// What stacks call its code.
    pub name: String,
    /// Its code, as it was given.
    pub code: String,
    /// The calls that wait: what each is, and its arguments as [`json`](crate::json) writes values. Without those once all of them
    /// have come to more than 64 KiB.
    pub calls: Vec<SnapshotCall>,
    /// All calls that it has made.
    pub made: Vec<CallRecord>,
    /// What it has printed, line by line.
    pub logs: String,
    /// What it has shown: of each item its type and size.
    pub content: Vec<SnapshotItem>,
}

/// Something that a run has shown, in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotItem {
    /// What it is, such as `image/png`.
    pub mime: &'static str,
    /// How many bytes it holds.
    pub bytes: usize,
}

/// A call that waits, in a snapshot.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SnapshotCall {
    /// Names it to [`Executor::resume`](crate::Executor::resume).
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What it was called with.
    pub arguments: Option<Vec<Json>>,
    /// Why it waits.
    pub reason: SuspendReason,
}

/// So many items of content are told of at least.
const MAX_ITEMS: usize = 10_000;

/// What a snapshot says of itself. Of `options` its key and its limits of size, of the host's memory and of content count.
pub fn inspect_snapshot(
    snapshot: &[u8],
    options: &ExecutorOptions,
) -> Result<SnapshotInfo, ExecutorError> {
    // What it shows is told, not kept: the limit of items is for who restores it.
    let options = ExecutorOptions {
        max_content_items: options.max_content_items.max(MAX_ITEMS),
        ..options.clone()
    };
    let parts = read(snapshot, &options)?;
    let cell = hotcell_cell::inspect_snapshot(parts.cell).map_err(|error| failed(&error.into()))?;
    let memory = parts.memory;
    Ok(SnapshotInfo {
        build: cell.build,
        is_current: cell.build == BuildId::CURRENT,
        bytes: snapshot.len(),
        unpacked: cell.unpacked,
        is_sealed: parts.seal != NO_SEAL,
        has_base: cell.has_base,
        state: if memory.run.is_some() {
            State::Suspended
        } else {
            State::Ready
        },
        tools: memory
            .tools
            .into_iter()
            .map(|(spec, _)| spec.name)
            .collect(),
        run: memory.run.map(|run| run_of(run, &parts.content)),
    })
}

fn run_of(saved: SavedRun, content: &[ContentItem]) -> SnapshotRun {
    let lines: Vec<String> = saved.logs.into_iter().map(|(_, line, _)| line).collect();
    let calls = saved.asked.into_iter().map(|ask| SnapshotCall {
        id: ask.id,
        tool: ask.tool,
        arguments: ask.arguments,
        reason: ask.reason,
    });
    SnapshotRun {
        id: saved.number.to_string(),
        name: saved.name,
        code: saved.code,
        calls: calls.collect(),
        made: records_of(saved.calls),
        logs: lines.join("\n"),
        content: content
            .iter()
            .map(|item| SnapshotItem {
                mime: item.mime,
                bytes: item.size(),
            })
            .collect(),
    }
}

impl Serialize for SnapshotInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("build", &self.build.to_string())?;
        object.serialize_entry("isCurrent", &self.is_current)?;
        object.serialize_entry("bytes", &self.bytes)?;
        object.serialize_entry("unpackedBytes", &self.unpacked)?;
        object.serialize_entry("isSealed", &self.is_sealed)?;
        object.serialize_entry("hasBase", &self.has_base)?;
        object.serialize_entry("state", self.state.as_str())?;
        object.serialize_entry("tools", &self.tools)?;
        if let Some(run) = &self.run {
            object.serialize_entry("run", run)?;
        }
        object.end()
    }
}

impl Serialize for SnapshotRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(7))?;
        object.serialize_entry("id", &self.id)?;
        object.serialize_entry("name", &self.name)?;
        object.serialize_entry("code", &self.code)?;
        object.serialize_entry("calls", &self.calls)?;
        object.serialize_entry("made", &self.made)?;
        object.serialize_entry("logs", &self.logs)?;
        object.serialize_entry("content", &self.content)?;
        object.end()
    }
}

impl Serialize for SnapshotItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(2))?;
        object.serialize_entry("mime", self.mime)?;
        object.serialize_entry("bytes", &self.bytes)?;
        object.end()
    }
}

impl Serialize for SnapshotCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("id", &self.id)?;
        object.serialize_entry("tool", &self.tool)?;
        if let Some(arguments) = &self.arguments {
            object.serialize_entry("arguments", arguments)?;
        }
        object.serialize_entry("reason", &self.reason)?;
        object.end()
    }
}
