//! `docs/contract.md` says which options sandboxes have.

use hotcell_sandbox::{OptionsError, SandboxOptions};
use serde_json::json;

const CONTRACT: &str = include_str!("../../../../docs/contract.md");

/// Names of the options of sandboxes, and what they must be.
fn rows() -> Vec<(String, String)> {
    let (_, table) = CONTRACT.split_once("| option of sandboxes |").unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        (cells[0].trim_matches('`').to_owned(), cells[2].to_owned())
    };
    rows.map(cells).collect()
}

#[test]
fn every_option_of_sandboxes_is_in_the_contract() {
    let error = SandboxOptions::from_json(&json!({ "nothing": 1 })).unwrap_err();
    let OptionsError::Unknown { known, .. } = error else {
        panic!("{error}");
    };
    let told: Vec<String> = rows().into_iter().map(|(name, _)| name).collect();
    assert_eq!(told, known);
}

#[test]
fn a_wrong_option_of_sandboxes_is_refused_in_the_words_of_the_contract() {
    for (name, must_be) in rows() {
        // There is no option that this would be right for.
        let error = SandboxOptions::from_json(&json!({ name.clone(): [0] })).unwrap_err();
        let OptionsError::Value { expected, .. } = error else {
            panic!("{name}: {error}");
        };
        assert_eq!(expected, must_be, "{name}");
    }
}
