//! Variables with their attributes and scopes.
//!
//! The table holds what is visible: one variable per name. A scope remembers what was visible in its place before, so that
//! looking a name up is one step however deep functions call each other, and leaving a function puts things back. The
//! table is persistent: a clone, which a subshell is, copies nothing.

mod associative;
mod attributes;
mod declaration;
mod dynamic;
mod indexed;
mod initial;
mod memory;
mod scope;
mod value;

use std::sync::Arc;

use bstr::BString;
use hotcell_meter::{Account, OverLimit};
use hotcell_process::{Environment, Process};

use crate::ast::Text;
use memory::Memory;
use scope::Layer;

pub(crate) use associative::AssociativeArray;
pub(crate) use attributes::Attributes;
pub(crate) use declaration::{declaration, declared_value, listing};
pub(crate) use dynamic::{Clocks, Dynamic};
pub(crate) use indexed::IndexedArray;
pub(crate) use scope::Scope;
pub(crate) use value::{Value, Variable};

/// By name. The hash is seeded by chance, so that no script can choose names that collide. Tables share their variables one by
/// one: to change one of a clone copies many entries, and no other value.
type Table = imbl::GenericHashMap<
    Text,
    Arc<Variable>,
    foldhash::fast::RandomState,
    imbl::shared_ptr::DefaultSharedPtr,
>;

/// How many names may refer to each other.
const MAX_REFERENCES: usize = 8;

/// The variables of a shell.
#[derive(Debug, Clone)]
pub(crate) struct Variables {
    table: Table,
    scopes: Option<Arc<Layer>>,
    /// What is exported, until something that is exported changes.
    environment: Option<Arc<Environment>>,
    memory: Memory,
    /// What `RANDOM` and `SECONDS` go by.
    pub(crate) clocks: Clocks,
}

/// Which scope something happens in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the variable is, or else the global one.
    Visible,
    /// The innermost function.
    Local,
    /// The topmost scope, of whatever kind.
    Topmost,
    /// Outside of all functions.
    Global,
}

/// Where a chain of references leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referred {
    /// The name is no reference.
    Itself,
    /// A variable, or an element of an array (`a[1]`).
    Other(BString),
    /// A reference without a target.
    Nothing,
    /// It leads back to itself.
    Circular,
}

impl Variables {
    /// The variable of a name as it is, references not followed.
    #[inline]
    pub(crate) fn get_reference(&self, name: &[u8]) -> Option<&Variable> {
        self.table.get(name).map(|variable| &**variable)
    }

    /// The variable that a name stands for. An element that a reference leads to is not looked up: see
    /// [`Variables::follow`].
    pub(crate) fn get(&self, name: &[u8]) -> Option<&Variable> {
        let variable = self.table.get(name)?;
        if !variable.has(Attributes::NAMEREF) {
            return Some(variable);
        }
        match self.follow(name) {
            Referred::Other(target) => self.get_reference(base_name(&target)),
            Referred::Itself | Referred::Nothing | Referred::Circular => None,
        }
    }

    /// Where a name leads if it is a reference.
    pub(crate) fn follow(&self, name: &[u8]) -> Referred {
        let mut target: Option<&BString> = None;
        for _ in 0..=MAX_REFERENCES {
            let current = target.map_or(name, |target| target.as_slice());
            match self.table.get(current) {
                Some(variable) if variable.has(Attributes::NAMEREF) => match &variable.value {
                    Value::Scalar(next) if !next.is_empty() => target = Some(next),
                    _ => return Referred::Nothing,
                },
                _ => {
                    return target
                        .map_or(Referred::Itself, |target| Referred::Other(target.clone()));
                }
            }
        }
        Referred::Circular
    }

