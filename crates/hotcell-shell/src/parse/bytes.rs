//! Which bytes end what.

/// A set of bytes.
pub(super) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(super) const fn new(members: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut index = 0;
        while index < members.len() {
            set[members[index] as usize] = true;
            index += 1;
        }
        Self(set)
    }

    /// All bytes but these.
    pub(super) const fn except(others: &[u8]) -> Self {
        let mut set = [true; 256];
        let mut index = 0;
        while index < others.len() {
            set[others[index] as usize] = false;
            index += 1;
        }
        Self(set)
    }

    #[inline]
    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a word that is not quoted ends here.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'
    )
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|&first| is_name_start(first))
        && text.iter().all(|&byte| is_name_byte(byte))
}
