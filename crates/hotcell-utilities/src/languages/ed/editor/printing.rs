//! Printing lines.

use std::io::Write;

use super::{Addresses, Editor, Print, Result, mistake};

impl Editor<'_> {
    pub(in crate::languages::ed) fn print_current(&mut self, print: Print) -> Result<()> {
        if !print.is_wanted() {
            return Ok(());
        }
        let current = self.buffer.current();
        if current == 0 {
            return Err(mistake("Invalid address"));
        }
        self.print(current, current, print)
    }

    pub(super) fn print(&mut self, first: usize, last: usize, print: Print) -> Result<()> {
        for number in first..=last {
            let text = self.buffer.text(number);
            if print.is_numbered {
                write!(self.out, "{number}\t")?;
            }
            if print.is_listed {
                self.out.write_all(&listed(&text.bytes))?;
            } else {
                self.out.write_all(&text.bytes)?;
                self.out.write_all(b"\n")?;
            }
            self.buffer.set_current(number);
        }
        Ok(())
    }

    pub(super) fn scroll(&mut self, addresses: Addresses) -> Result<()> {
        let first = if addresses.count > 0 {
            addresses.last
        } else {
            self.buffer.current() + usize::from(!self.is_global)
        };
        let line = Addresses {
            first,
            last: first,
            count: 1,
        };
        self.check(line, false)?;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let window = usize::try_from(self.number()?).unwrap_or(usize::MAX);
            self.window = window.max(1);
        }
        let mut print = self.suffix()?;
        print.is_plain = true;
        let last = first
            .saturating_add(self.window - 1)
            .min(self.buffer.last());
        self.print(first, last, print)
    }
}

/// A line so that everything in it can be seen.
fn listed(text: &[u8]) -> Vec<u8> {
    const WIDTH: usize = 72;
    let mut out = Vec::with_capacity(text.len() + 2);
    let mut column = 0;
    for byte in text {
        let shown: Vec<u8> = match byte {
            b'\\' => b"\\\\".to_vec(),
            b'$' => b"\\$".to_vec(),
            7 => b"\\a".to_vec(),
            8 => b"\\b".to_vec(),
            12 => b"\\f".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            11 => b"\\v".to_vec(),
            b' '..=b'~' => vec![*byte],
            byte => format!("\\{byte:03o}").into_bytes(),
        };
        if column + shown.len() > WIDTH {
            out.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += shown.len();
        out.extend(shown);
    }
    out.extend_from_slice(b"$\n");
    out
}
