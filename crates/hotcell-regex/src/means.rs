//! On whose time and memory patterns are compiled.

use hotcell_meter::Account;

/// What compiling a pattern is paid with. There is no way to compile one without.
#[derive(Clone)]
pub struct Means<'m> {
    account: Account,
    spend: &'m dyn Fn(usize),
}

impl<'m> Means<'m> {
    /// What the pattern and its searches hold is charged to `account`; `spend` is told of work before it is done, a unit
    /// being about a byte looked at, and may end it by unwinding.
    pub fn new(account: &Account, spend: &'m dyn Fn(usize)) -> Self {
        Self {
            account: account.clone(),
            spend,
        }
    }

    /// For patterns that are not a guest's.
    pub fn unmetered() -> Means<'static> {
        Means {
            account: Account::unlimited(),
            spend: &|_| (),
        }
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    pub(crate) fn spend(&self, units: usize) {
        (self.spend)(units);
    }
}
