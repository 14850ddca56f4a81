//! The memory of a cell between calls, as pages.
//!
//! No guest frame is live then, so everything below the top of the stack is dead and need not be looked at.

/// The unit in which memory is compared and copied.
pub(crate) const PAGE: usize = 4096;

static ZEROS: [u8; PAGE] = [0; PAGE];

/// The pages from `first` on in which `memory` differs from `baseline` (which is followed by zeros), by number.
pub(crate) fn changed_pages<'a>(
    memory: &'a [u8],
    baseline: &'a [u8],
    first: usize,
) -> impl Iterator<Item = (usize, &'a [u8])> {
    let pages = memory.chunks_exact(PAGE).enumerate().skip(first / PAGE);
    pages.filter(move |(number, page)| {
        let start = number * PAGE;
        let before = baseline.get(start..start + PAGE).unwrap_or(&ZEROS);
        *page != before
    })
}
