//! Methods that other languages have, and what they are called in JavaScript.

use hotcell_prepare::nearest_name;

use super::MAX_NAME_BYTES;
use crate::shorten::shorten;

/// Methods of values that are often mistyped.
const COMMON: &[&str] = &[
    "charAt",
    "concat",
    "entries",
    "every",
    "filter",
    "find",
    "findIndex",
    "flat",
    "flatMap",
    "forEach",
    "includes",
    "indexOf",
    "join",
    "keys",
    "lastIndexOf",
    "localeCompare",
    "map",
    "match",
    "matchAll",
    "padEnd",
    "padStart",
    "push",
    "reduce",
    "repeat",
    "replace",
    "replaceAll",
    "reverse",
    "shift",
    "slice",
    "some",
    "sort",
    "splice",
    "split",
    "startsWith",
    "endsWith",
    "substring",
    "toFixed",
    "toISOString",
    "toLocaleString",
    "toLowerCase",
    "toReversed",
    "toSorted",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
    "unshift",
    "values",
];

/// The function that was meant by one that is not there.
pub(super) fn nearest(object: &str, method: &str) -> Option<String> {
    let names: &[&str] = match object {
        "Array" => &["from", "isArray", "of"],
        "console" => &["debug", "error", "info", "log", "table", "warn"],
        "Date" => &["now", "parse", "UTC"],
        "JSON" => &["parse", "stringify"],
        "Math" => &[
            "abs", "ceil", "floor", "hypot", "log", "log10", "log2", "max", "min", "pow", "random",
            "round", "sign", "sqrt", "trunc",
        ],
        "Number" => &["isFinite", "isInteger", "isNaN", "parseFloat", "parseInt"],
        "Object" => &[
            "assign",
            "entries",
            "freeze",
            "fromEntries",
            "groupBy",
            "hasOwn",
            "keys",
            "values",
        ],
        "Promise" => &["all", "allSettled", "any", "race", "reject", "resolve"],
        _ if method.len() < 4 => return None,
        _ => COMMON,
    };
    // A method that there is was called on something that has none of it.
    if names.contains(&method) {
        return None;
    }
    let nearest = nearest_name(method, names.iter().copied())?;
    Some(format!("{}.{nearest}", shorten(object, MAX_NAME_BYTES)))
}

/// What to write instead of calling a method that is not there.
pub(super) fn instead(method: &str) -> Option<&'static str> {
    Some(match method {
        "contains" | "has_key" => {
            "use `includes(value)` of arrays and strings, `has(key)` of a Map or Set, `\"key\" in object`"
        }
        "append" | "add" | "push_back" => "use `push(value)` of arrays, `add(value)` of a Set",
        "extend" => "use `push(...values)`, or `[...a, ...b]`",
        "remove" | "delete" => "use `filter(…)` for an array without some of its elements",
        "length" | "size" | "count" | "len" => {
            "`length` of arrays and strings and `size` of a Map or Set are properties: write them without ()"
        }
        "isEmpty" | "is_empty" => "use `value.length === 0`",
        "first" => "use `value[0]`",
        "last" => "use `value.at(-1)`",
        "items" => "use `Object.entries(value)`",
        "sum" => "use `values.reduce((sum, value) => sum + value, 0)`",
        "max" | "min" => "use `Math.max(...values)` or `Math.min(...values)`",
        "strip" => "use `trim()`",
        "lstrip" => "use `trimStart()`",
        "rstrip" => "use `trimEnd()`",
        "upper" => "use `toUpperCase()`",
        "lower" => "use `toLowerCase()`",
        "startswith" | "starts_with" => "use `startsWith(text)`",
        "endswith" | "ends_with" => "use `endsWith(text)`",
        "format" => "use a template literal: `text ${value}` in backticks",
        "json" | "text" | "blob" => {
            "what a tool answers is the value itself, no Response: use it as it is"
        }
        "matches" => "use `test(text)` of a regular expression, or `match(pattern)` of a string",
        _ => return None,
    })
}
