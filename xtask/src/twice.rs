//! Whether a build of everything compiles something twice: once for the product, once more with other features for its tests.
//!
//! Cranelift alone takes minutes, and one feature of a small crate below it is enough.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::command::cargo_output;

/// Features by package, in each combination in which it is built.
type Features = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn check() -> Result<()> {
    let product = features("normal,build")?;
    let tests = features("normal,build,dev")?;
    let differing: Vec<&str> = product
        .iter()
        .filter(|(package, features)| tests.get(*package).is_some_and(|other| other != *features))
        .map(|(package, _)| &**package)
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    bail!(
        "tests want other features of {} than the product: all that is built on them is compiled twice. \
         Ask for fewer features in the dev-dependency, or for the same in xtask/Cargo.toml",
        differing.join(", ")
    )
}

/// What `cargo` builds by default along these edges.
fn features(edges: &str) -> Result<Features> {
    let format = ["--prefix", "none", "--format", "{p}|{f}"];
    let tree = cargo_output(["tree", "--edges", edges].into_iter().chain(format))?;
    let mut features = Features::new();
    for line in tree.lines() {
        // A package that was shown before is marked.
        let line = line.trim_end_matches(" (*)");
        if let Some((package, wanted)) = line.split_once('|') {
            let package = package.trim_end_matches(" (proc-macro)").to_owned();
            features
                .entry(package)
                .or_default()
                .insert(wanted.to_owned());
        }
    }
    Ok(features)
}
