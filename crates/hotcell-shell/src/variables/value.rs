//! A variable: its value and its attributes.

use std::sync::Arc;

use bstr::BString;

use super::{
    associative::AssociativeArray, attributes::Attributes, dynamic::Dynamic, indexed::IndexedArray,
};

/// What a variable takes beside its value.
const VARIABLE: usize = 96;

/// A variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) value: Value,
    pub(crate) attributes: Attributes,
    /// How many scopes are below the one that it belongs to: 0 for a global variable.
    pub(crate) depth: u32,
}

/// The value of a variable.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Declared, but without a value. The attributes tell whether it is to be an array.
    Unset,
    Scalar(BString),
    Indexed(Arc<IndexedArray>),
    Associative(Arc<AssociativeArray>),
    /// One that the shell makes up when it is asked.
    Dynamic(Dynamic),
}

impl Variable {
    /// A variable without a value.
    pub(crate) fn declared(attributes: Attributes, depth: u32) -> Self {
        Self {
            value: Value::Unset,
            attributes,
            depth,
        }
    }

    pub(crate) fn has(&self, attributes: Attributes) -> bool {
        self.attributes.has(attributes)
    }

    /// What `$name` is: for an array its element 0. Not for dynamic variables.
    pub(crate) fn scalar(&self) -> Option<&BString> {
        match &self.value {
            Value::Scalar(value) => Some(value),
            Value::Indexed(array) => array.get(0),
            Value::Associative(array) => array.get(b"0"),
            Value::Unset | Value::Dynamic(_) => None,
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        VARIABLE
            + match &self.value {
                Value::Unset | Value::Dynamic(_) => 0,
                Value::Scalar(value) => value.capacity(),
                Value::Indexed(array) => array.size(),
                Value::Associative(array) => array.size(),
            }
    }

    /// Its elements, to be changed. A scalar becomes element 0. `None` if it is associative or dynamic.
    pub(crate) fn indexed_mut(&mut self) -> Option<&mut IndexedArray> {
        match &mut self.value {
            Value::Unset => self.value = Value::Indexed(Arc::default()),
            Value::Scalar(value) => {
                let array = IndexedArray::from_iter([std::mem::take(value)]);
                self.value = Value::Indexed(Arc::new(array));
            }
            _ => {}
        }
        match &mut self.value {
            Value::Indexed(array) => {
                self.attributes |= Attributes::INDEXED;
                Some(Arc::make_mut(array))
            }
            _ => None,
        }
    }

    /// Its entries, to be changed. `None` if it is no associative array.
    pub(crate) fn associative_mut(&mut self) -> Option<&mut AssociativeArray> {
        if matches!(self.value, Value::Unset) && self.has(Attributes::ASSOCIATIVE) {
            self.value = Value::Associative(Arc::default());
        }
        match &mut self.value {
            Value::Associative(array) => Some(Arc::make_mut(array)),
            _ => None,
        }
    }

    /// Makes it a scalar, or sets element 0 of an array.
    pub(crate) fn set_scalar(&mut self, value: BString) {
        match &mut self.value {
            Value::Indexed(array) => Arc::make_mut(array).set(0, value),
            Value::Associative(array) => Arc::make_mut(array).set("0".into(), value),
            Value::Scalar(old) => *old = value,
            Value::Unset if self.attributes.has(Attributes::ASSOCIATIVE) => {
                let mut array = AssociativeArray::default();
                array.set("0".into(), value);
                self.value = Value::Associative(Arc::new(array));
            }
            Value::Unset if self.attributes.has(Attributes::INDEXED) => {
                let array = IndexedArray::from_iter([value]);
                self.value = Value::Indexed(Arc::new(array));
            }
            Value::Unset | Value::Dynamic(_) => self.value = Value::Scalar(value),
        }
    }
}
