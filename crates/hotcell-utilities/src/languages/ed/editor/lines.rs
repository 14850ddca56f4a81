//! Changing lines.

use super::{Addresses, Editor, Line, Result, mistake};

impl Editor<'_> {
    /// Copies of lines that are lines of their own.
    pub(super) fn fresh(&mut self, lines: Vec<Line>) -> Result<Vec<Line>> {
        lines
            .into_iter()
            .map(|line| Ok(self.buffer.line(line.text.bytes.clone())?))
            .collect()
    }

    pub(super) fn delete(&mut self, first: usize, last: usize, keeps: bool) {
        self.process.spend(self.buffer.last() / 16);
        let removed = self.buffer.remove(first, last);
        if keeps {
            self.cut = removed;
        }
        self.buffer.set_current(first.min(self.buffer.last()));
    }

    /// `a`, `i` and `c`: lines up to a point.
    pub(super) fn add(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        let after = match command {
            b'a' => addresses.last,
            b'i' => addresses.last.saturating_sub(1),
            _ => {
                self.check(addresses, false)?;
                addresses.first - 1
            }
        };
        let print = self.suffix()?;
        self.checkpoint();
        if command == b'c' {
            self.delete(addresses.first, addresses.last, true);
            // Without new lines the line behind the old ones is the current one.
            self.buffer.set_current((after + 1).min(self.buffer.last()));
        }
        let mut after = after;
        let is_in_global = self.commands.is_some();
        loop {
            let Some(mut line) = self.next_line()? else {
                break;
            };
            // In a global command each line but the last ends with a backslash, which was taken off.
            if line == b"." {
                break;
            }
            if is_in_global && line.ends_with(b"\\") {
                line.pop();
            }
            if line == b"." {
                break;
            }
            let line = self.buffer.line(line)?;
            self.process.spend(self.buffer.last() / 16);
            self.buffer.insert(after, vec![line]);
            after += 1;
        }
        self.print_current(print)
    }

    pub(super) fn join(&mut self, addresses: Addresses) -> Result<()> {
        let current = self.buffer.current();
        let addresses = if addresses.count > 0 {
            addresses
        } else {
            Addresses {
                first: current,
                last: current + 1,
                count: 0,
            }
        };
        self.check(addresses, false)?;
        let print = self.suffix()?;
        if addresses.first < addresses.last {
            self.checkpoint();
            let mut joined = Vec::new();
            for number in addresses.first..=addresses.last {
                joined.extend_from_slice(&self.buffer.text(number).bytes);
            }
            let line = self.buffer.line(joined)?;
            self.delete(addresses.first, addresses.last, true);
            self.buffer.insert(addresses.first - 1, vec![line]);
        }
        self.print_current(print)
    }

    /// `m` and `t`: to behind another line.
    pub(super) fn transfer(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        self.check(addresses, false)?;
        let to = self.addresses()?;
        let target = if to.count > 0 {
            to.last
        } else {
            self.buffer.current()
        };
        let print = self.suffix()?;
        let (first, last) = (addresses.first, addresses.last);
        if command == b't' {
            self.checkpoint();
            let copies = self.buffer.copies(first, last);
            let copies = self.fresh(copies)?;
            self.buffer.insert(target, copies);
        } else {
            if (first..last).contains(&target) {
                return Err(mistake("Invalid destination"));
            }
            self.checkpoint();
            self.process.spend(self.buffer.last() / 16);
            let moved = self.buffer.remove(first, last);
            let count = last - first + 1;
            let target = if target >= last {
                target - count
            } else {
                target
            };
            self.buffer.put_back(target, moved);
        }
        self.print_current(print)
    }

    pub(in crate::languages::ed) fn replace_line(&mut self, number: usize, lines: Vec<Line>) {
        let count = lines.len();
        self.process.spend(self.buffer.last() / 16);
        self.buffer.remove(number, number);
        self.buffer.insert(number - 1, lines);
        self.buffer.set_current(number - 1 + count);
    }
}
