//! Hunks that do not fit, as the patch had them.

use std::io::Write;

use super::{
    header::Header,
    hunk::{Hunk, Line},
    options::Form,
};

/// The names above rejected hunks.
pub(super) fn header(
    out: &mut Vec<u8>,
    form: Form,
    names: [Option<&[u8]>; 2],
    header: &Header<'_>,
    reversed: bool,
) {
    let times =
        [&header.old, &header.new].map(|side| side.as_ref().map_or(&b""[..], |named| named.time));
    let order = if reversed { [1, 0] } else { [0, 1] };
    let signs: [&[u8]; 2] = if form == Form::Unified {
        [b"--- ", b"+++ "]
    } else {
        [b"*** ", b"--- "]
    };
    for (sign, side) in signs.into_iter().zip(order) {
        out.extend_from_slice(sign);
        let name = names.get(side).copied().flatten();
        out.extend_from_slice(name.unwrap_or(b"/dev/null"));
        out.extend_from_slice(times.get(side).copied().unwrap_or_default());
        out.push(b'\n');
    }
}

pub(super) fn hunk(out: &mut Vec<u8>, form: Form, source: Form, hunk: &Hunk<'_>, offset: i64) {
    let number = |first: usize| i64::try_from(first).unwrap_or_default() + offset;
    let counts = (hunk.old().count(), hunk.new_lines().count());
    let (first, new_first) = (number(hunk.first), number(hunk.new_first));
    if form == Form::Unified {
        let range = |first: i64, count: usize| match count {
            0 => format!("{},0", first - 1),
            1 => first.to_string(),
            _ => format!("{first},{count}"),
        };
        let (old, new) = (range(first, counts.0), range(new_first, counts.1));
        let _ = writeln!(out, "@@ -{old} +{new} @@{}", hunk.function);
        for line in &hunk.lines {
            out.push(line.sign);
            text(out, line.text);
        }
        return;
    }
    let range = |first: i64, count: usize| match count {
        0 => (first - 1).to_string(),
        1 => first.to_string(),
        _ => format!(
            "{first},{}",
            first + i64::try_from(count).unwrap_or_default() - 1
        ),
    };
    // Older forms of differences had no stars here, and a dash more.
    let (stars, dashes) = if source == Form::Normal {
        ("", " -----")
    } else {
        (" ****", " ----")
    };
    let _ = writeln!(out, "***************{}", hunk.function);
    let _ = writeln!(out, "*** {}{stars}", range(first, counts.0));
    let marked = if source == Form::Normal {
        vec![false; hunk.lines.len()]
    } else {
        changed(&hunk.lines)
    };
    side(out, &hunk.lines, &marked, b'+');
    let _ = writeln!(out, "--- {}{dashes}", range(new_first, counts.1));
    side(out, &hunk.lines, &marked, b'-');
}

/// One side of a context difference: everything without this sign.
fn side(out: &mut Vec<u8>, lines: &[Line<'_>], changed: &[bool], without: u8) {
    for (line, changed) in lines.iter().zip(changed) {
        if line.sign != without {
            out.push(if *changed { b'!' } else { line.sign });
            out.push(b' ');
            text(out, line.text);
        }
    }
}

/// Which lines are in a block that both removes and adds.
fn changed(lines: &[Line<'_>]) -> Vec<bool> {
    let mut changed = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|one, other| (one.sign == b' ') == (other.sign == b' ')) {
        let has = |sign: u8| block.iter().any(|line| line.sign == sign);
        let both = has(b'-') && has(b'+');
        changed.extend(block.iter().map(|_| both));
    }
    changed
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(text);
    if !text.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}
