//! `=`, `|=` and the operators that change in place.

use super::{
    super::{
        natives,
        stop::{Flow, Stop},
        syntax::Term,
        value::Value,
    },
    Env, Item, Machine,
    path::{self, Path},
};

impl<'t> Machine<'t, '_> {
    pub(super) fn assign(
        &self,
        term: &'t Term,
        env: &Env<'t>,
        value: Value,
        out: &mut dyn FnMut(Value) -> Flow,
    ) -> Flow {
        if let Some(result) = self.assign_one(term, env, &value)? {
            let (steps, new) = result;
            let mut result = value;
            path::set_at(self, &mut result, &steps, new)?;
            return out(result);
        }
        match term {
            Term::Assign(target, source) => self.values(source, env, value.clone(), &mut |new| {
                let mut result = value.clone();
                self.each_path(target, env, value.clone(), &mut |path| {
                    path::set_at(self, &mut result, path, new.clone())
                })?;
                out(result)
            }),
            Term::Update(target, update) => {
                out(self.update(target, env, value, &mut |old, out| {
                    self.values(update, env, old, out)
                })?)
            }
            Term::Operate(operator, target, source) => {
                self.values(source, env, value.clone(), &mut |new| {
                    let result =
                        self.update(target, env, value.clone(), &mut |old, out| match operator {
                            Some(operator) => {
                                out(natives::binary(self, *operator, old, new.clone())?)
                            }
                            None if old.is_true() => out(old),
                            None => out(new.clone()),
                        })?;
                    out(result)
                })
            }
            _ => Err(Stop::fault()),
        }
    }

    /// The one place that `=` sets, and to what. Nothing shares the value then, and it is changed in place.
    fn assign_one(
        &self,
        term: &'t Term,
        env: &Env<'t>,
        value: &Value,
    ) -> Result<Option<(Vec<Value>, Value)>, Stop> {
        let (target, source) = match term {
            Term::Assign(target, source) | Term::Operate(_, target, source) => (target, source),
            _ => return Ok(None),
        };
        let (Term::Single(_), Some(new)) = (&**target, self.one(source, env, value)) else {
            return Ok(None);
        };
        let new = new?;
        let mut place = None;
        self.each_path(target, env, value.clone(), &mut |steps| {
            place = Some(steps.to_vec());
            Ok(())
        })?;
        let Some(steps) = place else {
            return Ok(None);
        };
        let new = match term {
            Term::Operate(operator, ..) => {
                let old = path::get(self, value, &self.heap.array(steps.clone())?)?;
                match operator {
                    Some(operator) => natives::binary(self, *operator, old, new)?,
                    None if old.is_true() => old,
                    None => new,
                }
            }
            _ => new,
        };
        Ok(Some((steps, new)))
    }

    /// All places that a filter finds.
    pub(super) fn each_path(
        &self,
        target: &'t Term,
        env: &Env<'t>,
        value: Value,
        out: &mut dyn FnMut(&[Value]) -> Flow,
    ) -> Flow {
        let item = Item {
            value,
            path: Some(Path::root()),
        };
        self.eval(target, env, item, &mut |item| {
            let steps = item.path.as_ref();
            match steps.and_then(|path| path.steps(self.process)) {
                Some(steps) => out(&steps),
                None => Err(path::invalid(&item.value)),
            }
        })
    }

    /// Changes what is at each place to the first result of `change`; what has none is deleted at the end.
    fn update(
        &self,
        target: &'t Term,
        env: &Env<'t>,
        value: Value,
        change: &mut dyn FnMut(Value, &mut dyn FnMut(Value) -> Flow) -> Flow,
    ) -> Result<Value, Stop> {
        let mut result = value.clone();
        let mut gone = Vec::new();
        self.each_path(target, env, value, &mut |steps| {
            self.process.spend(32 * steps.len() + 32);
            // Taken out of its place, so that it is not shared and can be changed where it is.
            let old = path::take_at(self, &mut result, steps)?;
            let enough = self.label();
            let mut new = None;
            let flow = change(old, &mut |value| {
                new = Some(value);
                Err(Stop::Break(enough))
            });
            match flow {
                Err(Stop::Break(label)) if label == enough => {}
                flow => flow?,
            }
            match new {
                Some(new) => path::set_at(self, &mut result, steps, new),
                None => {
                    gone.push(self.heap.array(steps.to_vec())?);
                    Ok(())
                }
            }
        })?;
        if gone.is_empty() {
            return Ok(result);
        }
        let gone = self.heap.array(gone)?;
        path::delete(self, result, &gone)
    }
}
