//! A hunk: where it belongs, and what it wants there.

use bstr::BStr;

/// A line of a hunk. Its text has its newline, unless the patch says that there is none.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// ` `, `-` or `+`.
    pub(super) sign: u8,
    pub(super) text: &'t [u8],
}

#[derive(Clone)]
pub(super) struct Hunk<'t> {
    /// The line of the patch that it begins at.
    pub(super) at: usize,
    /// The first line it replaces. If it replaces none, the one it goes before.
    pub(super) first: usize,
    pub(super) new_first: usize,
    pub(super) lines: Vec<Line<'t>>,
    /// What stands behind `@@`: the name of a function.
    pub(super) function: &'t BStr,
}

impl<'t> Hunk<'t> {
    /// The lines that it expects.
    pub(super) fn old(&self) -> impl Iterator<Item = &'t [u8]> + '_ {
        self.lines
            .iter()
            .filter(|line| line.sign != b'+')
            .map(|line| line.text)
    }

    /// The lines that it leaves.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &'t [u8]> + '_ {
        self.lines
            .iter()
            .filter(|line| line.sign != b'-')
            .map(|line| line.text)
    }

    /// How many lines of context it begins and ends with.
    pub(super) fn context(&self) -> (usize, usize) {
        let is_context = |line: &&Line<'_>| line.sign == b' ';
        (
            self.lines.iter().take_while(is_context).count(),
            self.lines.iter().rev().take_while(is_context).count(),
        )
    }

    /// The same hunk the other way round.
    pub(super) fn reversed(&self) -> Self {
        let turned = self.lines.iter().map(|line| Line {
            sign: match line.sign {
                b'-' => b'+',
                b'+' => b'-',
                sign => sign,
            },
            text: line.text,
        });
        // What is removed stands before what is added.
        let mut lines: Vec<Line<'t>> = Vec::with_capacity(self.lines.len());
        let mut added = Vec::new();
        for line in turned {
            match line.sign {
                b'+' => added.push(line),
                b'-' => lines.push(line),
                _ => {
                    lines.append(&mut added);
                    lines.push(line);
                }
            }
        }
        lines.append(&mut added);
        Self {
            at: self.at,
            first: self.new_first,
            new_first: self.first,
            lines,
            function: self.function,
        }
    }
}
