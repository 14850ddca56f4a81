//! What is known of a tool's parameters, as far as a call can be compared with it before it is made.

use std::collections::BTreeSet;

/// What a tool takes: one object, or the properties of it one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// In their order.
    pub parameters: Vec<Parameter>,
    /// Whether it takes other properties, too.
    pub is_open: bool,
    /// Whether it takes the properties one by one only.
    pub positional: bool,
}

/// One parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether it has to be there.
    pub required: bool,
    /// What it may be; empty if that is not known.
    pub kinds: BTreeSet<Kind>,
}

/// What an expression is, if its text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "JSON's own words")]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The kind that JSON Schema calls so.
    pub fn from_schema(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "number" | "integer" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument<'a> {
    /// `...rest`
    Spread,
    Object {
        properties: Vec<(&'a str, Option<Kind>)>,
        /// Something is spread into it, or a name is computed.
        is_open: bool,
    },
    /// Anything else, with its kind if the text tells.
    Other(Option<Kind>),
}

impl Argument<'_> {
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Spread => None,
            Self::Object { .. } => Some(Kind::Object),
            Self::Other(kind) => *kind,
        }
    }
}

impl Signature {
    /// How it is called: `weather({ city, days? })`.
    pub fn form(&self, tool: &str) -> String {
        let names: Vec<String> = self
            .parameters
            .iter()
            .map(|one| format!("{}{}", one.name, if one.required { "" } else { "?" }))
            .collect();
        let names = names.join(", ");
        match (self.positional, names.is_empty()) {
            (true, _) | (_, true) => format!("{tool}({names})"),
            (false, false) => format!("{tool}({{ {names} }})"),
        }
    }

    /// What is wrong with a call, as far as its text tells.
    pub(crate) fn problems(&self, arguments: &[Argument<'_>]) -> Vec<String> {
        match arguments {
            arguments if arguments.contains(&Argument::Spread) => Vec::new(),
            [] => self.object(&[], false),
            [
                Argument::Object {
                    properties,
                    is_open,
                },
            ] if !self.positional => self.object(properties, *is_open),
            // It may be the object, or the first of its properties.
            [Argument::Other(None)] if !self.positional => Vec::new(),
            arguments => self.positions(arguments),
        }
    }

    fn object(&self, properties: &[(&str, Option<Kind>)], is_open: bool) -> Vec<String> {
        let mut problems = Vec::new();
        for one in self
            .parameters
            .iter()
            .filter(|one| one.required && !is_open)
        {
            if !properties.iter().any(|(name, _)| *name == one.name) {
                problems.push(format!("`{}` is missing", one.name));
            }
        }
        for (name, kind) in properties {
            match self.parameters.iter().find(|one| one.name == *name) {
                Some(parameter) => problems.extend(parameter.problem(*kind)),
                None if self.is_open => {}
                None => problems.push(format!("there is no `{name}`")),
            }
        }
        problems
    }

    fn positions(&self, arguments: &[Argument<'_>]) -> Vec<String> {
        let mut problems = Vec::new();
        if arguments.len() > self.parameters.len() {
            problems.push(format!(
                "{} arguments, it takes {}",
                arguments.len(),
                self.parameters.len()
            ));
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            match arguments.get(at) {
                Some(argument) => problems.extend(parameter.problem(argument.kind())),
                None if parameter.required => {
                    problems.push(format!("`{}` is missing", parameter.name));
                }
                None => {}
            }
        }
        problems
    }
}

impl Parameter {
    fn problem(&self, given: Option<Kind>) -> Option<String> {
        let given = given.filter(|given| !self.kinds.is_empty() && !self.kinds.contains(given))?;
        let wanted: Vec<&str> = self.kinds.iter().map(|kind| kind.words()).collect();
        Some(format!(
            "`{}` is {}, it must be {}",
            self.name,
            given.words(),
            wanted.join(" or ")
        ))
    }
}
