//! Which name was meant.

/// Longer names are like nothing.
const MAX_NAME_BYTES: usize = 100;
/// So many pairs of characters are compared for one name, which takes some nanoseconds each.
const MAX_PAIRS: usize = 100_000;

/// The name that is most like `name`, if one is: `get_weather` and `getWeather` are the same to whoever misremembers.
///
/// ```
/// use hotcell_prepare::nearest_name;
///
/// assert_eq!(nearest_name("read_fil", ["write", "readFile"].into_iter()), Some("readFile"));
/// assert_eq!(nearest_name("paint", ["write", "readFile"].into_iter()), None);
/// ```
///
/// With many long names that are nearly like it, only the first of them are compared: it is done within some milliseconds.
pub fn nearest_name<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let plain = plain(name);
    let length = plain.chars().count();
    let allowed = length / 4 + 1;
    let counted = Letters::of(&plain);
    let mut left = MAX_PAIRS;
    let mut best: Option<(usize, &str)> = None;
    for one in candidates.filter(|one| one.len() <= MAX_NAME_BYTES && *one != name) {
        let other = self::plain(one);
        if counted.least_distance(&Letters::of(&other)) > allowed {
            continue;
        }
        let Some(rest) = left.checked_sub(plain.len() * other.len()) else {
            break;
        };
        left = rest;
        let distance = strsim::damerau_levenshtein(&plain, &other);
        let is_like = distance <= allowed && distance < length;
        if is_like && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, one));
        }
    }
    best.map(|(_, one)| one)
}

/// How often which characters are in a name, some of them taken together.
struct Letters([u8; 64]);

impl Letters {
    fn of(name: &str) -> Self {
        let mut counts = [0; 64];
        for c in name.chars() {
            // Names have fewer characters than fit.
            let count = &mut counts[c as usize % 64];
            *count = u8::saturating_add(*count, 1);
        }
        Self(counts)
    }

    /// Fewer edits do not make one name of the other: each takes one character away and adds one, at most.
    fn least_distance(&self, other: &Self) -> usize {
        let pairs = || self.0.iter().zip(&other.0);
        let missing = pairs().map(|(a, b)| usize::from(a.saturating_sub(*b)));
        let added = pairs().map(|(a, b)| usize::from(b.saturating_sub(*a)));
        missing.sum::<usize>().max(added.sum())
    }
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_' && *c != '$')
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Letters, nearest_name, plain};

    #[test]
    fn letters_are_never_further_apart_than_names() {
        let names = [
            "readFile", "read_fil", "fileRead", "", "ééé", "abcabc", "cbacba", "x",
        ];
        for a in names.map(plain) {
            for b in names.map(plain) {
                let least = Letters::of(&a).least_distance(&Letters::of(&b));
                assert!(least <= strsim::damerau_levenshtein(&a, &b), "{a} {b}");
            }
        }
    }

    #[test]
    fn long_names_without_end_are_not_all_compared() {
        // Each is one step from the next letter for letter, and far from it in their order.
        let names: Vec<String> = (0..20_000)
            .map(|n| format!("{}{n:05}", "ab".repeat(45)))
            .collect();
        let mut looked_at = 0;
        let candidates = names.iter().map(|name| {
            looked_at += 1;
            name.as_str()
        });
        let _ = nearest_name(&format!("{}00000", "ba".repeat(45)), candidates);
        assert!(looked_at < 100, "{looked_at}");
    }
}
