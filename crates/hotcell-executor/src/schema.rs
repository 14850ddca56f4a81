//! Checks arguments against the schema of a tool.
//!
//! The schema is the host's, the arguments are the code's. They are looked at where they are ([`instance`]), in the time of the
//! run; what errors say of them is short.

mod elements;
mod excerpt;
mod instance;
mod meter;
mod number;
mod properties;
mod texts;
mod unique;

use hotcell_cell::{Arguments, ToolCall, ToolError, Value};
use hotcell_meter::{Account, OverLimit, Stopped, Unwatched, Watch};
use hotcell_prompt::ToolSpec;
use jsonschema::{Draft, Keyword, PatternOptions, ValidationError, Validator};
use serde_json::Value as Json;

use crate::shorten::shorten;
use instance::{Instance, Seen, Values};
use meter::{Halt, Meter};
use properties::MAX_NAME_BYTES;

/// More than this a model does not correct at once.
const MAX_ERRORS: usize = 5;
/// How long each of them may be.
const MAX_ERROR_BYTES: usize = 500;
/// How often a pattern for names of properties may try again.
const BACKTRACK_LIMIT: usize = 20_000;

/// The parameters of a tool, ready to be checked against.
#[derive(Debug)]
pub(crate) struct Parameters {
    validator: Validator<Values>,
    /// The names of the properties, in their order.
    names: Vec<String>,
    is_positional: bool,
}

/// Arguments were not checked to the end.
pub(crate) enum Unchecked {
    /// What is wrong with them.
    Refused(ToolError),
    /// The run has to end.
    Stopped(Stopped),
}

