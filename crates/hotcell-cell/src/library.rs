//! What the guest's own library leaves to good Rust libraries. Pure functions of their arguments: they give a cell no
//! power, only answers.

use crate::value::Value;

/// A request: the name of a service and its arguments. `undefined` if there is no such service or no answer.
pub(crate) fn call(_arguments: &[Value]) -> Value {
    Value::Undefined
}
