//! How much the processes of one run may have at once.

/// Limits of a [`Kernel`](crate::Kernel), beside time and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Processes at once.
    pub processes: usize,
    /// The highest descriptor of a process, plus one.
    pub descriptors: usize,
    /// Bytes that a pipe holds before its writer waits.
    pub pipe_bytes: usize,
    /// Functions within functions of a shell. There may be room for fewer: every level takes some of a process's stack.
    pub recursion: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 256,
            descriptors: 1024,
            pipe_bytes: 64 * 1024,
            recursion: usize::MAX,
        }
    }
}
