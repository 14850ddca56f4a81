//! Finding where a hunk fits.

use hotcell_process::Process;

use super::hunk::Hunk;
use crate::list::List;

/// The file being patched, and how far it was gone through.
pub(super) struct Place<'t> {
    pub(super) input: List<&'t [u8]>,
    /// Lines before this one are settled, from 1.
    pub(super) frozen: usize,
    /// By how much hunks were found away from where they said.
    pub(super) offset: i64,
    pub(super) ignores_space: bool,
}

impl Place<'_> {
    /// The first line that the hunk replaces, from 1, if so much context may differ.
    pub(super) fn locate(
        &mut self,
        process: &Process,
        hunk: &Hunk<'_>,
        fuzz: usize,
    ) -> Option<usize> {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
        let old: Vec<&[u8]> = hunk.old().collect();
        process.spend(old.len() + 1);
        let guess = number(hunk.first) + self.offset;
        if old.is_empty() {
            return usize::try_from(guess).ok();
        }
        let (before, after) = hunk.context();
        let context = number(before.max(after));
        let mut skips_before = number(fuzz) + number(before) - context;
        let skips_after = number(fuzz) + number(after) - context;
        let length = number(old.len());
        let lines = number(self.input.len());
        let most_up = lines - (length - skips_after) + 1 - guess;
        let most_down = (guess - (number(self.frozen) + 1)).min(guess - 1);
        let fits = |place: &Self, at: i64, before: i64, after: i64| {
            place.fits(process, &old, at, before.max(0), after.max(0))
        };
        if skips_before < 0 && hunk.first <= 1 {
            // Fewer lines before than after: only the beginning of the file.
            if skips_after < 0 && length != lines {
                return None;
            }
            let offset = 1 - guess;
            let is_free = self.frozen <= before && offset <= most_up;
            return (is_free && fits(self, 1, 0, skips_after)).then(|| {
                self.offset += offset;
                1
            });
        }
        skips_before = skips_before.max(0);
        if skips_after < 0 {
            // Fewer lines after than before: only the end of the file.
            let offset = guess - (lines - length + 1);
            let found = offset <= most_down && fits(self, guess - offset, skips_before, 0);
            return found.then(|| {
                self.offset -= offset;
                usize::try_from(guess - offset).unwrap_or_default()
            });
        }
        for offset in 0..=most_up.max(most_down).max(-1) {
            let up = offset <= most_up && fits(self, guess + offset, skips_before, skips_after);
            let down = !up
                && 0 < offset
                && offset <= most_down
                && fits(self, guess - offset, skips_before, skips_after);
            if up || down {
                let offset = if up { offset } else { -offset };
                self.offset += offset;
                return usize::try_from(guess + offset).ok();
            }
        }
        None
    }

    /// Whether the lines are there, but for some at either end.
    fn fits(&self, process: &Process, old: &[&[u8]], at: i64, before: i64, after: i64) -> bool {
        let (Ok(before), Ok(after)) = (usize::try_from(before), usize::try_from(after)) else {
            return false;
        };
        let Some(start) = usize::try_from(at - 1).ok().map(|start| start + before) else {
            return false;
        };
        let wanted = old
            .get(before..old.len().saturating_sub(after))
            .unwrap_or_default();
        let Some(there) = self.input.get(start..start + wanted.len()) else {
            return false;
        };
        process.spend(1);
        wanted.iter().zip(there).all(|(wanted, there)| {
            process.spend(wanted.len() / 64 + 1);
            wanted == there || self.ignores_space && is_similar(wanted, there)
        })
    }
}

/// Whether two lines are the same but for how much white space there is.
fn is_similar(one: &[u8], other: &[u8]) -> bool {
    let words = |text: &'_ [u8]| -> Vec<u8> {
        let mut plain = Vec::with_capacity(text.len());
        for byte in text {
            if !byte.is_ascii_whitespace() {
                plain.push(*byte);
            } else if plain.last() != Some(&b' ') {
                plain.push(b' ');
            }
        }
        if plain.last() == Some(&b' ') {
            plain.pop();
        }
        plain
    };
    words(one) == words(other)
}
