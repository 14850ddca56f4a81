//! Whether worker processes work here, and what of their jail there is.

use std::time::Instant;

use hotcell::{JailPart, jail_report};

use super::Check;

/// Starts a worker and asks it.
pub(super) fn checks() -> Vec<Check> {
    let began = Instant::now();
    let asked = pollster::block_on(jail_report());
    let took = Some(began.elapsed());
    let (report, detail) = match asked {
        Ok(report) => (Some(report), "one was started".to_owned()),
        Err(problem) => (None, problem),
    };
    let mut checks = vec![Check {
        name: "worker process",
        ok: report.is_some(),
        needed: false,
        detail,
        took,
    }];
    let report = report.unwrap_or_default();
    let parts = JailPart::ALL
        .into_iter()
        .filter(|_| checks.iter().all(|check| check.ok));
    let parts: Vec<Check> = parts
        .map(|part| {
            let held = report.part(part);
            Check {
                name: name(part),
                ok: held.is_yes(),
                needed: false,
                detail: held.words().to_owned(),
                took: None,
            }
        })
        .collect();
    checks.extend(parts);
    checks
}

fn name(part: JailPart) -> &'static str {
    match part {
        JailPart::Privileges => "jail: privileges",
        JailPart::Files => "jail: files",
        JailPart::Network => "jail: network",
        JailPart::SystemCalls => "jail: system calls",
        JailPart::Limits => "jail: limits",
        JailPart::Descriptors => "jail: descriptors",
        JailPart::Environment => "jail: environment",
        JailPart::Parent => "jail: parent",
        JailPart::SelfTest => "jail: self-test",
        _ => "jail: another part",
    }
}
