//! Which name was meant.

/// Longer names are like nothing.
const MAX_NAME_BYTES: usize = 100;

/// The name that is most like `name`, if one is: `get_weather` and `getWeather` are the same to whoever misremembers.
///
/// ```
/// use hotcell_prepare::nearest_name;
///
/// assert_eq!(nearest_name("read_fil", ["write", "readFile"].into_iter()), Some("readFile"));
/// assert_eq!(nearest_name("paint", ["write", "readFile"].into_iter()), None);
/// ```
pub fn nearest_name<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let plain = plain(name);
    let length = plain.chars().count();
    let allowed = length / 4 + 1;
    candidates
        .filter(|one| one.len() <= MAX_NAME_BYTES && *one != name)
        .filter_map(|one| {
            let distance = strsim::damerau_levenshtein(&plain, &self::plain(one));
            (distance <= allowed && distance < length).then_some((distance, one))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, one)| one)
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_' && *c != '$')
        .flat_map(char::to_lowercase)
        .collect()
}
