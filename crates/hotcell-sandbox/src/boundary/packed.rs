//! Lists of byte strings without NUL, as names and variables are: each is followed by one.

use bstr::BString;

/// Adds one.
pub(super) fn push(into: &mut Vec<u8>, bytes: &[u8]) {
    into.extend(bytes.iter().copied().filter(|byte| *byte != 0));
    into.push(0);
}

/// All of them.
pub(super) fn pack<B: AsRef<[u8]>>(all: impl IntoIterator<Item = B>) -> Vec<u8> {
    let mut packed = Vec::new();
    for one in all {
        push(&mut packed, one.as_ref());
    }
    packed
}

/// Takes them apart.
pub(super) fn unpack(packed: &[u8]) -> impl Iterator<Item = BString> + '_ {
    let packed = packed.strip_suffix(&[0]);
    let parts = packed.map(|packed| packed.split(|byte| *byte == 0));
    parts.into_iter().flatten().map(BString::from)
}
