//! How much memory a program may have.

use hotcell_meter::{Account, Charge, OverLimit};
use wasmtime::ResourceLimiter;

use crate::ending::Refused;

/// Bytes that an element of a table takes.
const TABLE_ELEMENT: usize = 16;

/// Tables of one program. Compilers make one.
const MAX_TABLES: usize = 16;

/// Refuses memory beyond a limit of the program's own, and beyond what the account of its process has left. Tables count
/// like memory.
pub(crate) struct Limiter {
    limit: usize,
    used: usize,
    charge: Charge,
    refused: Option<Refused>,
}

impl Limiter {
    pub(crate) fn new(account: &Account, limit: usize) -> Self {
        Self {
            limit,
            used: 0,
            charge: account.none(),
            refused: None,
        }
    }

    /// The last memory that was refused.
    pub(crate) fn refused(&self) -> Option<Refused> {
        self.refused
    }

    fn grow(&mut self, more: usize) -> bool {
        let wanted = self.used.saturating_add(more);
        let refused = if wanted > self.limit {
            Refused {
                wanted,
                limit: self.limit,
                name: "program memory",
            }
        } else {
            match self.charge.grow(more) {
                Ok(()) => {
                    self.used = wanted;
                    return true;
                }
                Err(OverLimit { name, limit, .. }) => Refused {
                    wanted,
                    limit,
                    name,
                },
            }
        };
        self.refused = Some(refused);
        false
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // What the program itself has ruled out costs nothing.
        let is_possible = maximum.is_none_or(|maximum| desired <= maximum);
        Ok(is_possible && self.grow(desired.saturating_sub(current)))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let is_possible = maximum.is_none_or(|maximum| desired <= maximum);
        let more = desired
            .saturating_sub(current)
            .saturating_mul(TABLE_ELEMENT);
        Ok(is_possible && self.grow(more))
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        1
    }
}
