//! Text that has to fit.

/// The text, or its beginning and its end with a note between them. `keep_end` is how much of the room its end gets, in
/// hundredths.
pub(super) fn cut(text: &str, room: usize, keep_end: usize, what: &str) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.to_owned();
    }
    // What it is, and what to do about it.
    let (what, advice) = what.split_once(": ").unwrap_or((what, ""));
    let between = if advice.is_empty() { "" } else { ": " };
    let note = |left_out: usize| {
        format!("\n[{left_out} characters of {what} left out{between}{advice}]\n")
    };
    let room = room.saturating_sub(note(length).chars().count());
    let end = room * keep_end / 100;
    let start = room - end;
    let (head, tail) = (
        &text[..byte_of(text, start)],
        &text[byte_of(text, length - end)..],
    );
    // Half a line misleads; but a line may also be nearly all there is.
    let head = match head.rfind('\n') {
        Some(at) if at >= head.len() / 2 => &head[..at],
        _ => head,
    };
    let tail = match tail.find('\n') {
        Some(at) if at <= tail.len() / 2 => &tail[at + 1..],
        _ => tail,
    };
    let left_out = length - head.chars().count() - tail.chars().count();
    let text = format!("{head}{}{tail}", note(left_out));
    text.trim_end_matches('\n').to_owned()
}

/// Where a character begins.
fn byte_of(text: &str, character: usize) -> usize {
    let mut places = text.char_indices().map(|(at, _)| at);
    places.nth(character).unwrap_or(text.len())
}
