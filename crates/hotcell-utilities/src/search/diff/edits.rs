//! What has to change to make one file of the other.

use hotcell_process::Process;

/// A place where the files differ: lines `left` of the one became lines `right` of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) left: std::ops::Range<usize>,
    pub(super) right: std::ops::Range<usize>,
}

/// Beyond this many steps a smaller set of changes is not looked for any further: what is there is taken.
const MOST_COST: usize = 4096;

/// Finds the edits between two files whose lines are numbers.
pub(super) fn edits(process: &Process, left: &[u32], right: &[u32]) -> Vec<Edit> {
    let mut changed_left = vec![false; left.len()];
    let mut changed_right = vec![false; right.len()];
    compare(process, left, right, &mut changed_left, &mut changed_right);
    shift(process, left, &mut changed_left, &changed_right);
    shift(process, right, &mut changed_right, &changed_left);
    collect(&changed_left, &changed_right)
}

/// Marks the lines that are not common, by Myers's divide and conquer, without recursion.
fn compare(
    process: &Process,
    left: &[u32],
    right: &[u32],
    changed_left: &mut [bool],
    changed_right: &mut [bool],
) {
    let mut pending = vec![(0..left.len(), 0..right.len())];
    let size = left.len() + right.len() + 3;
    let (mut forward, mut backward) = (vec![0isize; size], vec![0isize; size]);
    while let Some((mut a, mut b)) = pending.pop() {
        while !a.is_empty() && !b.is_empty() && left.get(a.start) == right.get(b.start) {
            process.spend(1);
            a.start += 1;
            b.start += 1;
        }
        while !a.is_empty() && !b.is_empty() && left.get(a.end - 1) == right.get(b.end - 1) {
            process.spend(1);
            a.end -= 1;
            b.end -= 1;
        }
        if a.is_empty() {
            changed_right.get_mut(b).unwrap_or_default().fill(true);
        } else if b.is_empty() {
            changed_left.get_mut(a).unwrap_or_default().fill(true);
        } else {
            let (x, y) = middle(process, left, right, &a, &b, &mut forward, &mut backward);
            pending.push((x..a.end, y..b.end));
            pending.push((a.start..x, b.start..y));
        }
    }
}

/// A point on a shortest way from the beginning of both ranges to their end, or on a short one if the shortest is too far.
fn middle(
    process: &Process,
    left: &[u32],
    right: &[u32],
    a: &std::ops::Range<usize>,
    b: &std::ops::Range<usize>,
    forward: &mut [isize],
    backward: &mut [isize],
) -> (usize, usize) {
    let (a0, a1) = (a.start.cast_signed(), a.end.cast_signed());
    let (b0, b1) = (b.start.cast_signed(), b.end.cast_signed());
    // Diagonals are x - y; an offset makes them indices.
    let offset = right.len().cast_signed() + 1;
    let index = |diagonal: isize| (diagonal + offset).cast_unsigned();
    let (low, high) = (a0 - b1, a1 - b0);
    let (start, end) = (a0 - b0, a1 - b1);
    let is_odd = (start - end) & 1 != 0;
    let (mut f_low, mut f_high, mut b_low, mut b_high) = (start, start, end, end);
    let at = |place: isize| place.cast_unsigned();
    forward[index(start)] = a0;
    backward[index(end)] = a1;
    for cost in 1.. {
        // One step further from the beginning on each diagonal.
        if f_low > low {
            f_low -= 1;
            forward[index(f_low - 1)] = -1;
        } else {
            f_low += 1;
        }
        if f_high < high {
            f_high += 1;
            forward[index(f_high + 1)] = -1;
        } else {
            f_high -= 1;
        }
        let mut diagonal = f_high;
        while diagonal >= f_low {
            process.spend(1);
            let (below, above) = (forward[index(diagonal - 1)], forward[index(diagonal + 1)]);
            let mut x = if below < above { above } else { below + 1 };
            let mut y = x - diagonal;
            while x < a1 && y < b1 && left.get(at(x)) == right.get(at(y)) {
                process.spend(1);
                x += 1;
                y += 1;
            }
            forward[index(diagonal)] = x;
            if is_odd && b_low <= diagonal && diagonal <= b_high && backward[index(diagonal)] <= x {
                return (at(x), at(y));
            }
            diagonal -= 2;
        }
        // And from the end.
        if b_low > low {
            b_low -= 1;
            backward[index(b_low - 1)] = isize::MAX;
        } else {
            b_low += 1;
        }
        if b_high < high {
            b_high += 1;
            backward[index(b_high + 1)] = isize::MAX;
        } else {
            b_high -= 1;
        }
        let mut diagonal = b_high;
        while diagonal >= b_low {
            process.spend(1);
            let (below, above) = (backward[index(diagonal - 1)], backward[index(diagonal + 1)]);
            let mut x = if below < above { below } else { above - 1 };
            let mut y = x - diagonal;
            while a0 < x && b0 < y && left.get(at(x - 1)) == right.get(at(y - 1)) {
                process.spend(1);
                x -= 1;
                y -= 1;
            }
            backward[index(diagonal)] = x;
            if !is_odd && f_low <= diagonal && diagonal <= f_high && x <= forward[index(diagonal)] {
                return (at(x), at(y));
            }
            diagonal -= 2;
        }
        if cost >= MOST_COST {
            return furthest(forward, &index, f_low..=f_high, (a0, a1), (b0, b1));
        }
    }
    (a.start, b.start)
}

