//! Names that could go on.
//!
//! The state state is asked, but in a twin of it: whatever a proxy in there does when it is asked for its keys stays in the
//! twin, which has no tools, little time, and is thrown away. Getters are not run: properties are looked up by their
//! descriptors.

use std::collections::BTreeSet;
use std::time::Duration;

use hotcell::cell::Value;
use hotcell::{Executor, ExecutorOptions, Run};

use super::live::Live;

/// A person waits for this.
const TIMEOUT: Duration = Duration::from_secs(1);
/// More names than anybody reads.
const MOST: usize = 500;

const KEYWORDS: [&str; 30] = [
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "instanceof",
    "let",
    "new",
    "null",
    "return",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "while",
];

const COMMANDS: [&str; 8] = [
    ".back",
    ".exit",
    ".fork",
    ".help",
    ".load",
    ".save",
    ".snapshot",
    ".tools",
];

/// Where the word begins that ends the line, and what it could become.
pub(super) fn complete(line: &str, state: &Live<'_>) -> (usize, Vec<String>) {
    if line.starts_with('.') && !line.contains(char::is_whitespace) {
        let commands = COMMANDS.iter().filter(|command| command.starts_with(line));
        return (0, commands.map(|command| (*command).to_owned()).collect());
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let begin = line.rfind(|c| !is_part(c)).map_or(0, |at| {
        at + line
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let path: Vec<&str> = line.get(begin..).unwrap_or_default().split('.').collect();
    let Some((word, owners)) = path.split_last() else {
        return (line.len(), Vec::new());
    };
    // `"a".len` or `f().x`: what stands before is no plain path.
    let is_behind_something = owners
        .first()
        .is_some_and(|owner| owner.is_empty() || owner.starts_with(|c: char| c.is_ascii_digit()));
    if is_behind_something {
        return (line.len(), Vec::new());
    }
    let Some(mut names) = members(owners, state) else {
        return (line.len(), Vec::new());
    };
    if owners.is_empty() {
        names.extend(state.declared());
        names.extend(KEYWORDS.map(str::to_owned));
    }
    let fitting = names
        .into_iter()
        .filter(|name| name.starts_with(word) && is_name(name));
    (line.len() - word.len(), fitting.take(MOST).collect())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// The names of what is at a path; `None` if it is nowhere.
fn members(path: &[&str], state: &Live<'_>) -> Option<BTreeSet<String>> {
    let executor = state.executor();
    let snapshot = pollster::block_on(executor.snapshot()).ok()?;
    // The same limits, but nobody to hear what it logs.
    let options = ExecutorOptions::from_json(&executor.options().to_json()).ok()?;
    let twin = Executor::restore_with_engine(&state.engine, &snapshot, Some(options)).ok()?;
    let output = pollster::block_on(twin.run(Run::new(question(path)).timeout(TIMEOUT)))
        .ok()?
        .output;
    let Value::Array(names) = output else {
        return None;
    };
    Some(
        names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    )
}

/// Code that gives the names. The first part of the path may be a declaration, which only its name finds.
fn question(path: &[&str]) -> String {
    let (first, rest) = path
        .split_first()
        .map_or(("globalThis", path), |(first, rest)| (*first, rest));
    let rest = serde_json::to_string(rest).unwrap_or_default();
    format!(
        "((value, path) => {{
            const look = (object, key) => {{
                for (let at = Object(object); at !== null; at = Reflect.getPrototypeOf(at)) {{
                    const found = Reflect.getOwnPropertyDescriptor(at, key);
                    if (found !== undefined) return found.value;
                }}
            }};
            for (const key of path) {{
                if (value === undefined || value === null) return null;
                value = look(value, key);
            }}
            if (value === undefined || value === null) return null;
            const names = [];
            for (let at = Object(value); at !== null && names.length < 5000; at = Reflect.getPrototypeOf(at)) {{
                for (const key of Reflect.ownKeys(at)) if (typeof key === 'string') names.push(key);
            }}
            return names;
        }})({first}, {rest})"
    )
}
