//! Assignments.

use bstr::{BString, ByteVec};
use hotcell_process::Process;

use super::{
    Target,
    operation::{lower, upper},
    tilde::TildeAt,
    value::{Written, from_end, split_element},
};
use crate::{
    ast::{Assignment, AssignmentValue, Subscript},
    flow::Flow,
    settings::Setting,
    shell::Shell,
    variables::{Attributes, Place, Value, Variable},
};

impl Target {
    pub(super) fn place(self) -> Place {
        match self {
            Self::Visible => Place::Visible,
            Self::Temporary => Place::Topmost,
            Self::Local => Place::Local,
            Self::Global => Place::Global,
        }
    }
}

impl Shell {
    /// Makes an assignment, arrays included. The message about a readonly variable and the like is printed here.
    pub(crate) fn assign(
        &mut self,
        process: &Process,
        assignment: &Assignment,
        target: Target,
    ) -> Result<(), Flow> {
        match (&assignment.value, &assignment.subscript) {
            (AssignmentValue::Array(elements), None) => {
                self.trace(process, || crate::print::assignment_text(assignment));
                self.assign_array(process, assignment, elements, target)
            }
            (AssignmentValue::Array(_), Some(subscript)) => {
                let mut text = element_text(&assignment.name, subscript);
                text.extend_from_slice(b": cannot assign list to array member");
                self.complain(process, text);
                Err(Flow::Discard(1))
            }
            (AssignmentValue::Scalar(word), None) => {
                let value = match word.constant() {
                    Some(text) => BString::from(&**text),
                    None => match self.plain_value(word) {
                        Some((value, _)) => value.clone(),
                        None => self.expand_joined(process, word, TildeAt::VALUE)?.text,
                    },
                };
                self.trace(process, || traced(assignment, &value));
                self.store(process, &assignment.name, value, assignment.append, target)
            }
            (AssignmentValue::Scalar(word), Some(subscript)) => {
                let value = self.expand_joined(process, word, TildeAt::VALUE)?.text;
                self.trace(process, || traced(assignment, &value));
                let (name, append) = (&assignment.name, assignment.append);
                self.store_element(process, name, subscript, value, append, target)
            }
        }
    }

    /// Sets a variable to a string, as `for`, `read`, `getopts`, `printf -v` do: attributes and namerefs count.
    /// `name` may have a subscript (`a[1]`), except for `for`, where the caller has checked.
    pub(crate) fn set_variable(
        &mut self,
        process: &Process,
        name: &[u8],
        value: BString,
    ) -> Result<(), Flow> {
        if let Some((array, subscript)) = split_element(name) {
            let written = Written::Text(subscript);
            return self.store_at(process, array, written, value, false, Target::Visible);
        }
        self.store(process, name, value, false, Target::Visible)
    }

    /// As [`Shell::set_variable`], for an element whose index is known.
    pub(crate) fn set_at(
        &mut self,
        process: &Process,
        name: &[u8],
        index: i64,
        value: BString,
    ) -> Result<(), Flow> {
        let Some((array, subscript)) = split_element(name) else {
            return self.set_variable(process, name, value);
        };
        let written = Written::Known(index, subscript);
        self.store_at(process, array, written, value, false, Target::Visible)
    }

    /// Sets the variable of `for`: a reference refers to one value after the other.
    pub(crate) fn set_loop_variable(
        &mut self,
        process: &Process,
        name: &[u8],
        value: BString,
    ) -> Result<(), Flow> {
        let variable = self.variables.get_reference(name);
        if !variable.is_some_and(|variable| variable.has(Attributes::NAMEREF)) {
            return self.store(process, name, value, false, Target::Visible);
        }
        if !crate::names::is_name(&value) && split_element(&value).is_none() {
            let message = [
                b"`",
                value.as_slice(),
                b"': invalid variable name for name reference",
            ];
            self.complain(process, message.concat());
            return Err(Flow::Discard(1));
        }
        self.variables.update(name, Place::Visible, |variable| {
            variable.value = Value::Scalar(value);
        });
        Ok(())
    }

    /// Sets an element of an array: for `{fd[1]}>`.
    pub(crate) fn set_element(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: &Subscript,
        value: BString,
    ) -> Result<(), Flow> {
        self.store_element(process, name, subscript, value, false, Target::Visible)
    }

