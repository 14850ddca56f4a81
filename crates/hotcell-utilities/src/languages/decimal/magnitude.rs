//! Whole numbers without a sign, nine decimal digits in a word.

use std::cmp::Ordering;

use hotcell_process::Process;

/// What a word counts to.
const BASE: u32 = 1_000_000_000;

/// Decimal digits in a word.
const DIGITS: usize = 9;

/// How many words are gone through before others get their turn.
const STRIDE: usize = 1 << 12;

/// From how many words on a product is made of smaller ones.
const LARGE: usize = 48;

/// Powers of ten below [`BASE`].
const TENS: [u32; DIGITS] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Words from the lowest to the highest, which is not zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Magnitude(Vec<u32>);

impl Magnitude {
    pub(super) fn from_u64(mut number: u64) -> Self {
        let mut words = Vec::new();
        while number > 0 {
            words.push(word(number % u64::from(BASE)));
            number /= u64::from(BASE);
        }
        Self(words)
    }

    fn from_words(mut words: Vec<u32>) -> Self {
        trim(&mut words);
        Self(words)
    }

    /// Of decimal digits, the highest first.
    pub(super) fn from_digits(digits: &[u8]) -> Self {
        let words = digits.rchunks(DIGITS).map(|chunk| {
            chunk.iter().fold(0, |sum, digit| {
                sum * 10 + u32::from(digit.saturating_sub(b'0'))
            })
        });
        Self::from_words(words.collect())
    }

    /// As decimal digits, the highest first; zero is none.
    pub(super) fn to_digits(&self, process: &Process) -> Vec<u8> {
        let mut digits = Vec::with_capacity(self.0.len() * DIGITS);
        for (number, word) in self.0.iter().rev().enumerate() {
            process.spend(DIGITS);
            let mut text = [b'0'; DIGITS];
            let mut rest = *word;
            for place in text.iter_mut().rev() {
                *place += u8::try_from(rest % 10).unwrap_or_default();
                rest /= 10;
            }
            let zeros = if number == 0 {
                text.iter().take_while(|digit| **digit == b'0').count()
            } else {
                0
            };
            digits.extend_from_slice(text.get(zeros..).unwrap_or_default());
        }
        digits
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len() * size_of::<u32>()
    }

    /// How many decimal digits it has.
    pub(super) fn digits(&self) -> usize {
        match self.0.last() {
            None => 0,
            Some(last) => (self.0.len() - 1) * DIGITS + last.ilog10() as usize + 1,
        }
    }

    pub(super) fn to_u64(&self) -> Option<u64> {
        self.0.iter().rev().try_fold(0u64, |sum, word| {
            sum.checked_mul(u64::from(BASE))?
                .checked_add(u64::from(*word))
        })
    }

    pub(super) fn low_byte(&self) -> u8 {
        let low = self.0.iter().rev().fold(0u64, |sum, word| {
            (sum * u64::from(BASE) + u64::from(*word)) & 0xff
        });
        u8::try_from(low).unwrap_or_default()
    }

    /// Times a power of ten.
    pub(super) fn shifted_up(&self, digits: usize) -> Self {
        if self.is_zero() || digits == 0 {
            return self.clone();
        }
        let mut words = vec![0; digits / DIGITS];
        words.extend_from_slice(&self.0);
        multiply_small(&mut words, ten(digits % DIGITS));
        Self(words)
    }

    /// Divided by a power of ten, and cut.
    pub(super) fn shifted_down(&self, digits: usize) -> Self {
        let mut words = self.0.get(digits / DIGITS..).unwrap_or_default().to_vec();
        if !digits.is_multiple_of(DIGITS) {
            divide_small(&mut words, ten(digits % DIGITS));
        }
        Self::from_words(words)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self(add(&self.0, &other.0))
    }

    /// The difference, if `other` is not larger.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut words = self.0.clone();
        subtract_from(&mut words, &other.0);
        Self::from_words(words)
    }

    pub(super) fn times(&self, other: &Self, process: &Process) -> Self {
        Self::from_words(multiply(&self.0, &other.0, process))
    }

    /// Times a small number, plus a small number.
    pub(super) fn times_plus(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for place in &mut self.0 {
            let sum = u64::from(*place) * u64::from(factor) + carry;
            *place = word(sum % u64::from(BASE));
            carry = sum / u64::from(BASE);
        }
        while carry > 0 {
            self.0.push(word(carry % u64::from(BASE)));
            carry /= u64::from(BASE);
        }
    }

    /// Divides by a small number in place, and returns the rest.
    pub(super) fn divide_by_small(&mut self, divisor: u32) -> u32 {
        let rest = divide_small(&mut self.0, divisor);
        trim(&mut self.0);
        rest
    }

    /// Quotient and rest. The divisor is not zero.
    pub(super) fn divided_by(&self, divisor: &Self, process: &Process) -> (Self, Self) {
        if self.cmp(divisor) == Ordering::Less {
            return (Self::default(), self.clone());
        }
        if let [small] = divisor.0.as_slice() {
            let mut words = self.0.clone();
            let rest = divide_small_in_steps(&mut words, *small, process);
            return (Self::from_words(words), Self::from_u64(u64::from(rest)));
        }
        let (quotient, rest) = divide(&self.0, &divisor.0, process);
        (Self::from_words(quotient), Self::from_words(rest))
    }

    /// The largest number whose square is not larger.
    pub(super) fn square_root(&self, process: &Process) -> Self {
        let mut root = match self.to_u64() {
            Some(small) => return Self::from_u64(small.isqrt()),
            None => {
                // The root of the upper half of the digits, and zeros, is near enough for two steps.
                let low = self.0.len() / 4;
                let high = self.0.get(2 * low.max(1)..).unwrap_or_default();
                let mut root = Self(high.to_vec()).square_root(process).0;
                increment(&mut root);
                let mut words = vec![0; low.max(1)];
                words.append(&mut root);
                Self(words)
            }
        };
        // From above, each step is nearer until it is not.
        loop {
            let (quotient, _) = self.divided_by(&root, process);
            let mut next = add(&root.0, &quotient.0);
            divide_small(&mut next, 2);
            let next = Self::from_words(next);
            if next.cmp(&root) != Ordering::Less {
                return root;
            }
            root = next;
        }
    }
}

