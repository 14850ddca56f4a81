//! Reads `tests/data/host-attacks`.
//!
//! A file holds attacks through one door of the guest's (its code, `eval`, the console, …), each under a line
//!
//! ```text
//! //// DOOR: NAME => ENDS; OPTIONS
//! ```
//!
//! - `DOOR` is what the host does: `run` or `validate` the program; run it and then take and use a `snapshot` or a `fork`;
//!   run it and send its output to another executor as `variables`; run it with `files`; start it, and when it is `suspend`ed take a
//!   snapshot, restore that, and resume it there, where there is such a thing.
//! - `ENDS` are the ways in which the run may end, with spaces between: `ok`, `refused`, `import`, `threw`, `timeout`,
//!   `memory`, `operations`, `tool`. `*` stands for all of these: how far a program gets depends on the machine. What is none
//!   of these (a broken cell, say) is never allowed.
//! - `OPTIONS`, if there are any, are the executor's as JSON.
//!
//! What follows is the program. `@repeat(3, "text")` in it stands for `texttexttext`, with the text as JSON has it.
//!
//! The package for Node runs the same files: `bindings/node/fixtures/attack-corpus.mjs`.

use std::{fs, path::Path};

use regex::{Captures, Regex};
use serde_json::Value as Json;

pub(crate) struct Attack {
    pub(crate) name: String,
    pub(crate) door: String,
    pub(crate) ends: Vec<String>,
    pub(crate) options: Json,
    code: String,
}

impl Attack {
    /// The program, in full length.
    pub(crate) fn program(&self) -> String {
        let repeat = Regex::new(r#"@repeat\((\d+), ("(?:[^"\\]|\\.)*")\)"#).unwrap();
        let program = repeat.replace_all(&self.code, |found: &Captures<'_>| {
            let times: usize = found[1].parse().unwrap();
            let text: String = serde_json::from_str(&found[2]).unwrap();
            text.repeat(times)
        });
        program.into_owned()
    }
}

/// All of them whose names contain `only`.
pub(crate) fn read(only: &str) -> Vec<Attack> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/host-attacks");
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    files.sort();
    let header = Regex::new(r"^(\w+): (.+?) => ([^;]+?)(?:; (\{.*\}))?$").unwrap();
    let mut attacks = Vec::new();
    for file in files {
        let topic = file.file_stem().unwrap().to_str().unwrap();
        let text = format!("\n{}", fs::read_to_string(&file).unwrap());
        for part in text.split("\n//// ").skip(1) {
            attacks.push(attack(topic, part, &header));
        }
    }
    attacks.retain(|attack| attack.name.contains(only));
    attacks
}

fn attack(topic: &str, part: &str, header: &Regex) -> Attack {
    let (line, code) = part.split_once('\n').unwrap();
    let found = header.captures(line);
    let found = found.unwrap_or_else(|| panic!("{topic}: no header: {line}"));
    let text = |index| found.get(index).map(|found| found.as_str());
    let (door, name) = (text(1).unwrap(), text(2).unwrap());
    Attack {
        name: format!("{topic}: {door}: {name}"),
        door: door.to_owned(),
        ends: text(3).unwrap().split(' ').map(str::to_owned).collect(),
        options: serde_json::from_str(text(4).unwrap_or("{}")).unwrap(),
        code: code.trim_end().to_owned(),
    }
}