    /// `name=value` or `name+=value`, expanded.
    pub(crate) fn store(
        &mut self,
        process: &Process,
        name: &[u8],
        value: BString,
        append: bool,
        target: Target,
    ) -> Result<(), Flow> {
        if target == Target::Visible
            && !self.has(Setting::AllExport)
            && self.variables.change_plain(name, |old| {
                if !append {
                    old.clear();
                }
                old.extend_from_slice(&value);
            })
        {
            return self.settle_variables(process);
        }
        let Some(name) = self.assigned_name(process, name, &value, target)? else {
            return Ok(());
        };
        if let Some((array, subscript)) = split_element(&name) {
            let written = Written::Text(subscript);
            return self.store_at(process, array, written, value, append, target);
        }
        let attributes = self.check_assignable(process, &name)?;
        let Some(attributes) = attributes else {
            return Ok(());
        };
        let old = if append {
            self.old_value(process, &name, target)
        } else {
            None
        };
        let value = self.adapted(process, value, old, attributes)?;
        let dynamic = match self
            .variables
            .get_reference(&name)
            .map(|found| &found.value)
        {
            Some(Value::Dynamic(dynamic)) => Some(*dynamic),
            _ => None,
        };
        if let Some(dynamic) = dynamic {
            self.set_dynamic(process, dynamic, value);
            return Ok(());
        }
        let exported = self.exported_by(target);
        self.variables.update(&name, target.place(), |variable| {
            variable.set_scalar(value);
            variable.attributes |= exported;
        });
        self.settle_variables(process)
    }

    /// The value before `+=`.
    fn old_value(&mut self, process: &Process, name: &[u8], target: Target) -> Option<BString> {
        match target {
            // A new local variable has none, whatever it hides.
            Target::Local if !self.variables.is_local(name) => None,
            _ => self.variable(process, name),
        }
    }

    pub(super) fn exported_by(&self, target: Target) -> Attributes {
        if target == Target::Temporary || self.has(Setting::AllExport) {
            Attributes::EXPORT
        } else {
            Attributes::NONE
        }
    }

    pub(crate) fn settle_variables(&mut self, process: &Process) -> Result<(), Flow> {
        self.variables
            .settle(process)
            .map_err(|error| self.out_of_memory(process, &error))
    }

    /// The variable that an assignment to `name` goes to. `None` if the assignment made a reference of its own.
    fn assigned_name(
        &mut self,
        process: &Process,
        name: &[u8],
        value: &[u8],
        target: Target,
    ) -> Result<Option<BString>, Flow> {
        let variable = self.variables.get_reference(name);
        let is_reference = variable.is_some_and(|variable| variable.has(Attributes::NAMEREF));
        if !is_reference || matches!(target, Target::Local | Target::Temporary) {
            return Ok(Some(name.into()));
        }
        let has_target = variable
            .and_then(Variable::scalar)
            .is_some_and(|target| !target.is_empty());
        if has_target {
            // A circle has been complained about.
            return self
                .followed(process, name)
                .map(Some)
                .ok_or(Flow::Discard(1));
        }
        // The first value of a reference is what it refers to.
        if !crate::names::is_name(value) && split_element(value).is_none() {
            self.complain(
                process,
                [b"`", value, b"': not a valid identifier"].concat(),
            );
            return Err(Flow::Discard(1));
        }
        self.variables.update(name, Place::Visible, |variable| {
            variable.value = Value::Scalar(value.into());
        });
        Ok(None)
    }

    /// Refuses what is readonly. `None` if assignments to it have no effect.
    pub(super) fn check_assignable(
        &self,
        process: &Process,
        name: &[u8],
    ) -> Result<Option<Attributes>, Flow> {
        let Some(variable) = self.variables.get_reference(name) else {
            return Ok(Some(Attributes::NONE));
        };
        if variable.has(Attributes::READONLY) {
            self.complain(process, [name, b": readonly variable"].concat());
            let is_last_straw = self.has(Setting::ErrExit) && !self.is_interactive;
            return Err(if is_last_straw {
                Flow::Exit(1)
            } else {
                Flow::Discard(1)
            });
        }
        let ignores = variable.has(Attributes::UNASSIGNABLE);
        Ok((!ignores).then_some(variable.attributes))
    }

    /// A value as the attributes of its variable want it, behind what was there for `+=`.
    pub(super) fn adapted(
        &mut self,
        process: &Process,
        value: BString,
        old: Option<BString>,
        attributes: Attributes,
    ) -> Result<BString, Flow> {
        if attributes.has(Attributes::INTEGER) {
            let mut number = self.evaluate_inside(process, &value)?;
            if let Some(old) = old {
                number = self.evaluate_inside(process, &old)?.wrapping_add(number);
            }
            return Ok(crate::arithmetic::Decimal::new(number).as_bytes().into());
        }
        let value = match old {
            Some(mut old) => {
                old.push_str(value);
                old
            }
            None => value,
        };
        Ok(if attributes.has_any(Attributes::CHANGING) {
            with_case(&value, attributes)
        } else {
            value
        })
    }

    fn store_element(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: &Subscript,
        value: BString,
        append: bool,
        target: Target,
    ) -> Result<(), Flow> {
        let written = match subscript {
            Subscript::Index(word) if word.parts().is_empty() => {
                return Err(self.bad_subscript(process, name, subscript));
            }
            Subscript::Index(word) => Written::Word(word),
            // In an associative array these are keys as any others.
            Subscript::All if self.is_associative(name) => Written::Text(b"@"),
            Subscript::Joined if self.is_associative(name) => Written::Text(b"*"),
            Subscript::All | Subscript::Joined => {
                return Err(self.bad_subscript(process, name, subscript));
            }
        };
        self.store_at(process, name, written, value, append, target)
    }

