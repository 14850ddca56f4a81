//! What the code printed.

use std::time::SystemTime;

use hotcell_cell::Level;
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::json::date::to_iso;

/// Stands where logs were cut.
pub(crate) const TRUNCATED: &str = "...[TRUNCATED]";

/// One line of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry {
    /// Which of its methods printed it.
    pub level: Level,
    /// What it printed.
    pub message: String,
    /// When, by the host's clock.
    pub at: SystemTime,
}

impl LogEntry {
    /// When it was printed, as ISO 8601.
    pub fn ts(&self) -> String {
        let since = self.at.duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.unwrap_or_default().as_secs_f64() * 1000.0;
        to_iso(millis.floor()).unwrap_or_default()
    }
}

impl Serialize for LogEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entry = serializer.serialize_struct("LogEntry", 3)?;
        entry.serialize_field("level", self.level.as_str())?;
        entry.serialize_field("message", &self.message)?;
        entry.serialize_field("ts", &self.ts())?;
        entry.end()
    }
}

/// The lines of one run, within a budget.
#[derive(Debug, Default)]
pub(crate) struct LogBuffer {
    entries: Vec<LogEntry>,
    bytes: usize,
    is_full: bool,
}

impl LogBuffer {
    /// Takes a line in, or as much of it as there is room for. `None` if there is none at all.
    pub(crate) fn push(&mut self, level: Level, message: &str, budget: usize) -> Option<&LogEntry> {
        if self.is_full {
            return None;
        }
        // Lines are joined by line breaks, and those count.
        let before = self.bytes + usize::from(!self.entries.is_empty());
        let room = budget.saturating_sub(before);
        let message = if message.len() <= room {
            message.to_owned()
        } else {
            self.is_full = true;
            format!(
                "{}{TRUNCATED}",
                &message[..message.floor_char_boundary(room)]
            )
        };
        self.bytes = before + message.len();
        self.entries.push(LogEntry {
            level,
            message,
            at: SystemTime::now(),
        });
        self.entries.last()
    }

    /// The lines, and the buffer empty again.
    pub(crate) fn take(&mut self) -> Vec<LogEntry> {
        std::mem::take(self).entries
    }
}

/// The lines as one text.
pub(crate) fn join(entries: &[LogEntry]) -> String {
    let messages: Vec<&str> = entries.iter().map(|entry| &*entry.message).collect();
    messages.join("\n")
}
