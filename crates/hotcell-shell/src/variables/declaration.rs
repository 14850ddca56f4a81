//! Variables as text, to be read by a shell.

use bstr::{BString, ByteVec};

use super::{Attributes, Value, Variable};
use crate::quote;

/// The line that `declare -p` prints for a variable, without the newline.
pub(crate) fn declaration(name: &[u8], variable: &Variable) -> BString {
    let mut line = BString::from("declare -");
    let letters = variable.attributes.letters();
    line.push_str(if letters.is_empty() {
        b"-"
    } else {
        letters.as_slice()
    });
    line.push(b' ');
    line.push_str(name);
    if let Some(value) = declared_value(variable) {
        line.push(b'=');
        line.push_str(value);
    }
    line
}

/// The right side of `declare -p`: `"x"` or `([0]="x")`; nothing for what has no value.
pub(crate) fn declared_value(variable: &Variable) -> Option<BString> {
    match &variable.value {
        Value::Unset => None,
        Value::Dynamic(_) => variable.has(Attributes::ARRAY).then(|| BString::from("()")),
        Value::Scalar(value) => Some(quote::declared(value).into()),
        Value::Indexed(_) | Value::Associative(_) => array_value(variable),
    }
}

/// The line that `set` prints for a variable; nothing for what has no value.
pub(crate) fn listing(name: &[u8], variable: &Variable) -> Option<BString> {
    let value = match &variable.value {
        Value::Scalar(value) => quote::listed(value).into(),
        _ => array_value(variable)?,
    };
    let mut line = BString::from(name);
    line.push(b'=');
    line.push_str(value);
    Some(line)
}

fn array_value(variable: &Variable) -> Option<BString> {
    let mut text = BString::from("(");
    match &variable.value {
        Value::Indexed(array) => {
            for (number, (index, value)) in array.iter().enumerate() {
                if number > 0 {
                    text.push(b' ');
                }
                text.push_str(format!("[{index}]="));
                text.push_str(quote::declared(value));
            }
        }
        Value::Associative(array) => {
            for (key, value) in array.iter() {
                text.push(b'[');
                text.push_str(quote::key(key));
                text.push_str("]=");
                text.push_str(quote::declared(value));
                text.push(b' ');
            }
        }
        _ => return None,
    }
    text.push(b')');
    Some(text)
}
