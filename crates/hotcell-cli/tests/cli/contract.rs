//! What documents say of the command and the protocol is what they have.

use std::collections::BTreeSet;

use crate::hotcell;

#[test]
fn every_flag_of_the_contract_is_one_of_run() {
    let contract = include_str!("../../../../docs/contract.md");
    let rows = contract.lines().filter(|line| line.starts_with("| `"));
    let flags = rows.filter_map(|row| row.split('`').find(|cell| cell.starts_with("--")));
    let ran = hotcell(&["run", "--help"]);
    let help = ran.ok();
    let mut count = 0;
    for flag in flags {
        // With a value, or without.
        let is_there = |line: &str| line.split_whitespace().next() == Some(flag);
        assert!(help.lines().any(is_there), "{flag}\n{help}");
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn every_method_of_the_protocol_is_in_its_document_and_no_other() {
    let table = include_str!("../../src/rpc/methods.rs");
    let (_, table) = table.split_once("pub(super) const METHODS").unwrap();
    let known: BTreeSet<String> = table
        .lines()
        .filter_map(|line| {
            line.trim()
                .trim_start_matches('(')
                .strip_prefix('"')?
                .split('"')
                .next()
        })
        .map(str::to_owned)
        .collect();

    let document = include_str!("../../../../docs/stdio-protocol.md");
    let mut told = BTreeSet::new();
    for row in document.lines().filter(|line| line.starts_with("| `")) {
        let first = row
            .trim_start_matches("| ")
            .split('|')
            .next()
            .unwrap_or_default();
        // `sandbox.setEnv`, `.getEnv`: what is left out is as before.
        let mut scope = "";
        for name in first.split('`').skip(1).step_by(2) {
            match name.split_once('.') {
                Some(("", method)) => told.insert(format!("{scope}.{method}")),
                Some((before, _)) => {
                    scope = before;
                    told.insert(name.to_owned())
                }
                None => told.insert(name.to_owned()),
            };
        }
    }
    assert!(known.len() > 10, "{known:?}");
    assert_eq!(told, known);
}
