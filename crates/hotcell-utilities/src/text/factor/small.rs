//! Factors of numbers of at most 128 bits.

use hotcell_process::Process;

/// The prime factors in order.
pub(super) fn factors(process: &Process, number: u128) -> Vec<u128> {
    let mut found = Vec::new();
    let mut rest = number;
    if rest < 2 {
        return found;
    }
    for candidate in std::iter::once(2u128).chain((3..5000).step_by(2)) {
        if candidate * candidate > rest {
            break;
        }
        process.spend(1);
        while rest.is_multiple_of(candidate) {
            found.push(candidate);
            rest /= candidate;
        }
    }
    let mut unknown = vec![rest];
    while let Some(number) = unknown.pop() {
        if number == 1 {
            continue;
        }
        let ring = Ring::new(number);
        if number < 25_000_000 || ring.is_prime(process) {
            found.push(number);
            continue;
        }
        let divisor = (1..).find_map(|constant| ring.divisor(process, constant));
        match divisor {
            Some(divisor) => unknown.extend([divisor, number / divisor]),
            None => found.push(number),
        }
    }
    found.sort_unstable();
    found
}

/// Numbers modulo an odd number, in Montgomery's form: a product needs no division.
struct Ring {
    modulus: u128,
    /// Minus the inverse of the modulus, modulo 2^128.
    inverse: u128,
    one: u128,
    square: u128,
}

impl Ring {
    fn new(modulus: u128) -> Self {
        // Each step doubles the bits that are right.
        let mut inverse = modulus;
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(modulus.wrapping_mul(inverse)));
        }
        let one = (u128::MAX % modulus + 1) % modulus;
        let mut square = one;
        for _ in 0..128 {
            square = add(square, square, modulus);
        }
        Self {
            modulus,
            inverse: inverse.wrapping_neg(),
            one,
            square,
        }
    }

    fn multiply(&self, left: u128, right: u128) -> u128 {
        let (high, low) = wide(left, right);
        let factor = low.wrapping_mul(self.inverse);
        let (more_high, more_low) = wide(factor, self.modulus);
        let carry = u128::from(low.checked_add(more_low).is_none());
        let (sum, over) = high.overflowing_add(more_high);
        let (sum, over_again) = sum.overflowing_add(carry);
        if over || over_again || sum >= self.modulus {
            sum.wrapping_sub(self.modulus)
        } else {
            sum
        }
    }

    fn enter(&self, number: u128) -> u128 {
        self.multiply(number % self.modulus, self.square)
    }

    fn power(&self, base: u128, mut exponent: u128) -> u128 {
        let (mut result, mut square) = (self.one, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.multiply(result, square);
            }
            square = self.multiply(square, square);
            exponent >>= 1;
        }
        result
    }

    /// By Miller and Rabin's test, for so many bases that nobody has found what passes and is not prime.
    fn is_prime(&self, process: &Process) -> bool {
        let before = self.modulus - 1;
        let twos = before.trailing_zeros();
        let minus_one = self.modulus - self.one;
        for base in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53] {
            process.spend(256);
            let mut power = self.power(self.enter(base), before >> twos);
            let mut is_witness = power != self.one && power != minus_one;
            for _ in 1..twos {
                if !is_witness {
                    break;
                }
                power = self.multiply(power, power);
                is_witness = power != minus_one;
            }
            if is_witness {
                return false;
            }
        }
        true
    }

    /// Pollard's way with this constant; `None` if it leads nowhere.
    fn divisor(&self, process: &Process, constant: u128) -> Option<u128> {
        let constant = self.enter(constant);
        let step = |value: u128| add(self.multiply(value, value), constant, self.modulus);
        let mut slow = self.enter(2);
        let mut fast = slow;
        loop {
            process.spend(256);
            let (slow_before, fast_before) = (slow, fast);
            let mut product = self.one;
            for _ in 0..128 {
                slow = step(slow);
                fast = step(step(fast));
                product = self.multiply(product, slow.abs_diff(fast));
            }
            let common = common_divisor(product, self.modulus);
            if common == 1 {
                continue;
            }
            if common != self.modulus {
                return Some(common);
            }
            // All at once: go through them one by one.
            (slow, fast) = (slow_before, fast_before);
            for _ in 0..128 {
                slow = step(slow);
                fast = step(step(fast));
                let common = common_divisor(slow.abs_diff(fast), self.modulus);
                if common == self.modulus {
                    return None;
                }
                if common != 1 {
                    return Some(common);
                }
            }
            return None;
        }
    }
}

fn add(left: u128, right: u128, modulus: u128) -> u128 {
    let (sum, over) = left.overflowing_add(right);
    if over || sum >= modulus {
        sum.wrapping_sub(modulus)
    } else {
        sum
    }
}

/// The product in full: its upper and lower half.
fn wide(left: u128, right: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (left_high, left_low) = (left >> 64, left & LOW);
    let (right_high, right_low) = (right >> 64, right & LOW);
    let low = left_low * right_low;
    let middle = left_high * right_low + (low >> 64);
    let other = left_low * right_high + (middle & LOW);
    let high = left_high * right_high + (middle >> 64) + (other >> 64);
    (high, other << 64 | low & LOW)
}

fn common_divisor(mut left: u128, mut right: u128) -> u128 {
    while left > 0 {
        (left, right) = (right % left, left);
    }
    right
}