/// The point that came furthest from the beginning.
fn furthest(
    forward: &[isize],
    index: &impl Fn(isize) -> usize,
    diagonals: std::ops::RangeInclusive<isize>,
    (a0, a1): (isize, isize),
    (b0, b1): (isize, isize),
) -> (usize, usize) {
    let mut best = (a0, b0);
    for diagonal in diagonals.step_by(2) {
        let x = forward.get(index(diagonal)).copied().unwrap_or(a0).min(a1);
        let y = (x - diagonal).min(b1);
        let x = y + diagonal;
        if x >= a0 && y >= b0 && x + y > best.0 + best.1 {
            best = (x, y);
        }
    }
    (best.0.cast_unsigned(), best.1.cast_unsigned())
}

/// Moves runs of changed lines down as far as they go, and together, so that a change reads as a person would say it.
fn shift(process: &Process, lines: &[u32], changed: &mut [bool], other: &[bool]) {
    let (mut at, mut at_other) = (0, 0);
    let is = |flags: &[bool], at: usize| flags.get(at).copied().unwrap_or(false);
    loop {
        while at < lines.len() && !is(changed, at) {
            process.spend(1);
            while is(other, at_other) {
                at_other += 1;
            }
            at += 1;
            at_other += 1;
        }
        while is(other, at_other) {
            at_other += 1;
        }
        if at >= lines.len() {
            return;
        }
        let mut start = at;
        while is(changed, at) {
            at += 1;
        }
        loop {
            let length = at - start;
            // Up, joining the run before if there is one.
            while start > 0 && lines.get(start - 1) == lines.get(at - 1) {
                process.spend(1);
                start -= 1;
                at -= 1;
                changed[start] = true;
                changed[at] = false;
                while start > 0 && is(changed, start - 1) {
                    start -= 1;
                }
                at_other = at_other.saturating_sub(1);
                while at_other > 0 && is(other, at_other - 1) {
                    at_other -= 1;
                }
            }
            // Where a change of the other file is beside it.
            let mut corresponding = if at_other > 0 && is(other, at_other - 1) {
                at
            } else {
                lines.len()
            };
            // Down, joining runs that follow.
            while at < lines.len() && lines.get(start) == lines.get(at) {
                process.spend(1);
                changed[start] = false;
                changed[at] = true;
                start += 1;
                at += 1;
                while is(changed, at) {
                    at += 1;
                }
                at_other += 1;
                while is(other, at_other) {
                    corresponding = at;
                    at_other += 1;
                }
            }
            if length == at - start {
                // Back to where it stands beside a change of the other file.
                while corresponding < at {
                    process.spend(1);
                    start -= 1;
                    at -= 1;
                    changed[start] = true;
                    changed[at] = false;
                    at_other = at_other.saturating_sub(1);
                    while at_other > 0 && is(other, at_other - 1) {
                        at_other -= 1;
                    }
                }
                break;
            }
        }
    }
}

fn collect(changed_left: &[bool], changed_right: &[bool]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut left, mut right) = (0, 0);
    let is = |flags: &[bool], at: usize| flags.get(at).copied().unwrap_or(false);
    while left < changed_left.len() || right < changed_right.len() {
        let (from_left, from_right) = (left, right);
        while is(changed_left, left) {
            left += 1;
        }
        while is(changed_right, right) {
            right += 1;
        }
        if left > from_left || right > from_right {
            edits.push(Edit {
                left: from_left..left,
                right: from_right..right,
            });
        }
        left += 1;
        right += 1;
    }
    edits
}
