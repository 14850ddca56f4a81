//! `l`: a line so that everything in it can be seen.

/// The line with escapes, broken so that no line is wider than `width`; 0 is any width. Each ends with `end`.
pub(super) fn unambiguous(text: &[u8], width: usize, end: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut column = 0;
    for byte in text {
        let mut place = [b'\\', 0, 0, 0];
        let shown: &[u8] = match byte {
            b'\\' => b"\\\\",
            7 => b"\\a",
            8 => b"\\b",
            12 => b"\\f",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            11 => b"\\v",
            b' '..=b'~' => &[*byte],
            byte => {
                place[1] = b'0' + (byte >> 6);
                place[2] = b'0' + (byte >> 3 & 7);
                place[3] = b'0' + (byte & 7);
                &place
            }
        };
        if width > 0 && column + shown.len() > width - 1 {
            out.extend_from_slice(&[b'\\', end]);
            column = 0;
        }
        out.extend_from_slice(shown);
        column += shown.len();
    }
    out.extend_from_slice(&[b'$', end]);
    out
}
