//! What the guest's own library leaves to good Rust libraries. Pure functions of their arguments: they give a cell no
//! power, only answers.
//!
//! They cannot be stopped, so that what they are given is limited: the most that they accept takes some ten milliseconds.

mod time_zone;
mod url;

use crate::{
    tool::{Answer, ToolError},
    value::Value,
};

/// A request may have so many bytes: two for each that a URL may have, since texts may come as UTF-16, and some.
pub(crate) const MAX_MESSAGE: usize = 2 * url::MAX_LENGTH + 1024;

/// A request: the name of a service and its arguments. `undefined` if there is no such service or no answer.
pub(crate) fn call(arguments: &[Value]) -> Answer {
    let Some((Value::String(service), arguments)) = arguments.split_first() else {
        return Ok(Value::Undefined);
    };
    match service.as_str() {
        Some("url") => {
            let parts = url_service(arguments)?;
            Ok(parts.map_or(Value::Null, |parts| {
                Value::array(parts.into_array().map(Value::from))
            }))
        }
        Some("tz") => Ok(time_zone_service(arguments).unwrap_or(Value::Undefined)),
        _ => Ok(Value::Undefined),
    }
}

/// The error for a request of more than [`MAX_MESSAGE`] bytes. Only URLs are so long.
pub(crate) fn too_long(length: usize) -> ToolError {
    url::too_long(length)
}

/// `parse(input, base)` or `set(href, component, value)`.
fn url_service(arguments: &[Value]) -> Result<Option<url::Parts>, ToolError> {
    let text = |index: usize| arguments.get(index).and_then(Value::as_str);
    match (text(0), text(1), text(2), text(3)) {
        (Some("parse"), Some(input), base, _) => url::parse_limited(input, base),
        (Some("set"), Some(href), Some(component), Some(value)) => {
            match url::Component::from_name(component) {
                Some(component) => url::set_limited(href, component, value),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// `(zone, milliseconds)` gives `[offset in minutes, abbreviation, name as the database spells it]`.
fn time_zone_service(arguments: &[Value]) -> Option<Value> {
    let [Value::String(zone), Value::Number(time)] = arguments else {
        return None;
    };
    let zone = zone.as_str()?;
    let (offset, abbreviation) = time_zone::offset(zone, *time)?;
    Some(Value::array([
        offset.into(),
        abbreviation.into(),
        time_zone::name(zone)?.into(),
    ]))
}
