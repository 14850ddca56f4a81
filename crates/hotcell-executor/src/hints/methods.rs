//! Methods that other languages have, and what they are called in JavaScript.

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
        "matches" => "use `test(text)` of a regular expression, or `match(pattern)` of a string",
        _ => return None,
    })
}
