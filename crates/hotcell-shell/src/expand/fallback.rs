//! `${x-word}`, `${x=word}`, `${x?word}`, `${x+word}`

use bstr::BString;
use hotcell_process::Process;

use super::{
    fields::Fields,
    parameter::name_in_messages,
    tilde::TildeAt,
    word::{Around, push_value},
};
use crate::{
    ast::{Fallback, Parameter, Special, Subscript, Word},
    flow::Flow,
    shell::Shell,
};

/// What to do if there is no value.
pub(crate) struct Fallen<'a> {
    pub(crate) kind: Fallback,
    pub(crate) or_empty: bool,
    pub(crate) word: &'a Word,
    pub(crate) missing: bool,
}

impl Shell {
    /// Expands the word if it is its turn. False if the value is to be used.
    pub(crate) fn fall_back(
        &mut self,
        process: &Process,
        parameter: &Parameter,
        fallen: &Fallen<'_>,
        around: Around,
        fields: &mut Fields,
    ) -> Result<bool, Flow> {
        match (fallen.kind, fallen.missing) {
            (Fallback::Alternative, true) => {
                // So that `"${a[@]+"${a[@]}"}"` is no field where there are no elements.
                fields.saw_empty_list |= is_list(parameter);
                Ok(true)
            }
            (Fallback::Alternative, false) | (Fallback::Default, true) => {
                self.expand_inner_word(process, fallen.word, around, fields)?;
                Ok(true)
            }
            (_, false) => Ok(false),
            (Fallback::Assign, true) => {
                let value = self.inner_text(process, fallen.word, around)?;
                let value = self.assign_parameter(process, parameter, value)?;
                push_value(process, fields, &value, around)
                    .map_err(|error| self.out_of_memory(process, &error))?;
                Ok(true)
            }
            (Fallback::Error, true) => {
                let mut message = name_in_messages(parameter, true);
                message.extend_from_slice(b": ");
                if fallen.word.parts().is_empty() {
                    message.extend_from_slice(if fallen.or_empty {
                        b"parameter null or not set"
                    } else {
                        b"parameter not set"
                    });
                } else {
                    let text = self.inner_text(process, fallen.word, around)?;
                    message.extend_from_slice(&text);
                }
                self.complain(process, message);
                Err(self.fatal())
            }
        }
    }

    /// The word of an expansion, as part of the word around it.
    fn expand_inner_word(
        &mut self,
        process: &Process,
        word: &Word,
        around: Around,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        if around.quoted {
            return self.expand_parts(
                process,
                word.parts(),
                Around::QUOTED,
                TildeAt::NOWHERE,
                fields,
            );
        }
        let inside = Around {
            quoted: false,
            splits_text: !fields.is_joined(),
        };
        self.expand_parts(process, word.parts(), inside, TildeAt::START, fields)
    }

    /// The word of an expansion, as one string.
    fn inner_text(
        &mut self,
        process: &Process,
        word: &Word,
        around: Around,
    ) -> Result<BString, Flow> {
        let tilde = if around.quoted {
            TildeAt::NOWHERE
        } else {
            TildeAt::START
        };
        Ok(self.expand_joined(process, word, tilde)?.text)
    }

    /// Assigns, and says what the value is then.
    fn assign_parameter(
        &mut self,
        process: &Process,
        parameter: &Parameter,
        value: BString,
    ) -> Result<BString, Flow> {
        match parameter {
            Parameter::Variable(name) => {
                self.set_variable(process, name, value)?;
                Ok(self.variable(process, name).unwrap_or_default())
            }
            Parameter::Element {
                name,
                subscript: subscript @ Subscript::Index(_),
            } => {
                self.set_element(process, name, subscript, value)?;
                let assigned = self.variable_or_element(process, name, Some(subscript))?;
                Ok(assigned.unwrap_or_default())
            }
            _ => {
                let mut message = name_in_messages(parameter, false);
                if matches!(parameter, Parameter::Element { .. }) {
                    message.extend_from_slice(b": bad array subscript");
                } else {
                    message.extend_from_slice(b": cannot assign in this way");
                }
                self.complain(process, message);
                Err(Flow::Discard(1))
            }
        }
    }
}

/// Whether it is `$@` or `${a[@]}`.
fn is_list(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::Special(Special::At)
            | Parameter::Element {
                subscript: Subscript::All,
                ..
            }
    )
}
