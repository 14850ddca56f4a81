//! How much a sandbox may have of everything.

use std::time::Duration;

/// How much a sandbox may have of everything. All have defaults; none is "unlimited" unless a host says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one command (1 MiB). A longer one does not run.
    pub command_bytes: usize,
    /// Bytes that are kept of what a command prints, of each of its two streams (1 MiB). What comes after that is dropped, and
    /// the result says so.
    pub output_bytes: usize,
    /// Files, directories and links (100,000), on each file system that the sandbox keeps.
    pub files: u64,
    /// Bytes in all files together (256 MiB), on each file system that the sandbox keeps.
    pub file_bytes: u64,
    /// Processes at once (256).
    pub processes: usize,
    /// The highest descriptor of a process, plus one (1,024).
    pub descriptors: usize,
    /// Bytes that processes and the shell hold, beside files (256 MiB).
    pub memory: usize,
    /// How long a command may take (30 s).
    pub time: Duration,
    /// How long the processes of a command may compute (30 s).
    pub cpu_time: Duration,
    /// Functions within functions (1,000).
    pub recursion: usize,
    /// Commands that wait for their turn (1,000).
    pub queued_runs: usize,
    /// Commands that the history remembers (1,000), each with up to 4 KiB of its text.
    pub history: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            command_bytes: 1 << 20,
            output_bytes: 1 << 20,
            files: 100_000,
            file_bytes: 256 << 20,
            processes: 256,
            descriptors: 1024,
            memory: 256 << 20,
            time: Duration::from_secs(30),
            cpu_time: Duration::from_secs(30),
            recursion: 1000,
            queued_runs: 1000,
            history: 1000,
        }
    }
}

impl Limits {
    /// For the file systems of a sandbox.
    pub(crate) fn of_files(&self) -> hotcell_vfs::Limits {
        hotcell_vfs::Limits {
            bytes: self.file_bytes,
            files: self.files,
            links: self.files,
            ..hotcell_vfs::Limits::default()
        }
    }

    /// For the processes of one run.
    pub(crate) fn of_processes(&self) -> hotcell_process::Limits {
        hotcell_process::Limits {
            processes: self.processes,
            descriptors: self.descriptors,
            recursion: self.recursion,
            ..hotcell_process::Limits::default()
        }
    }
}
