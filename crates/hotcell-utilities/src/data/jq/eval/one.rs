//! Filters that have one result: no function has to be told.

use super::{
    super::{
        natives,
        stop::Stop,
        syntax::{Binding, Part, Special, Term},
        value::{Map, Value},
    },
    Env, Item, Machine, Slot, path,
};

impl<'t> Machine<'t, '_> {
    /// The result of a filter, if it always has one.
    #[inline]
    pub(super) fn one(
        &self,
        term: &'t Term,
        env: &Env<'t>,
        value: &Value,
    ) -> Option<Result<Value, Stop>> {
        match term {
            Term::Single(term) => Some(self.single(term, env, value)),
            _ => None,
        }
    }

    pub(super) fn bind_one(
        &self,
        source: &'t Term,
        binding: &'t Binding,
        env: &Env<'t>,
        value: &Value,
    ) -> Option<Result<Env<'t>, Stop>> {
        if !binding.is_plain() {
            return None;
        }
        let value = self.one(source, env, value)?;
        Some(value.and_then(|value| self.with_value(env, value)))
    }

    /// As [`Machine::single`], for who has no further use for the value: what is changed is then changed in place.
    pub(super) fn owned(&self, term: &'t Term, env: &Env<'t>, value: Value) -> Result<Value, Stop> {
        self.check_stack()?;
        match term {
            Term::Single(inner) => self.owned(inner, env, value),
            Term::Identity => Ok(value),
            Term::Pipe(first, second) => {
                let between = self.owned(first, env, value)?;
                self.owned(second, env, between)
            }
            Term::Binary(operator, a, b) => {
                let right = self.single(b, env, &value)?;
                let left = self.owned(a, env, value)?;
                natives::binary(self, *operator, left, right)
            }
            Term::If(condition, then, otherwise) => {
                let is_true = self.single(condition, env, &value)?.is_true();
                self.owned(if is_true { then } else { otherwise }, env, value)
            }
            Term::As(source, _, body) => {
                let bound = self.single(source, env, &value)?;
                self.owned(body, &self.with_value(env, bound)?, value)
            }
            Term::Native(native, args) => {
                let mut given = Vec::with_capacity(args.len());
                for arg in args {
                    given.push(self.single(arg, env, &value)?);
                }
                native.call(self, value, &given)
            }
            Term::Assign(..) | Term::Update(..) | Term::Operate(..) => {
                let mut result = Value::Null;
                self.assign(term, env, value, &mut |value| {
                    result = value;
                    Ok(())
                })?;
                Ok(result)
            }
            _ => self.single(term, env, &value),
        }
    }

    /// The result of a filter that was marked as having one.
    pub(super) fn single(
        &self,
        term: &'t Term,
        env: &Env<'t>,
        value: &Value,
    ) -> Result<Value, Stop> {
        self.process.spend(8);
        match term {
            Term::Identity => return Ok(value.clone()),
            Term::Constant(constant) => return Ok(constant.clone()),
            Term::Variable(index) => {
                return match env.get(*index) {
                    Some(Slot::Value(value)) => Ok(value.clone()),
                    _ => Err(Stop::fault()),
                };
            }
            Term::Index(base, key) => {
                if let Term::Single(base) = &**base
                    && matches!(**base, Term::Identity)
                {
                    let key = self.single(key, env, value)?;
                    return path::index(self, value, &key);
                }
            }
            _ => {}
        }
        self.check_stack()?;
        match term {
            Term::Single(inner) => self.single(inner, env, value),
            Term::Pipe(first, second) => {
                let between = self.single(first, env, value)?;
                self.single(second, env, &between)
            }
            Term::Index(base, key) => {
                let key = self.single(key, env, value)?;
                path::index(self, &self.single(base, env, value)?, &key)
            }
            Term::Slice(base, from, to) => {
                let bound = |bound: &'t Option<Box<Term>>| match bound {
                    Some(term) => self.single(term, env, value),
                    None => Ok(Value::Null),
                };
                let (to, from) = (bound(to)?, bound(from)?);
                path::slice(self, &self.single(base, env, value)?, &from, &to)
            }
            Term::Binary(operator, a, b) => {
                let right = self.single(b, env, value)?;
                let left = self.single(a, env, value)?;
                natives::binary(self, *operator, left, right)
            }
            Term::Negate(body) => natives::negate(&self.single(body, env, value)?),
            Term::And(a, b) => Ok(Value::Bool(
                self.single(a, env, value)?.is_true() && self.single(b, env, value)?.is_true(),
            )),
            Term::Or(a, b) => Ok(Value::Bool(
                self.single(a, env, value)?.is_true() || self.single(b, env, value)?.is_true(),
            )),
            Term::If(condition, then, otherwise) => {
                let next = if self.single(condition, env, value)?.is_true() {
                    then
                } else {
                    otherwise
                };
                self.single(next, env, value)
            }
            Term::Alternative(first, second) => match self.single(first, env, value) {
                Ok(found) if found.is_true() => Ok(found),
                Ok(_) | Err(Stop::Error(_) | Stop::Message(_)) => self.single(second, env, value),
                Err(stop) => Err(stop),
            },
            Term::Try(body, Some(handler)) => match self.single(body, env, value) {
                Err(stop @ (Stop::Error(_) | Stop::Message(_))) => {
                    let error = self.error_value(stop)?;
                    self.single(handler, env, &error)
                }
                found => found,
            },
            Term::As(source, _, body) => {
                let bound = self.single(source, env, value)?;
                self.single(body, &self.with_value(env, bound)?, value)
            }
            Term::Array(None) => self.heap.array(Vec::new()),
            Term::Array(Some(body)) => self.collect(body, env, value.clone()),
            Term::Object(entries) => {
                let mut map = Map::default();
                for (key, term) in entries {
                    let key = match self.single(key, env, value)? {
                        Value::String(key) => key,
                        other => {
                            return Err(Stop::message(format!(
                                "Object keys must be strings, not {} ({})",
                                other.type_name(),
                                natives::shown(&other)
                            )));
                        }
                    };
                    map.insert(key, self.single(term, env, value)?);
                }
                self.heap.object(map)
            }
            Term::Text(format, parts) => {
                let mut text = String::new();
                let mut held = self.heap.0.hold(0)?;
                for part in parts {
                    match part {
                        Part::Text(plain) => text.push_str(plain),
                        Part::Term(term) => {
                            let inside = self.single(term, env, value)?;
                            let format = format.as_deref().unwrap_or("@text");
                            let inside = natives::format(self, format, inside)?;
                            held.grow(inside.len().saturating_mul(2))?;
                            text.push_str(&inside);
                        }
                    }
                }
                self.process.spend(text.len());
                drop(held);
                self.heap.string(text)
            }
            Term::Format(name) => {
                let text = natives::format(self, name, value.clone())?;
                self.heap.string(text)
            }
            Term::Native(native, args) => {
                let mut given = Vec::with_capacity(args.len());
                for arg in args {
                    given.push(self.single(arg, env, value)?);
                }
                native.call(self, value.clone(), &given)
            }
            Term::Special(Special::GetPath, args) => {
                let [arg] = args.as_slice() else {
                    return Err(Stop::fault());
                };
                let wanted = self.single(arg, env, value)?;
                path::get(self, value, &wanted)
            }
            Term::Assign(..) | Term::Update(..) | Term::Operate(..) => {
                let mut result = Value::Null;
                self.assign(term, env, value.clone(), &mut |value| {
                    result = value;
                    Ok(())
                })?;
                Ok(result)
            }
            Term::Reduce(..) | Term::Special(..) => {
                let mut result = Value::Null;
                let item = Item::plain(value.clone());
                let out: super::Out<'_> = &mut |item| {
                    result = item.value;
                    Ok(())
                };
                match term {
                    Term::Reduce(source, binding, start, update) => {
                        self.reduce(source, binding, (start, update), env, item, out)?;
                    }
                    Term::Special(special, args) => self.special(*special, args, env, item, out)?,
                    _ => {}
                }
                Ok(result)
            }
            _ => Err(Stop::fault()),
        }
    }
}
