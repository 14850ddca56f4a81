//! Whether code that is neither JavaScript nor TypeScript was meant to have JSX in it.

use std::cell::OnceCell;

use super::scanner::{Goal, Scanner, Step};

/// Elements that are looked at: if the first few are none, the others are hardly any.
const MAX_ELEMENTS: usize = 8;

/// Whether there is an element where an expression begins. A guess, as good as it needs to be: it decides how an error is
/// explained. A parser for typed JSX would know, but not in bearable time: what is between tags is no code, so that nothing
/// can be told about it beforehand.
pub(crate) fn has_jsx(code: &str, max_nesting: u32) -> bool {
    let ends = OnceCell::new();
    let mut scanner = Scanner::new(code, &ends, Goal::TypeScript, max_nesting);
    let mut elements = 0;
    loop {
        if scanner.expects_value()
            && let Some(rest) = code.get(scanner.at..)
            && let Some(tag) = rest.strip_prefix('<')
        {
            if is_element(tag) {
                return true;
            }
            elements += 1;
        }
        let step = match scanner.step() {
            Ok(Step::Slash(slash)) => scanner.take_slash(slash.likely()).map(|()| false),
            Ok(Step::Token) => Ok(false),
            Ok(Step::End) | Err(_) => Ok(true),
        };
        if step.unwrap_or(true) || elements == MAX_ELEMENTS {
            return false;
        }
    }
}

/// Whether an element starts with this, behind its `<`.
fn is_element(tag: &str) -> bool {
    let length = tag
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '_' | '$')))
        .unwrap_or(tag.len());
    let (name, rest) = tag.split_at(length);
    if name.is_empty() {
        return rest.starts_with('>') && rest.contains("</>");
    }
    rest.contains("/>") || rest.contains(&format!("</{name}"))
}
