//! Which modules code may load, and how.

use std::collections::BTreeSet;

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::{Diagnostic, Severity};
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{ImportKind, ProgramView};

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for import in &view.facts.imports {
        // Each is looked for among all that are authorised.
        pace.spend(1 + options.authorized_imports.len())?;
        if import.kind == ImportKind::Dynamic
            && import
                .module
                .is_none_or(|module| options.is_import_authorized(module))
        {
            continue;
        }
        let module = import.module.unwrap_or("");
        if let ImportKind::Static { names, .. } = &import.kind
            && let Some(known) = options.importable(module)
        {
            let exports = known.exports(options, pace.watch())?;
            check_names(view, import.offset, module, names, exports, found);
            continue;
        }
        found.add(Severity::Error, || {
            let diagnostic = match &import.kind {
                ImportKind::Dynamic => refusal(module, options),
                ImportKind::Static { instead, .. } => static_import(module, instead, options),
                ImportKind::Export => export(import.module),
            };
            diagnostic.with_location(view.locate(import.offset))
        });
    }
    Ok(())
}

/// A name that a module does not export would be `undefined`, and say so much later.
fn check_names(
    view: &ProgramView<'_>,
    offset: u32,
    module: &str,
    names: &[String],
    exports: Option<&BTreeSet<String>>,
    found: &mut Findings,
) {
    let Some(exports) = exports else {
        return;
    };
    for name in names.iter().filter(|name| !exports.contains(*name)) {
        found.add(Severity::Error, || {
            let message = format!("the module {module:?} does not export `{name}`");
            let fix = if exports.is_empty() {
                "it exports nothing".to_owned()
            } else {
                let all: Vec<&str> = exports.iter().map(String::as_str).collect();
                format!("it exports {}", all.join(", "))
            };
            view.diagnostic(rule::SYNTAX_VALID, Severity::Error, offset, message)
                .with_fix(fix)
        });
    }
}

/// The diagnostic for a static import; `instead` is the dynamic import that says the same.
pub(crate) fn static_import(module: &str, instead: &str, options: &PrepareOptions) -> Diagnostic {
    let authorized = options.is_import_authorized(module);
    let fix = if authorized {
        instead.to_owned()
    } else {
        advice(module, options)
    };
    let message = format!(
        "static `import` of {module:?} is not possible: {}",
        if authorized {
            "the host registered no module of that name"
        } else {
            "code runs as a script"
        }
    );
    Diagnostic::error(rule::STATIC_IMPORT, message)
        .with_module(module)
        .with_fix(fix)
}

/// The diagnostic for an export, from a module or of the code's own.
pub(crate) fn export(module: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        rule::STATIC_IMPORT,
        "`export` is not possible: the code is a script, not a module",
    )
    .with_fix("remove `export`: top-level declarations stay available to later runs anyway");
    match module {
        Some(module) => diagnostic.with_module(module),
        None => diagnostic,
    }
}

/// Whether a module may be imported, or the diagnostic that says no.
pub(crate) fn is_allowed(module: &str, options: &PrepareOptions) -> Result<(), Diagnostic> {
    if options.is_import_authorized(module) {
        Ok(())
    } else {
        Err(refusal(module, options))
    }
}

fn refusal(module: &str, options: &PrepareOptions) -> Diagnostic {
    Diagnostic::new(
        rule::IMPORT_ALLOWED,
        Severity::Error,
        format!("import of {module:?} is not allowed"),
    )
    .with_module(module)
    .with_fix(advice(module, options))
}

fn advice(module: &str, options: &PrepareOptions) -> String {
    let mut advice = if options.authorized_imports.is_empty() {
        "no module can be imported here: use the language's own functions and the tools".to_owned()
    } else {
        let modules = options.authorized_imports.join(", ");
        format!("only these modules can be imported: {modules}")
    };
    if let Some(instead) = instead(module, options) {
        advice.push_str("; ");
        advice.push_str(instead);
    }
    advice
}

/// What to do without a module, for those that code is likely to reach for.
fn instead(module: &str, options: &PrepareOptions) -> Option<&'static str> {
    let module = module.strip_prefix("node:").unwrap_or(module);
    Some(match module {
        "fs" | "fs/promises" | "fs-extra" if options.tools.contains("readText") => {
            "for files there are the tools readText, readJson, readLines, list and others"
        }
        "fs" | "fs/promises" | "fs-extra" => "there is no file system: take inputs from variables",
        "http" | "https" | "net" | "axios" | "node-fetch" | "undici" | "got" => {
            "there is no network: use a tool that does the request"
        }
        "child_process" | "os" | "process" | "worker_threads" => "there is no host process",
        "timers" | "timers/promises" => "there are no timers: `await` the tools",
        _ => return None,
    })
}
