//! What is known of an installed program.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use crate::front::Front;

/// The format of this file.
pub(super) const FORMAT: u32 = 1;

/// What is known of an installed program: `program.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(super) format: u32,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// Where it came from.
    pub(crate) source: String,
    /// The hash of its module, in hexadecimal digits.
    pub(super) module: String,
    /// What it is called by.
    pub(crate) commands: Vec<String>,
    /// Variables that it needs, unless the process says otherwise.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// What stands before its arguments.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// Where it looks for its library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) library: Option<String>,
    /// It goes to its working directory by itself when it begins.
    #[serde(default)]
    pub(crate) goes_to_cwd: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) front: Option<Front>,
}

impl Manifest {
    /// What there is to know of a module in a file of the host, but for its hash.
    pub(crate) fn of_file(name: &str, path: &Path) -> Self {
        Self {
            format: FORMAT,
            name: name.to_owned(),
            version: None,
            source: format!("file {}", path.display()),
            module: String::new(),
            commands: vec![name.to_owned()],
            environment: BTreeMap::new(),
            arguments: Vec::new(),
            library: None,
            goes_to_cwd: false,
            front: None,
        }
    }
}
