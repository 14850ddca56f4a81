//! Sorting whole lines by their bytes.
//!
//! Eight bytes at a time are one number, which lies beside the line: lines are sorted by the first eight, those that agree in them
//! by the next, and so on. So no byte is looked at that does not tell anything, however much lines have in common.

use hotcell_process::Process;

use super::{order, order::Order, store::Line};

/// The bytes of a rank.
const WIDTH: usize = size_of::<u64>();

/// Up to so many lines are compared as they are.
const FEW: usize = 16;

/// Sorts lines whose ranks are their first bytes. Equal lines end up in any order.
pub(super) fn sort(process: &Process, bytes: &[u8], lines: &mut [Line]) {
    sort_by_rank(process, lines);
    // Lines that agree in their first `depth` bytes, and whose rank is what follows, sorted by it. Not by recursion: lines may
    // agree for as long as they like.
    let mut todo = vec![(0, lines.len(), 0)];
    while let Some((from, to, depth)) = todo.pop() {
        let group = lines.get_mut(from..to).unwrap_or_default();
        let end = depth + WIDTH;
        let mut at = from;
        for run in group.chunk_by_mut(|one, other| one.rank == other.rank) {
            process.spend(run.len() / 4 + 1);
            let start = at;
            at += run.len();
            if run.len() == 1 {
                continue;
            }
            // Those that end here come first, the shorter before the longer: the rank is filled up with zeros.
            let longer = if run.iter().any(|line| line.length <= end) {
                run.sort_unstable_by_key(|line| line.length.min(end + 1));
                run.partition_point(|line| line.length <= end)
            } else {
                0
            };
            let Some(run) = run.get_mut(longer..).filter(|run| run.len() > 1) else {
                continue;
            };
            if run.len() <= FEW {
                run.sort_unstable_by(|one, other| {
                    process.spend(one.length.min(other.length).saturating_sub(end) / 16 + 8);
                    let rest = |line: &Line| line.text(bytes).get(end..).unwrap_or_default();
                    rest(one).cmp(rest(other))
                });
                continue;
            }
            for line in run.iter_mut() {
                let rest = line.text(bytes).get(end..).unwrap_or_default();
                line.rank = order::rank(Order::Text, rest);
            }
            process.spend(run.len());
            sort_by_rank(process, run);
            todo.push((start + longer, at, end));
        }
    }
}

fn sort_by_rank(process: &Process, lines: &mut [Line]) {
    lines.sort_unstable_by(|one, other| {
        process.spend(8);
        one.rank.cmp(&other.rank)
    });
}