    fn bad_subscript(&self, process: &Process, name: &[u8], subscript: &Subscript) -> Flow {
        let mut text = element_text(name, subscript);
        text.extend_from_slice(b": bad array subscript");
        self.complain(process, text);
        Flow::Discard(1)
    }

    /// `name[subscript]=value`, expanded.
    fn store_at(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: Written<'_>,
        value: BString,
        append: bool,
        target: Target,
    ) -> Result<(), Flow> {
        let name = match target {
            Target::Local | Target::Temporary => BString::from(name),
            _ => self.followed(process, name).ok_or(Flow::Discard(1))?,
        };
        let Some(attributes) = self.check_assignable(process, &name)? else {
            return Ok(());
        };
        let exported = self.exported_by(target);
        if self.is_associative(&name) {
            let key = self.text_key(process, subscript)?;
            if key.is_empty() {
                self.complain(
                    process,
                    [name.as_slice(), b"[]: bad array subscript"].concat(),
                );
                return Err(Flow::Discard(1));
            }
            return self.store_key(process, &name, key, value, append, target);
        }
        let index = self.index(process, subscript)?;
        let (end, old) = match self
            .variables
            .get_reference(&name)
            .map(|found| &found.value)
        {
            Some(Value::Indexed(array)) => {
                let index = from_end(index, array.end());
                let old = index.and_then(|index| array.get(index)).cloned();
                (array.end(), old)
            }
            Some(Value::Scalar(value)) => (1, (index == 0).then(|| value.clone())),
            _ => (0, None),
        };
        let Some(index) = from_end(index, end) else {
            let inside = match subscript {
                Written::Word(word) => crate::print::word_text(word),
                Written::Text(text) | Written::Known(_, text) => text.to_vec(),
            };
            let text = [name.as_slice(), b"[", &inside, b"]: bad array subscript"].concat();
            self.complain(process, text);
            return Err(Flow::Discard(1));
        };
        let old = if append { old } else { None };
        let value = self.adapted(process, value, old, attributes)?;
        self.variables.update(&name, target.place(), |variable| {
            if let Some(array) = variable.indexed_mut() {
                array.set(index, value);
            }
            variable.attributes |= exported;
        });
        self.settle_variables(process)
    }

    /// Sets an entry of an associative array.
    pub(super) fn store_key(
        &mut self,
        process: &Process,
        name: &[u8],
        key: BString,
        value: BString,
        append: bool,
        target: Target,
    ) -> Result<(), Flow> {
        let (attributes, old) = match self.variables.get_reference(name) {
            Some(variable) => {
                let old = match &variable.value {
                    Value::Associative(array) if append => array.get(&key).cloned(),
                    _ => None,
                };
                (variable.attributes, old)
            }
            None => (Attributes::NONE, None),
        };
        let value = self.adapted(process, value, old, attributes)?;
        match name {
            b"BASH_ALIASES" => {
                let bytes = key.len() + value.len();
                self.aliases.insert(key, value);
                self.hold(process, bytes)?;
                return Ok(());
            }
            b"BASH_CMDS" => {
                let bytes = key.len() + value.len();
                self.hashed.insert(key, (value, 0));
                self.hold(process, bytes)?;
                return Ok(());
            }
            _ => {}
        }
        self.variables.update(name, target.place(), |variable| {
            if let Some(array) = variable.associative_mut() {
                array.set(key, value);
            }
        });
        self.settle_variables(process)
    }
}

/// An assignment as `set -x` shows it.
fn traced(assignment: &Assignment, value: &[u8]) -> Vec<u8> {
    let mut text = match &assignment.subscript {
        Some(subscript) => element_text(&assignment.name, subscript),
        None => assignment.name.to_vec(),
    };
    text.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
    if !value.is_empty() {
        text.extend_from_slice(&crate::quote::shown(value));
    }
    text
}

pub(crate) fn element_text(name: &[u8], subscript: &Subscript) -> Vec<u8> {
    let inside = match subscript {
        Subscript::All => b"@".to_vec(),
        Subscript::Joined => b"*".to_vec(),
        Subscript::Index(word) => crate::print::word_text(word),
    };
    [name, b"[", &inside, b"]"].concat()
}

/// A value in the case that `declare -u`, `-l` or `-c` ask for.
fn with_case(value: &[u8], attributes: Attributes) -> BString {
    use bstr::ByteSlice;
    let mut text = BString::default();
    for (start, end, char) in value.char_indices() {
        let bytes = value.get(start..end).unwrap_or_default();
        let is_upper = attributes.has(Attributes::UPPER)
            || attributes.has(Attributes::CAPITALIZE) && start == 0;
        match bytes.to_str() {
            Ok(_) if is_upper => text.push_char(upper(char)),
            Ok(_) => text.push_char(lower(char)),
            Err(_) => text.push_str(bytes),
        }
    }
    text
}
