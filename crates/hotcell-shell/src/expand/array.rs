//! `a=(…)`, `a+=(…)`

use std::sync::Arc;

use bstr::BString;
use hotcell_process::Process;

use super::{
    Target,
    assign::element_text,
    tilde::TildeAt,
    value::{Written, from_end},
};
use crate::{
    ast::{ArrayElement, Assignment, Subscript, Word},
    flow::Flow,
    shell::Shell,
    variables::{AssociativeArray, Attributes, IndexedArray, Place, Value},
};

impl Shell {
    /// Makes a variable an indexed array of these: for `mapfile`, `read -a`, `coproc`.
    pub(crate) fn set_array(
        &mut self,
        process: &Process,
        name: &[u8],
        values: Vec<BString>,
    ) -> Result<(), Flow> {
        self.store_array(process, name, IndexedArray::default(), 0, values)
    }

    /// Sets elements of an array from an index on, and keeps the others: for `mapfile -O`.
    pub(crate) fn set_array_from(
        &mut self,
        process: &Process,
        name: &[u8],
        start: u64,
        values: Vec<BString>,
    ) -> Result<(), Flow> {
        let there = match self.whole_value(process, name) {
            Value::Indexed(array) => Arc::unwrap_or_clone(array),
            Value::Scalar(value) => IndexedArray::from_iter([value]),
            _ => IndexedArray::default(),
        };
        self.store_array(process, name, there, start, values)
    }

    fn store_array(
        &mut self,
        process: &Process,
        name: &[u8],
        mut array: IndexedArray,
        start: u64,
        values: Vec<BString>,
    ) -> Result<(), Flow> {
        let name = self.followed(process, name).ok_or(Flow::Discard(1))?;
        let Some(attributes) = self.check_assignable(process, &name)? else {
            return Ok(());
        };
        for (index, value) in (start..).zip(values) {
            array.set(index, self.adapted(process, value, None, attributes)?);
        }
        self.variables.update(&name, Place::Visible, |variable| {
            variable.value = Value::Indexed(Arc::new(array));
            variable.attributes |= Attributes::INDEXED;
        });
        self.settle_variables(process)
    }

    pub(super) fn assign_array(
        &mut self,
        process: &Process,
        assignment: &Assignment,
        elements: &[ArrayElement],
        target: Target,
    ) -> Result<(), Flow> {
        let name = match target {
            Target::Local | Target::Temporary => BString::from(&*assignment.name),
            _ => self
                .followed(process, &assignment.name)
                .ok_or(Flow::Discard(1))?,
        };
        let Some(attributes) = self.check_assignable(process, &name)? else {
            return Ok(());
        };
        if assignment.append
            && !attributes.has(Attributes::ASSOCIATIVE)
            && elements.iter().all(is_new)
        {
            return self.append_to_array(process, &name, elements, attributes, target);
        }
        // What is there stays until all elements are known: they may refer to it.
        let old = match target {
            Target::Local if !self.variables.is_local(&name) => Value::Unset,
            _ => self.whole_value(process, &name),
        };
        let value = if attributes.has(Attributes::ASSOCIATIVE) {
            let mut array = match old {
                Value::Associative(array) if assignment.append => (*array).clone(),
                _ => AssociativeArray::default(),
            };
            self.fill_associative(process, &name, elements, attributes, &mut array)?;
            Value::Associative(Arc::new(array))
        } else {
            let mut array = match old {
                Value::Indexed(array) if assignment.append => (*array).clone(),
                Value::Scalar(value) if assignment.append => IndexedArray::from_iter([value]),
                _ => IndexedArray::default(),
            };
            self.fill_indexed(process, elements, attributes, &mut array)?;
            Value::Indexed(Arc::new(array))
        };
        let exported = self.exported_by(target);
        self.variables.update(&name, target.place(), |variable| {
            if matches!(value, Value::Indexed(_)) {
                variable.attributes |= Attributes::INDEXED;
            }
            variable.value = value;
            variable.attributes |= exported;
        });
        self.settle_variables(process)
    }

    /// `a+=(…)` of elements that do not depend on what is there: it is not copied.
    fn append_to_array(
        &mut self,
        process: &Process,
        name: &[u8],
        elements: &[ArrayElement],
        attributes: Attributes,
        target: Target,
    ) -> Result<(), Flow> {
        let is_new = target == Target::Local && !self.variables.is_local(name);
        let variable = self.variables.get_reference(name);
        let start = match variable.map(|variable| &variable.value) {
            _ if is_new => 0,
            Some(Value::Indexed(array)) => array.end(),
            Some(Value::Scalar(_)) => 1,
            _ => 0,
        };
        let mut added = IndexedArray::starting_at(start);
        self.fill_indexed(process, elements, attributes, &mut added)?;
        let exported = self.exported_by(target);
        self.variables.update(name, target.place(), |variable| {
            if let Some(array) = variable.indexed_mut() {
                array.append(added);
            }
            variable.attributes |= exported;
        });
        self.settle_variables(process)
    }

