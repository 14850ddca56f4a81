//! The least that can apply a unified patch.

/// The text after the patch. Panics if the patch does not fit exactly.
pub(crate) fn apply(before: &str, patch: &str) -> String {
    let mut old = before.split_inclusive('\n');
    let mut out = String::new();
    let mut done = 0;
    let mut lines = patch.split_inclusive('\n').peekable();
    assert!(lines.next().unwrap().starts_with("--- a/"));
    assert!(lines.next().unwrap().starts_with("+++ b/"));
    while let Some(line) = lines.next() {
        let no_newline = lines
            .next_if(|next| next.starts_with("\\ No newline"))
            .is_some();
        if let Some(header) = line.strip_prefix("@@ -") {
            let (start, rest) = header.split_once(',').unwrap();
            let count: usize = rest.split_once(' ').unwrap().0.parse().unwrap();
            let start: usize = start.parse().unwrap();
            // Of no lines, the number is that of the line before them.
            let first = if count == 0 { start } else { start - 1 };
            out.extend(old.by_ref().take(first - done));
            done = first;
            continue;
        }
        let (sign, text) = line.split_at(1);
        let text = if no_newline {
            text.strip_suffix('\n').unwrap()
        } else {
            text
        };
        if sign != "+" {
            assert_eq!(old.next(), Some(text), "line {} of the file", done + 1);
            done += 1;
        }
        if sign != "-" {
            out.push_str(text);
        }
    }
    out.extend(old);
    out
}
