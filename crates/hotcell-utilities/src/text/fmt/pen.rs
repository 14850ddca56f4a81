//! Writing lines.

use std::io::{self, Write};

use hotcell_process::Output;

/// How far apart tabs are.
pub(super) const TAB: usize = 8;

/// Where the output is.
#[derive(Default)]
pub(super) struct Pen {
    pub(super) column: usize,
    /// Blanks are written as tabs where they fit, because the input had some.
    pub(super) uses_tabs: bool,
}

impl Pen {
    /// Moves on by as many columns.
    pub(super) fn space(&mut self, columns: usize, out: &mut Output<'_>) -> io::Result<()> {
        let target = self.column + columns;
        if self.uses_tabs {
            let last_tab = target / TAB * TAB;
            if self.column + 1 < last_tab {
                while self.column < last_tab {
                    out.write_all(b"\t")?;
                    self.column = (self.column / TAB + 1) * TAB;
                }
            }
        }
        while self.column < target {
            out.write_all(b" ")?;
            self.column += 1;
        }
        Ok(())
    }

    pub(super) fn text(&mut self, text: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        self.column += text.len();
        out.write_all(text)
    }
}
