//! What was run before.

use std::{collections::VecDeque, time::Duration};

use bstr::{BString, ByteSlice};
use serde::{Deserialize, Serialize};

use crate::result::{ErrorClass, RunResult};

/// How much of a command is remembered.
pub(crate) const SHOWN: usize = 4 << 10;

/// A command that was run before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// Its text, up to 4 KiB.
    pub command: BString,
    /// Its exit code.
    pub exit_code: i32,
    /// What kind of failure it was.
    pub error_class: Option<ErrorClass>,
    /// How long it took.
    pub duration: Duration,
}

/// What was run before, the latest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct History(VecDeque<HistoryEntry>);

impl History {
    /// Remembers a command, and forgets the first if there are too many.
    pub(crate) fn push(&mut self, command: &[u8], result: &RunResult, most: usize) {
        self.add(
            HistoryEntry {
                command: beginning(command).into(),
                exit_code: result.exit_code,
                error_class: result.error_class,
                duration: result.duration,
            },
            most,
        );
    }

    fn add(&mut self, entry: HistoryEntry, most: usize) {
        if most == 0 {
            return;
        }
        while self.0.len() >= most {
            self.0.pop_front();
        }
        self.0.push_back(entry);
    }

    pub(crate) fn entries(&self) -> Vec<HistoryEntry> {
        self.0.iter().cloned().collect()
    }

    pub(crate) fn save(&self) -> Vec<SavedEntry> {
        let all = self.0.iter().map(|entry| SavedEntry {
            command: entry.command.to_vec(),
            exit_code: entry.exit_code,
            error_class: entry.error_class.map(|class| class.name().to_owned()),
            micros: u64::try_from(entry.duration.as_micros()).unwrap_or(u64::MAX),
        });
        all.collect()
    }

    pub(crate) fn load(saved: Vec<SavedEntry>, most: usize) -> Self {
        let mut history = Self::default();
        for entry in saved {
            let class = |name: String| {
                let all = [
                    ErrorClass::Timeout,
                    ErrorClass::Cancelled,
                    ErrorClass::LimitExceeded,
                    ErrorClass::CapabilityDenied,
                ];
                all.into_iter().find(|class| class.name() == name)
            };
            history.add(
                HistoryEntry {
                    command: beginning(&entry.command).into(),
                    exit_code: entry.exit_code & 0xff,
                    error_class: entry.error_class.and_then(class),
                    duration: Duration::from_micros(entry.micros),
                },
                most,
            );
        }
        history
    }
}

/// The beginning of a command, up to what is remembered of it.
pub(crate) fn beginning(command: &[u8]) -> &[u8] {
    let Some(cut) = command.get(..SHOWN) else {
        return command;
    };
    // Not in the middle of a character.
    let (head, tail) = cut.split_at(SHOWN - 3);
    let whole = tail.find_invalid_utf8().unwrap_or(tail.len());
    cut.get(..head.len() + whole).unwrap_or(cut)
}

trait InvalidUtf8 {
    fn find_invalid_utf8(&self) -> Option<usize>;
}

impl InvalidUtf8 for [u8] {
    /// Where the last character begins, if it is not whole.
    fn find_invalid_utf8(&self) -> Option<usize> {
        let start = self.iter().rposition(|byte| byte & 0xc0 != 0x80)?;
        let rest = self.get(start..)?;
        (rest.to_str().is_err()).then_some(start)
    }
}

/// An entry as a snapshot has it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedEntry {
    #[serde(with = "text")]
    command: Vec<u8>,
    exit_code: i32,
    error_class: Option<String>,
    micros: u64,
}

/// Bytes as a string where they are one.
mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => to.serialize_str(text),
            Err(_) => to.collect_seq(bytes),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Ok(match Either::deserialize(from)? {
            Either::Text(text) => text.into_bytes(),
            Either::Bytes(bytes) => bytes,
        })
    }
}
