//! Markdown around the code: models answer with fenced blocks even where only code was asked for.
//!
//! Everything that is not code is blanked out, never cut, so that lines and columns stay what they were.

use crate::lines::push_blank;

/// What to make of the Markdown in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fences {
    /// There is none.
    None,
    /// The text starts with a fence. As JavaScript it could only be a template literal that is called as a function,
    /// which always fails: the code inside is meant.
    Certain(String),
    /// There are fence lines after other text. It may be a program with a comment that contains them: whoever parses
    /// decides. `lines` are the offsets of the backticks.
    Possible { stripped: String, lines: Vec<usize> },
    /// The text starts with a fence, and every block is in some other language.
    Foreign { language: String, offset: usize },
}

/// A line that is a fence.
struct Fence<'t> {
    /// The offset of the line, of its first fence character, and of the line after it.
    line: usize,
    mark: usize,
    next: usize,
    character: u8,
    length: usize,
    /// The first word after the fence, in lower case.
    language: String,
    info: &'t str,
}

/// The marks that our prompt asks for around code.
const TAGS: (&str, &str) = ("<code>", "</code>");

pub(crate) fn find(text: &str) -> Fences {
    let Some(inside) = inside_tags(text) else {
        return find_fences(text);
    };
    match find_fences(&inside) {
        Fences::None | Fences::Possible { .. } => Fences::Certain(inside),
        fences => fences,
    }
}

/// The text with all but the code between tags blanked out. No program begins with a tag, or ends with one that a line
/// before it opened.
fn inside_tags(text: &str) -> Option<String> {
    let (opening, closing) = TAGS;
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let is_closed = trimmed.ends_with(closing);
    let mark = if trimmed.starts_with(opening) {
        start
    } else if is_closed {
        let line = trimmed.find(&format!("\n{opening}"))?;
        start + line + 1
    } else {
        return None;
    };
    let from = mark + opening.len();
    let last = text.rfind(closing).filter(|at| *at >= from);
    let to = last.unwrap_or(text.len());
    Some(keep(text, &[(from, to)]))
}

fn find_fences(text: &str) -> Fences {
    if !text.contains("```") && !text.contains("~~~") {
        return Fences::None;
    }
    if let Some(inline) = inline_block(text) {
        return Fences::Certain(inline);
    }
    let fences = fence_lines(text);
    let Some(first) = fences.first() else {
        return Fences::None;
    };
    let before = text.get(..first.mark).unwrap_or("");
    let starts = is_blank(before);
    let certain = starts && first.character == b'`';
    if !starts && is_inside_code(before) {
        return Fences::None;
    }
    let Some(stripped) = strip(text, &fences, starts) else {
        return if certain {
            Fences::Foreign {
                language: first.language.clone(),
                offset: first.mark,
            }
        } else {
            Fences::None
        };
    };
    if certain {
        return Fences::Certain(stripped);
    }
    Fences::Possible {
        stripped,
        lines: fences.iter().map(|fence| fence.mark).collect(),
    }
}

/// Whether a comment or a template literal is open at the end of this text: then a fence line after it is part of the
/// program.
fn is_inside_code(before: &str) -> bool {
    let comment = match (before.rfind("/*"), before.rfind("*/")) {
        (Some(open), Some(close)) => open > close,
        (open, _) => open.is_some(),
    };
    let mut escaped = false;
    let mut backticks = 0;
    for byte in before.bytes() {
        backticks += usize::from(byte == b'`' && !escaped);
        escaped = byte == b'\\' && !escaped;
    }
    comment || backticks % 2 == 1
}

