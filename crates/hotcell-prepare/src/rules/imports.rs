//! Which modules code may load, and how.

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
        found.add(Severity::Error, || {
            let module = import.module.unwrap_or("");
            let diagnostic = match &import.kind {
                ImportKind::Dynamic => refusal(module, options),
                ImportKind::Static { instead } => static_import(module, instead, options),
                ImportKind::Export => export(import.module),
            };
            diagnostic.with_location(view.locate(import.offset))
        });
    }
    Ok(())
}

/// The diagnostic for a static import; `instead` is the dynamic import that says the same.
pub(crate) fn static_import(module: &str, instead: &str, options: &PrepareOptions) -> Diagnostic {
    let authorized = options.is_import_authorized(module);
    let fix = if authorized {
        instead.to_owned()
    } else {
        advice(options)
    };
    let message = format!(
        "static `import` of {module:?} is not possible: code runs as a script{}",
        if authorized {
            ", use `await import()`"
        } else {
            ""
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
        "`export` is not possible: code runs as a script",
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
    .with_fix(advice(options))
}

fn advice(options: &PrepareOptions) -> String {
    if options.authorized_imports.is_empty() {
        "no module can be imported here: use the language's own functions and the tools".into()
    } else {
        format!(
            "only these modules can be imported: {}",
            options.authorized_imports.join(", ")
        )
    }
}