    /// Whether there is a variable of this name.
    #[inline]
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.table.contains_key(name)
    }

    /// The value of a variable that has nothing special about it: neither a reference nor dynamic.
    #[inline]
    pub(crate) fn plain_string(&self, name: &[u8]) -> Option<&BString> {
        let variable = self.table.get(name)?;
        match &variable.value {
            Value::Scalar(value) if !variable.has(Attributes::NAMEREF) => Some(value),
            _ => None,
        }
    }

    /// As [`Variables::plain_string`].
    #[inline]
    pub(crate) fn plain(&self, name: &[u8]) -> Option<&[u8]> {
        self.plain_string(name).map(|value| value.as_slice())
    }

    /// Whether fields are split at blanks only.
    #[inline]
    pub(crate) fn has_default_ifs(&self) -> bool {
        matches!(self.plain(b"IFS"), Some(b" \t\n")) || !self.has(b"IFS")
    }

    /// The variables that a process inherits, exported.
    pub(crate) fn import(&mut self, environment: &Environment) {
        for (name, value) in environment.iter() {
            if !crate::names::is_name(name) {
                continue;
            }
            let is_fixed = self
                .table
                .get(name.as_slice())
                .is_some_and(|variable| variable.has(Attributes::READONLY));
            if is_fixed {
                continue;
            }
            self.update(name, Place::Visible, |variable| {
                variable.value = Value::Scalar(value.clone());
                variable.attributes = Attributes::EXPORT;
            });
        }
    }

    /// All visible variables in order of their names.
    pub(crate) fn sorted(&self) -> Vec<(&Text, &Variable)> {
        let all = self.table.iter();
        let mut all: Vec<_> = all.map(|(name, variable)| (name, &**variable)).collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all
    }

    /// The names of the variables that have a value and begin with `prefix`, in order.
    pub(crate) fn names_with_prefix(&self, prefix: &[u8]) -> Vec<BString> {
        let mut names: Vec<BString> = self
            .table
            .iter()
            .filter(|(name, variable)| {
                name.starts_with(prefix) && !matches!(variable.value, Value::Unset)
            })
            .map(|(name, _)| BString::from(&**name))
            .collect();
        names.sort_unstable();
        names
    }

    /// Changes the variable of a name, references not followed, and makes it if there is none.
    pub(crate) fn update<R>(
        &mut self,
        name: &[u8],
        place: Place,
        change: impl FnOnce(&mut Variable) -> R,
    ) -> R {
        self.make(name, place);
        let depth = self.depth_of(place);
        // Asked of the table as if it were to change: only then is known who else has the variable.
        let visible = self.table.get_mut(name).filter(|_| depth.is_none());
        let paid = visible.map(|variable| self.memory.paid_for(variable));
        if let Some(variable) = self.slot(name, depth) {
            let before = (variable.size(), variable.attributes);
            let result = change(variable);
            let after = (variable.size(), variable.attributes);
            self.memory.replace(paid.unwrap_or(before.0), after.0);
            if (before.1 | after.1).has(Attributes::EXPORT) {
                self.environment = None;
            }
            return result;
        }
        // Not reached: it was made above.
        change(&mut Variable::declared(Attributes::NONE, 0))
    }

    /// Changes the text of a visible variable in place, if it is a plain one with nothing special about it.
    #[inline]
    pub(crate) fn change_plain(&mut self, name: &[u8], change: impl FnOnce(&mut BString)) -> bool {
        let Some(variable) = self.table.get_mut(name) else {
            return false;
        };
        if variable.attributes != Attributes::NONE || !matches!(variable.value, Value::Scalar(_)) {
            return false;
        }
        let (paid, size) = (self.memory.paid_for(variable), variable.size());
        let Value::Scalar(value) = &mut Arc::make_mut(variable).value else {
            return false;
        };
        let before = value.capacity();
        change(value);
        let after = value.capacity();
        self.memory
            .replace(before.saturating_sub(size - paid), after);
        true
    }

    /// Makes a variable without a value where there is none in that place.
    fn make(&mut self, name: &[u8], place: Place) {
        let depth = self.depth_of(place);
        match place {
            Place::Visible => {
                if !self.table.contains_key(name) {
                    self.insert_new(name, 0);
                }
            }
            Place::Global => {
                if self.slot(name, Some(0)).is_none() {
                    self.insert_below(name);
                }
            }
            Place::Local | Place::Topmost => {
                let depth = depth.unwrap_or(0);
                let is_there = self
                    .slot(name, Some(depth))
                    .is_some_and(|variable| variable.depth == depth);
                if !is_there {
                    self.insert_local(name, depth);
                }
            }
        }
    }

    fn insert_new(&mut self, name: &[u8], depth: u32) {
        let variable = Variable::declared(Attributes::NONE, depth);
        self.memory.replace(0, variable.size() + name.len());
        self.table.insert(name.into(), Arc::new(variable));
    }

    /// What is exported, in no order.
    pub(crate) fn exported(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        self.table.iter().filter_map(|(name, variable)| {
            // Arrays cannot be exported, and what has no value is not.
            match &variable.value {
                Value::Scalar(value) if variable.has(Attributes::EXPORT) => {
                    Some((&**name, value.as_slice()))
                }
                _ => None,
            }
        })
    }

    /// What is exported, for programs. Kept until something that is exported changes.
    pub(crate) fn environment(&mut self, process: &Process) -> std::io::Result<Arc<Environment>> {
        if let Some(environment) = &self.environment {
            return Ok(Arc::clone(environment));
        }
        let environment = Environment::collect(process.account(), self.exported());
        let environment = Arc::new(environment.map_err(hotcell_process::limit_error)?);
        self.environment = Some(Arc::clone(&environment));
        Ok(environment)
    }

    /// These are those of a subshell from here on.
    pub(crate) fn leave_to_their_shell(&mut self) {
        self.memory.leave_to_its_shell();
    }

    /// Something that is kept beside the variables, and that others may have as well, gives way to something else.
    pub(crate) fn give_way(&mut self, old: usize, is_shared: bool, new: usize) {
        let paid = self.memory.paid(old, is_shared);
        self.memory.replace(paid, new);
    }

    /// Something that is kept beside the variables has another size now.
    pub(crate) fn replace(&mut self, old: usize, new: usize) {
        self.memory.replace(old, new);
    }

    /// Pays for what the variables held that these come after.
    pub(crate) fn inherit_charge(&mut self, before: &mut Self) {
        self.memory.inherit(&mut before.memory);
    }

    /// Pays for these, which are a copy of those of `origin`.
    pub(crate) fn charge_copy(
        &mut self,
        origin: &Self,
        account: &Account,
    ) -> Result<(), OverLimit> {
        self.memory = Memory::copy(&origin.memory, account)?;
        // It is charged to the other account.
        self.environment = None;
        Ok(())
    }

    /// Makes room for a message, where there is none left.
    pub(crate) fn give_back_reserve(&mut self) {
        self.memory.give_back_reserve();
    }

    /// Whether the variables hold more than there was room for.
    pub(crate) fn is_over(&self) -> bool {
        self.memory.is_over()
    }

    /// Charges what the variables hold by now.
    #[inline]
    pub(crate) fn settle(&mut self, process: &Process) -> std::io::Result<()> {
        self.memory.settle(process)
    }
}

/// The name of an array in `name[subscript]`.
pub(crate) fn base_name(target: &[u8]) -> &[u8] {
    let length = memchr::memchr(b'[', target).unwrap_or(target.len());
    target.get(..length).unwrap_or(target)
}
