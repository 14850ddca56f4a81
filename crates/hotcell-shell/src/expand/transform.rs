//! `${x@Q}` and its kin.

use bstr::{BString, ByteSlice, ByteVec};
use hotcell_process::Process;

use super::{
    operation::{lower, upper},
    parameter::{Found, name_in_messages},
};
use crate::{
    ast::{Parameter, Special, Subscript},
    flow::Flow,
    quote,
    shell::Shell,
    variables::{Value, declared_value},
};

impl Shell {
    pub(crate) fn transform(
        &mut self,
        process: &Process,
        parameter: &Parameter,
        operator: &[u8],
        found: Found,
    ) -> Result<Found, Flow> {
        let &[letter] = operator else {
            return self.bad_transform(process, parameter, operator, found);
        };
        Ok(match letter {
            b'Q' => found.map(|value| quote::reusable(&value).into()),
            b'E' => found.map(|value| crate::parse::decode_ansi(&value).into()),
            b'P' => match found {
                Found::Scalar(value) => Found::Scalar(self.expand_prompt(process, &value)),
                Found::List { values, is_star } => Found::List {
                    values: values
                        .iter()
                        .map(|value| self.expand_prompt(process, value))
                        .collect(),
                    is_star,
                },
                Found::Unset => Found::Unset,
            },
            b'U' => found.map(|value| changed(&value, |_, char| upper(char))),
            b'L' => found.map(|value| changed(&value, |_, char| lower(char))),
            b'u' => found.map(|value| {
                changed(
                    &value,
                    |index, char| {
                        if index == 0 { upper(char) } else { char }
                    },
                )
            }),
            b'a' => self.attributes_of(parameter, found),
            b'A' => self.assignment_of(process, parameter, found),
            b'K' | b'k' => self.pairs_of(process, parameter, letter, found),
            _ => return self.bad_transform(process, parameter, operator, found),
        })
    }

    /// An operator that there is not, which is no error for what has no value.
    fn bad_transform(
        &self,
        process: &Process,
        parameter: &Parameter,
        operator: &[u8],
        found: Found,
    ) -> Result<Found, Flow> {
        if found == Found::Unset {
            return Ok(found);
        }
        let name = name_in_messages(parameter, true);
        let text = [
            b"${",
            name.as_slice(),
            b"@",
            operator,
            b"}: bad substitution",
        ];
        self.complain(process, text.concat());
        Err(self.fatal())
    }

    fn name_of(parameter: &Parameter) -> Option<&[u8]> {
        match parameter {
            Parameter::Variable(name) | Parameter::Element { name, .. } => Some(name),
            Parameter::Positional(_) | Parameter::Special(_) => None,
        }
    }

    /// `@a`
    fn attributes_of(&self, parameter: &Parameter, found: Found) -> Found {
        let variable = Self::name_of(parameter).and_then(|name| self.variables.get(name));
        let letters =
            BString::from(variable.map_or_else(Vec::new, |variable| variable.attributes.letters()));
        match found {
            Found::List { values, is_star } => Found::List {
                values: values.iter().map(|_| letters.clone()).collect(),
                is_star,
            },
            _ => Found::Scalar(letters),
        }
    }

    /// `@A`
    fn assignment_of(&mut self, process: &Process, parameter: &Parameter, found: Found) -> Found {
        if let Parameter::Special(Special::At | Special::Star) = parameter {
            let Found::List { values, is_star } = found else {
                return Found::Unset;
            };
            if values.is_empty() {
                return Found::Unset;
            }
            let quoted = values.iter().map(|value| quote::reusable(value).into());
            return self.split_at_blanks("set --", quoted.collect(), is_star);
        }
        let Some(name) = Self::name_of(parameter) else {
            return Found::Unset;
        };
        let Some(name) = self.followed(process, name) else {
            return Found::Unset;
        };
        let Some(variable) = self.variables.get_reference(&name) else {
            return Found::Unset;
        };
        let letters = variable.attributes.letters();
        if let (Found::List { is_star: false, .. }, Some(value)) =
            (&found, declared_value(variable))
        {
            let assignment = [name.as_slice(), b"=", &value].concat();
            let start = format!("declare -{}", letters.as_bstr());
            return self.split_at_blanks(&start, vec![assignment.into()], false);
        }
        let mut line = BString::default();
        if !letters.is_empty() {
            line.push_str("declare -");
            line.push_str(&letters);
            line.push_byte(b' ');
        }
        line.push_str(&name);
        let value = match found {
            Found::List { .. } => declared_value(variable).map(Vec::from),
            Found::Scalar(value) => Some(quote::reusable(&value)),
            Found::Unset if letters.is_empty() => return Found::Unset,
            Found::Unset => None,
        };
        if let Some(value) = value {
            line.push_byte(b'=');
            line.push_str(value);
        }
        Found::Scalar(line)
    }

    /// What bash writes in front of values is split even in quotes, if blanks split at all.
    fn split_at_blanks(&self, start: &str, mut values: Vec<BString>, is_star: bool) -> Found {
        if self.ifs().delimiter_at(b" ", 0).is_some() {
            let words = start.split(' ').map(BString::from);
            values.splice(0..0, words);
        } else if let Some(first) = values.first_mut() {
            *first = [start.as_bytes(), b" ", first].concat().into();
        }
        Found::List { values, is_star }
    }

    /// `@K`, `@k`: keys and values, one after the other.
    fn pairs_of(
        &mut self,
        process: &Process,
        parameter: &Parameter,
        letter: u8,
        found: Found,
    ) -> Found {
        let Parameter::Element {
            name,
            subscript: subscript @ (Subscript::All | Subscript::Joined),
        } = parameter
        else {
            return found.map(|value| quote::reusable(&value).into());
        };
        let is_star = *subscript == Subscript::Joined;
        let pairs: Vec<(BString, BString)> = match self.whole_value(process, name) {
            Value::Indexed(array) => array
                .iter()
                .map(|(index, value)| (index.to_string().into(), value.clone()))
                .collect(),
            Value::Associative(array) => array
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            _ => return found.map(|value| quote::reusable(&value).into()),
        };
        if letter == b'k' {
            return Found::List {
                values: pairs.into_iter().flat_map(<[_; 2]>::from).collect(),
                is_star,
            };
        }
        let mut text = BString::default();
        let is_associative = self.is_associative(name);
        for (index, (key, value)) in pairs.iter().enumerate() {
            if index > 0 && !is_associative {
                text.push_byte(b' ');
            }
            text.push_str(quote::key(key));
            text.push_byte(b' ');
            text.push_str(quote::declared(value));
            // As `declare -p` does, which prints a blank behind each pair.
            if is_associative {
                text.push_byte(b' ');
            }
        }
        Found::Scalar(text)
    }
}

fn changed(value: &[u8], change: impl Fn(usize, char) -> char) -> BString {
    let mut text = BString::default();
    for (start, end, char) in value.char_indices() {
        let bytes = value.get(start..end).unwrap_or_default();
        if bytes.to_str().is_ok() {
            text.push_char(change(start, char));
        } else {
            text.push_str(bytes);
        }
    }
    text
}
