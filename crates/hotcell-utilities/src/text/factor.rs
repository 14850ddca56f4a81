//! `factor`.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::Process;

use crate::{
    Usage, Utility,
    languages::{Decimal, Math},
    lines::Lines,
    quote::quote,
};

mod small;

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "factor",
    synopsis: "[NUMBER]...\nOPTION",
    summary: "Print the prime factors of each specified integer NUMBER. If none are specified on the command line, read\n\
              them from standard input.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let math = Math::new(process)?;
    let mut out = process.stdout();
    let mut code = 0;
    let mut one = |word: &[u8]| -> io::Result<()> {
        match number(word) {
            Some(digits) => out.write_all(&line(process, &math, digits)?),
            None => {
                out.flush()?;
                process.complain(
                    [quote(word).as_slice(), b" is not a valid positive integer"].concat(),
                );
                code = 1;
                Ok(())
            }
        }
    };
    if parsed.operands.is_empty() {
        let mut lines = Lines::new(process, process.stdin())?;
        while let Some(text) = lines.next_line()? {
            let words: Vec<Vec<u8>> = text.fields().map(<[u8]>::to_vec).collect();
            for word in words {
                one(&word)?;
            }
        }
    } else {
        for word in &parsed.operands {
            one(word)?;
        }
    }
    out.flush()?;
    Ok(code)
}

/// The digits of a number, without zeros in front.
fn number(word: &[u8]) -> Option<&[u8]> {
    let word = word.trim_start();
    let digits = word.strip_prefix(b"+").unwrap_or(word);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let start = digits.iter().position(|digit| *digit != b'0');
    is_number.then(|| match start {
        Some(start) => digits.get(start..).unwrap_or_default(),
        None => b"0",
    })
}

/// The number and its factors.
fn line(process: &Process, math: &Math<'_>, digits: &[u8]) -> io::Result<Vec<u8>> {
    let mut line = digits.to_vec();
    line.push(b':');
    let small = digits.to_str().ok().and_then(|digits| digits.parse().ok());
    let factors = match small {
        Some(number) => small::factors(process, number)
            .into_iter()
            .map(|factor| factor.to_string().into_bytes())
            .collect(),
        None => Large { process, math }.factors(digits)?,
    };
    for factor in factors {
        line.push(b' ');
        line.extend_from_slice(&factor);
    }
    line.push(b'\n');
    Ok(line)
}

/// Numbers that do not fit into 128 bits.
struct Large<'a, 'p> {
    process: &'p Process,
    math: &'a Math<'p>,
}

impl Large<'_, '_> {
    fn factors(&self, digits: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut factors: Vec<Decimal> = Vec::new();
        let mut rest = vec![self.math.read(digits, 10)?];
        let mut small = Vec::new();
        while let Some(number) = rest.pop() {
            let text = self.math.show(&number, 10)?;
            if let Some(number) = text.to_str().ok().and_then(|text| text.parse().ok()) {
                small.extend(small::factors(self.process, number));
                continue;
            }
            match self.divisor(&number)? {
                Some(divisor) => {
                    if let Some(quotient) = self.math.divide(&number, &divisor, 0)? {
                        rest.extend([divisor, quotient]);
                    }
                }
                None => factors.push(number),
            }
        }
        small.sort_unstable();
        let mut shown: Vec<Vec<u8>> = small
            .into_iter()
            .map(|factor| factor.to_string().into_bytes())
            .collect();
        let mut large = Vec::new();
        for factor in factors {
            large.push(self.math.show(&factor, 10)?);
        }
        // All are longer than any small one.
        large.sort_unstable_by(|left, right| (left.len(), left).cmp(&(right.len(), right)));
        shown.append(&mut large);
        Ok(shown)
    }

    fn rest(&self, number: &Decimal, divisor: &Decimal) -> io::Result<Decimal> {
        let both = self.math.divide_with_rest(number, divisor, 0)?;
        both.map_or_else(|| self.math.whole(0), |(_, rest)| Ok(rest))
    }

