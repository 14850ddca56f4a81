//! What to do about an error, for whoever writes the code again.

mod access;
mod methods;

use std::fmt::Write as _;

use hotcell_cell::Exception;
use hotcell_prepare::{
    BUILTIN_GLOBALS, Diagnostic, GlobalName, instead_of_global, nearest_name, rule,
};

use crate::{catalog::SEARCH, shorten::shorten};

/// So many tools are listed; who has more of them looks at the prompt.
const MAX_LISTED: usize = 20;
/// Of a name so many bytes are repeated, and longer ones are like nothing.
const MAX_NAME_BYTES: usize = 100;

/// The names that code could have meant.
pub(crate) struct Known {
    /// Tools, those in namespaces with their path.
    pub(crate) tools: Vec<String>,
    /// Those of them that a prompt declares.
    pub(crate) declared: Vec<String>,
    /// Variables, and what earlier runs declared.
    pub(crate) names: Vec<String>,
}

/// What to do about what was thrown, if there is something to say. `code` is what stands where it was thrown, up to the end of the
/// line, and `before` what stands before that; nothing if that is not known.
pub(crate) fn hint(
    exception: &Exception,
    known: &Known,
    before: &str,
    code: &str,
) -> Option<String> {
    let message = exception.message();
    match &*exception.name() {
        "ReferenceError" => {
            if let Some(name) = message.strip_suffix(" is not initialized") {
                return Some(format!(
                    "`{}` is declared further down: move its declaration up, or use it later",
                    shorten(name, MAX_NAME_BYTES)
                ));
            }
            let name = message.strip_suffix(" is not defined")?;
            let name = name.trim_matches('\'');
            if is_named_argument(name, before, code) {
                return Some(format!(
                    "arguments have no names here: give an object, as in `{{ {}: … }}`",
                    shorten(name, MAX_NAME_BYTES)
                ));
            }
            Some(in_context(name, code, known).unwrap_or_else(|| missing(name, known)))
        }
        "TypeError" => type_error(&message, known, code),
        "RangeError" if message == "Maximum call stack size exceeded" => Some(
            "a function calls itself without end, or too deeply: check the case in which it stops, or use a loop"
                .to_owned(),
        ),
        "RangeError" if message == "Date value is NaN" => Some(
            "the date could not be read: write it as in new Date(\"2024-12-31\"), or take it apart and give the parts: new Date(year, month - 1, day)".to_owned(),
        ),
        "SyntaxError" if ["RegExp(", "match(", "matchAll(", "search("].iter().any(|call| code.starts_with(call)) => Some(
            "that is no regular expression: where characters such as ( [ * + ? . stand for themselves, write a backslash before them, two in a string".to_owned(),
        ),
        "InternalError" if message == "string too long" => Some(
            "a text has a limit of a billion characters: check the case in which the code stops adding to it".to_owned(),
        ),
        _ => None,
    }
}

/// What to do about what the bridge to a tool did not let pass.
pub(crate) fn for_tool(exception: &Exception) -> Option<&'static str> {
    let message = exception.message();
    let what = message.strip_suffix(" and cannot be passed to a tool")?;
    Some(if what.ends_with(" is a promise") {
        "`await` it first: tools return promises, and so do async functions (Promise.all for several)"
    } else {
        "pass plain data: numbers, strings, arrays, objects, dates, maps, sets, bytes"
    })
}

fn type_error(message: &str, known: &Known, code: &str) -> Option<String> {
    if let Some(hint) = access::hint(message, code) {
        return Some(hint);
    }
    let path = message.strip_suffix(" is not a function")?;
    not_a_function(path, known)
}

/// `Host.readDok()`, or a method that does not exist.
fn not_a_function(path: &str, known: &Known) -> Option<String> {
    if let Some(nearest) = nearest_name(path, known.tools.iter().map(String::as_str)) {
        return Some(did_you_mean(nearest));
    }
    let (namespace, _) = path.rsplit_once('.')?;
    let prefix = format!("{namespace}.");
    let members: Vec<&String> = known
        .tools
        .iter()
        .filter(|tool| tool.starts_with(&prefix))
        .collect();
    if members.is_empty() {
        let method = path.rsplit('.').next().unwrap_or_default();
        if let Some(instead) = methods::instead(method) {
            return Some(instead.to_owned());
        }
        if let Some(nearest) = methods::nearest(namespace, method) {
            return Some(did_you_mean(&nearest));
        }
        let is_promise = matches!(
            path.rsplit('.').next(),
            Some(
                "map"
                    | "filter"
                    | "forEach"
                    | "find"
                    | "reduce"
                    | "slice"
                    | "split"
                    | "join"
                    | "includes"
            )
        );
        return is_promise.then(|| {
            let shown = shorten(namespace, MAX_NAME_BYTES);
        format!("`console.log({shown})` shows what it is: objects have no such method, and what a tool returns is a promise until it is awaited")
        });
    }
    Some(format!("{namespace} has: {}", list(members.into_iter())))
}

