//! Names beside each other.

use std::io::{self, Write};

use hotcell_process::{Output, Process};

use super::{
    entry::Entry,
    options::{Format, Options},
};

pub(super) fn print(
    process: &Process,
    out: &mut Output<'_>,
    entries: &[Entry],
    options: &Options,
) -> io::Result<()> {
    let wide = |number: fn(&Entry, &Options) -> String| {
        entries
            .iter()
            .map(|entry| number(entry, options).len())
            .max()
            .unwrap_or(0)
    };
    let inode = |entry: &Entry, _: &Options| entry.meta.ino.to_string();
    let size = |entry: &Entry, options: &Options| options.size(entry.blocks() * 1024, true);
    let (inode_width, size_width) = (wide(inode), wide(size));
    let mut cells: Vec<(Vec<u8>, usize)> = Vec::new();
    for entry in entries {
        process.spend(16);
        let mut before = String::new();
        if options.inodes {
            let width = if options.format == Format::Commas {
                0
            } else {
                inode_width
            };
            before.push_str(&format!("{:>width$} ", inode(entry, options)));
        }
        if options.sizes {
            let width = if options.format == Format::Commas {
                0
            } else {
                size_width
            };
            before.push_str(&format!("{:>width$} ", size(entry, options)));
        }
        let (name, width) = options.style.name(entry);
        let width = width + before.len();
        let mut cell = before.into_bytes();
        cell.extend_from_slice(&name);
        cells.push((cell, width));
    }
    match options.format {
        Format::Commas => commas(out, &cells, options.width),
        Format::Columns => grid(process, out, &cells, options, true),
        Format::Across => grid(process, out, &cells, options, false),
        _ => cells.iter().try_for_each(|(cell, _)| {
            out.write_all(cell)?;
            out.write_all(&[options.end])
        }),
    }
}

fn commas(out: &mut Output<'_>, cells: &[(Vec<u8>, usize)], width: usize) -> io::Result<()> {
    let mut column = 0usize;
    for (at, (cell, cell_width)) in cells.iter().enumerate() {
        if at > 0 {
            if column.saturating_add(2 + cell_width) < width {
                out.write_all(b", ")?;
                column += 2;
            } else {
                out.write_all(b",\n")?;
                column = 0;
            }
        }
        out.write_all(cell)?;
        column += cell_width;
    }
    if cells.is_empty() {
        Ok(())
    } else {
        out.write_all(b"\n")
    }
}

/// Blanks between columns.
const GAP: usize = 2;

/// No line has more columns: nobody has such a screen.
const MOST_COLUMNS: usize = 512;

fn grid(
    process: &Process,
    out: &mut Output<'_>,
    cells: &[(Vec<u8>, usize)],
    options: &Options,
    down: bool,
) -> io::Result<()> {
    let width = options.width;
    if cells.is_empty() {
        return Ok(());
    }
    let most = cells.len().min(width / (GAP + 1)).clamp(1, MOST_COLUMNS);
    let place =
        |at: usize, columns: usize, rows: usize| if down { at / rows } else { at % columns };
    let mut chosen = (1, vec![0]);
    for columns in (1..=most).rev() {
        let rows = cells.len().div_ceil(columns);
        let mut widths = vec![0; columns];
        for (at, (_, cell)) in cells.iter().enumerate() {
            process.spend(1);
            if let Some(widest) = widths.get_mut(place(at, columns, rows)) {
                *widest = (*widest).max(*cell);
            }
        }
        let total: usize = widths.iter().sum::<usize>() + GAP * (columns - 1);
        if columns == 1 || total < width {
            chosen = (columns, widths);
            break;
        }
    }
    let (columns, widths) = chosen;
    let rows = cells.len().div_ceil(columns);
    for row in 0..rows {
        let mut begin = 0;
        for (column, widest) in widths.iter().enumerate() {
            let at = if down {
                column * rows + row
            } else {
                row * columns + column
            };
            let Some((cell, width)) = cells.get(at) else {
                continue;
            };
            out.write_all(cell)?;
            let next = if down {
                (column + 1) * rows + row
            } else {
                at + 1
            };
            let is_last = column + 1 == columns || next >= cells.len();
            if !is_last {
                fill(out, begin + width, begin + widest + GAP, options.tab)?;
            }
            begin += widest + GAP;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Goes from one column to another, with tabs where they lead there.
fn fill(out: &mut Output<'_>, mut from: usize, to: usize, tab: usize) -> io::Result<()> {
    while from < to {
        if tab > 0 && to / tab > (from + 1) / tab {
            out.write_all(b"\t")?;
            from += tab - from % tab;
        } else {
            out.write_all(b" ")?;
            from += 1;
        }
    }
    Ok(())
}
