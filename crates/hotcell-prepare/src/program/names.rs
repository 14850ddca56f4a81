//! The names of others that a program uses, and those that it leaves behind.

use std::collections::HashSet;

use crate::diagnostic::Location;
use crate::rules::{instead_of_global, is_builtin};
use crate::view::{ProgramView, Role};

/// So many are kept: whoever uses more of them will not read about each.
const MAX_KEPT: usize = 200;

/// A name that the code uses and does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobalName {
    /// The name.
    pub name: String,
    /// Where it is used first, in the code as it was given.
    pub location: Location,
}

/// What a program has to do with names outside of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) used: Vec<GlobalName>,
    pub(crate) made: Vec<String>,
    pub(crate) is_dynamic: bool,
}

impl Names {
    pub(super) fn of(view: &ProgramView<'_>) -> Self {
        let mut names = Self::default();
        let mut seen = HashSet::new();
        // How often the global object is used as a whole, and not for one of its properties.
        let mut whole = 0_i64;
        for identifier in view.identifiers() {
            let name = identifier.name;
            match identifier.role {
                Role::Reference {
                    global: true,
                    type_test,
                    ..
                } => {
                    names.is_dynamic |= matches!(name, "eval" | "Function");
                    whole += i64::from(name == "globalThis");
                    let is_kept = !type_test
                        && !is_builtin(name)
                        && instead_of_global(name).is_none()
                        && names.used.len() < MAX_KEPT
                        && seen.insert(name);
                    if is_kept {
                        names.used.push(GlobalName {
                            name: name.to_owned(),
                            location: view.locate(identifier.offset),
                        });
                    }
                }
                Role::GlobalMember { write, .. } => {
                    whole -= 1;
                    if write && names.made.len() < MAX_KEPT {
                        names.made.push(name.to_owned());
                    }
                }
                _ => {}
            }
        }
        names.is_dynamic |= whole > 0;
        names
    }
}
