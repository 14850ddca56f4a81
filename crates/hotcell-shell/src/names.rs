//! What may be the name of a variable.

/// Whether it is a letter or an underscore, then letters, digits and underscores.
pub(crate) fn is_name(text: &[u8]) -> bool {
    let Some((first, rest)) = text.split_first() else {
        return false;
    };
    (first.is_ascii_alphabetic() || *first == b'_')
        && rest
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
