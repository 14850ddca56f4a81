//! Taking variables away.

use std::sync::Arc;

use bstr::BString;
use hotcell_process::Process;

use super::value::{Written, from_end, split_element};
use crate::{
    flow::Flow,
    settings::Setting,
    shell::Shell,
    variables::{Place, Value},
};

impl Shell {
    /// `unset -v`, without a word about readonly variables. References are followed.
    pub(crate) fn unset_variable(&mut self, name: &[u8]) {
        let target = match self.variables.follow(name) {
            crate::variables::Referred::Other(target) => target,
            _ => BString::from(name),
        };
        let keeps_locals = self.has(Setting::LocalVarUnset);
        self.variables.remove(&target, keeps_locals);
    }

    /// `unset 'a[1]'`. The text of what is wrong, for who prints it with its own name.
    pub(crate) fn unset_element(
        &mut self,
        process: &Process,
        element: &[u8],
    ) -> Result<Result<(), BString>, Flow> {
        let Some((array, subscript)) = split_element(element) else {
            self.unset_variable(element);
            return Ok(Ok(()));
        };
        let Some(name) = self.followed(process, array) else {
            return Ok(Ok(()));
        };
        if self.is_associative(&name) {
            let key = self.text_key(process, Written::Text(subscript))?;
            match name.as_slice() {
                b"BASH_ALIASES" => drop(self.aliases.remove(&key)),
                b"BASH_CMDS" => drop(self.hashed.remove(&key)),
                _ => {}
            }
            self.variables.update(&name, Place::Visible, |variable| {
                if let Some(array) = variable.associative_mut() {
                    array.remove(&key);
                }
            });
            return Ok(Ok(()));
        }
        let end = match self
            .variables
            .get_reference(&name)
            .map(|found| &found.value)
        {
            Some(Value::Indexed(array)) => array.end(),
            Some(Value::Scalar(_)) => 1,
            _ => return Ok(Ok(())),
        };
        if matches!(subscript, b"@" | b"*") {
            self.variables.update(&name, Place::Visible, |variable| {
                variable.value = match variable.value {
                    Value::Indexed(_) => Value::Indexed(Arc::default()),
                    _ => Value::Unset,
                };
            });
            return Ok(Ok(()));
        }
        let index = self.index(process, Written::Text(subscript))?;
        let Some(index) = from_end(index, end) else {
            let text = [b"[", subscript, b"]: bad array subscript"].concat();
            return Ok(Err(text.into()));
        };
        let is_array = matches!(
            self.variables
                .get_reference(&name)
                .map(|found| &found.value),
            Some(Value::Indexed(_))
        );
        if !is_array {
            if index == 0 {
                self.unset_variable(&name);
            }
            return Ok(Ok(()));
        }
        self.variables.update(&name, Place::Visible, |variable| {
            if let Some(array) = variable.indexed_mut() {
                array.remove(index);
            }
        });
        Ok(Ok(()))
    }
}
