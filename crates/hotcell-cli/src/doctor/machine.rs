//! What the machine offers.

use std::fs;

use hotcell::cell::TARGET_FEATURES;
use hotcell::cell::{BuildId, Engine};
use rustix::process::{Resource, getrlimit};
use serde_json::{Map, Value as Json, json};

use super::Check;

/// What there is to know, without judging it.
pub(super) fn facts() -> Map<String, Json> {
    let mut facts = Map::new();
    let mut fact = |name: &str, value: Json| facts.insert(name.into(), value);
    fact("version", env!("CARGO_PKG_VERSION").into());
    fact("build", BuildId::CURRENT.to_string().into());
    fact(
        "platform",
        format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS).into(),
    );
    fact("kernel", first_line("/proc/sys/kernel/osrelease").into());
    fact(
        "cores",
        json!(std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
    );
    fact("memory", memory().into());
    fact("addressSpace", address_space().into());
    fact("cpuFeatures", wanted_features().join(" ").into());
    facts
}

pub(super) fn checks() -> Vec<Check> {
    let found = |name, needed, ok: bool, yes: &str, no: &str| Check {
        name,
        ok,
        needed,
        detail: if ok { yes } else { no }.to_owned(),
        took: None,
    };
    let missing = missing_features();
    vec![
        Check {
            name: "cpu features",
            ok: missing.is_empty(),
            needed: true,
            detail: if missing.is_empty() {
                "the processor has what the image was compiled for".into()
            } else {
                format!("the processor lacks {}", missing.join(", "))
            },
            took: None,
        },
        found(
            "pagemap scan",
            false,
            Engine::knows_written_pages(),
            "cells are wiped by the page (PAGEMAP_SCAN)",
            "needs Linux 6.7: without it, making cells takes longer",
        ),
        found(
            "landlock",
            false,
            security_modules()
                .split(',')
                .any(|module| module == "landlock"),
            "worker processes can be kept from files",
            "not among the kernel's security modules: worker processes have one wall less",
        ),
        found(
            "seccomp",
            false,
            status("Seccomp:").is_some(),
            "worker processes can be kept from system calls",
            "the kernel has no seccomp: worker processes have one wall less",
        ),
    ]
}

fn first_line(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").trim().to_owned()
}

fn security_modules() -> String {
    first_line("/sys/kernel/security/lsm")
}

fn status(key: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().to_owned())
}

fn memory() -> String {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|total| total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or_else(|| "unknown".into(), |kib| format!("{} MiB", kib / 1024))
}

fn address_space() -> String {
    match getrlimit(Resource::As).current {
        None => "unlimited".into(),
        Some(bytes) => format!("{} MiB (ulimit -v)", bytes >> 20),
    }
}

/// The features the image uses, by the names that others know them by.
fn wanted_features() -> Vec<&'static str> {
    if cfg!(target_arch = "x86_64") {
        TARGET_FEATURES
            .iter()
            .map(|name| name.trim_start_matches("has_"))
            .collect()
    } else {
        vec!["baseline"]
    }
}

#[cfg(target_arch = "x86_64")]
fn missing_features() -> Vec<&'static str> {
    let has = |name: &str| match name {
        "sse3" => std::arch::is_x86_feature_detected!("sse3"),
        "ssse3" => std::arch::is_x86_feature_detected!("ssse3"),
        "sse41" => std::arch::is_x86_feature_detected!("sse4.1"),
        "sse42" => std::arch::is_x86_feature_detected!("sse4.2"),
        "popcnt" => std::arch::is_x86_feature_detected!("popcnt"),
        // The image would not load without it, which the test below finds out.
        _ => true,
    };
    wanted_features()
        .into_iter()
        .filter(|name| !has(name))
        .collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn missing_features() -> Vec<&'static str> {
    Vec::new()
}
