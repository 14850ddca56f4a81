//! The environment of processes, paid for.

use std::{
    collections::BTreeMap,
    fmt,
    ops::{Deref, DerefMut},
    sync::{Mutex, PoisonError},
};

use bstr::BString;
use hotcell_meter::{Account, Charge, OverLimit};

/// What a variable takes beside its name and its value.
const ENTRY: usize = 2 * size_of::<BString>() + 16;

/// Environment variables, by name.
///
/// What a process has of them is charged to the account of its run, for as long as anybody has it, and once, however many
/// processes share it.
#[derive(Default)]
pub struct Environment {
    variables: BTreeMap<BString, BString>,
    // A std mutex: held while a number is compared.
    charge: Mutex<Option<Charge>>,
}

impl Environment {
    /// One without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// One of these variables, charged before it is made.
    pub fn collect<'a, V>(account: &Account, variables: V) -> Result<Self, OverLimit>
    where
        V: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
    {
        let bytes = variables
            .clone()
            .map(|(name, value)| name.len() + value.len() + ENTRY);
        let charge = account.charge(bytes.sum())?;
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        Ok(Self {
            variables: variables.collect(),
            charge: Mutex::new(Some(charge)),
        })
    }

    /// Another one like this, charged before it is made.
    pub fn copy(&self, account: &Account) -> Result<Self, OverLimit> {
        Self::collect(
            account,
            self.iter()
                .map(|(name, value)| (name.as_slice(), value.as_slice())),
        )
    }

    /// Charges what it holds by now.
    pub(crate) fn settle(&self, account: &Account) -> Result<(), OverLimit> {
        let bytes = self
            .iter()
            .map(|(name, value)| name.len() + value.len() + ENTRY);
        let bytes = bytes.sum();
        let mut charge = self.charge.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *charge {
            Some(charge) => charge.resize(bytes),
            none => {
                *none = Some(account.charge(bytes)?);
                Ok(())
            }
        }
    }
}

impl Deref for Environment {
    type Target = BTreeMap<BString, BString>;

    fn deref(&self) -> &Self::Target {
        &self.variables
    }
}

impl DerefMut for Environment {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.variables
    }
}

impl Clone for Environment {
    /// A copy that is charged when a process has it.
    fn clone(&self) -> Self {
        self.variables.clone().into()
    }
}

impl IntoIterator for Environment {
    type Item = (BString, BString);
    type IntoIter = std::collections::btree_map::IntoIter<BString, BString>;

    fn into_iter(self) -> Self::IntoIter {
        self.variables.into_iter()
    }
}

impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        self.variables == other.variables
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.variables.fmt(f)
    }
}

impl From<BTreeMap<BString, BString>> for Environment {
    fn from(variables: BTreeMap<BString, BString>) -> Self {
        Self {
            variables,
            charge: Mutex::new(None),
        }
    }
}

impl FromIterator<(BString, BString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (BString, BString)>>(variables: I) -> Self {
        variables.into_iter().collect::<BTreeMap<_, _>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Environment};

    #[test]
    fn an_environment_is_charged_once_and_for_as_long_as_it_is_there() {
        let account = Account::new("memory", 10_000);
        let mut first = Environment::new();
        first.insert("A".into(), vec![b'x'; 4000].into());
        assert_eq!(account.used(), 0);
        first.settle(&account).unwrap();
        first.settle(&account).unwrap();
        let of_one = account.used();
        assert!((4000..4200).contains(&of_one), "{of_one}");

        let mut second = first.copy(&account).unwrap();
        assert_eq!(account.used(), 2 * of_one);
        assert!(first.copy(&account).is_err());
        second.insert("B".into(), vec![b'x'; 4000].into());
        assert!(second.settle(&account).is_err());
        second.clear();
        second.settle(&account).unwrap();
        assert_eq!(account.used(), of_one);
        drop(first);
        assert_eq!(account.used(), 0);
    }
}
