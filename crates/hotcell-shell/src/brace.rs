//! Braces: `{a,b}`, `{1..9..2}`.

use hotcell_meter::Charge;
use hotcell_process::Process;

use crate::ast::{Parameter, Part};

/// A word for brace expansion: what was written without quotes byte by byte, and every other part as a whole.
///
/// A number below 256 is a byte; others stand for parts.
pub(crate) type Codes = Vec<u32>;

/// The first number that stands for a part.
const FIRST_PART: u32 = 256;

/// Stands for [`Piece::Empty`].
const EMPTY: u32 = u32::MAX;

/// Braces within braces. What is nested deeper stays as it is.
const MAX_DEPTH: usize = 100;

/// A piece of a word after brace expansion.
pub(crate) enum Piece<'p> {
    Text(Vec<u8>),
    Part(&'p Part),
    /// What braces made of a part: `$x{1,2}` is `$x1` and `$x2`.
    New(Box<Part>),
    /// Nothing, but quoted.
    Empty,
}

/// The words that the braces of a word make of it, and what pays for them. They are taken one by one, because there may be many.
pub(crate) struct Words<'p> {
    left: std::vec::IntoIter<Codes>,
    parts: &'p [Part],
    _charge: Charge,
}

impl<'p> Iterator for Words<'p> {
    type Item = Vec<Piece<'p>>;

    fn next(&mut self) -> Option<Self::Item> {
        let word = self.left.next()?;
        Some(pieces(&word, self.parts))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl ExactSizeIterator for Words<'_> {}

/// What the braces of a word make of it.
pub(crate) fn expand<'p>(parts: &'p [Part], process: &Process) -> std::io::Result<Words<'p>> {
    let mut codes = Codes::new();
    for (number, part) in (FIRST_PART..).zip(parts) {
        match part {
            Part::Literal(text) => codes.extend(text.iter().map(|byte| u32::from(*byte))),
            _ => codes.push(number),
        }
    }
    let mut expander = Expander {
        process,
        codes: &codes,
        charge: process.charge(0)?,
    };
    let words = expander.words(0, codes.len(), 0)?;
    Ok(Words {
        left: words.into_iter(),
        parts,
        _charge: expander.charge,
    })
}

fn pieces<'p>(codes: &[u32], parts: &'p [Part]) -> Vec<Piece<'p>> {
    let mut pieces = Vec::new();
    for &code in codes {
        if code == EMPTY {
            pieces.push(Piece::Empty);
            continue;
        }
        if let Ok(byte) = u8::try_from(code) {
            let is_added = pieces.last_mut().is_some_and(|last| extend(last, byte));
            if !is_added {
                pieces.push(Piece::Text(vec![byte]));
            }
            continue;
        }
        let index = usize::try_from(code - FIRST_PART).unwrap_or(usize::MAX);
        if let Some(part) = parts.get(index) {
            pieces.push(Piece::Part(part));
        }
    }
    pieces
}

/// Adds a byte to text, or to the name of `$name`: only braces put a letter right behind that.
fn extend(piece: &mut Piece<'_>, byte: u8) -> bool {
    let part = match piece {
        Piece::Text(text) => {
            text.push(byte);
            return true;
        }
        Piece::Part(part) => *part,
        Piece::New(part) => part,
        Piece::Empty => return false,
    };
    if !byte.is_ascii_alphanumeric() && byte != b'_' {
        return false;
    }
    let Part::Parameter(expansion) = part else {
        return false;
    };
    let Parameter::Variable(name) = &expansion.parameter else {
        return false;
    };
    if expansion.braced {
        return false;
    }
    let mut longer = expansion.clone();
    longer.parameter = Parameter::Variable([name, &[byte][..]].concat().into());
    *piece = Piece::New(Box::new(Part::Parameter(longer)));
    true
}

fn is(code: u32, byte: u8) -> bool {
    code == u32::from(byte)
}

struct Expander<'e> {
    process: &'e Process,
    codes: &'e [u32],
    charge: Charge,
}