impl Ord for Magnitude {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Magnitude {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is known to be below [`BASE`].
fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn ten(power: usize) -> u32 {
    TENS.get(power).copied().unwrap_or(1)
}

fn trim(words: &mut Vec<u32>) {
    while words.last() == Some(&0) {
        words.pop();
    }
}

fn trimmed(words: &[u32]) -> &[u32] {
    let length = words.iter().rposition(|word| *word != 0);
    words
        .get(..length.map_or(0, |last| last + 1))
        .unwrap_or_default()
}

fn compare(left: &[u32], right: &[u32]) -> Ordering {
    left.len()
        .cmp(&right.len())
        .then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

fn add(left: &[u32], right: &[u32]) -> Vec<u32> {
    let (long, short) = if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    };
    let mut sum = Vec::with_capacity(long.len() + 1);
    sum.extend_from_slice(long);
    add_to(&mut sum, short);
    sum
}

fn increment(words: &mut Vec<u32>) {
    add_to(words, &[1]);
}

/// Adds to a number that is at least as long.
fn add_to(words: &mut Vec<u32>, more: &[u32]) {
    let mut carry = 0;
    let mut more = more.iter();
    for place in words.iter_mut() {
        let next = more.next();
        if next.is_none() && carry == 0 {
            return;
        }
        let sum = *place + next.copied().unwrap_or(0) + carry;
        carry = u32::from(sum >= BASE);
        *place = sum - carry * BASE;
    }
    for next in more {
        let sum = next + carry;
        carry = u32::from(sum >= BASE);
        words.push(sum - carry * BASE);
    }
    if carry > 0 {
        words.push(carry);
    }
}

/// Subtracts a number that is not larger.
fn subtract_from(words: &mut [u32], less: &[u32]) {
    let mut borrow = 0;
    let mut less = less.iter();
    for place in words {
        let next = less.next();
        if next.is_none() && borrow == 0 {
            return;
        }
        let taken = next.copied().unwrap_or(0) + borrow;
        borrow = u32::from(*place < taken);
        *place = *place + borrow * BASE - taken;
    }
}

fn multiply_small(words: &mut Vec<u32>, factor: u32) {
    if factor == 1 {
        return;
    }
    let mut carry = 0;
    for place in words.iter_mut() {
        let sum = u64::from(*place) * u64::from(factor) + carry;
        *place = word(sum % u64::from(BASE));
        carry = sum / u64::from(BASE);
    }
    if carry > 0 {
        words.push(word(carry));
    }
}

/// As [`divide_small`], of a number that may be long.
fn divide_small_in_steps(words: &mut [u32], divisor: u32, process: &Process) -> u32 {
    let mut rest = 0;
    for some in words.rchunks_mut(STRIDE) {
        process.spend(some.len() * 4);
        rest = divide_small_from(rest, some, divisor);
    }
    word(rest)
}

fn divide_small(words: &mut [u32], divisor: u32) -> u32 {
    word(divide_small_from(0, words, divisor))
}

/// Goes on with what is left of higher words.
fn divide_small_from(mut rest: u64, words: &mut [u32], divisor: u32) -> u64 {
    for place in words.iter_mut().rev() {
        let number = rest * u64::from(BASE) + u64::from(*place);
        *place = word(number / u64::from(divisor.max(1)));
        rest = number % u64::from(divisor.max(1));
    }
    rest
}

fn multiply(left: &[u32], right: &[u32], process: &Process) -> Vec<u32> {
    let (left, right) = (trimmed(left), trimmed(right));
    let (long, short) = if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    };
    if short.is_empty() {
        return Vec::new();
    }
    if short.len() < LARGE {
        return multiply_rows(long, short, process);
    }
    if long.len() >= 2 * short.len() {
        return multiply_pieces(long, short, process);
    }
    multiply_halves(long, short, process)
}

/// Each word of the one times all words of the other.
fn multiply_rows(long: &[u32], short: &[u32], process: &Process) -> Vec<u32> {
    let mut product = vec![0u32; long.len() + short.len()];
    for (at, factor) in short.iter().enumerate() {
        process.spend(long.len());
        let mut carry = 0;
        let places = product.get_mut(at..).unwrap_or_default();
        let (row, above) = places.split_at_mut(long.len().min(places.len()));
        for (place, digit) in row.iter_mut().zip(long) {
            let sum = u64::from(*place) + u64::from(*digit) * u64::from(*factor) + carry;
            *place = word(sum % u64::from(BASE));
            carry = sum / u64::from(BASE);
        }
        if let Some(place) = above.first_mut() {
            *place = word(carry);
        }
    }
    product
}

/// The long one in pieces that are as long as the short one.
fn multiply_pieces(long: &[u32], short: &[u32], process: &Process) -> Vec<u32> {
    let mut product = vec![0u32; long.len() + short.len()];
    for (number, piece) in long.chunks(short.len()).enumerate() {
        let part = multiply(piece, short, process);
        add_at(&mut product, number * short.len(), &part);
    }
    product
}

/// Adds to a number at a place; the sum fits.
fn add_at(words: &mut [u32], at: usize, more: &[u32]) {
    let mut carry = 0;
    let mut more = more.iter();
    for place in words.get_mut(at..).unwrap_or_default() {
        let next = more.next();
        if next.is_none() && carry == 0 {
            return;
        }
        let sum = *place + next.copied().unwrap_or(0) + carry;
        carry = u32::from(sum >= BASE);
        *place = sum - carry * BASE;
    }
}

/// Karatsuba's way: three products of halves in the place of four.
fn multiply_halves(long: &[u32], short: &[u32], process: &Process) -> Vec<u32> {
    let half = long.len().div_ceil(2);
    let (long_low, long_high) = long.split_at(half);
    let (short_low, short_high) = short.split_at(half.min(short.len()));
    let low = multiply(long_low, short_low, process);
    let high = multiply(long_high, short_high, process);
    let mut middle = multiply(
        &add(long_low, long_high),
        &add(short_low, short_high),
        process,
    );
    subtract_from(&mut middle, trimmed(&low));
    subtract_from(&mut middle, trimmed(&high));
    let mut product = vec![0u32; long.len() + short.len()];
    add_at(&mut product, 0, trimmed(&low));
    add_at(&mut product, half, trimmed(&middle));
    add_at(&mut product, 2 * half, trimmed(&high));
    product
}

/// Long division, word by word (Knuth's algorithm D). The divisor has at least two words and is not larger.
fn divide(dividend: &[u32], divisor: &[u32], process: &Process) -> (Vec<u32>, Vec<u32>) {
    let top = divisor.last().copied().unwrap_or(1);
    // With a large first word a guess of a word of the quotient is at most two too large.
    let factor = BASE / (top + 1);
    let mut rest = dividend.to_vec();
    multiply_small(&mut rest, factor);
    if rest.len() == dividend.len() {
        rest.push(0);
    }
    let mut by = divisor.to_vec();
    multiply_small(&mut by, factor);
    let length = by.len();
    let first = u64::from(by.last().copied().unwrap_or(1));
    let second = u64::from(by.get(length.wrapping_sub(2)).copied().unwrap_or(0));
    let mut quotient = vec![0u32; rest.len() - length];
    let base = u64::from(BASE);
    for at in (0..quotient.len()).rev() {
        process.spend(length);
        let window = rest.get_mut(at..=at + length).unwrap_or_default();
        let digit = |back: usize| {
            let place = window.len().checked_sub(back);
            u64::from(
                place
                    .and_then(|place| window.get(place))
                    .copied()
                    .unwrap_or(0),
            )
        };
        let high = digit(1) * base + digit(2);
        let (mut guess, mut left) = (high / first, high % first);
        while guess >= base || guess * second > left * base + digit(3) {
            guess -= 1;
            left += first;
            if left >= base {
                break;
            }
        }
        if subtract_times(window, &by, guess) {
            guess -= 1;
            add_back(window, &by);
        }
        if let Some(place) = quotient.get_mut(at) {
            *place = word(guess);
        }
    }
    divide_small(&mut rest, factor);
    (quotient, rest)
}

/// Takes so many times a number away. True if that was too much.
fn subtract_times(window: &mut [u32], number: &[u32], times: u64) -> bool {
    let base = u64::from(BASE);
    let mut carry = 0;
    let mut digits = number.iter();
    for place in window.iter_mut() {
        let taken = digits.next().map_or(0, |digit| u64::from(*digit) * times) + carry;
        let (low, mut up) = (taken % base, taken / base);
        let here = u64::from(*place);
        *place = word(if here < low {
            up += 1;
            here + base - low
        } else {
            here - low
        });
        carry = up;
    }
    carry > 0
}

fn add_back(window: &mut [u32], number: &[u32]) {
    let mut carry = 0;
    let mut digits = number.iter();
    for place in window.iter_mut() {
        let sum = *place + digits.next().copied().unwrap_or(0) + carry;
        carry = u32::from(sum >= BASE);
        *place = sum - carry * BASE;
    }
}
