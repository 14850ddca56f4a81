//! Two columns.

use std::io::{self, Write};

use hotcell_process::Output;

use super::{
    compare::{put_expanded, put_spaces},
    edits::Edit,
    print::Printer,
};

pub(super) fn print(printer: &mut Printer<'_, '_>, edits: &[Edit]) -> io::Result<()> {
    let width = printer.options.width;
    let tab = printer.options.tab;
    // As GNU computes it: columns of the same width, with room for a gutter, at tab stops.
    let t = if printer.options.expands_tabs { 1 } else { tab };
    let off = (width + t + 3) / (2 * t) * t;
    let half = off.saturating_sub(3).min(width.saturating_sub(off));
    let second = if half == 0 { width } else { off };
    let columns = Columns { half, second };
    let (mut left, mut right) = (0, 0);
    for edit in edits {
        for (left, right) in (left..edit.left.start).zip(right..) {
            common(printer, &columns, left, right)?;
        }
        let both = edit.left.len().min(edit.right.len());
        for at in 0..both {
            let (left, right) = (edit.left.start + at, edit.right.start + at);
            let mark = change_mark(printer, left, right);
            row(printer, &columns, Some(left), mark, Some(right))?;
        }
        for at in edit.left.start + both..edit.left.end {
            row(printer, &columns, Some(at), b'<', None)?;
        }
        for at in edit.right.start + both..edit.right.end {
            row(printer, &columns, None, b'>', Some(at))?;
        }
        (left, right) = (edit.left.end, edit.right.end);
    }
    for (left, right) in (left..printer.texts[0].lines.len()).zip(right..) {
        common(printer, &columns, left, right)?;
    }
    Ok(())
}

/// Tells which of two changed lines lacks its newline.
fn change_mark(printer: &Printer<'_, '_>, left: usize, right: usize) -> u8 {
    let is_cut = |side: usize, at: usize| {
        let text = printer.texts.get(side);
        text.is_some_and(|text| text.is_cut && at + 1 == text.lines.len())
    };
    match (is_cut(0, left), is_cut(1, right)) {
        (true, false) => b'\\',
        (false, true) => b'/',
        _ => b'|',
    }
}

struct Columns {
    half: usize,
    second: usize,
}

fn common(
    printer: &mut Printer<'_, '_>,
    columns: &Columns,
    left: usize,
    right: usize,
) -> io::Result<()> {
    if printer.options.suppresses_common {
        return Ok(());
    }
    if printer.options.left_column {
        return row(printer, columns, Some(left), b'(', None);
    }
    row(printer, columns, Some(left), b' ', Some(right))
}

fn row(
    printer: &mut Printer<'_, '_>,
    columns: &Columns,
    left: Option<usize>,
    mark: u8,
    right: Option<usize>,
) -> io::Result<()> {
    printer.process.spend(16);
    let texts = printer.texts;
    let line = |side: usize, at: Option<usize>| -> &[u8] {
        texts
            .get(side)
            .and_then(|text| text.lines.get(at?).copied())
            .unwrap_or_default()
    };
    let (one, other) = (line(0, left), line(1, right));
    let tab = printer.options.tab;
    let out = &mut *printer.out;
    let mut column = put_expanded(out, one, tab, columns.half)?;
    let expands_tabs = printer.options.expands_tabs;
    let to = |column: &mut usize, target: usize, out: &mut Output<'_>| {
        while *column < target {
            let next = (*column / tab + 1).saturating_mul(tab);
            if !expands_tabs && next <= target {
                out.write_all(b"\t")?;
                *column = next;
            } else {
                let next = next.min(target);
                put_spaces(out, next - *column)?;
                *column = next;
            }
        }
        io::Result::Ok(())
    };
    if mark != b' ' {
        to(&mut column, (columns.half + columns.second - 1) / 2, out)?;
        out.write_all(&[mark])?;
        column += 1;
    }
    if right.is_some() && !other.is_empty() && columns.half > 0 {
        to(&mut column, columns.second, out)?;
        put_expanded(out, other, tab, columns.half)?;
    }
    out.write_all(b"\n")
}
