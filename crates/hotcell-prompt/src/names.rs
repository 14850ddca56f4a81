//! Which names the model's code can call things by.

use crate::PromptError;

/// What a checked name belongs to; it opens the error message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameKind {
    /// A tool the code can call.
    Tool,
    /// A variable the host defined before the first step.
    Variable,
}

impl std::fmt::Display for NameKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Variable => "variable",
        })
    }
}

/// Words that cannot name a function or a parameter in the strict, async code the runtime evaluates.
const RESERVED_WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Names the runtime itself gives to the code; a tool under one of them would hide what the prompt promises.
const RUNTIME_NAMES: &[&str] = &["console", "final_answer", "globalThis"];

/// Names that begin so are the executor's own (its rule `reserved_identifier`). `hotcell-prepare` has the same, and a test compares them.
pub const RESERVED_PREFIX: &str = "__smol_";

pub(crate) fn is_reserved_word(name: &str) -> bool {
    RESERVED_WORDS.binary_search(&name).is_ok()
}

/// Whether `name` is written like a JavaScript identifier; reserved words are, too.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c == '_' || c == '$' || unicode_ident::is_xid_start(c))
        && chars.all(is_identifier_part)
}

pub(crate) fn is_identifier_part(c: char) -> bool {
    // The joiners are the two characters that ECMAScript adds to Unicode's own definition.
    c == '$' || c == '\u{200c}' || c == '\u{200d}' || unicode_ident::is_xid_continue(c)
}

/// Namespaces may be nested so deep.
const MAX_NAMESPACES: usize = 16;

/// Checks that the model's code can refer to something as `name`. A tool may be in a namespace: `Host.readDoc`.
pub fn check_name(kind: NameKind, name: &str) -> Result<(), PromptError> {
    if kind == NameKind::Tool
        && let Some((first, rest)) = name.split_once('.')
    {
        let parts = || rest.split('.');
        let is_path = parts().count() < MAX_NAMESPACES
            && parts().all(|part| is_identifier(part) && !is_reserved_word(part));
        if is_path && is_identifier(first) {
            return check_name(kind, first);
        }
    }
    if !is_identifier(name) {
        return Err(PromptError::InvalidName {
            kind,
            name: name.to_owned(),
            suggestion: to_identifier(name),
        });
    }
    let reason = if is_reserved_word(name) {
        "it is a reserved word of JavaScript"
    } else if RUNTIME_NAMES.contains(&name) {
        "the runtime defines it itself"
    } else if name.starts_with(RESERVED_PREFIX) {
        "names that start with `__smol_` belong to the runtime"
    } else {
        return Ok(());
    };
    Err(PromptError::ReservedName {
        kind,
        name: name.to_owned(),
        reason,
    })
}

/// Checks that a module can export something as `name`.
pub(crate) fn check_export(name: &str) -> Result<(), PromptError> {
    if is_identifier(name) && !is_reserved_word(name) {
        return Ok(());
    }
    Err(PromptError::InvalidName {
        kind: NameKind::Variable,
        name: name.to_owned(),
        suggestion: to_identifier(name),
    })
}

/// The nearest usable identifier: `web-search` becomes `web_search`, `class` becomes `class_`.
pub(crate) fn to_identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if is_identifier_part(c) { c } else { '_' })
        .collect();
    if !is_identifier(&out) {
        out.insert(0, '_');
    }
    if is_reserved_word(&out) || RUNTIME_NAMES.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

/// `search_hit`, `search-hit` and `searchHit` become `SearchHit`; empty if nothing usable is left.
pub(crate) fn to_type_name(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in name.chars() {
        if c == '_' || !unicode_ident::is_xid_continue(c) {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    if !out.is_empty() && !is_identifier(&out) {
        out.insert(0, 'T');
    }
    if is_identifier(&out) {
        out
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_binary_search() {
        assert!(RESERVED_WORDS.is_sorted());
    }

    #[test]
    fn every_suggested_identifier_is_accepted() {
        for name in [
            "",
            "web-search",
            "1st",
            "class",
            "a b",
            "💥",
            "final_answer",
            "日本",
            "-",
        ] {
            let suggestion = to_identifier(name);
            assert!(
                check_name(NameKind::Tool, &suggestion).is_ok(),
                "{name:?} gave {suggestion:?}"
            );
        }
    }

    #[test]
    fn type_names_are_pascal_case() {
        for (from, to) in [
            ("search_hit", "SearchHit"),
            ("searchHit", "SearchHit"),
            ("Page_User_", "PageUser"),
            ("3d", "T3d"),
            ("--", ""),
            ("HTTPError", "HTTPError"),
        ] {
            assert_eq!(to_type_name(from), to);
        }
    }
}
