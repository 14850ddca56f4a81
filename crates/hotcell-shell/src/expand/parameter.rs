//! `$x`, `${x…}`

use bstr::BString;
use hotcell_process::Process;

use super::{
    fields::Fields,
    value::Written,
    word::{Around, push_value},
};
use crate::{
    ast::{Parameter, ParameterExpansion, ParameterOperation, Special, Subscript},
    flow::Flow,
    settings::Setting,
    shell::Shell,
    variables::{Attributes, Value},
};

/// What a parameter has for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Unset,
    Scalar(BString),
    /// `$@`, `$*`, `${a[@]}`, `${a[*]}`
    List {
        values: Vec<BString>,
        is_star: bool,
    },
}

impl Found {
    /// Whether `${x-word}` takes the word, or `${x:-word}` if empty counts as well.
    pub(crate) fn is_missing(&self, or_empty: bool) -> bool {
        match self {
            Self::Unset => true,
            Self::Scalar(value) => or_empty && value.is_empty(),
            Self::List { values, .. } => match values.as_slice() {
                [] => true,
                [only] => or_empty && only.is_empty(),
                _ => false,
            },
        }
    }

    /// The same with each value changed, as long as that can be done.
    pub(crate) fn try_map<E>(
        self,
        mut change: impl FnMut(BString) -> Result<BString, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Self::Unset => Self::Unset,
            Self::Scalar(value) => Self::Scalar(change(value)?),
            Self::List { values, is_star } => Self::List {
                values: values.into_iter().map(change).collect::<Result<_, E>>()?,
                is_star,
            },
        })
    }

    /// The same with each value changed.
    pub(crate) fn map(self, mut change: impl FnMut(BString) -> BString) -> Self {
        match self {
            Self::Unset => Self::Unset,
            Self::Scalar(value) => Self::Scalar(change(value)),
            Self::List { values, is_star } => Self::List {
                values: values.into_iter().map(change).collect(),
                is_star,
            },
        }
    }
}

impl Shell {
    /// Expands `$x` or `${…}`.
    pub(crate) fn expand_parameter(
        &mut self,
        process: &Process,
        expansion: &ParameterExpansion,
        around: Around,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        if expansion.operation == ParameterOperation::None
            && !expansion.indirect
            && let Parameter::Variable(name) = &expansion.parameter
            && let Some(value) = self.variables.plain_string(name)
        {
            return push_value(process, fields, value, around)
                .map_err(|error| self.out_of_memory(process, &error));
        }
        if expansion.indirect {
            return self.expand_indirect(process, expansion, around, fields);
        }
        let found = match &expansion.operation {
            ParameterOperation::Names { joined } => self.names(&expansion.parameter, *joined),
            ParameterOperation::Keys => self.keys(process, &expansion.parameter),
            ParameterOperation::Length => self.length(process, &expansion.parameter)?,
            ParameterOperation::Substring { offset, length } => {
                self.substring(process, &expansion.parameter, offset, length.as_ref())?
            }
            _ => {
                let found = self.find(process, &expansion.parameter)?;
                return self.expand_found(process, expansion, found, around, fields);
            }
        };
        push_found(process, fields, &found, around, expansion)
            .map_err(|error| self.out_of_memory(process, &error))
    }

    /// Does what `${x…}` says with the value that was found.
    pub(crate) fn expand_found(
        &mut self,
        process: &Process,
        expansion: &ParameterExpansion,
        found: Found,
        around: Around,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        if let ParameterOperation::Fallback {
            kind,
            or_empty,
            word,
        } = &expansion.operation
        {
            let missing = found.is_missing(*or_empty);
            let name = &expansion.parameter;
            let fallback = super::fallback::Fallen {
                kind: *kind,
                or_empty: *or_empty,
                word,
                missing,
            };
            return if self.fall_back(process, name, &fallback, around, fields)? {
                Ok(())
            } else {
                push_found(process, fields, &found, around, expansion)
                    .map_err(|error| self.out_of_memory(process, &error))
            };
        }
        if found == Found::Unset && self.has(Setting::NoUnset) {
            let name = name_in_messages(&expansion.parameter, expansion.braced);
            return Err(self.unbound(process, &name));
        }
        let found = self.operate(process, expansion, found)?;
        push_found(process, fields, &found, around, expansion)
            .map_err(|error| self.out_of_memory(process, &error))
    }