/// The finding for a name that nothing defines.
pub(crate) fn unknown_name(used: &GlobalName, known: &Known) -> Diagnostic {
    let message = format!("`{}` is not defined", shorten(&used.name, MAX_NAME_BYTES));
    Diagnostic::warning(rule::UNKNOWN_NAME, message)
        .with_location(used.location)
        .with_fix(missing(&used.name, known))
}

/// `weather(city="Paris")`, as in Python: an assignment directly behind the bracket of a call.
fn is_named_argument(name: &str, before: &str, code: &str) -> bool {
    let called = before.trim_end().strip_suffix('(');
    let is_call = called.is_some_and(|function| function.ends_with(|c: char| c.is_alphanumeric()));
    let behind = code.strip_prefix(name).map(str::trim_start);
    is_call && behind.is_some_and(is_assignment)
}

fn is_assignment(behind: &str) -> bool {
    behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>")
}

/// A name that nothing defines, by what stands behind it.
fn in_context(name: &str, code: &str, known: &Known) -> Option<String> {
    let rest = code.strip_prefix(name)?;
    if name == "process" {
        let told = match rest.strip_prefix('.')? {
            rest if rest.starts_with("stdout") || rest.starts_with("stderr") => {
                "print with `console.log(…)`"
            }
            rest if rest.starts_with("exit") => "`return` at the top level ends the code",
            _ => return None,
        };
        return Some(told.to_owned());
    }
    if is_assignment(rest.trim_start()) {
        return Some(format!(
            "declare it: `let {} = …`",
            shorten(name, MAX_NAME_BYTES)
        ));
    }
    // `tools.weather(…)`: the object is made up, the tool is there.
    let member = rest.strip_prefix('.')?;
    let end = member.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let member = &member[..end.unwrap_or(member.len())];
    if instead_of_global(name).is_some() || member.is_empty() {
        return None;
    }
    let tool = known.tools.iter().find(|tool| *tool == member)?;
    Some(format!("call the tool by its name alone: `{tool}(…)`"))
}

/// A name that nothing defines.
fn missing(name: &str, known: &Known) -> String {
    let mut words = None;
    let candidates = known.tools.iter().chain(&known.names).map(String::as_str);
    if let Some(instead) = instead_of_global(name) {
        words = Some(instead.to_owned());
    } else if let Some(nearest) = nearest_name(name, candidates) {
        words = Some(match alike(name, nearest) {
            Some(letter) => format!(
                "`{nearest}` is declared with the letter {letter} (U+{:04X}), which only looks alike: write both with the same letters",
                u32::from(letter)
            ),
            None => did_you_mean(nearest),
        });
    } else if let Some(inside) = known
        .tools
        .iter()
        .find(|tool| tool.rsplit_once('.').is_some_and(|(_, last)| last == name))
    {
        words = Some(did_you_mean(inside));
    }
    // A short name is like many.
    if words.is_none() && name.len() > 4 {
        words = nearest_name(name, BUILTIN_GLOBALS.iter().copied()).map(did_you_mean);
    }
    let mut tools = list(known.declared.iter());
    let undeclared = known.tools.len().saturating_sub(known.declared.len());
    if undeclared > 0 {
        let _ = write!(
            tools,
            "; {undeclared} more are found by {SEARCH}(\"words\")"
        );
    }
    match (words, known.tools.is_empty()) {
        (Some(words), true) => words,
        (Some(words), false) => format!("{words} (the tools are: {tools})"),
        (None, true) => "declare it first; there are no tools here".to_owned(),
        (None, false) => format!("declare it first, or call a tool: {tools}"),
    }
}

/// A letter in which one of two names differs from the other, if they differ in letters of other alphabets only.
fn alike(name: &str, other: &str) -> Option<char> {
    if name.chars().count() != other.chars().count() {
        return None;
    }
    let differ = || name.chars().zip(other.chars()).filter(|(a, b)| a != b);
    let is_other = |(a, b): (char, char)| a.is_ascii() != b.is_ascii();
    let letter = differ().map(|(_, b)| b).next();
    letter.filter(|_| differ().all(is_other))
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

fn list<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let mut text = names
        .take(MAX_LISTED)
        .map(|name| shorten(name, MAX_NAME_BYTES).into_owned())
        .collect::<Vec<_>>()
        .join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}
