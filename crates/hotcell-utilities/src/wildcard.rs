//! Shell patterns for names, where a utility takes them: `*`, `?`, `[a-z]`.

/// Whether a pattern matches the whole of a text. The time is bounded by the product of their lengths.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    matches_with(pattern, text, false)
}

/// As [`matches`], for both cases of letters if `ignores_case`.
pub(crate) fn matches_with(pattern: &[u8], text: &[u8], ignores_case: bool) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go back to: behind the last star, and how much it took.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        let rest = pattern.get(p..).unwrap_or_default();
        if rest.first() == Some(&b'*') {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        match one(rest, text.get(t..).unwrap_or_default(), ignores_case) {
            Some((pattern_used, text_used)) => {
                p += pattern_used;
                t += text_used;
            }
            None => {
                let Some((after, from)) = star else {
                    return false;
                };
                star = Some((after, from + 1));
                (p, t) = (after, from + 1);
            }
        }
    }
    pattern
        .get(p..)
        .unwrap_or_default()
        .iter()
        .all(|byte| *byte == b'*')
}

/// What one element of the pattern and the text it matches use up.
fn one(pattern: &[u8], text: &[u8], ignores_case: bool) -> Option<(usize, usize)> {
    let same = |one: u8, other: u8| {
        if ignores_case {
            one.eq_ignore_ascii_case(&other)
        } else {
            one == other
        }
    };
    let byte = *text.first()?;
    let character = bstr::decode_utf8(text).1.max(1);
    match pattern {
        [] => None,
        [b'?', ..] => Some((1, character)),
        [b'[', ..] => match bracket(pattern, text, character, ignores_case) {
            Some((used, true)) => Some((used, character)),
            Some((_, false)) => None,
            None => same(b'[', byte).then_some((1, 1)),
        },
        [b'\\', literal, ..] => same(*literal, byte).then_some((2, 1)),
        [literal, ..] => same(*literal, byte).then_some((1, 1)),
    }
}

/// How long a bracket expression is and whether it matches; `None` if it does not end.
fn bracket(
    pattern: &[u8],
    text: &[u8],
    character: usize,
    ignores_case: bool,
) -> Option<(usize, bool)> {
    let mut at = 1;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let decoded = bstr::decode_utf8(text.get(..character).unwrap_or(text)).0;
    let subject = decoded.or_else(|| text.first().map(|byte| char::from(*byte)))?;
    let mut found = false;
    let mut is_first = true;
    loop {
        let rest = pattern.get(at..).filter(|rest| !rest.is_empty())?;
        if rest.first() == Some(&b']') && !is_first {
            return Some((at + 1, found != negated));
        }
        is_first = false;
        if let Some(class) = rest.strip_prefix(b"[:")
            && let Some(end) = class.windows(2).position(|pair| pair == b":]")
        {
            found |= in_class(class.get(..end).unwrap_or_default(), subject);
            at += end + 4;
            continue;
        }
        let (low, used) = literal(rest)?;
        at += used;
        let after = pattern.get(at..).unwrap_or_default();
        let high = match after {
            [b'-', end, ..] if *end != b']' => {
                let (high, used) = literal(after.get(1..).unwrap_or_default())?;
                at += used + 1;
                high
            }
            _ => low,
        };
        let within = |c: char| (low..=high).contains(&c);
        found |= within(subject)
            || ignores_case
                && (within(subject.to_ascii_lowercase()) || within(subject.to_ascii_uppercase()));
    }
}

/// A character of a bracket expression, with or without a backslash.
fn literal(pattern: &[u8]) -> Option<(char, usize)> {
    let (pattern, skipped) = match pattern {
        [b'\\', rest @ ..] if !rest.is_empty() => (rest, 1),
        _ => (pattern, 0),
    };
    let (character, length) = bstr::decode_utf8(pattern);
    let character = character.or_else(|| pattern.first().map(|byte| char::from(*byte)))?;
    Some((character, length.max(1) + skipped))
}

fn in_class(name: &[u8], c: char) -> bool {
    match name {
        b"alnum" => c.is_alphanumeric(),
        b"alpha" => c.is_alphabetic(),
        b"blank" => matches!(c, ' ' | '\t'),
        b"cntrl" => c.is_control(),
        b"digit" => c.is_ascii_digit(),
        b"graph" => !c.is_control() && !c.is_whitespace(),
        b"lower" => c.is_lowercase(),
        b"print" => !c.is_control(),
        b"punct" => c.is_ascii_punctuation(),
        b"space" => c.is_whitespace(),
        b"upper" => c.is_uppercase(),
        b"xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}