    /// The value of a parameter.
    pub(crate) fn find(&mut self, process: &Process, parameter: &Parameter) -> Result<Found, Flow> {
        let scalar = |value: Option<BString>| value.map_or(Found::Unset, Found::Scalar);
        Ok(match parameter {
            Parameter::Variable(name) => scalar(self.variable(process, name)),
            Parameter::Element { name, subscript } => match subscript {
                Subscript::Index(word) => {
                    scalar(self.element(process, name, Written::Word(word))?)
                }
                Subscript::All | Subscript::Joined => Found::List {
                    values: self.elements(process, name),
                    is_star: *subscript == Subscript::Joined,
                },
            },
            Parameter::Positional(number) => scalar(self.positional(*number)),
            Parameter::Special(special) => self.special(*special),
        })
    }

    fn positional(&self, number: u32) -> Option<BString> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.arguments.get(index).cloned()
    }

    fn special(&self, special: Special) -> Found {
        let number = |number: &dyn ToString| Found::Scalar(number.to_string().into());
        match special {
            Special::At | Special::Star => Found::List {
                values: self.arguments.to_vec(),
                is_star: special == Special::Star,
            },
            Special::Count => number(&self.arguments.len()),
            Special::Status => number(&self.status),
            Special::Flags => Found::Scalar(self.flags()),
            Special::ProcessId => number(&self.pid),
            Special::BackgroundId => match &self.background {
                Some(pid) => number(pid),
                None => Found::Unset,
            },
            Special::Zero => Found::Scalar(self.name.clone()),
        }
    }

    /// All values of an array, or the one of a scalar.
    fn elements(&mut self, process: &Process, name: &[u8]) -> Vec<BString> {
        self.with_value(process, name, |value| match value {
            Value::Scalar(value) => vec![value.clone()],
            Value::Indexed(array) => array.values().cloned().collect(),
            Value::Associative(array) => array.iter().map(|(_, value)| value.clone()).collect(),
            Value::Unset | Value::Dynamic(_) => Vec::new(),
        })
    }

    /// `${!prefix*}`
    fn names(&self, parameter: &Parameter, is_star: bool) -> Found {
        let Parameter::Variable(prefix) = parameter else {
            return Found::Unset;
        };
        Found::List {
            values: self.variables.names_with_prefix(prefix),
            is_star,
        }
    }

    /// `${!array[@]}`
    fn keys(&mut self, process: &Process, parameter: &Parameter) -> Found {
        let Parameter::Element { name, subscript } = parameter else {
            return Found::Unset;
        };
        let values = self.with_value(process, name, |value| match value {
            Value::Scalar(_) => vec!["0".into()],
            Value::Indexed(array) => array
                .iter()
                .map(|(index, _)| index.to_string().into())
                .collect(),
            Value::Associative(array) => array.iter().map(|(key, _)| key.clone()).collect(),
            Value::Unset | Value::Dynamic(_) => Vec::new(),
        });
        Found::List {
            values,
            is_star: *subscript == Subscript::Joined,
        }
    }

    /// `${#x}`
    fn length(&mut self, process: &Process, parameter: &Parameter) -> Result<Found, Flow> {
        if let Parameter::Element {
            name,
            subscript: Subscript::All | Subscript::Joined,
        } = parameter
        {
            return self.count(process, name);
        }
        let found = self.find(process, parameter)?;
        let is_array = matches!(parameter, Parameter::Element { .. });
        let length = match &found {
            Found::Unset if self.has(Setting::NoUnset) && !is_array => {
                let name = name_in_messages(parameter, true);
                return Err(self.unbound(process, &name));
            }
            Found::Unset => 0,
            Found::Scalar(value) => {
                process.spend(value.len() / 8);
                characters(value)
            }
            Found::List { values, .. } => values.len(),
        };
        Ok(Found::Scalar(length.to_string().into()))
    }

    /// `${#array[@]}`
    fn count(&mut self, process: &Process, name: &[u8]) -> Result<Found, Flow> {
        let count = self.with_value(process, name, |value| match value {
            Value::Scalar(_) => 1,
            Value::Indexed(array) => array.len(),
            Value::Associative(array) => array.len(),
            Value::Unset | Value::Dynamic(_) => 0,
        });
        if count == 0 && self.has(Setting::NoUnset) && !self.variables.has_value(name) {
            let _ = self.unbound(process, name);
            return Err(Flow::Discard(1));
        }
        Ok(Found::Scalar(count.to_string().into()))
    }

    /// `${!x…}`
    fn expand_indirect(
        &mut self,
        process: &Process,
        expansion: &ParameterExpansion,
        around: Around,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        // A reference is not looked through: `${!reference}` is the name that it refers to.
        if let Parameter::Variable(name) = &expansion.parameter
            && let Some(variable) = self.variables.get_reference(name)
            && variable.has(Attributes::NAMEREF)
        {
            let target = variable.scalar().cloned();
            let found = target.map_or(Found::Unset, Found::Scalar);
            return self.expand_found(process, expansion, found, around, fields);
        }
        let name = match self.find(process, &expansion.parameter)? {
            Found::Scalar(name) => name,
            Found::List { values, .. } => bstr::join(" ", values).into(),
            Found::Unset => {
                let name = name_in_messages(&expansion.parameter, true);
                let message = [&*name, b": invalid indirect expansion"].concat();
                self.complain(process, message);
                return Err(Flow::Discard(1));
            }
        };
        let Some(parameter) = super::indirect::parameter_named(&name, process) else {
            self.complain(
                process,
                [name.as_slice(), b": invalid variable name"].concat(),
            );
            return Err(Flow::Discard(1));
        };
        let direct = ParameterExpansion {
            parameter,
            indirect: false,
            braced: true,
            operation: expansion.operation.clone(),
        };
        self.expand_parameter(process, &direct, around, fields)
    }
}

