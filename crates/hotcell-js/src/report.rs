//! How failures are printed.

use std::fmt::Write as _;

use hotcell_cell::CellError;
use hotcell_prepare::{Diagnostic, code_frame};

use crate::command::Command;

/// What is wrong with code that cannot run.
pub(crate) fn refused(command: &Command, found: &[&Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in found {
        match diagnostic.location {
            Some(place) => {
                let frame = code_frame(&command.code, place);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    out,
                    "{}:{}:{}\n{frame}",
                    command.name, place.line, place.column
                );
            }
            None => {
                let _ = writeln!(out, "{}", command.name);
            }
        }
        let _ = writeln!(out, "SyntaxError: {}", diagnostic.message);
        if let Some(fix) = &diagnostic.fix {
            let _ = writeln!(out, "({fix})");
        }
    }
    out
}

/// How the code failed.
pub(crate) fn failed(error: &CellError) -> String {
    match error {
        CellError::Exception(exception) => format!("Uncaught {}\n", exception.printed),
        CellError::Stalled => {
            "the code awaits a promise that can never settle: nothing is left to wait for\n".into()
        }
        error => format!("js: {error}\n"),
    }
}
