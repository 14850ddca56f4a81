//! Where lines break: what costs least over the whole paragraph.

use hotcell_process::Process;

use super::{Style, Word};

/// The cost of a line.
const LINE: i64 = 70 * 70;
/// Off a line that begins after the end of a sentence.
const SENTENCE_BONUS: i64 = 50 * 50;
/// On a line that begins after a period that may not end a sentence.
const NO_BREAK: i64 = 600 * 600;
/// Off a line that begins with an opening bracket.
const OPENING_BONUS: i64 = 40 * 40;
/// Off a line that begins after punctuation.
const PUNCTUATION_BONUS: i64 = 40 * 40;
/// What later breaks are preferred by where a long paragraph is cut.
const CREDIT: i64 = 3 * 3;

/// A way on from a word that begins a line.
#[derive(Clone, Copy)]
struct Best {
    cost: i64,
    /// The word that begins the next line.
    next: usize,
    /// How long the line is.
    length: usize,
}

/// The breaks of a paragraph.
pub(super) struct Layout(Vec<Best>);

/// What lines are indented by, and how long the last one before this paragraph is, if it goes on.
#[derive(Clone, Copy)]
pub(super) struct Margins {
    pub(super) first: usize,
    pub(super) other: usize,
    pub(super) last_length: usize,
}

impl Layout {
    pub(super) fn new(process: &Process, words: &[Word], margins: Margins, style: &Style) -> Self {
        let end = words.len();
        let nothing = Best {
            cost: 0,
            next: end,
            length: 0,
        };
        let mut best = vec![nothing; end + 1];
        for start in (0..end).rev() {
            let mut found = Best {
                cost: i64::MAX,
                ..nothing
            };
            let margin = if start == 0 {
                margins.first
            } else {
                margins.other
            };
            let mut length = margin + length_of(words, start);
            let mut next = start;
            loop {
                process.spend(1);
                next += 1;
                let after = best.get(next).copied().unwrap_or(nothing);
                let mut cost = if next == end {
                    0
                } else {
                    line_cost(length, after, end, style)
                };
                cost = cost.saturating_add(after.cost);
                if start == 0 && margins.last_length > 0 {
                    cost = cost.saturating_add(ragged(length, margins.last_length));
                }
                if cost < found.cost {
                    found = Best { cost, next, length };
                }
                if next == end {
                    break;
                }
                let space = words.get(next - 1).map_or(0, |word| word.space);
                length += space + length_of(words, next);
                if length >= style.width {
                    break;
                }
            }
            found.cost = found.cost.saturating_add(base_cost(words, start));
            if let Some(place) = best.get_mut(start) {
                *place = found;
            }
        }
        Self(best)
    }

    /// The word that begins the line after the one that begins with this word.
    pub(super) fn next(&self, word: usize) -> usize {
        let end = self.0.len() - 1;
        self.0.get(word).map_or(end, |best| best.next).max(word + 1)
    }

    /// Where a paragraph that is too long to be kept is cut: at the best break that is not far from its end.
    pub(super) fn cut(&self) -> usize {
        let end = self.0.len() - 1;
        let cost = |word: usize| self.0.get(word).map_or(0, |best| best.cost);
        let (mut cut, mut least) = (end, i64::MAX);
        let mut word = self.next(0);
        while word < end {
            let own = cost(word) - cost(self.next(word));
            if own < least {
                (cut, least) = (word, own);
            }
            least = least.checked_add(CREDIT).unwrap_or(least);
            word = self.next(word);
        }
        cut
    }
}

fn length_of(words: &[Word], word: usize) -> usize {
    words.get(word).map_or(0, |word| word.text.len())
}

/// What it costs that a line is not as long as it should be, and not as long as the next one.
fn line_cost(length: usize, after: Best, end: usize, style: &Style) -> i64 {
    let cost = short(style.goal, length);
    if after.next == end {
        return cost;
    }
    cost.saturating_add(ragged(length, after.length))
}

fn short(goal: usize, length: usize) -> i64 {
    let off = i64::try_from(goal.abs_diff(length)).unwrap_or(i64::MAX);
    let tenfold = off.saturating_mul(10);
    tenfold.saturating_mul(tenfold)
}

fn ragged(one: usize, other: usize) -> i64 {
    short(one, other) / 2
}

/// What it costs to begin a line with this word.
fn base_cost(words: &[Word], start: usize) -> i64 {
    let by_length = |cost: i64, word: &Word| {
        cost / (i64::try_from(word.text.len())
            .unwrap_or(i64::MAX)
            .saturating_add(2))
    };
    let before = |distance: usize| start.checked_sub(distance).and_then(|at| words.get(at));
    let mut cost = LINE;
    if let Some(last) = before(1) {
        if last.has_period {
            cost += if last.is_final {
                -SENTENCE_BONUS
            } else {
                NO_BREAK
            };
        } else if last.has_punctuation {
            cost -= PUNCTUATION_BONUS;
        } else if before(2).is_some_and(|word| word.is_final) {
            // The first word of a sentence alone at the end of a line.
            cost += by_length(200 * 200, last);
        }
    }
    match words.get(start) {
        Some(word) if word.opens => cost - OPENING_BONUS,
        // The last word of a sentence alone at the start of a line.
        Some(word) if word.is_final => cost + by_length(150 * 150, word),
        _ => cost,
    }
}
