//! Which lines a command is for.

use super::editor::{Editor, Result, mistake};

/// The lines that stand before a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Addresses {
    pub(super) first: usize,
    pub(super) last: usize,
    /// How many were given, at most two.
    pub(super) count: usize,
}

impl Editor<'_> {
    /// Reads the addresses before a command.
    ///
    /// A separator without an address before it begins at the first line (or the current one, if it is a semicolon), and
    /// goes to the last. Any other address that is missing is the one before it.
    pub(super) fn addresses(&mut self) -> Result<Addresses> {
        let current = self.buffer.current();
        let mut found = Addresses {
            first: current,
            last: current,
            count: 0,
        };
        let mut goes_to_end = false;
        let mut address = self.address()?;
        while let Some(separator @ (b',' | b';' | b'%')) = self.peek() {
            if separator == b'%' && address.is_some() {
                break;
            }
            self.at += 1;
            let value = match address {
                Some(address) => {
                    goes_to_end = false;
                    address
                }
                None if found.count == 0 => {
                    goes_to_end = true;
                    if separator == b';' {
                        self.buffer.current()
                    } else {
                        1
                    }
                }
                None if std::mem::take(&mut goes_to_end) => self.buffer.last(),
                None => found.last,
            };
            if separator == b';' && (address.is_some() || found.count > 0) {
                self.buffer.set_current(value);
            }
            (found.first, found.last) = (found.last, value);
            found.count += 1;
            address = self.address()?;
        }
        let last = match address {
            Some(address) => address,
            None if found.count == 0 => return Ok(found),
            None if goes_to_end => self.buffer.last(),
            None => found.last,
        };
        found.first = if found.count == 0 { last } else { found.last };
        found.last = last;
        found.count = (found.count + 1).min(2);
        Ok(found)
    }

    /// One address; `None` if there is none.
    fn address(&mut self) -> Result<Option<usize>> {
        self.skip_blanks();
        let start = self.at;
        let current = signed(self.buffer.current());
        let mut address = current;
        let mut is_first = true;
        while let Some(byte) = self.peek() {
            match byte {
                b'+' | b'-' | b' ' | b'\t' => {
                    self.at += 1;
                    self.skip_blanks();
                    let sign = if byte == b'-' { -1 } else { 1 };
                    if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                        address += sign * self.number()?;
                    } else if matches!(byte, b'+' | b'-') {
                        address += sign;
                    }
                }
                b'0'..=b'9' if is_first => address = self.number()?,
                b'.' if is_first => {
                    self.at += 1;
                    address = current;
                }
                b'$' if is_first => {
                    self.at += 1;
                    address = signed(self.buffer.last());
                }
                b'/' | b'?' if is_first => {
                    let pattern = self.pattern(byte)?;
                    if self.peek() == Some(byte) {
                        self.at += 1;
                    }
                    address = signed(self.search(&pattern, byte == b'/')?);
                }
                b'\'' if is_first => {
                    self.at += 1;
                    let letter = self.peek().filter(u8::is_ascii_lowercase);
                    let Some(letter) = letter else {
                        return Err(mistake("Invalid address"));
                    };
                    self.at += 1;
                    let line = self.buffer.mark(letter);
                    address = signed(line.ok_or_else(|| mistake("Invalid address"))?);
                }
                b'0'..=b'9' | b'.' | b'$' | b'\'' => return Err(mistake("Invalid address")),
                _ => break,
            }
            is_first = false;
        }
        if self.at == start {
            return Ok(None);
        }
        let address = usize::try_from(address).ok();
        match address.filter(|address| *address <= self.buffer.last()) {
            Some(address) => Ok(Some(address)),
            None => Err(mistake("Invalid address")),
        }
    }

    /// A number that must be there.
    pub(super) fn number(&mut self) -> Result<i64> {
        let start = self.at;
        let mut number = 0i64;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            number = number
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
                .min(i64::from(i32::MAX));
            self.at += 1;
        }
        if self.at == start {
            return Err(mistake("Bad numerical result"));
        }
        Ok(number)
    }
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
