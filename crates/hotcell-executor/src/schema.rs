//! Checks arguments against the schema of a tool.

use hotcell_cell::{ToolError, Value};
use hotcell_prompt::ToolSpec;
use jsonschema::Validator;
use serde_json::{Map, Value as Json};

use crate::plain::to_plain;

/// More than this a model does not correct at once.
const MAX_ERRORS: usize = 5;

/// The parameters of a tool, ready to be checked against.
#[derive(Debug)]
pub(crate) struct Parameters {
    validator: Validator,
    /// The names of the properties, in their order.
    names: Vec<String>,
    is_positional: bool,
}

impl Parameters {
    /// `None` if the tool takes anything; an error if the schema is none.
    pub(crate) fn of(spec: &ToolSpec) -> Result<Option<Self>, String> {
        let Some(schema) = &spec.parameters else {
            return Ok(None);
        };
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string())?;
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
    pub(crate) fn check(&self, tool: &str, arguments: &[Value]) -> Result<(), ToolError> {
        let object = self.as_object(arguments);
        let errors: Vec<String> = self
            .validator
            .iter_errors(&object)
            .take(MAX_ERRORS)
            .map(|error| {
                let path = error.instance_path().to_string();
                let place = path.trim_start_matches('/').replace('/', ".");
                if place.is_empty() {
                    error.to_string()
                } else {
                    format!("{place}: {error}")
                }
            })
            .collect();
        let unexpected = (self.takes_positions(arguments) && arguments.len() > self.names.len())
            .then(|| {
                format!(
                    "{} arguments, it takes {}",
                    arguments.len(),
                    self.names.len()
                )
            });
        let errors: Vec<String> = errors.into_iter().chain(unexpected).collect();
        if errors.is_empty() {
            return Ok(());
        }
        let form = if self.is_positional {
            format!("{tool}({})", self.names.join(", "))
        } else {
            format!("{tool}({{ {} }})", self.names.join(", "))
        };
        let message = format!(
            "invalid arguments for {tool}: {} (call it as {form})",
            errors.join("; ")
        );
        Err(ToolError::new("TypeError", message))
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

    fn as_object(&self, arguments: &[Value]) -> Json {
        if self.takes_positions(arguments) {
            let given = self.names.iter().zip(arguments);
            let object: Map<_, _> = given
                .filter(|(_, value)| !value.is_undefined())
                .map(|(name, value)| (name.clone(), to_plain(value)))
                .collect();
            return Json::Object(object);
        }
        match arguments.first() {
            None | Some(Value::Undefined) => Json::Object(Map::new()),
            Some(value) => to_plain(value),
        }
    }
}
