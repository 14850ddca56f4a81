//! What may be built in: licences, duplicates, and advisories where their database can be had. `deny.toml` has the lists.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{cargo, cargo_has, cargo_output, root};

pub(crate) fn check() -> Result<()> {
    if !cargo_has("deny") {
        eprintln!(
            "cargo-deny is not installed: licences and duplicates are checked, advisories are not"
        );
        return check_here();
    }
    if cargo(["deny", "fetch", "db"]).is_ok() {
        return cargo(["deny", "check"]);
    }
    eprintln!("the database of advisories cannot be reached: advisories are not checked");
    cargo(["deny", "check", "bans", "licenses", "sources"])
}

/// Without `cargo-deny`.
fn check_here() -> Result<()> {
    let rules = fs::read_to_string(root().join("deny.toml")).context("failed to read deny.toml")?;
    let (allowed, skipped) = (list(&rules, "allow")?, list(&rules, "skip")?);
    let metadata = cargo_output(["metadata", "--format-version", "1"])?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;

    let mut complaints = Vec::new();
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    // Ours have no source.
    for package in packages.iter().filter(|one| !one["source"].is_null()) {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        versions
            .entry(text("name"))
            .or_default()
            .insert(text("version"));
        if !is_allowed(text("license"), &allowed) {
            complaints.push(format!(
                "{} {}: its licence is {:?}",
                text("name"),
                text("version"),
                text("license")
            ));
        }
    }
    let built = built_in()?;
    for (name, versions) in versions {
        let is_twice = versions.len() > 1 && built.get(name).is_some_and(|count| *count > 1);
        if is_twice && !skipped.contains(name) {
            let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
            complaints.push(format!("{name} is here in the versions {versions}"));
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    bail!("deny.toml does not allow:\n{}", complaints.join("\n"))
}

/// How many versions of each package go into what is built here.
fn built_in() -> Result<BTreeMap<String, usize>> {
    let arguments = ["tree", "--edges", "normal,build", "--prefix", "none"];
    let tree = cargo_output(arguments.into_iter().chain(["--format", "{p}"]))?;
    let packages: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.next()?))
        })
        .collect();
    let mut counts = BTreeMap::new();
    for (name, _) in packages {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    Ok(counts)
}

/// The texts of the array with this key, which begins a line.
fn list(rules: &str, key: &str) -> Result<BTreeSet<String>> {
    let begin = format!("\n{key} = [\n");
    let array = rules
        .split_once(&begin)
        .and_then(|(_, rest)| rest.split_once("\n]"));
    let (array, _) = array.with_context(|| format!("deny.toml has no {key}"))?;
    let lines = array.lines().filter_map(|line| line.split('"').nth(1));
    Ok(lines.map(str::to_owned).collect())
}

/// Whether one of the alternatives of an SPDX expression asks for nothing but what is allowed.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // An older form of "or".
    let expression = expression.replace(" / ", " OR ").replace('/', " OR ");
    // No expression that we meet nests deeper than `(A OR B) AND C`.
    expression.split(" AND ").all(|part| {
        let part = part.trim_matches(['(', ')']);
        part.split(" OR ").any(|one| allowed.contains(one))
    })
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn a_licence_is_allowed_if_a_choice_of_it_is() {
        let allowed = ["MIT", "Zlib"].map(str::to_owned).into();
        let is_allowed = |expression| is_allowed(expression, &allowed);
        assert!(is_allowed("MIT"));
        assert!(is_allowed("GPL-3.0 OR MIT"));
        assert!(is_allowed("MIT/Apache-2.0"));
        assert!(is_allowed("(Apache-2.0 OR MIT) AND Zlib"));
        assert!(!is_allowed("MIT AND GPL-3.0"));
        assert!(!is_allowed("GPL-3.0"));
        assert!(!is_allowed(""));
    }
}
