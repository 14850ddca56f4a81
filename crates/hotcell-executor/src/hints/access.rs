//! What to do where something is read from nothing, or written to what cannot change.

use hotcell_prepare::{BUILTIN_GLOBALS, nearest_name};

use crate::shorten::shorten;

/// Of an expression so much is repeated.
const MAX_BYTES: usize = 100;

const FROZEN: &str = "values from the host (variables, answers of tools) are frozen: change a copy: \
    structuredClone(value) copies all of it, { ...value } only its first level; toSorted(), toReversed() and \
    with() give changed copies of arrays";

const LANGUAGE: &str =
    "what the language brings cannot be changed: write a function of your own and call that";

/// By the message of a `TypeError`, and what stands where it was thrown.
pub(super) fn hint(message: &str, code: &str) -> Option<String> {
    if let Some(name) = message.strip_suffix(" is read-only") {
        let name = name.trim_matches('\'');
        if is_of_the_language(code) && code.contains(&format!(".{name}")) {
            return Some(LANGUAGE.to_owned());
        }
        let is_property =
            name.bytes().all(|byte| byte.is_ascii_digit()) || code.contains(&format!(".{name}"));
        return Some(if is_assigned(name, code) {
            format!("`{name}` is a constant: declare it with `let`, or use another name")
        } else if is_property {
            FROZEN.to_owned()
        } else {
            // `total += price` fails where the value stands, and so does `report.total += price`.
            format!("if `{name}` is a constant, declare it with `let`; {FROZEN}")
        });
    }
    if let Some(what) = message.strip_suffix(" is not iterable") {
        return Some(not_iterable(what));
    }
    let told = match message {
        "object is not extensible" | "could not delete property" if is_of_the_language(code) => {
            LANGUAGE
        }
        "object is not extensible" | "could not delete property" => FROZEN,
        "BigInt are forbidden in JSON.stringify" => {
            "JSON has no BigInt: make it `Number(value)` or `String(value)`, or return the value itself"
        }
        "class constructors must be invoked with 'new'" => {
            "write `new` before the class that is called"
        }
        "circular reference" => {
            "JSON cannot hold what contains itself: leave that property out, or return the value itself"
        }
        "Cannot convert undefined or null to object" => {
            "what is passed here is undefined or null: print it first, or pass `value ?? {}`"
        }
        "reduce of empty array with no initial value" => {
            "give `reduce` an initial value: `values.reduce((sum, value) => sum + value, 0)`"
        }
        "cannot convert BigInt to number" => {
            "numbers and BigInts do not mix: use `Number(value)` or `BigInt(value)` on one side"
        }
        _ => return of_nothing(message, code),
    };
    Some(told.to_owned())
}

/// `stock is not iterable`: it may be an object, or nothing.
fn not_iterable(what: &str) -> String {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let is_name = what.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    let is_nothing = matches!(what, "undefined" | "null");
    let (look, object) = if is_name && !is_nothing && what.chars().all(is_path) {
        let what = shorten(what, MAX_BYTES);
        (format!("`console.log({what})` shows what it is; "), what)
    } else {
        (String::new(), "value".into())
    };
    format!(
        "{look}an array, string, Map or Set can be gone through, and of an object Object.entries({object}), Object.keys({object}) or Object.values({object})"
    )
}

/// Whether code begins with something that every cell has.
fn is_of_the_language(code: &str) -> bool {
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_');
    BUILTIN_GLOBALS.contains(&&code[..end.unwrap_or(code.len())])
}

/// Whether code begins with an assignment to this variable, not to a property of that name.
fn is_assigned(name: &str, code: &str) -> bool {
    let code = code.trim_start_matches(['+', '-']);
    let Some(behind) = code.strip_prefix(name) else {
        return false;
    };
    !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '['))
        && !behind.starts_with("?.")
}

/// What stands before the brackets at the end of an expression, if that is all there is.
fn indexed(expression: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut open = None;
    for (at, c) in expression.char_indices().rev() {
        match c {
            ']' | ')' => depth += 1,
            '[' | '(' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && c == '[' && open.is_none() {
                    open = Some(at);
                }
            }
            _ if depth > 0 => {}
            c if c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?') => {}
            _ => return None,
        }
        if open.is_none() && depth == 0 {
            return None;
        }
    }
    let list = expression[..open?].trim_end_matches("?.");
    (depth == 0 && !list.is_empty()).then_some(list)
}

