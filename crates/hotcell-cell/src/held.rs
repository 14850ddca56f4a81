//! What the host keeps for a guest, with what it is charged for it.

use std::{fmt, ops::Deref, sync::Arc};

use hotcell_meter::{Account, Charge, OverLimit};

use crate::value::Value;

/// Something that is charged to an account for as long as anybody holds it. Cheap to clone; clones are one.
pub(crate) struct Held<T>(Arc<Inner<T>>);

struct Inner<T> {
    value: T,
    /// `None` for what no cell brought.
    _charge: Option<Charge>,
}

impl<T> Held<T> {
    pub(crate) fn charged(value: T, charge: Charge) -> Self {
        Self(Arc::new(Inner {
            value,
            _charge: Some(charge),
        }))
    }

    pub(crate) fn free(value: T) -> Self {
        Self(Arc::new(Inner {
            value,
            _charge: None,
        }))
    }
}

impl<T: Clone> Held<T> {
    fn into_inner(self) -> T {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => inner.value,
            Err(shared) => shared.value.clone(),
        }
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

/// What a tool is called with.
///
/// Cheap to clone: a cell keeps the arguments of a call that has no answer, and that is the same copy. They are charged to
/// the cell's account ([`CellOptions::account`](crate::CellOptions::account)) until the last clone is gone;
/// [`Arguments::into_vec`] is for whoever keeps them longer than that.
#[derive(Clone)]
pub struct Arguments(Held<Vec<Value>>);

impl Arguments {
    /// Arguments that are charged until the last clone is gone.
    pub fn charged(values: Vec<Value>, charge: Charge) -> Self {
        Self(Held::charged(values, charge))
    }

    /// The values.
    pub fn as_slice(&self) -> &[Value] {
        &self.0
    }

    /// The values, copied if a clone is left.
    pub fn into_vec(self) -> Vec<Value> {
        self.0.into_inner()
    }
}

impl Deref for Arguments {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

/// Arguments that no cell brought, which are charged to nobody.
impl From<Vec<Value>> for Arguments {
    fn from(values: Vec<Value>) -> Self {
        Self(Held::free(values))
    }
}

impl<'a> IntoIterator for &'a Arguments {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Vec<Value>> for Arguments {
    fn eq(&self, other: &Vec<Value>) -> bool {
        **self == **other
    }
}

impl PartialEq<[Value]> for Arguments {
    fn eq(&self, other: &[Value]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[Value; N]> for Arguments {
    fn eq(&self, other: &[Value; N]) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().collect::<Vec<_>>().fmt(f)
    }
}

/// Bytes of the heap that an allocation of `bytes` takes: allocators round up, and keep notes.
pub(crate) fn allocation(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        _ => bytes.saturating_add(31) & !15,
    }
}

/// Bytes that an account has left.
pub(crate) fn room(account: &Account) -> usize {
    account.limit().saturating_sub(account.used())
}

/// The error for something that [`room`] had no room for.
pub(crate) fn over_limit(account: &Account, room: usize) -> Option<OverLimit> {
    account.charge(room.saturating_add(1)).err()
}