/// The text with all but the code in its fences blanked out, if there is code in fences.
fn strip(text: &str, fences: &[Fence<'_>], starts: bool) -> Option<String> {
    if let [only] = fences {
        // An answer that was continued after a prompt which ended in the opening fence.
        if !starts && only.info.is_empty() && text.get(only.next..).is_some_and(is_blank) {
            return Some(keep(text, &[(0, only.line)]));
        }
        if !starts && !is_script(&only.language) {
            return None;
        }
    }
    let blocks = blocks(text, fences);
    let tagged: Vec<_> = blocks
        .iter()
        .filter(|(language, _)| is_script(language))
        .collect();
    let ranges: Vec<_> = if tagged.is_empty() {
        blocks
            .iter()
            .filter(|(language, _)| language.is_empty())
            .map(|&(_, range)| range)
            .collect()
    } else {
        tagged.into_iter().map(|&(_, range)| range).collect()
    };
    (!ranges.is_empty()).then(|| keep(text, &ranges))
}

type Block<'f> = (&'f str, (usize, usize));

/// The code between opening and closing fences; the last block may lack its end.
fn blocks<'f>(text: &str, fences: &'f [Fence<'_>]) -> Vec<Block<'f>> {
    let mut blocks = Vec::new();
    let mut open: Option<&Fence<'_>> = None;
    for fence in fences {
        match open {
            None => open = Some(fence),
            Some(opening) => {
                let closes = fence.character == opening.character
                    && fence.length >= opening.length
                    // Agents end their answers with tags such as `<end_code>`.
                    && (fence.info.is_empty() || fence.info.starts_with('<'));
                if closes {
                    blocks.push((opening.language.as_str(), (opening.next, fence.line)));
                    open = None;
                }
            }
        }
    }
    if let Some(opening) = open {
        let end = end_of_open(text, opening);
        blocks.push((opening.language.as_str(), (opening.next, end)));
    }
    blocks
}

/// Where the code ends if no line closes its fence: before one that stands behind the last of its code, else where the text does.
fn end_of_open(text: &str, opening: &Fence<'_>) -> usize {
    let inside = text.get(opening.next..).unwrap_or("").trim_end();
    let code = inside.trim_end_matches(char::from(opening.character));
    if inside.len() - code.len() >= opening.length {
        opening.next + code.len()
    } else {
        text.len()
    }
}

/// `` ```js code``` `` on one line.
fn inline_block(text: &str) -> Option<String> {
    let start = text.len() - text.trim_start().len();
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    if inner.is_empty() || inner.contains(['\n', '\r', '`']) {
        return None;
    }
    let word = inner.split_whitespace().next().unwrap_or("");
    let skip = if is_script(&word.to_ascii_lowercase()) && inner.starts_with(word) {
        word.len()
    } else {
        0
    };
    let from = start + 3 + skip;
    Some(keep(text, &[(from, start + 3 + inner.len())]))
}

fn fence_lines(text: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut line = 0;
    for piece in text.split_inclusive('\n') {
        let next = line + piece.len();
        let content = piece.trim_start_matches([' ', '\t', '\u{feff}']);
        let mark = line + piece.len() - content.len();
        let character = content.bytes().next().unwrap_or(0);
        let length = content
            .bytes()
            .take_while(|&byte| byte == character)
            .count();
        if matches!(character, b'`' | b'~') && length >= 3 {
            let info = content.get(length..).unwrap_or("").trim();
            // A backtick after the fence makes it code in the middle of a line.
            if !info.contains('`') {
                let language = info
                    .split(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ','))
                    .find(|word| !word.is_empty())
                    .unwrap_or("")
                    .trim_start_matches('.')
                    .to_ascii_lowercase();
                fences.push(Fence {
                    line,
                    mark,
                    next,
                    character,
                    length,
                    language,
                    info,
                });
            }
        }
        line = next;
    }
    fences
}

fn is_script(language: &str) -> bool {
    matches!(
        language,
        "js" | "javascript"
            | "mjs"
            | "cjs"
            | "jsx"
            | "node"
            | "nodejs"
            | "es6"
            | "ecmascript"
            | "ts"
            | "typescript"
            | "mts"
            | "cts"
            | "tsx"
    )
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .is_empty()
}

/// The text with everything outside the ranges blanked out.
fn keep(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in ranges {
        push_blank(&mut out, text.get(at..start).unwrap_or(""));
        out.push_str(text.get(start..end).unwrap_or(""));
        at = end;
    }
    push_blank(&mut out, text.get(at..).unwrap_or(""));
    out
}
