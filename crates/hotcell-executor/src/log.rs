//! What the code printed.

use std::time::SystemTime;

use hotcell_cell::Level;
use hotcell_meter::{Account, OverLimit};
use hotcell_prepare::{Diagnostic, Severity};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{json::date::to_iso, share::Share};

/// Stands where logs were cut.
pub(crate) const TRUNCATED: &str = "...[TRUNCATED]";

/// For so many bytes of the budget there may be one entry, empty ones included.
const BYTES_PER_ENTRY: usize = 8;
/// What an entry takes beside its text: itself, twice while the list grows, and an allocation.
const ENTRY_BYTES: usize = 2 * size_of::<LogEntry>() + 16;

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
#[derive(Debug)]
pub(crate) struct LogBuffer {
    share: Share,
    /// How many bytes may be kept, and with them how many entries.
    budget: usize,
    entries: Vec<LogEntry>,
    bytes: usize,
    cut: Option<Cut>,
}

/// Why a log ends before the code did.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Bytes,
    Entries,
    HostMemory(OverLimit),
}

impl LogBuffer {
    pub(crate) fn new(account: &Account, budget: usize) -> Self {
        Self {
            share: Share::new(account, 4, "a quarter of maxHostMemoryBytes"),
            budget,
            entries: Vec::new(),
            bytes: 0,
            cut: None,
        }
    }

    /// How many bytes of a line there is still room for; `None` if there is none even for an empty one.
    pub(crate) fn room(&self) -> Option<usize> {
        self.cut.is_none().then(|| self.bytes_left())
    }

    fn bytes_left(&self) -> usize {
        // Lines are joined by line breaks, and those count.
        let before = self.bytes + usize::from(!self.entries.is_empty());
        self.budget.saturating_sub(before)
    }

    /// Takes a line in, or as much of it as there is room for. `None` if there is none at all. `is_cut` says that the
    /// message had to end before its end.
    pub(crate) fn push(&mut self, level: Level, message: &str, is_cut: bool) -> Option<&LogEntry> {
        if self.cut.is_some() {
            return None;
        }
        let most = self.budget / BYTES_PER_ENTRY;
        let room = self.bytes_left();
        let mut kept = &message[..message.floor_char_boundary(room)];
        if is_cut || kept.len() < message.len() {
            self.cut = Some(Cut::Bytes);
        } else if self.entries.len() >= most {
            self.cut = Some(Cut::Entries);
            kept = "";
        }
        if let Err(over) = self.share.take(ENTRY_BYTES.saturating_add(kept.len())) {
            self.cut = Some(Cut::HostMemory(over));
            kept = "";
        }
        let end = if self.cut.is_some() { TRUNCATED } else { "" };
        let message = [kept, end].concat();
        self.bytes = self.budget - room + message.len();
        self.entries.push(LogEntry {
            level,
            message,
            at: SystemTime::now(),
        });
        self.entries.last()
    }

    pub(crate) fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Takes over lines of a run that went on elsewhere, as many as there is room for.
    pub(crate) fn load(&mut self, entries: Vec<LogEntry>) {
        self.take();
        for entry in entries {
            if self.take_in(&entry).is_none() {
                return;
            }
        }
    }

    /// Takes over a line that was printed elsewhere, if there is room for it.
    pub(crate) fn take_in(&mut self, entry: &LogEntry) -> Option<&LogEntry> {
        self.push(entry.level, &entry.message, false)?;
        let last = self.entries.last_mut()?;
        last.at = entry.at;
        Some(last)
    }

    /// The lines, with a word on where they end too early, and the buffer empty again.
    pub(crate) fn take(&mut self) -> (Vec<LogEntry>, Option<Diagnostic>) {
        self.share.clear();
        self.bytes = 0;
        let remark = self.cut.take().map(|cut| cut.remark(self.budget));
        (std::mem::take(&mut self.entries), remark)
    }
}

impl Cut {
    fn remark(self, budget: usize) -> Diagnostic {
        let message = match self {
            Self::Bytes => format!("the log was cut after {budget} bytes (maxLogBytes)"),
            Self::Entries => format!(
                "the log was cut after {} lines, one for every {BYTES_PER_ENTRY} bytes of {budget} (maxLogBytes)",
                budget / BYTES_PER_ENTRY
            ),
            Self::HostMemory(over) => format!("the log was cut: {over}"),
        };
        Diagnostic::new("log_truncated", Severity::Warning, message)
            .with_fix("print less: a part, or a summary")
    }
}

/// The lines as one text.
pub(crate) fn join(entries: &[LogEntry]) -> String {
    let messages: Vec<&str> = entries.iter().map(|entry| &*entry.message).collect();
    messages.join("\n")
}
