//! Reading over a value that there is no room for, to get at what comes after it.

use super::{MAX_DEPTH, Reader, WireError, tag};

impl Reader<'_> {
    /// Reads over a value and keeps nothing of it.
    pub(super) fn pass_value(&mut self) -> Result<(), WireError> {
        self.pace.spend(1)?;
        let tag = self.byte()?;
        if (tag::OBJECT..=tag::BOXED).contains(&tag) {
            if self.depth >= MAX_DEPTH {
                return Err(WireError::TooDeep);
            }
            self.depth += 1;
            self.pass_object(tag)?;
            self.depth -= 1;
            return Ok(());
        }
        match tag {
            tag::UNDEFINED | tag::NULL | tag::FALSE | tag::TRUE => {}
            tag::INTEGER | tag::REFERENCE => drop(self.number()?),
            tag::DOUBLE => drop(self.double()?),
            tag::BIGINT => self.pass_bytes()?,
            tag::LATIN1 | tag::UTF16 | tag::UTF8 => self.pass_text(tag)?,
            _ => return Err(WireError::Malformed),
        }
        Ok(())
    }

    fn pass_object(&mut self, tag: u8) -> Result<(), WireError> {
        match tag {
            tag::OBJECT => self.pass_properties()?,
            tag::ARRAY => {
                let mut left = self.size()?;
                while left > 0 {
                    let passed = if self.skip(tag::HOLES) {
                        self.size()?.max(1)
                    } else {
                        self.pass_value()?;
                        1
                    };
                    left = left.checked_sub(passed).ok_or(WireError::Malformed)?;
                }
            }
            tag::DATE => drop(self.double()?),
            tag::REGEXP => self.pass_texts(2)?,
            tag::MAP => {
                for _ in 0..self.count()? {
                    self.pass_value()?;
                    self.pass_value()?;
                }
            }
            tag::SET => {
                for _ in 0..self.count()? {
                    self.pass_value()?;
                }
            }
            tag::BUFFER => self.pass_bytes()?,
            tag::VIEW => {
                self.byte()?;
                self.number()?;
                self.number()?;
                self.pass_value()?;
            }
            tag::ERROR => {
                self.pass_texts(3)?;
                if !self.absent() {
                    self.pass_value()?;
                }
                self.pass_properties()?;
            }
            tag::BOXED => self.pass_value()?,
            _ => return Err(WireError::Malformed),
        }
        Ok(())
    }

    fn pass_properties(&mut self) -> Result<(), WireError> {
        while !self.skip(tag::END) {
            self.pass_texts(1)?;
            self.pass_value()?;
        }
        Ok(())
    }

    fn pass_texts(&mut self, count: usize) -> Result<(), WireError> {
        for _ in 0..count {
            let tag = self.byte()?;
            self.pass_text(tag)?;
        }
        Ok(())
    }

    fn pass_text(&mut self, tag: u8) -> Result<(), WireError> {
        let units = self.size()?;
        let bytes = match tag {
            tag::UTF16 => units.checked_mul(2).ok_or(WireError::Malformed)?,
            tag::LATIN1 | tag::UTF8 => units,
            _ => return Err(WireError::Malformed),
        };
        self.bytes(bytes).map(drop)
    }

    fn pass_bytes(&mut self) -> Result<(), WireError> {
        let length = self.count()?;
        self.bytes(length).map(drop)
    }
}