impl Parameters {
    /// `None` if the tool takes anything; an error if the schema is none.
    pub(crate) fn of(spec: &ToolSpec) -> Result<Option<Self>, String> {
        let Some(schema) = &spec.parameters else {
            return Ok(None);
        };
        let validator = build(schema).map_err(|error| error.to_string())?;
        let names = match schema.get("properties") {
            Some(Json::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        Ok(Some(Self {
            validator,
            names,
            is_positional: spec.positional,
        }))
    }

    /// What is wrong with these arguments.
    pub(crate) fn check(
        &self,
        tool: &str,
        arguments: &[Value],
        watch: &dyn Watch,
    ) -> Result<(), Unchecked> {
        let unexpected = (self.takes_positions(arguments) && arguments.len() > self.names.len())
            .then(|| {
                format!(
                    "{} arguments, it takes {}",
                    arguments.len(),
                    self.names.len()
                )
            });
        let errors = self.errors(arguments, watch)?;
        let errors: Vec<String> = errors.into_iter().chain(unexpected).collect();
        if errors.is_empty() {
            return Ok(());
        }
        // A function of a module is called by its own name.
        let tool = tool.rsplit('#').next().unwrap_or(tool);
        let form = if self.is_positional {
            format!("{tool}({})", self.names.join(", "))
        } else {
            format!("{tool}({{ {} }})", self.names.join(", "))
        };
        let message = format!(
            "invalid arguments for {tool}: {} (call it as {form})",
            errors.join("; ")
        );
        Err(Unchecked::Refused(ToolError::new("TypeError", message)))
    }

    /// A tool that takes one object gets one, also if it was called with the properties one by one.
    pub(crate) fn pack(&self, call: &mut ToolCall, account: &Account) -> Result<(), OverLimit> {
        if self.is_positional || !self.takes_positions(&call.arguments) {
            return Ok(());
        }
        // The record of the call keeps what it was called with, so this is a copy.
        let bytes = call.arguments.iter().map(Value::heap_size).sum();
        let charge = account.charge(bytes)?;
        let properties = self.names.iter().zip(call.arguments.iter());
        let properties = properties.filter(|(_, value)| !value.is_undefined());
        let object = Value::object(properties.map(|(name, value)| (&**name, value.clone())));
        call.arguments = Arguments::charged(vec![object], charge);
        Ok(())
    }

    /// The first few errors, in words.
    fn errors(&self, arguments: &[Value], watch: &dyn Watch) -> Result<Vec<String>, Unchecked> {
        let seen = self.seen(arguments);
        let meter = Meter::new(watch);
        let is_valid = self.validator.is_valid(Instance {
            seen,
            meter: &meter,
        });
        match meter.halted() {
            Some(Halt::Stopped(stopped)) => return Err(Unchecked::Stopped(stopped)),
            Some(Halt::LongName) => {
                return Ok(vec![format!(
                    "a property has a name of more than {MAX_NAME_BYTES} bytes"
                )]);
            }
            _ if is_valid => return Ok(Vec::new()),
            _ => {}
        }
        let meter = Meter::new(watch);
        let errors: Vec<String> = self
            .validator
            .iter_errors(Instance {
                seen,
                meter: &meter,
            })
            .take(MAX_ERRORS)
            .map(|error| words(&error))
            .collect();
        match meter.halted() {
            Some(Halt::Stopped(stopped)) => Err(Unchecked::Stopped(stopped)),
            // Those after the first may be about what the validator did not get to see.
            Some(_) => Ok(errors.into_iter().take(1).collect()),
            None => Ok(errors),
        }
    }

    /// Whether the arguments are properties one by one, and not one object with all of them.
    fn takes_positions(&self, arguments: &[Value]) -> bool {
        !self.names.is_empty()
            && match arguments {
                [] => false,
                [Value::Object(_)] => self.is_positional,
                _ => true,
            }
    }

    fn seen<'a>(&'a self, arguments: &'a [Value]) -> Seen<'a> {
        if self.takes_positions(arguments) {
            return Seen::Arguments(&self.names, arguments);
        }
        match arguments.first() {
            None | Some(Value::Undefined) => Seen::Arguments(&[], &[]),
            Some(value) => Seen::Value(value),
        }
    }
}

/// What a tool returns, ready to be checked against.
pub(crate) struct Returns(Validator<Values>);

impl Returns {
    /// `None` if it may return anything.
    pub(crate) fn of(spec: &ToolSpec) -> Option<Self> {
        build(spec.returns.as_ref()?).ok().map(Self)
    }

    /// What is wrong with this value, which is the host's.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let meter = Meter::new(&Unwatched);
        let instance = Instance {
            seen: Seen::Value(value),
            meter: &meter,
        };
        let errors: Vec<String> = self
            .0
            .iter_errors(instance)
            .take(MAX_ERRORS)
            .map(|error| words(&error))
            .collect();
        if errors.is_empty() {
            return Ok(());
        }
        Err(format!(
            "the value does not fit what the tool returns: {}",
            errors.join("; ")
        ))
    }
}

/// A validator for values of cells. Patterns for names of properties take time in proportion to the name, unless they cannot.
fn build(schema: &Json) -> Result<Validator<Values>, ValidationError<'static>> {
    let draft = Draft::default().detect(schema);
    let options = || {
        jsonschema::options_for::<Values>()
            .with_draft(draft)
            .with_keyword("pattern", move |_, value, _| {
                Ok(Box::new(texts::pattern(value, draft)?) as Box<dyn for<'i> Keyword<'i, Values>>)
            })
            .with_keyword("format", move |_, value, _| {
                Ok(Box::new(texts::format(value, draft)?) as Box<dyn for<'i> Keyword<'i, Values>>)
            })
    };
    options()
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .or_else(|_| {
            let backtracking = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
            options().with_pattern_options(backtracking).build(schema)
        })
}

/// An error with its place.
fn words(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let place = path.trim_start_matches('/').replace('/', ".");
    let place = shorten(&place, MAX_ERROR_BYTES);
    let error = error.to_string();
    let error = shorten(&error, MAX_ERROR_BYTES);
    if place.is_empty() {
        error.into_owned()
    } else {
        format!("{place}: {error}")
    }
}
