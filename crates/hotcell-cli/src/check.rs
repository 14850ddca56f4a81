//! `hotcell check`: what is wrong with code, without running it.

use hotcell_prepare::{Diagnostic, PrepareOptions, validate_code};
use serde_json::json;

use crate::args::CheckArgs;
use crate::exit::{CliError, Exit};
use crate::paint::Paint;
use crate::{print, report, source};

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, CliError> {
    let source = source::read(&args.file)?;
    let mut options = PrepareOptions::default();
    options.authorized_imports.clone_from(&args.imports);
    options.tools.extend(args.tools.iter().cloned());
    options.globals.extend(args.globals.iter().cloned());
    let diagnostics = validate_code(&source.text, &options);
    let is_ok = !diagnostics.iter().any(Diagnostic::is_error);

    if args.json {
        print::line(json!({"version": 1, "ok": is_ok, "diagnostics": diagnostics}));
    } else {
        let paint = Paint::stdout();
        for diagnostic in &diagnostics {
            print::line(report::finding(
                diagnostic,
                &source.name,
                &source.text,
                paint,
            ));
            print::line("");
        }
        if diagnostics.is_empty() {
            print::line(format_args!("{}: nothing to complain about", source.name));
        } else {
            print::line(format_args!(
                "{}: {}",
                source.name,
                report::summary(&diagnostics)
            ));
        }
    }
    Ok(if is_ok { Exit::Success } else { Exit::Failed })
}
