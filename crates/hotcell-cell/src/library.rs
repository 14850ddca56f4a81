//! What the guest's own library leaves to good Rust libraries. Pure functions of their arguments: they give a cell no
//! power, only answers.

mod time_zone;
mod url;

use crate::value::Value;

/// A request: the name of a service and its arguments. `undefined` if there is no such service or no answer.
pub(crate) fn call(arguments: &[Value]) -> Value {
    let Some((Value::String(service), arguments)) = arguments.split_first() else {
        return Value::Undefined;
    };
    match service.as_str() {
        Some("url") => url_service(arguments).map_or(Value::Null, |parts| {
            Value::from(parts.into_array().to_vec())
        }),
        Some("tz") => time_zone_service(arguments).unwrap_or(Value::Undefined),
        _ => Value::Undefined,
    }
}

/// `parse(input, base)` or `set(href, component, value)`.
fn url_service(arguments: &[Value]) -> Option<url::Parts> {
    let text = |index: usize| arguments.get(index).and_then(Value::as_str);
    match text(0)? {
        "parse" => url::parse(text(1)?, text(2)),
        "set" => url::set(text(1)?, url::Component::from_name(text(2)?)?, text(3)?),
        _ => None,
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
