//! Operators.

use std::rc::Rc;

use super::{
    super::{eval::Machine, stop::Stop, syntax::Operator, value::Value},
    shown, strings,
};

pub(crate) fn negate(value: &Value) -> Result<Value, Stop> {
    match value.as_number() {
        Some(number) => Ok(Value::Number(-number)),
        None => Err(super::wrong(value, "cannot be negated")),
    }
}

pub(crate) fn binary(
    machine: &Machine<'_, '_>,
    operator: Operator,
    a: Value,
    b: Value,
) -> Result<Value, Stop> {
    let compare = |a: &Value, b: &Value| a.compare(b, &mut |units| machine.process.spend(units));
    let number = a.as_number().zip(b.as_number());
    Ok(match operator {
        Operator::Equal => Value::Bool(compare(&a, &b).is_eq()),
        Operator::NotEqual => Value::Bool(compare(&a, &b).is_ne()),
        Operator::Less => Value::Bool(compare(&a, &b).is_lt()),
        Operator::LessOrEqual => Value::Bool(compare(&a, &b).is_le()),
        Operator::Greater => Value::Bool(compare(&a, &b).is_gt()),
        Operator::GreaterOrEqual => Value::Bool(compare(&a, &b).is_ge()),
        Operator::Add => return add(machine, a, b),
        Operator::Subtract => match (number, &a, &b) {
            (Some((a, b)), ..) => Value::Number(a - b),
            (None, Value::Array(left), Value::Array(right)) => {
                let mut kept = Vec::new();
                for item in &left.items {
                    machine.process.spend(right.items.len());
                    if !right.items.iter().any(|other| compare(item, other).is_eq()) {
                        kept.push(item.clone());
                    }
                }
                machine.heap.array(kept)?
            }
            _ => return Err(both(&a, &b, "cannot be subtracted")),
        },
        Operator::Multiply => match (number, &a, &b) {
            (Some((a, b)), ..) => Value::Number(a * b),
            (None, Value::String(text), _) if b.as_number().is_some() => {
                repeat(machine, &text.text, b.as_number().unwrap_or(0.0))?
            }
            (None, _, Value::String(text)) if a.as_number().is_some() => {
                repeat(machine, &text.text, a.as_number().unwrap_or(0.0))?
            }
            (None, Value::Object(_), Value::Object(_)) => return merge(machine, a, &b),
            _ => return Err(both(&a, &b, "cannot be multiplied")),
        },
        Operator::Divide => match (number, &a, &b) {
            (Some((_, 0.0)), ..) => {
                return Err(both(
                    &a,
                    &b,
                    "cannot be divided because the divisor is zero",
                ));
            }
            (Some((a, b)), ..) => Value::Number(a / b),
            (None, Value::String(_), Value::String(_)) => return strings::split(machine, a, &[b]),
            _ => return Err(both(&a, &b, "cannot be divided")),
        },
        Operator::Modulo => match number {
            Some((left, right)) => {
                if left.is_nan() || right.is_nan() {
                    return Ok(Value::Number(f64::NAN));
                }
                #[allow(clippy::cast_possible_truncation, reason = "saturates, as jq has it")]
                let (left, right) = (left as i64, right as i64);
                if right == 0 {
                    return Err(both(
                        &a,
                        &b,
                        "cannot be divided because the divisor is zero",
                    ));
                }
                let rest = left.unsigned_abs() % right.unsigned_abs();
                #[allow(clippy::cast_precision_loss, reason = "doubles are what there is")]
                let rest = rest as f64;
                Value::Number(if left < 0 { 0.0 - rest } else { rest })
            }
            None => return Err(both(&a, &b, "cannot be divided")),
        },
    })
}

fn both(a: &Value, b: &Value, what: &str) -> Stop {
    Stop::message(format!(
        "{} ({}) and {} ({}) {what}",
        a.type_name(),
        shown(a),
        b.type_name(),
        shown(b)
    ))
}

pub(super) fn add(machine: &Machine<'_, '_>, a: Value, b: Value) -> Result<Value, Stop> {
    if let Some((a, b)) = a.as_number().zip(b.as_number()) {
        return Ok(Value::Number(a + b));
    }
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::String(a), Value::String(b)) => {
            machine.process.spend(b.text.len() / 4);
            machine.heap.append(a, &b.text)
        }
        (Value::Array(mut a), Value::Array(b)) => {
            machine.process.spend(b.items.len());
            if Rc::get_mut(&mut a).is_none() {
                machine.process.spend(a.items.len());
            }
            let array = machine.heap.array_mut(&mut a)?;
            for item in &b.items {
                array.push(item.clone())?;
            }
            Ok(Value::Array(a))
        }
        (Value::Object(mut a), Value::Object(b)) => {
            machine.process.spend(b.map.len() * 8);
            if Rc::get_mut(&mut a).is_none() {
                machine.process.spend(a.map.len() * 4);
            }
            let object = machine.heap.object_mut(&mut a)?;
            for (key, value) in &b.map {
                object.set(Rc::clone(key), value.clone())?;
            }
            Ok(Value::Object(a))
        }
        (a, b) => Err(both(&a, &b, "cannot be added")),
    }
}

fn repeat(machine: &Machine<'_, '_>, text: &str, count: f64) -> Result<Value, Stop> {
    if count.is_nan() || count <= 0.0 {
        return Ok(Value::Null);
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is charged"
    )]
    let count = (count.ceil() as usize).max(1);
    let length = text.len().saturating_mul(count);
    machine.heap.0.hold(length)?;
    machine.process.spend(length / 4);
    machine.heap.string(text.repeat(count))
}

/// `*` on objects: what both have as objects is merged in turn.
fn merge(machine: &Machine<'_, '_>, a: Value, b: &Value) -> Result<Value, Stop> {
    machine.check_stack()?;
    let (Value::Object(mut a), Value::Object(b)) = (a, b) else {
        return Err(Stop::fault());
    };
    let object = machine.heap.object_mut(&mut a)?;
    for (key, value) in &b.map {
        machine.process.spend(16);
        let old = object.map.get(&key.text).cloned();
        let new = match (old, value) {
            (Some(old @ Value::Object(_)), Value::Object(_)) => merge(machine, old, value)?,
            _ => value.clone(),
        };
        object.set(Rc::clone(key), new)?;
    }
    Ok(Value::Object(a))
}
