//! What a run cost.

use std::time::Duration;

/// What a cell has used, since it was made (or restored) or in one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Iterations of loops.
    pub operations: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Time on a thread: computing, not waiting.
    pub cpu_time: Duration,
    /// The most memory the cell has had. It includes what the image itself takes.
    pub peak_memory_bytes: u64,
    /// The most that the cell has used of the machine's stack, beside its memory. Only what recurses is counted, so that it is
    /// 0 for most. What is beyond 64 KiB is given back when the cell comes to rest.
    pub peak_stack_bytes: u64,
}
