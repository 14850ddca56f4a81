//! The parameter that a text names.

use hotcell_process::Process;

use super::value::split_element;
use crate::{
    ast::{Parameter, Special, Subscript},
    names::is_name,
    parse::{Options, parse_quoted},
};

/// The parameter of this name, subscript included, if it is one.
pub(crate) fn parameter_named(name: &[u8], process: &Process) -> Option<Parameter> {
    if is_name(name) {
        return Some(Parameter::Variable(name.into()));
    }
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        let number = std::str::from_utf8(name).ok()?.parse().unwrap_or(u32::MAX);
        return Some(match number {
            0 => Parameter::Special(Special::Zero),
            number => Parameter::Positional(number),
        });
    }
    let special = match name {
        b"@" => Special::At,
        b"*" => Special::Star,
        b"#" => Special::Count,
        b"?" => Special::Status,
        b"-" => Special::Flags,
        b"$" => Special::ProcessId,
        b"!" => Special::BackgroundId,
        _ => return element_named(name, process),
    };
    Some(Parameter::Special(special))
}

fn element_named(name: &[u8], process: &Process) -> Option<Parameter> {
    let (array, subscript) = split_element(name)?;
    let subscript = match subscript {
        b"" => return None,
        b"@" => Subscript::All,
        b"*" => Subscript::Joined,
        text => {
            let options = Options::default();
            Subscript::Index(parse_quoted(text, &options, process.stop_token()).ok()?)
        }
    };
    Some(Parameter::Element {
        name: array.into(),
        subscript,
    })
}