impl Expander<'_> {
    /// What the codes from `from` to `to` expand to.
    fn words(&mut self, from: usize, to: usize, depth: usize) -> std::io::Result<Vec<Codes>> {
        let mut words = vec![Codes::new()];
        let mut at = from;
        // Where a word begins, or goes on behind braces, `{}` is no pair of them.
        let mut begins = from;
        while at < to {
            self.process.spend(1);
            if at == begins && self.has(at, b'{') && self.has(at + 1, b'}') {
                for word in &mut words {
                    word.extend([u32::from(b'{'), u32::from(b'}')]);
                }
                at += 2;
                continue;
            }
            if let Some((items, close)) = self.group(at, to, depth)? {
                words = self.product(&words, &items)?;
                at = close + 1;
                begins = at;
                continue;
            }
            if let Some(code) = self.codes.get(at) {
                for word in &mut words {
                    word.push(*code);
                }
            }
            at += 1;
        }
        Ok(words)
    }

    /// Each word followed by each item.
    fn product(&mut self, words: &[Codes], items: &[Codes]) -> std::io::Result<Vec<Codes>> {
        let count = words.len().saturating_mul(items.len());
        let sum = |words: &[Codes]| words.iter().map(Vec::len).sum::<usize>();
        let codes = sum(words)
            .saturating_mul(items.len())
            .saturating_add(sum(items).saturating_mul(words.len()));
        self.pay(count, codes)?;
        let mut product = Vec::with_capacity(count);
        for word in words {
            for item in items {
                self.process.spend(word.len() + item.len() + 1);
                product.push([word.as_slice(), item].concat());
            }
        }
        Ok(product)
    }

    /// Charges words before they are made.
    fn pay(&mut self, words: usize, codes: usize) -> std::io::Result<()> {
        let bytes = words
            .saturating_mul(size_of::<Codes>() + 16)
            .saturating_add(codes.saturating_mul(4));
        self.charge
            .grow(bytes)
            .map_err(hotcell_process::limit_error)
    }

    /// What the braces that open at `at` stand for, if they are such, and where they close.
    fn group(
        &mut self,
        at: usize,
        to: usize,
        depth: usize,
    ) -> std::io::Result<Option<(Vec<Codes>, usize)>> {
        if !self.has(at, b'{') || depth >= MAX_DEPTH {
            return Ok(None);
        }
        let Some((close, commas)) = self.close(at + 1, to) else {
            return Ok(None);
        };
        if commas.is_empty() {
            let whole = self.codes.get(at..=close).unwrap_or_default();
            let inside = self.codes.get(at + 1..close).unwrap_or_default();
            let Some(sequence) = Sequence::parse(inside) else {
                return Ok(Some((vec![whole.to_vec()], close)));
            };
            let count = sequence.count();
            self.pay(count, count.saturating_mul(sequence.width()))?;
            return Ok(Some((sequence.items(self.process), close)));
        }
        let mut items = Vec::new();
        let mut start = at + 1;
        for end in commas.into_iter().chain([close]) {
            items.extend(self.words(start, end, depth + 1)?);
            start = end + 1;
        }
        Ok(Some((items, close)))
    }

    fn has(&self, at: usize, byte: u8) -> bool {
        self.codes.get(at).is_some_and(|code| is(*code, byte))
    }

    /// Where the braces close whose inside begins at `from`, and the commas that are not within others.
    ///
    /// A `}` closes them only behind a comma or `..`: `{a},b}` is `a}` and `b`.
    fn close(&self, from: usize, to: usize) -> Option<(usize, Vec<usize>)> {
        let mut commas = Vec::new();
        let mut has_dots = false;
        let mut depth = 0usize;
        for at in from..to {
            self.process.spend(1);
            if self.has(at, b'{') {
                depth += 1;
            } else if self.has(at, b'}') {
                match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None if has_dots || !commas.is_empty() => return Some((at, commas)),
                    None => {}
                }
            } else if depth == 0 && self.has(at, b',') {
                commas.push(at);
            } else if depth == 0 && self.has(at, b'.') && self.has(at + 1, b'.') {
                has_dots |= !self.has(at + 2, b'}');
            }
        }
        None
    }
}

/// `{1..9..2}` or `{a..e}`
struct Sequence {
    from: i64,
    to: i64,
    step: u64,
    kind: Kind,
}

enum Kind {
    /// With zeros in front, up to this width.
    Numbers(usize),
    Letters,
}

impl Sequence {
    fn parse(codes: &[u32]) -> Option<Self> {
        let bytes: Option<Vec<u8>> = codes.iter().map(|code| u8::try_from(*code).ok()).collect();
        let text = String::from_utf8(bytes?).ok()?;
        let mut terms = text.splitn(3, "..");
        let (from, to) = (terms.next()?, terms.next()?);
        let step = match terms.next() {
            None => 1,
            Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
        };
        if let (Ok(first), Ok(last)) = (from.parse::<i64>(), to.parse::<i64>()) {
            let is_padded = [from, to].iter().any(|term| {
                let digits = term.trim_start_matches(['-', '+']);
                digits.len() > 1 && digits.starts_with('0')
            });
            let width = if is_padded {
                from.len().max(to.len())
            } else {
                0
            };
            return Some(Self {
                from: first,
                to: last,
                step,
                kind: Kind::Numbers(width),
            });
        }
        let letter = |term: &str| match term.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
            _ => None,
        };
        Some(Self {
            from: letter(from)?,
            to: letter(to)?,
            step,
            kind: Kind::Letters,
        })
    }

    fn count(&self) -> usize {
        let steps = self.from.abs_diff(self.to) / self.step;
        usize::try_from(steps)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
    }

    fn width(&self) -> usize {
        match self.kind {
            Kind::Numbers(width) => width.max(20),
            Kind::Letters => 1,
        }
    }

    fn items(&self, process: &Process) -> Vec<Codes> {
        let item = |value: i64| -> Codes {
            process.spend(8);
            match self.kind {
                Kind::Numbers(width) => {
                    let digits = value.unsigned_abs().to_string();
                    let sign = (value < 0).then_some(b'-');
                    let zeros = width.saturating_sub(digits.len() + sign.iter().len());
                    let zeros = std::iter::repeat_n(b'0', zeros);
                    let text = sign.into_iter().chain(zeros).chain(digits.bytes());
                    text.map(u32::from).collect()
                }
                // A backslash quotes what follows it, and nothing does.
                Kind::Letters if value == i64::from(b'\\') => vec![EMPTY],
                Kind::Letters => u32::try_from(value).into_iter().collect(),
            }
        };
        let mut items = Vec::with_capacity(self.count());
        let mut value = self.from;
        loop {
            items.push(item(value));
            let left = value.abs_diff(self.to);
            if left < self.step {
                return items;
            }
            value = if self.to >= self.from {
                value.saturating_add_unsigned(self.step)
            } else {
                value.saturating_sub_unsigned(self.step)
            };
        }
    }
}
