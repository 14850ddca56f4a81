//! Where the regular expressions of a text end, if its slashes start any.

/// The ends of all regular expressions that the slashes of a text could start.
///
/// Whether a slash starts one is only known when its end is found, so that a line of slashes without an end would be read
/// again from each of them. Read backwards, one pass knows for every place where a regular expression goes on to from it.
#[derive(Debug)]
pub(super) struct RegexEnds {
    /// Offsets of a slash and behind the end of what it could start, from the last to the first.
    ends: Vec<(usize, usize)>,
}

impl RegexEnds {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut ends = Vec::new();
        // Where a regular expression ends that goes on from the byte after the one looked at, and from the one after that:
        // each if a slash would end it, and if it is in a class of characters.
        let (mut outside, mut in_class) = (None, None);
        let (mut outside_after, mut in_class_after) = (None, None);
        for (at, &byte) in bytes.iter().enumerate().rev() {
            if let (b'/', Some(end)) = (byte, outside) {
                ends.push((at, end));
            }
            let here = match byte {
                // Nothing that is escaped means anything, and a line cannot be.
                b'\\' if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                    (outside_after, in_class_after)
                }
                b'\n' | b'\r' | b'\\' => (None, None),
                b'[' => (in_class, in_class),
                b']' => (outside, outside),
                b'/' => (Some(at + 1), in_class),
                _ => (outside, in_class),
            };
            (outside_after, in_class_after) = (outside, in_class);
            (outside, in_class) = here;
        }
        Self { ends }
    }

    /// Behind the end of the regular expression whose opening slash is at `start`, if it can have one on its line.
    pub(super) fn end(&self, start: usize) -> Option<usize> {
        let found = self
            .ends
            .binary_search_by(|(slash, _)| start.cmp(slash))
            .ok()?;
        self.ends.get(found).map(|&(_, end)| end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, read forwards.
    fn end(bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start + 1;
        let mut class = false;
        loop {
            match bytes.get(at)? {
                b'\n' | b'\r' => return None,
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some(at + 1),
                _ => {}
            }
            if matches!(bytes.get(at)?, b'\n' | b'\r') {
                return None;
            }
            at += 1;
        }
    }

    #[test]
    fn the_end_is_the_same_read_forwards_and_backwards() {
        let alphabet = b"/[]\\\na";
        for number in 0..alphabet.len().pow(6) {
            let text: Vec<u8> = (0..6)
                .map(|digit| alphabet[number / alphabet.len().pow(digit) % alphabet.len()])
                .collect();
            let ends = RegexEnds::new(&text);
            for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
                assert_eq!(ends.end(at), end(&text, at), "{at} of {text:?}");
            }
        }
    }
}
