//! Taking values apart by patterns.

use super::{
    super::{
        stop::{Flow, Stop},
        syntax::{Binding, Pattern},
        value::Value,
    },
    Env, Machine, path,
};

impl<'t> Machine<'t, '_> {
    /// Calls `then` with the variables of the first pattern that fits, and of the next ones if that fails.
    pub(super) fn with_pattern(
        &self,
        binding: &'t Binding,
        env: &Env<'t>,
        value: Value,
        then: &mut dyn FnMut(&Env<'t>) -> Flow,
    ) -> Flow {
        if binding.is_plain() {
            return then(&self.with_value(env, value)?);
        }
        let last = binding.patterns.len().saturating_sub(1);
        for (number, pattern) in binding.patterns.iter().enumerate() {
            let unset = vec![Value::Null; binding.count];
            let flow = self.take_apart(&[(pattern, value.clone())], env, unset, &mut |values| {
                then(&self.extend(env, values)?)
            });
            match flow {
                Err(Stop::Error(_) | Stop::Message(_)) if number < last => {}
                flow => return flow,
            }
        }
        Ok(())
    }

    fn extend(&self, env: &Env<'t>, values: &[Value]) -> Result<Env<'t>, Stop> {
        let mut env = env.clone();
        for value in values {
            env = self.with_value(&env, value.clone())?;
        }
        Ok(env)
    }

    /// Goes through patterns that are still to be matched.
    fn take_apart(
        &self,
        todo: &[(&'t Pattern, Value)],
        env: &Env<'t>,
        mut values: Vec<Value>,
        then: &mut dyn FnMut(&[Value]) -> Flow,
    ) -> Flow {
        self.check_stack()?;
        let Some(((pattern, value), rest)) = todo.split_first() else {
            return then(&values);
        };
        self.process.spend(16);
        match pattern {
            Pattern::Variable(index) => {
                if let Some(slot) = values.get_mut(*index) {
                    *slot = value.clone();
                }
                self.take_apart(rest, env, values, then)
            }
            Pattern::Array(items) => {
                if !matches!(value, Value::Array(_) | Value::Null) {
                    return Err(Stop::message(format!(
                        "Cannot index {} with number",
                        value.type_name()
                    )));
                }
                let mut next = Vec::new();
                for (number, item) in items.iter().enumerate() {
                    let found = match value {
                        Value::Array(array) => array.items.get(number).cloned(),
                        _ => None,
                    };
                    next.push((item, found.unwrap_or(Value::Null)));
                }
                next.extend(rest.iter().cloned());
                self.take_apart(&next, env, values, then)
            }
            Pattern::Object(entries) => self.entries(entries, value, rest, env, values, then),
        }
    }

    fn entries(
        &self,
        entries: &'t [super::super::syntax::Entry],
        value: &Value,
        rest: &[(&'t Pattern, Value)],
        env: &Env<'t>,
        values: Vec<Value>,
        then: &mut dyn FnMut(&[Value]) -> Flow,
    ) -> Flow {
        let Some((entry, more)) = entries.split_first() else {
            return self.take_apart(rest, env, values, then);
        };
        let seen = self.extend(env, values.get(..entry.visible).unwrap_or_default())?;
        self.values(&entry.key, &seen, value.clone(), &mut |key| {
            if key.as_str().is_none() {
                return Err(Stop::message(format!(
                    "Cannot index {} with {}",
                    value.type_name(),
                    key.type_name()
                )));
            }
            let found = path::index(self, value, &key)?;
            let mut values = values.clone();
            if let Some(slot) = entry.variable.and_then(|index| values.get_mut(index)) {
                *slot = found.clone();
            }
            match &entry.pattern {
                None => self.entries(more, value, rest, env, values, then),
                Some(pattern) => self.take_apart(&[(pattern, found)], env, values, &mut |values| {
                    self.entries(more, value, rest, env, values.to_vec(), then)
                }),
            }
        })
    }
}