    fn fill_indexed(
        &mut self,
        process: &Process,
        elements: &[ArrayElement],
        attributes: Attributes,
        array: &mut IndexedArray,
    ) -> Result<(), Flow> {
        let mut next = array.end();
        let mut charge = process
            .charge(0)
            .map_err(|error| self.out_of_memory(process, &error))?;
        for element in elements {
            match element {
                ArrayElement::Word(word) => {
                    let mut values = Vec::new();
                    self.expand_fields(process, word, TildeAt::START, &mut values)?;
                    for value in values {
                        let value = self.adapted(process, value, None, attributes)?;
                        array.set(next, value);
                        next = next.saturating_add(1);
                    }
                }
                ArrayElement::Keyed {
                    subscript,
                    append,
                    value,
                } => {
                    let Some(index) = self.keyed_index(process, subscript, array.end())? else {
                        continue;
                    };
                    let value = self.expand_joined(process, value, TildeAt::VALUE)?.text;
                    let old = array.get(index).filter(|_| *append).cloned();
                    array.set(index, self.adapted(process, value, old, attributes)?);
                    next = index.saturating_add(1);
                }
            }
            charge.resize(array.size()).map_err(|error| {
                self.out_of_memory(process, &hotcell_process::limit_error(error))
            })?;
        }
        Ok(())
    }

    /// The index of `[subscript]=value`. `None` if it is none, which has been said.
    fn keyed_index(
        &mut self,
        process: &Process,
        subscript: &Subscript,
        end: u64,
    ) -> Result<Option<u64>, Flow> {
        if let Subscript::Index(word) = subscript
            && !word.parts().is_empty()
        {
            let index = self.index(process, Written::Word(word))?;
            if let Some(index) = from_end(index, end) {
                return Ok(Some(index));
            }
        }
        let mut text = element_text(b"", subscript);
        let problem: &[u8] = match subscript {
            Subscript::All | Subscript::Joined => b": cannot assign to non-numeric index",
            Subscript::Index(_) => b": bad array subscript",
        };
        text.extend_from_slice(problem);
        self.complain(process, text);
        Ok(None)
    }

    /// Entries with keys, or keys and values in turn.
    fn fill_associative(
        &mut self,
        process: &Process,
        name: &[u8],
        elements: &[ArrayElement],
        attributes: Attributes,
        array: &mut AssociativeArray,
    ) -> Result<(), Flow> {
        if matches!(elements.first(), Some(ArrayElement::Word(_))) {
            return self.fill_with_pairs(process, elements, attributes, array);
        }
        for element in elements {
            match element {
                ArrayElement::Word(word) => {
                    let text = self.expand_joined(process, word, TildeAt::NOWHERE)?.text;
                    let problem = "must use subscript when assigning associative array";
                    let message = [
                        name,
                        b": ",
                        &crate::quote::reusable(&text),
                        b": ",
                        problem.as_bytes(),
                    ];
                    self.complain(process, message.concat());
                }
                ArrayElement::Keyed {
                    subscript,
                    append,
                    value,
                } => {
                    let key = self.keyed_text(process, subscript)?;
                    let value = self.expand_joined(process, value, TildeAt::VALUE)?.text;
                    if key.is_empty() {
                        let mut text = element_text(b"", subscript);
                        text.extend_from_slice(b"=");
                        text.extend_from_slice(&value);
                        text.extend_from_slice(b": bad array subscript");
                        self.complain(process, text);
                        continue;
                    }
                    let old = array.get(&key).filter(|_| *append).cloned();
                    let value = self.adapted(process, value, old, attributes)?;
                    array.set(key, value);
                }
            }
        }
        Ok(())
    }

    fn keyed_text(&mut self, process: &Process, subscript: &Subscript) -> Result<BString, Flow> {
        match subscript {
            Subscript::All => Ok("@".into()),
            Subscript::Joined => Ok("*".into()),
            Subscript::Index(word) => self.text_key(process, Written::Word(word)),
        }
    }

    fn fill_with_pairs(
        &mut self,
        process: &Process,
        elements: &[ArrayElement],
        attributes: Attributes,
        array: &mut AssociativeArray,
    ) -> Result<(), Flow> {
        let mut texts = Vec::new();
        for element in elements {
            texts.push(match element {
                ArrayElement::Word(word) => self.one_of_pair(process, word)?,
                ArrayElement::Keyed {
                    subscript,
                    append,
                    value,
                } => {
                    let mut text = element_text(b"", subscript);
                    text.extend_from_slice(if *append { b"+=" } else { b"=" });
                    text.extend_from_slice(&self.one_of_pair(process, value)?);
                    text.into()
                }
            });
        }
        let mut texts = texts.into_iter();
        while let Some(key) = texts.next() {
            let value = texts.next().unwrap_or_default();
            let value = self.adapted(process, value, None, attributes)?;
            array.set(key, value);
        }
        Ok(())
    }

    fn one_of_pair(&mut self, process: &Process, word: &Word) -> Result<BString, Flow> {
        Ok(self.expand_joined(process, word, TildeAt::VALUE)?.text)
    }
}

/// Whether an element is added without a look at what was there.
fn is_new(element: &ArrayElement) -> bool {
    !matches!(element, ArrayElement::Keyed { append: true, .. })
}
