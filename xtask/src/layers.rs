//! Which of our crates may use which, as ARCHITECTURE.md has it.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::cargo_output;

/// What users have, they have through the public crate, as users of Rust do: what the crate lacks is missed here first.
const DOORS: [&str; 2] = ["hotcell-cli", "hotcell-node"];

/// These know nothing of cells.
const WITHOUT_CELLS: [&str; 5] = [
    "hotcell-ignore",
    "hotcell-prepare",
    "hotcell-prompt",
    "hotcell-tools",
    "hotcell-vfs",
];

const CELLS: [&str; 3] = ["hotcell-cell", "hotcell-executor", "hotcell-image"];

pub(crate) fn check() -> Result<()> {
    let metadata = cargo_output(["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut complaints = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let all = package["dependencies"].as_array();
        let uses = all
            .into_iter()
            .flatten()
            // Tests may look behind the door.
            .filter(|one| one["kind"].as_str() != Some("dev"))
            .filter_map(|one| one["name"].as_str());
        for used in uses.filter(|used| !may_use(name, used)) {
            complaints.push(format!("{name} must not use {used}"));
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    bail!("ARCHITECTURE.md says otherwise:\n{}", complaints.join("\n"))
}

fn may_use(name: &str, used: &str) -> bool {
    if DOORS.contains(&name) {
        return !used.starts_with("hotcell-");
    }
    !WITHOUT_CELLS.contains(&name) || !CELLS.contains(&used)
}

#[cfg(test)]
mod tests {
    use super::may_use;

    #[test]
    fn doors_use_the_public_crate_and_nothing_below_it() {
        assert!(may_use("hotcell-cli", "hotcell"));
        assert!(may_use("hotcell-cli", "clap"));
        assert!(!may_use("hotcell-node", "hotcell-cell"));
    }

    #[test]
    fn files_and_texts_know_nothing_of_cells() {
        assert!(may_use("hotcell-tools", "hotcell-vfs"));
        assert!(!may_use("hotcell-vfs", "hotcell-cell"));
        assert!(may_use("hotcell-executor", "hotcell-cell"));
    }
}
