//! `$1`, `$2`…

use std::{ops::Deref, sync::Arc};

use bstr::BString;

/// The positional parameters. Shared with clones, and `shift` copies none of them.
#[derive(Clone)]
pub(crate) struct Positional {
    all: Arc<[BString]>,
    /// How many were shifted away.
    gone: usize,
}

impl Positional {
    /// Takes the first ones away; false if there are not so many.
    pub(crate) fn shift(&mut self, count: usize) -> bool {
        let is_enough = count <= self.len();
        if is_enough {
            self.gone += count;
        }
        is_enough
    }
}

impl Deref for Positional {
    type Target = [BString];

    fn deref(&self) -> &[BString] {
        self.all.get(self.gone..).unwrap_or_default()
    }
}

impl<T: Into<Arc<[BString]>>> From<T> for Positional {
    fn from(all: T) -> Self {
        Self {
            all: all.into(),
            gone: 0,
        }
    }
}
