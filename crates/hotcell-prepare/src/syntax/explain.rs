//! The parser's errors, in words for a model that will write the code again.

use oxc_diagnostics::OxcDiagnostic;
use oxc_span::LabeledSpan;

use super::SyntaxError;
use crate::lines::LineIndex;

pub(super) fn explain(error: &OxcDiagnostic, text: &str, lines: &LineIndex<&str>) -> SyntaxError {
    // A redeclaration is an error where the second declaration is.
    let label = if error.message.contains("already been declared") {
        error.labels.last()
    } else {
        error.labels.first()
    };
    let offset = label.map_or(0, LabeledSpan::offset);
    let mut message = in_our_style(&error.message);
    let mut help = error.help.as_ref().map(|help| in_our_style(help));

    if message == "unexpected token" {
        message = match token_at(text, offset as usize) {
            "" => "unexpected end of the code".into(),
            token => format!("unexpected `{token}`"),
        };
    } else if message.starts_with("`await` is only allowed") {
        message = "`await` is only allowed in async functions and at the top level".into();
        help = Some("add `async` to the function that contains this `await`".into());
    } else if message == "unterminated string" {
        help =
            Some("a string ends on its line: use `\\n`, or a template literal (backticks)".into());
    } else if message.starts_with("private identifier") && message.contains("outside class") {
        help =
            Some("only the class itself can read it: add a getter or a method to the class".into());
    } else if message.contains("already been declared") && help.is_none() {
        help = Some(
            "declare it once, with `let` if it changes, and assign to it; or use another name"
                .into(),
        );
    } else if message.starts_with("delete of an unqualified identifier") {
        help = Some("variables cannot be deleted: set it to undefined".into());
    } else if message.starts_with("invalid regular expression") {
        help = in_a_pattern(&text[text.floor_char_boundary(offset as usize)..]).or(help);
    } else if message.contains(['“', '”', '‘', '’']) {
        help = Some("use straight quotes: \" or '".into());
    }
    if help.as_deref() == Some("try inserting a semicolon here") {
        help = None;
    }
    if help.is_none() {
        help = other_language(text)
            .map(str::to_owned)
            .or_else(|| instead_of_a_semicolon(text, offset as usize));
    }
    if is_f_string(text, offset as usize) {
        help = Some(
            "this looks like an f-string of Python: write `text ${value}` in backticks".into(),
        );
    } else if looks_like_python(line_at(text, offset as usize)) || begins_like_python(text) {
        help = Some("this looks like Python: write JavaScript, with { } around blocks".into());
    }
    let opened = error
        .labels
        .iter()
        .find(|label| label.label() == Some("Opened here"));
    if let Some(opened) = opened {
        let place = lines.locate(opened.offset() as usize);
        message = format!("{message} (opened at {}:{})", place.line, place.column);
    }
    SyntaxError {
        offset,
        message,
        help,
    }
}

/// What to do where a regular expression is one of another language.
fn in_a_pattern(rest: &str) -> Option<String> {
    let rest = rest.trim_start_matches(['(', '?']);
    let told = if rest.starts_with("P<") || rest.starts_with("P=") {
        "this is Python's: JavaScript names groups as in (?<name>…), and repeats them as \\k<name>"
    } else if rest.starts_with(|c: char| c.is_ascii_lowercase()) && rest.contains(')') {
        "flags stand behind the pattern, as in /…/i; within it as in (?i:…)"
    } else {
        return None;
    };
    Some(told.to_owned())
}

/// The parser's sentences without the capital and the period.
fn in_our_style(text: &str) -> String {
    let text = text
        .trim_end_matches('.')
        .replace("`EOF`", "the end of the code")
        .replace("Character", "character");
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second))
            if first.is_ascii_uppercase() && !second.is_ascii_uppercase() =>
        {
            format!("{}{}", first.to_ascii_lowercase(), chars.as_str())
        }
        _ => text,
    }
}

fn line_at(text: &str, offset: usize) -> &str {
    let offset = text.floor_char_boundary(offset);
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    &text[start..end]
}

