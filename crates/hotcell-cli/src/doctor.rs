//! `hotcell doctor`: what this machine offers, and whether cells work on it.

#[cfg(target_os = "linux")]
mod jail;
mod machine;
mod test;

use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::args::DoctorArgs;
use crate::exit::{CliError, Exit};
use crate::paint::{Ink, Paint};
use crate::print;

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// Whether nothing works without it.
    needed: bool,
    detail: String,
    #[serde(
        rename = "durationMs",
        skip_serializing_if = "Option::is_none",
        serialize_with = "millis"
    )]
    took: Option<Duration>,
}

#[expect(clippy::ref_option, reason = "serde's form")]
fn millis<S: serde::Serializer>(took: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(took.map_or(0.0, |took| (took.as_secs_f64() * 1e6).round() / 1e3))
}

#[expect(clippy::unnecessary_wraps, reason = "every command has this form")]
pub(crate) fn doctor(args: &DoctorArgs) -> Result<Exit, CliError> {
    let facts = machine::facts();
    let mut checks = machine::checks();
    checks.extend(test::checks());
    #[cfg(target_os = "linux")]
    checks.extend(jail::checks());
    let is_ok = checks.iter().all(|check| check.ok || !check.needed);

    if args.json {
        print::line(json!({"version": 1, "ok": is_ok, "machine": facts, "checks": checks}));
    } else {
        let paint = Paint::stdout();
        for (name, value) in &facts {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            print::line(format_args!(
                "{} {value}",
                paint.ink(Ink::Dim, format_args!("{name:<18}"))
            ));
        }
        print::line("");
        for check in &checks {
            let mark = match (check.ok, check.needed) {
                (true, _) => paint.ink(Ink::Green, "ok     "),
                (false, true) => paint.ink(Ink::Red, "FAILED "),
                (false, false) => paint.ink(Ink::Yellow, "missing"),
            };
            let took = check.took.map_or_else(String::new, |took| {
                format!(" ({:.2} ms)", took.as_secs_f64() * 1e3)
            });
            print::line(format_args!(
                "{mark} {:<22} {}{took}",
                check.name, check.detail
            ));
        }
        print::line("");
        print::line(if is_ok {
            "cells work on this machine"
        } else {
            "cells do not work on this machine"
        });
    }
    Ok(if is_ok { Exit::Success } else { Exit::Failed })
}
