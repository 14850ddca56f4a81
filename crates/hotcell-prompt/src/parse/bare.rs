//! Does a text without any block look like JavaScript?

use serde_json::Value;

use super::script::{Kind, Scanner, Token};

/// Words that may stand beside another word in code; anywhere else two words in a row are prose.
const KEYWORDS: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "finally",
    "for",
    "from",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "interface",
    "is",
    "keyof",
    "let",
    "namespace",
    "new",
    "of",
    "private",
    "protected",
    "public",
    "readonly",
    "return",
    "satisfies",
    "set",
    "static",
    "switch",
    "throw",
    "try",
    "type",
    "typeof",
    "unique",
    "using",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Whether `text` is code beyond doubt: nothing in it is prose, and something in it is only written in code.
pub(crate) fn looks_like_code(text: &str) -> bool {
    matches!(read(text), Reading::Code)
}

/// Whether `text` may be code: nothing in it is prose, and it is not plain data.
pub(crate) fn may_be_code(text: &str) -> bool {
    let is_data = || {
        serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object() || value.is_array())
    };
    !matches!(read(text), Reading::Prose) && !is_data()
}

enum Reading {
    Code,
    Unclear,
    Prose,
}

fn read(text: &str) -> Reading {
    let mut scanner = Scanner::new(text, 0);
    let mut reading = Reading::Unclear;
    let mut previous: Option<Token> = None;
    while let Some(token) = scanner.next_token() {
        if matches!(token.kind, Kind::LineComment | Kind::BlockComment { .. }) {
            continue;
        }
        if matches!(
            token.kind,
            Kind::Text { closed: false } | Kind::Template { closed: false }
        ) {
            return Reading::Prose;
        }
        if let Some(previous) = previous
            && !token.first
        {
            if is_prose(text, previous, token) {
                return Reading::Prose;
            }
            if is_sign_of_code(text, previous, token) {
                reading = Reading::Code;
            }
        }
        previous = Some(token);
    }
    match previous {
        Some(last) if slice(text, last) == ";" => Reading::Code,
        _ => reading,
    }
}

fn is_prose(text: &str, left: Token, right: Token) -> bool {
    let plain = |token: Token| {
        token.kind == Kind::Word && KEYWORDS.binary_search(&slice(text, token)).is_err()
    };
    right.start > left.end && (plain(left) || left.kind == Kind::Number) && plain(right)
}

/// Two neighbours that only code has: a call, an assignment, an arrow, a declaration, a statement's end.
fn is_sign_of_code(text: &str, left: Token, right: Token) -> bool {
    let touching = left.end == right.start;
    match (slice(text, left), slice(text, right)) {
        (_, "(") if left.kind == Kind::Word => touching,
        ("=", ">") => touching,
        ("const" | "let" | "var" | "class" | "function", next) => {
            right.kind == Kind::Word || next == "{" || next == "["
        }
        ("await" | "throw" | "new", _) => right.kind == Kind::Word,
        (_, "=") if left.kind == Kind::Word => !text
            .get(right.end..)
            .is_some_and(|rest| rest.starts_with('=')),
        (_, ";") => text
            .get(right.end..)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('\n')),
        _ => false,
    }
}

fn slice(text: &str, token: Token) -> &str {
    text.get(token.start..token.end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_binary_search() {
        assert!(KEYWORDS.is_sorted());
    }
}