/// Whether a line that does not parse is one that Python would take.
fn looks_like_python(line: &str) -> bool {
    let line = line.trim();
    let word = line.split([' ', '(', ':']).next().unwrap_or_default();
    match word {
        "def" | "elif" | "except" | "lambda" | "pass" | "raise" | "print" => true,
        "from" => line.contains(" import "),
        "import" => !line.contains(['"', '\'']),
        "if" | "for" | "while" | "else" | "try" | "class" | "async" | "with" => line.ends_with(':'),
        _ => {
            let is_choice = line.contains(" if ") && line.contains(" else ") && !line.contains('(');
            let in_brackets = line
                .split_once('[')
                .is_some_and(|(_, inside)| inside.contains(" for ") && inside.contains(" in "));
            line.starts_with('#') || is_choice || in_brackets
        }
    }
}

/// Whether the code begins with an import that only Python has: what is wrong is found a line later.
fn begins_like_python(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    (first.starts_with("import ") || first.starts_with("from ")) && looks_like_python(first)
}

/// What to do where two things stand beside each other: the parser would have a semicolon between them.
fn instead_of_a_semicolon(text: &str, offset: usize) -> Option<String> {
    let before = text.get(..offset)?.trim_end();
    let line = line_at(text, offset);
    let words = line.split_whitespace().filter(|word| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        !word.is_empty() && word.chars().all(char::is_alphabetic)
    });
    let is_sentence = words.count() >= 4 && !line.contains(['=', '(', '{', ';', '`']);
    if is_sentence {
        return Some(
            "this looks like a sentence: write code only, with sentences in strings or comments"
                .to_owned(),
        );
    }
    let is_in_a_word = text.get(offset..)?.starts_with(char::is_alphabetic);
    (before.len() == offset && before.ends_with(['\'', '"']) && is_in_a_word).then(|| {
        "a quote ends the string: write \\' or \\\" for one inside, or use backticks".to_owned()
    })
}

/// So much of a text tells what it is.
const MAX_BEGINNING: usize = 2000;

/// What a text is that is no code at all, by how it begins.
fn other_language(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let text = &text[..text.floor_char_boundary(MAX_BEGINNING)];
    let line = text.lines().next().unwrap_or_default();
    let words = || line.split_whitespace();
    let first = words().next().unwrap_or_default();
    let is_shouted = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_uppercase());
    let has = |word: &str| text.split_whitespace().any(|one| one == word);
    let is_sql = match first {
        "SELECT" | "DELETE" => has("FROM"),
        "INSERT" => has("INTO"),
        "UPDATE" => has("SET"),
        "CREATE" | "ALTER" | "DROP" => has("TABLE"),
        "WITH" => has("AS"),
        _ => false,
    };
    if is_shouted && is_sql {
        return Some(
            "this looks like SQL: write JavaScript, and give queries to a tool as strings",
        );
    }
    let is_object = text.strip_prefix('{').is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.starts_with('"')
            && rest
                .split_once(':')
                .is_some_and(|(key, _)| key.trim_end().ends_with('"'))
    });
    if is_object {
        return Some(
            "this looks like JSON: write JavaScript that calls the tools; an object as a value stands in brackets, as in ({ … })",
        );
    }
    let is_command = matches!(
        first,
        "$" | "cd"
            | "ls"
            | "cat"
            | "echo"
            | "grep"
            | "npm"
            | "npx"
            | "pip"
            | "git"
            | "curl"
            | "sudo"
            | "python"
            | "python3"
            | "node"
    );
    let is_call = line[first.len()..]
        .trim_start()
        .starts_with(['(', '=', '.', ';']);
    (is_command && !is_call && words().count() > 1)
        .then_some("this looks like a command of a shell: write JavaScript, and use the tools")
}

/// Whether the string at an offset has a letter before it, as Python's have.
fn is_f_string(text: &str, offset: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..offset), text.get(offset..)) else {
        return false;
    };
    let Some(before) = before.strip_suffix(['f', 'F']) else {
        return false;
    };
    after.starts_with(['"', '\'']) && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The word or the character at an offset.
fn token_at(text: &str, offset: usize) -> &str {
    let rest = text.get(offset..).unwrap_or("");
    let word: usize = rest
        .chars()
        .take_while(|&c| c.is_alphanumeric() || c == '_' || c == '$')
        .take(MAX_TOKEN_CHARS)
        .map(char::len_utf8)
        .sum();
    let length = if word > 0 {
        word
    } else {
        rest.chars().next().map_or(0, char::len_utf8)
    };
    rest.get(..length).unwrap_or("")
}

/// A long word says no more than its beginning.
const MAX_TOKEN_CHARS: usize = 40;
