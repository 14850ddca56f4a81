//! Where a regular expression ends, if a slash starts one.

/// The places that searches for the end of a regular expression have passed.
///
/// Whether a slash that could start a regular expression does is only known when its end is found, so that a line of
/// slashes without an end would be read again from each of them. A search that comes to where another one was, in the same
/// state, ends as that one did: in vain, as the code goes on behind a regular expression that was found. So no byte is
/// read more than once in each of the two states.
#[derive(Debug, Default)]
pub(crate) struct Searches {
    /// For every byte of the code the states in which it was passed. Empty until there is a search.
    passed: Vec<u8>,
}

/// Where a search is: a slash ends the regular expression, or it is one of the characters of a class.
const OUTSIDE: u8 = 1;
const IN_CLASS: u8 = 2;

impl Searches {
    /// The end of the regular expression whose opening slash is at `start`, if it has one before the end of the line.
    /// What comes before an end that was found must not be asked for again.
    pub(crate) fn regex_end(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        self.passed.resize(bytes.len(), 0);
        let mut at = start + 1;
        let mut state = OUTSIDE;
        loop {
            let byte = bytes.get(at)?;
            let passed = self.passed.get_mut(at)?;
            if *passed & state != 0 {
                return None;
            }
            *passed |= state;
            match byte {
                b'\n' | b'\r' => return None,
                b'\\' => at += 1,
                b'[' => state = IN_CLASS,
                b']' => state = OUTSIDE,
                b'/' if state == OUTSIDE => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
    }
}
