//! `{a,b}`: one rule that stands for several.

/// What a glob stands for; `None` if that is more than `most`.
pub(crate) fn alternatives(glob: &str, most: usize) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![glob.to_owned()];
    let mut rounds = 0;
    while let Some(glob) = open.pop() {
        rounds += 1;
        let Some((start, cuts, end)) = braces(glob.as_bytes()) else {
            done.push(glob);
            continue;
        };
        if rounds > most || done.len() + open.len() + cuts.len() >= most {
            return None;
        }
        let mut from = start + 1;
        for cut in cuts.into_iter().chain([end]) {
            open.push([&glob[..start], &glob[from..cut], &glob[end + 1..]].concat());
            from = cut + 1;
        }
    }
    Some(done)
}

/// The first braces: where they open, their commas, and where they close. Those that nobody closes are none.
fn braces(glob: &[u8]) -> Option<(usize, Vec<usize>, usize)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut first = None;
    let mut is_escaped = false;
    for (at, byte) in glob.iter().enumerate() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match byte {
            b'\\' => is_escaped = true,
            b'{' => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, cuts)) = open.last_mut() {
                    cuts.push(at);
                }
            }
            b'}' => {
                if let Some((start, cuts)) = open.pop() {
                    // The outermost that is closed; inner ones have their turn later.
                    first = Some((start, cuts, at));
                    if open.is_empty() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    first
}