/// Adds a value to the fields.
fn push_found(
    process: &Process,
    fields: &mut Fields,
    found: &Found,
    around: Around,
    expansion: &ParameterExpansion,
) -> std::io::Result<()> {
    match found {
        Found::Unset => Ok(()),
        Found::Scalar(value) => push_value(process, fields, value, around),
        Found::List { values, is_star } => {
            fields.foresee_list(process, values)?;
            match joiner(fields, *is_star, around, expansion) {
                Some(_) if values.is_empty() && !is_star => fields.saw_empty_list = true,
                Some(joiner) => {
                    return push_value(process, fields, &bstr::join(joiner, values), around);
                }
                None if around.quoted => fields.push_quoted_list(values),
                None => {
                    for value in values {
                        fields.foresee(process, value)?;
                    }
                    fields.push_list(values);
                }
            }
            Ok(())
        }
    }
}

/// What the elements of a list are joined with; nothing if they stay apart.
///
/// Where `IFS` is not what it usually is, bash does not always join with a blank.
fn joiner(
    fields: &Fields,
    is_star: bool,
    around: Around,
    expansion: &ParameterExpansion,
) -> Option<Vec<u8>> {
    use ParameterOperation as Operation;
    let operation = &expansion.operation;
    let removes = matches!(
        operation,
        Operation::RemovePrefix { .. } | Operation::RemoveSuffix { .. }
    );
    let by_ifs = fields.ifs().joiner();
    let is_empty = by_ifs.is_empty();
    let blank = b" ".as_slice();
    let joiner = if fields.is_joined() {
        let changes = removes || matches!(operation, Operation::Transform(_));
        let keeps_ifs = fields.is_assigned()
            && !is_empty
            && (changes || around.quoted && *operation != Operation::None);
        if is_star || keeps_ifs { by_ifs } else { blank }
    } else if around.quoted {
        return is_star.then(|| by_ifs.to_vec());
    } else if around.splits_text && !is_star && !is_empty
        || is_empty
            && (removes && matches!(expansion.parameter, Parameter::Element { .. })
                || is_star && *operation == Operation::Keys)
    {
        blank
    } else {
        return None;
    };
    Some(joiner.to_vec())
}

/// How messages call a parameter.
pub(crate) fn name_in_messages(parameter: &Parameter, is_braced: bool) -> Vec<u8> {
    let mark = if is_braced { "" } else { "$" };
    match parameter {
        Parameter::Variable(name) => name.to_vec(),
        Parameter::Element { name, subscript } => {
            let inside = match subscript {
                Subscript::All => b"@".to_vec(),
                Subscript::Joined => b"*".to_vec(),
                Subscript::Index(word) => crate::print::word_text(word),
            };
            [&**name, b"[", &inside, b"]"].concat()
        }
        Parameter::Positional(number) => format!("{mark}{number}").into_bytes(),
        Parameter::Special(special) => format!("{mark}{}", special_letter(*special)).into_bytes(),
    }
}

fn special_letter(special: Special) -> char {
    match special {
        Special::At => '@',
        Special::Star => '*',
        Special::Count => '#',
        Special::Status => '?',
        Special::Flags => '-',
        Special::ProcessId => '$',
        Special::BackgroundId => '!',
        Special::Zero => '0',
    }
}

/// The number of characters; a byte that is none counts as one.
pub(crate) fn characters(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum()
}
