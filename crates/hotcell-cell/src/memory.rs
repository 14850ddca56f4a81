//! The memory of a cell between calls, as pages.
//!
//! No guest frame is live then, so everything below the top of the stack is dead and need not be looked at.

/// The unit in which memory is compared and copied.
pub(crate) const PAGE: usize = 4096;

static ZEROS: [u8; PAGE] = [0; PAGE];

/// The pages from byte `start` on in which `memory` differs from `baseline`, by number. The baseline begins at `start`
/// and is followed by zeros.
pub(crate) fn changed_pages<'a>(
    memory: &'a [u8],
    baseline: &'a [u8],
    start: usize,
) -> impl Iterator<Item = (usize, &'a [u8])> {
    let pages = pages(memory, baseline, start);
    pages.filter_map(|(number, page, before)| (page != before).then_some((number, page)))
}

/// All pages from byte `start` on, by number, each with what `baseline` has in its place.
pub(crate) fn pages<'a>(
    memory: &'a [u8],
    baseline: &'a [u8],
    start: usize,
) -> impl Iterator<Item = (usize, &'a [u8], &'a [u8])> {
    let first = start / PAGE;
    let pages = memory
        .get(first * PAGE..)
        .unwrap_or_default()
        .chunks_exact(PAGE);
    let before = baseline
        .chunks_exact(PAGE)
        .chain(std::iter::repeat(&ZEROS[..]));
    let both = pages.zip(before).enumerate();
    both.map(move |(number, (page, before))| (first + number, page, before))
}
