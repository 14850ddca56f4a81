//! Globals that other hosts have and a cell does not.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::rules::TIMER_GLOBALS;
use crate::view::{ProgramView, Role};

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    let mut reported: Vec<&str> = Vec::new();
    for identifier in &view.facts.identifiers {
        pace.spend(1)?;
        let name = identifier.name;
        let is_used = match identifier.role {
            Role::Reference {
                global: true,
                type_test: false,
                ..
            } => true,
            Role::GlobalMember { write, type_test } => !write && !type_test,
            _ => false,
        };
        if !is_used {
            continue;
        }
        let Some(instead) = instead(name) else {
            continue;
        };
        if options.is_known_global(name) || reported.contains(&name) {
            continue;
        }
        reported.push(name);
        let severity = Severity::Warning;
        found.add(severity, || {
            let message = format!("`{name}` does not exist here");
            view.diagnostic(rule::FORBIDDEN_GLOBAL, severity, identifier.offset, message)
                .with_fix(instead)
        });
    }
    Ok(())
}

/// What to do instead of using a global that other hosts, or other languages, have.
pub fn instead_of_global(name: &str) -> Option<&'static str> {
    instead(name)
}

/// Whether code that uses this name without declaring it is warned, because other hosts have such a global.
pub fn is_foreign_global(name: &str) -> bool {
    instead(name).is_some()
}

/// What to do without a global, for those that code is likely to reach for.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "process" | "Deno" | "Bun" => {
            "there is no host process: take inputs from variables, and effects from the tools"
        }
        "require" => "use `await import(\"name\")` for an authorised module, or a tool",
        "module" | "exports" => {
            "declare at the top level: declarations stay available to later runs"
        }
        "__dirname" | "__filename" => {
            "the code is not a file: use absolute paths with the file tools"
        }
        "global" => "use `globalThis`",
        "window" | "self" | "top" | "parent" | "frames" => {
            "there is no browser: use `globalThis` for globals"
        }
        "document" | "navigator" | "location" | "history" | "localStorage" | "sessionStorage"
        | "indexedDB" | "HTMLElement" | "DOMParser" | "$" | "jQuery" => {
            "there is no browser: work on strings, and show results with `console.log`"
        }
        "alert" => "there is no browser: show results with `console.log`",
        "prompt" | "confirm" | "input" | "readline" => {
            "nobody can be asked here: take inputs from variables and tools"
        }
        "React" | "ReactDOM" | "useState" | "useEffect" | "useRef" | "useMemo" => {
            "there is no React: return data, or a string of HTML"
        }
        "ReadableStream" | "WritableStream" | "TransformStream" => {
            "there are no streams: collect the parts in an array, or write an async function* and use `for await`"
        }
        "Blob" | "File" | "FormData" | "FileReader" => {
            "bytes are a `Uint8Array` here, and texts are strings"
        }
        "AbortController" | "AbortSignal" => {
            "nothing can be aborted from here: leave the signal out"
        }
        "Event" | "EventTarget" | "CustomEvent" | "EventEmitter" | "MutationObserver" => {
            "there are no events: `await` what is to be waited for, and check variables in loops"
        }
        "fetch" | "XMLHttpRequest" | "WebSocket" | "EventSource" | "Request" | "Response"
        | "Headers" | "axios" => "there is no network: use a tool that does the request",
        "requestAnimationFrame" => "there is no screen: `await` the tools",
        "sleep" => "there is no `sleep`: `await` the tools, or a tool that waits",
        name if TIMER_GLOBALS.contains(&name) => {
            "there are no timers: `await` the tools, or a tool that waits"
        }
        "Buffer" => "use `Uint8Array`, `TextEncoder` and `TextDecoder`",
        "performance" | "Temporal" => {
            "there is no such clock: `Date`, if the host allows the time, or a tool"
        }
        "_" | "lodash" => "there is no lodash: use methods of arrays and objects",
        "moment" | "dayjs" => "use `Date` and `Intl.DateTimeFormat`",
        "crypto" => "there is no `crypto`: ask a tool for random bytes or hashes",
        "fs" | "path" | "os" | "child_process" => {
            "Node's modules are not here: for files and commands use the tools, if there are some"
        }
        "np" | "numpy" | "pd" | "pandas" => {
            "this is JavaScript: use arrays and their methods, such as map, filter and reduce"
        }
        "print" | "println" | "printf" | "puts" | "System" => {
            "this is JavaScript: use `console.log(…)`"
        }
        "ls" | "cat" | "cd" | "pwd" | "mkdir" | "rm" | "npm" | "npx" | "pip" | "git" | "sudo" => {
            "this is JavaScript, no shell: use the tools, if there are some for it"
        }
        "len" => "this is JavaScript: use `value.length`, or `value.size` for a Map or Set",
        "None" => "this is JavaScript: use `null`",
        "True" => "this is JavaScript: use `true`",
        "False" => "this is JavaScript: use `false`",
        "str" | "int" | "float" => "this is JavaScript: use `String(value)` or `Number(value)`",
        "range" => "this is JavaScript: use `Array.from({ length: n }, (_, i) => i)`",
        "Worker" | "SharedWorker" | "importScripts" | "postMessage" | "MessageChannel" => {
            "there are no threads: do the work in this run"
        }
        _ => return None,
    })
}
