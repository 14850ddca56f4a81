//! A few lines of code around an error, with a caret under it.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use crate::diagnostic::Location;
use crate::lines::LineIndex;

/// Lines shown before and after the one that is pointed at.
const CONTEXT: u32 = 3;

/// Columns shown at most, so that minified code does not flood whoever reads the error.
const WIDTH: usize = 120;

/// What stands at a place, up to the end of its line.
///
/// ```
/// use hotcell_prepare::{Location, code_at};
///
/// assert_eq!(code_at("let a;\na.b = 1;", Location { line: 2, column: 3 }), "b = 1;");
/// ```
pub fn code_at(source: &str, location: Location) -> &str {
    let line = source
        .lines()
        .nth((location.line as usize).saturating_sub(1));
    let line = line.unwrap_or_default();
    let skipped = (location.column as usize).saturating_sub(1);
    let offset = line.char_indices().nth(skipped).map(|(offset, _)| offset);
    offset
        .and_then(|offset| line.get(offset..))
        .unwrap_or_default()
}

/// Renders the lines around `location`, with line numbers and a caret under the column.
///
/// A place outside the source gives the nearest line; an empty source an empty string. Tabs are shown as they are, and the
/// caret's line repeats them, so that the caret stands under its column whatever the width of a tab.
///
/// ```
/// use hotcell_prepare::{Location, code_frame};
///
/// let frame = code_frame("let a = 1;\nlet b = a +;\nlet c;", Location { line: 2, column: 12 });
/// assert_eq!(
///     frame,
///     "  1 | let a = 1;\n> 2 | let b = a +;\n    |            ^\n  3 | let c;"
/// );
/// ```
pub fn code_frame(source: &str, location: Location) -> String {
    let index = LineIndex::new(source);
    let target = location.line.clamp(1, index.lines());
    let first = target.saturating_sub(CONTEXT).max(1);
    let last = target.saturating_add(CONTEXT).min(index.lines());
    let digits = last.to_string().len();
    let skip = shown_from(location.column);

    let mut frame = String::new();
    if source.is_empty() {
        return frame;
    }
    for line in first..=last {
        let text = index.line(line).unwrap_or("");
        let marker = if line == target { '>' } else { ' ' };
        if !frame.is_empty() {
            frame.push('\n');
        }
        let shown: String = text.chars().skip(skip).take(WIDTH).collect();
        // Writing to a string cannot fail.
        let _ = write!(frame, "{marker} {line:>digits$} | {shown}");
        while frame.ends_with(' ') {
            frame.pop();
        }
        if line == target {
            let _ = write!(
                frame,
                "\n  {:digits$} | {}^",
                "",
                padding(text, location.column, skip)
            );
        }
    }
    frame
}

/// How many characters at the start of each line are left out to bring the column into view.
fn shown_from(column: u32) -> usize {
    let column = usize::try_from(column).unwrap_or(usize::MAX);
    if column <= WIDTH {
        0
    } else {
        column - WIDTH / 2
    }
}

fn padding(line: &str, column: u32, skip: usize) -> String {
    let before = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut units = 0;
    let mut padding = String::new();
    for (position, c) in line.chars().enumerate() {
        if units >= before || padding.len() >= 2 * WIDTH {
            break;
        }
        units += c.len_utf16();
        if position >= skip {
            match c {
                '\t' => padding.push('\t'),
                c => padding.extend(std::iter::repeat_n(' ', c.width().unwrap_or(0))),
            }
        }
    }
    padding
}