/// `cannot read property 'toFixed' of undefined`.
fn of_nothing(message: &str, code: &str) -> Option<String> {
    let rest = message.strip_prefix("cannot read property '")?;
    let (property, nothing) = rest.rsplit_once("' of ")?;
    let at = code
        .find(&format!(".{property}"))
        .or_else(|| code.find(&format!("[{property}]")))?;
    let expression = code[..at].trim_end_matches('.').trim_end_matches('?');
    if let Some(list) = indexed(expression) {
        let (list, shown) = (shorten(list, MAX_BYTES), shorten(expression, MAX_BYTES));
        return Some(format!(
            "`{shown}` is {nothing}: `{list}` has no such element. Print it to see what it holds, or write `?.` behind the brackets"
        ));
    }
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?');
    let shown = shorten(expression, MAX_BYTES);
    if !expression.is_empty() && expression.chars().all(is_path) {
        let Some((object, last)) = expression.rsplit_once('.') else {
            if expression == "this" {
                return Some(
                    "`this` is undefined: call the function as a method, as in `object.method()`, or write it as an arrow function where `this` is known".to_owned(),
                );
            }
            return Some(format!(
                "`{shown}` is {nothing}: print it before it is used, or write `{shown}?.{property}`"
            ));
        };
        if object == "globalThis" {
            return None;
        }
        let object = shorten(object, MAX_BYTES);
        // Not a name that is there: it would have a value.
        if last != "length" && nearest_name(last, ["length"].into_iter()).is_some() {
            return Some(format!(
                "`{shown}` is {nothing}: did you mean `{object}.length`?"
            ));
        }
        return Some(format!(
            "`{shown}` is {nothing}: `console.log({object})` shows what is there"
        ));
    }
    // The place is that of the method: `find(…).age`.
    let method: String = code.chars().take_while(|c| c.is_alphanumeric()).collect();
    let finds = matches!(
        &*method,
        "find" | "findLast" | "at" | "get" | "pop" | "shift" | "match" | "exec"
    );
    (finds && code[method.len()..].starts_with('(')).then(|| {
        format!("`{method}(…)` gave {nothing}, there is no such element: look before you read from it, or write `?.{property}`")
    })
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn a_constant_is_told_from_what_is_frozen() {
        let told = |code| hint("'c' is read-only", code).unwrap_or_default();
        assert!(told("c = 2").starts_with("`c` is a constant"));
        assert!(told("c++").starts_with("`c` is a constant"));
        assert!(told("++c").starts_with("`c` is a constant"));
        assert!(told("c.c = 2").starts_with("values from the host"));
        assert!(told("a.c = 2").starts_with("values from the host"));
        assert!(told("x + 1").starts_with("if `c` is a constant"));
        assert!(hint("'0' is read-only", "sort()").is_some_and(|hint| hint.starts_with("values")));
    }

    #[test]
    fn what_is_missing_is_named() {
        let message = "cannot read property 'toFixed' of undefined";
        let told = |code| hint(message, code).unwrap_or_default();
        assert_eq!(
            told("a.b.toFixed(1)"),
            "`a.b` is undefined: `console.log(a)` shows what is there"
        );
        assert!(told("list.lenght.toFixed(1)").ends_with("did you mean `list.length`?"));
        assert!(told("a.toFixed(1)").starts_with("`a` is undefined: print it"));
        assert!(told("find((x) => x > 1).toFixed()").starts_with("`find(…)` gave undefined"));
        assert_eq!(
            told("r.rows[0].toFixed(1)"),
            "`r.rows[0]` is undefined: `r.rows` has no such element. Print it to see what it holds, or write `?.` behind the brackets"
        );
        assert!(
            told("l.split(',')[1].toFixed()")
                .starts_with("`l.split(',')[1]` is undefined: `l.split(',')` has")
        );
        assert_eq!(told("[1, 2].toFixed()"), "");
        assert_eq!(told("(a + b[1]).toFixed()"), "");
        let first =
            hint("cannot read property '0' of undefined", "r.rows[0].id").unwrap_or_default();
        assert!(first.starts_with("`r.rows` is undefined"), "{first}");
        assert_eq!(told("(a + b).toFixed()"), "");
        assert_eq!(told("globalThis.a.toFixed()"), "");
        assert_eq!(told("é"), "");
    }
}