    /// A divisor, if it is not prime.
    fn divisor(&self, number: &Decimal) -> io::Result<Option<Decimal>> {
        for candidate in std::iter::once(2).chain((3..5000).step_by(2)) {
            let candidate = self.math.whole(candidate)?;
            if self.rest(number, &candidate)?.is_zero() {
                return Ok(Some(candidate));
            }
        }
        if self.is_prime(number)? {
            return Ok(None);
        }
        for seed in 1.. {
            if let Some(divisor) = self.pollard(number, seed)? {
                return Ok(Some(divisor));
            }
        }
        Ok(None)
    }

    /// By Miller and Rabin's test, for so many bases that nobody has found what passes and is not prime.
    fn is_prime(&self, number: &Decimal) -> io::Result<bool> {
        let (one, two) = (self.math.whole(1)?, self.math.whole(2)?);
        let before = self.math.subtract(number, &one)?;
        let mut odd = before.clone();
        let mut twos = 0;
        while self.rest(&odd, &two)?.is_zero() {
            odd = self.math.divide(&odd, &two, 0)?.unwrap_or(odd);
            twos += 1;
        }
        for base in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53] {
            let base = self.math.whole(base)?;
            let power = self.math.power_modulo(&base, &odd, number)?;
            let mut power = power.unwrap_or_else(|| one.clone());
            let mut is_witness = !self.math.compare(&power, &one)?.is_eq()
                && !self.math.compare(&power, &before)?.is_eq();
            for _ in 1..twos {
                if !is_witness {
                    break;
                }
                power = self.rest(&self.math.multiply_exactly(&power, &power)?, number)?;
                is_witness = !self.math.compare(&power, &before)?.is_eq();
            }
            if is_witness {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Pollard's way with this constant. Differences are gathered, so that few divisors have to be computed.
    fn pollard(&self, number: &Decimal, constant: i64) -> io::Result<Option<Decimal>> {
        let constant = self.math.whole(constant)?;
        let step = |value: &Decimal| -> io::Result<Decimal> {
            let square = self.math.multiply_exactly(value, value)?;
            self.rest(&self.math.add(&square, &constant)?, number)
        };
        let one = self.math.whole(1)?;
        let mut slow = self.math.whole(2)?;
        let mut fast = slow.clone();
        loop {
            let mut product = one.clone();
            let (slow_before, fast_before) = (slow.clone(), fast.clone());
            for _ in 0..100 {
                slow = step(&slow)?;
                fast = step(&step(&fast)?)?;
                let difference = self.math.subtract(&slow, &fast)?;
                product = self.rest(&self.math.multiply_exactly(&product, &difference)?, number)?;
                if product.is_zero() {
                    break;
                }
            }
            let common = self.common_divisor(&product, number)?;
            if self.math.compare(&common, &one)?.is_eq() {
                continue;
            }
            if !self.math.compare(&common, number)?.is_eq() {
                return Ok(Some(common));
            }
            // All at once: go through them one by one.
            (slow, fast) = (slow_before, fast_before);
            for _ in 0..100 {
                slow = step(&slow)?;
                fast = step(&step(&fast)?)?;
                let difference = self.math.subtract(&slow, &fast)?;
                let common = self.common_divisor(&difference, number)?;
                if self.math.compare(&common, number)?.is_eq() {
                    return Ok(None);
                }
                if !self.math.compare(&common, &one)?.is_eq() {
                    return Ok(Some(common));
                }
            }
            return Ok(None);
        }
    }

    fn common_divisor(&self, left: &Decimal, right: &Decimal) -> io::Result<Decimal> {
        let mut left = if left.is_negative() {
            self.math.negate(left)
        } else {
            left.clone()
        };
        let mut right = right.clone();
        while !left.is_zero() {
            (left, right) = (self.rest(&right, &left)?, left);
        }
        Ok(right)
    }
}
