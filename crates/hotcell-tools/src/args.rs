//! From the arguments of a call to parameters, or to an error that says how to make it right.

mod named;

use serde_json::{Map, Value};

use crate::catalog::{EDIT_PARAMS, Entry};
use crate::error::FileToolError;
use crate::params::{
    EditParams, Edits, FindParams, GrepParams, LsParams, ReadParams, Replacement, WriteParams,
};
use named::Named;

/// The arguments of one call, sorted out: from one object, or by position, or by position with an object of the others at
/// the end.
pub(crate) struct Args {
    named: Named,
}

impl Args {
    pub(crate) fn new(entry: &'static Entry, args: &[Value]) -> Result<Self, FileToolError> {
        let (by_position, object) = match args.split_last() {
            Some((Value::Object(object), before)) if is_options(entry, before.len(), object) => {
                (before, object.clone())
            }
            _ => (args, Map::new()),
        };
        let mut named = Named::new(entry.name, "", entry.params, object)?;
        if by_position.len() > entry.params.len() {
            let known: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
            return Err(bad(
                entry.name,
                format!(
                    "takes at most {} arguments ({}), got {}",
                    known.len(),
                    known.join(", "),
                    args.len()
                ),
            ));
        }
        for (param, value) in entry.params.iter().zip(by_position) {
            named.put(param, value.clone())?;
        }
        named.check_required()?;
        Ok(Self { named })
    }

    pub(crate) fn read(mut self) -> Result<ReadParams, FileToolError> {
        Ok(ReadParams {
            path: self.named.required_text("path")?,
            offset: self.named.count("offset")?,
            limit: self.named.count("limit")?,
        })
    }

    pub(crate) fn write(mut self) -> Result<WriteParams, FileToolError> {
        Ok(WriteParams {
            path: self.named.required_text("path")?,
            content: self.named.required_text("content")?,
        })
    }

    pub(crate) fn edit(mut self) -> Result<EditParams, FileToolError> {
        let path = self.named.required_text("path")?;
        let old = self.named.text("oldText")?;
        let new = self.named.text("newText")?;
        let edits = self.edits()?;
        let edits = match (old, new, edits) {
            (None, None, Some(edits)) => Edits::Many(edits),
            (Some(old_text), Some(new_text), edits) if edits.as_ref().is_none_or(Vec::is_empty) => {
                Edits::One(Replacement { old_text, new_text })
            }
            (_, _, Some(_)) => {
                return Err(bad(
                    "edit",
                    "takes either oldText and newText, or edits, got both".to_owned(),
                ));
            }
            (Some(_), None, None) => return Err(missing("edit", "newText")),
            (None, Some(_), None) => return Err(missing("edit", "oldText")),
            _ => {
                return Err(bad(
                    "edit",
                    "missing parameters oldText and newText (strings), or edits (an array of {oldText, newText})"
                        .to_owned(),
                ));
            }
        };
        Ok(EditParams { path, edits })
    }

    fn edits(&mut self) -> Result<Option<Vec<Replacement>>, FileToolError> {
        let Some(values) = self.named.array("edits")? else {
            return Ok(None);
        };
        let mut out = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let place = format!("edits[{index}]");
            let Value::Object(object) = value else {
                return Err(bad(
                    "edit",
                    format!(
                        "{place} must be an object {{oldText, newText}}, got {}",
                        named::given(&value)
                    ),
                ));
            };
            let mut one = Named::new("edit", &format!("{place}."), EDIT_PARAMS, object)?;
            one.check_required()?;
            out.push(Replacement {
                old_text: one.required_text("oldText")?,
                new_text: one.required_text("newText")?,
            });
        }
        Ok(Some(out))
    }

    pub(crate) fn grep(mut self) -> Result<GrepParams, FileToolError> {
        Ok(GrepParams {
            pattern: self.named.required_text("pattern")?,
            path: self.named.text("path")?,
            glob: self.named.text("glob")?,
            ignore_case: self.named.flag("ignoreCase")?,
            literal: self.named.flag("literal")?,
            context: self.named.count("context")?,
            limit: self.named.count("limit")?,
        })
    }

    pub(crate) fn find(mut self) -> Result<FindParams, FileToolError> {
        Ok(FindParams {
            pattern: self.named.required_text("pattern")?,
            path: self.named.text("path")?,
            limit: self.named.count("limit")?,
        })
    }

    pub(crate) fn ls(mut self) -> Result<LsParams, FileToolError> {
        Ok(LsParams {
            path: self.named.text("path")?,
            limit: self.named.count("limit")?,
        })
    }
}

/// Whether an object after `before` other arguments holds parameters. If none of its names is known, it rather is a value
/// for a parameter that has to be given: `write("a.json", {a: 1})`.
fn is_options(entry: &Entry, before: usize, object: &Map<String, Value>) -> bool {
    let value_wanted = entry.params.get(before).is_some_and(|param| param.required);
    before == 0 || !value_wanted || object.keys().any(|name| named::knows(entry.params, name))
}

fn bad(tool: &'static str, problem: String) -> FileToolError {
    FileToolError::BadArgument { tool, problem }
}

fn missing(tool: &'static str, name: &str) -> FileToolError {
    bad(tool, format!("missing parameter {name} (a string)"))
}

/// A file has to have a name.
pub(crate) fn require_path(tool: &'static str, path: &str) -> Result<(), FileToolError> {
    if path.is_empty() {
        return Err(bad(tool, "path must not be empty".to_owned()));
    }
    Ok(())
}

/// To show nothing at all is not what anybody wants.
pub(crate) fn require_some(
    tool: &'static str,
    name: &str,
    count: Option<u64>,
) -> Result<(), FileToolError> {
    if count == Some(0) {
        return Err(bad(tool, format!("{name} must be at least 1, got 0")));
    }
    Ok(())
}

/// The directory to search when none, or an empty one, was given.
pub(crate) fn or_workspace(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or(".")
}

/// A number of things; more than can be counted is all of them.
pub(crate) fn limit(given: Option<u64>, default: usize) -> usize {
    given.map_or(default, |given| {
        usize::try_from(given).unwrap_or(usize::MAX)
    })
}
