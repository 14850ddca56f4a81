//! The state of a shell as data.

mod bytes;

use std::sync::Arc;

use bstr::BString;
use hotcell_meter::Unwatched;
use hotcell_vfs::VfsPathBuf;
use serde::{Deserialize, Serialize};

use self::bytes::Bytes;
use crate::{
    ast::{Command, Text},
    parse::{NoAliases, Options, Parser},
    settings::{Setting, Settings},
    shell::{Function, Shell, WEIGHT_OF_TEXT},
    start::ShellOptions,
    traps::Condition,
    variables::{AssociativeArray, Attributes, IndexedArray, Place, Value, Variables},
};

/// How long the text of a function may be.
const LONGEST_FUNCTION: usize = 64 << 20;

/// The version of the data that [`Shell::save`] makes.
const VERSION: u32 = 1;

/// The state of a shell as data, for any format that serde has: what [`Shell::save`] makes and [`Shell::load`] takes.
///
/// It holds the working directory, the umask, variables with their attributes, functions as text, aliases, options, traps,
/// the stack of directories, and the history. Jobs and descriptors are not state: they end with the run that began them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedShell {
    version: u32,
    name: Bytes,
    arguments: Vec<Bytes>,
    cwd: Bytes,
    umask: u32,
    status: i32,
    last_argument: Bytes,
    settings: Vec<String>,
    variables: Vec<SavedVariable>,
    functions: Vec<SavedFunction>,
    aliases: Vec<(Bytes, Bytes)>,
    traps: Vec<(String, Bytes)>,
    directories: Vec<Bytes>,
    history: Vec<Bytes>,
    completions: Vec<(Bytes, Bytes)>,
    disabled: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedVariable {
    name: Bytes,
    /// The letters of `declare`.
    attributes: String,
    value: SavedValue,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedValue {
    Unset,
    Scalar(Bytes),
    Indexed(Vec<(u64, Bytes)>),
    Associative(Vec<(Bytes, Bytes)>),
    /// The shell makes it up.
    Dynamic,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedFunction {
    name: Bytes,
    text: Bytes,
    source: Bytes,
    line: u32,
    /// The letters of `declare -f`.
    attributes: String,
}

/// Why data is not a shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It was made by a later version.
    #[error("the saved shell is of version {0}, and this program knows versions up to {VERSION}")]
    Version(u32),
    /// A function that does not parse.
    #[error("the saved function {0} is not one")]
    Function(BString),
    /// A name or an option that does not exist.
    #[error("the saved shell has {0}, which does not exist")]
    Unknown(String),
}

impl Shell {
    /// The state of the shell between two runs.
    pub fn save(&self) -> SavedShell {
        let settings = Setting::SET.iter().chain(Setting::SHOPT);
        let settings = settings.filter(|setting| self.has(**setting));
        let functions = self.functions.iter().filter_map(|(name, function)| {
            // What is longer than that was never written by anybody.
            let text = crate::print::function(name, &function.body, LONGEST_FUNCTION).ok()?;
            let flags = [
                (function.is_exported, 'x'),
                (function.is_readonly, 'r'),
                (function.is_traced, 't'),
            ];
            Some(SavedFunction {
                name: name.into(),
                text: text.into(),
                source: (&function.source).into(),
                line: function.line,
                attributes: flags
                    .iter()
                    .filter(|(is_set, _)| *is_set)
                    .map(|(_, letter)| *letter)
                    .collect(),
            })
        });
        let pairs = |map: &imbl::OrdMap<BString, BString>| {
            map.iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect()
        };
        SavedShell {
            version: VERSION,
            name: (&self.name).into(),
            arguments: self.arguments.iter().map(Into::into).collect(),
            cwd: self.cwd.as_bytes().to_vec().into(),
            umask: self.umask,
            status: self.status,
            last_argument: (&*self.last_argument).into(),
            settings: settings.map(|setting| setting.name().to_owned()).collect(),
            variables: save_variables(&self.variables),
            functions: functions.collect(),
            aliases: pairs(&self.aliases),
            traps: self
                .traps
                .shown()
                .map(|(condition, action)| (condition.name(), action.to_vec().into()))
                .collect(),
            directories: self.directories.iter().map(Into::into).collect(),
            history: self.history.iter().map(Into::into).collect(),
            completions: pairs(&self.completions),
            disabled: self.disabled.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// A shell that goes on where one was saved.
    pub fn load(saved: &SavedShell) -> Result<Self, LoadError> {
        Self::load_within(saved, Options::default().max_memory)
    }

    /// The same, for data that may come from anywhere: what its functions become when they are read takes no more than so many
    /// bytes.
    pub fn load_within(saved: &SavedShell, max_memory: usize) -> Result<Self, LoadError> {
        let mut left = max_memory;
        if saved.version > VERSION {
            return Err(LoadError::Version(saved.version));
        }
        let strings = |all: &[Bytes]| all.iter().map(BString::from).collect::<Vec<_>>();
        let pairs = |all: &[(Bytes, Bytes)]| {
            all.iter()
                .map(|(name, value)| (BString::from(name), BString::from(value)))
                .collect()
        };
        let mut shell = Self::new(ShellOptions {
            name: (&saved.name).into(),
            arguments: strings(&saved.arguments),
            cwd: VfsPathBuf::from(saved.cwd.0.as_slice()),
            umask: saved.umask & 0o777,
            ..ShellOptions::default()
        });
        shell.status = saved.status & 0xff;
        shell.last_argument = Arc::new((&saved.last_argument).into());
        shell.settings = load_settings(&saved.settings)?;
        shell.variables = load_variables(&saved.variables);
        for function in &saved.functions {
            let loaded = load_function(function, &mut left)
                .ok_or_else(|| LoadError::Function((&function.name).into()))?;
            shell
                .functions
                .insert((&function.name).into(), Arc::new(loaded));
        }
        shell.aliases = pairs(&saved.aliases);
        shell.completions = pairs(&saved.completions);
        for (name, action) in &saved.traps {
            let condition = Condition::parse(name.as_bytes())
                .ok_or_else(|| LoadError::Unknown(format!("a trap for {name}")))?;
            shell
                .traps
                .set(condition, Some(Text::from(action.0.as_slice())));
        }
        shell.directories = strings(&saved.directories).into();
        shell.history = Arc::new(strings(&saved.history));
        for name in &saved.disabled {
            let builtin = crate::builtins::find(name.as_bytes())
                .ok_or_else(|| LoadError::Unknown(format!("a builtin {name}")))?;
            shell.disabled.insert(builtin.name);
        }
        Ok(shell)
    }
}

fn load_settings(names: &[String]) -> Result<Settings, LoadError> {
    let mut settings = Settings::none();
    for name in names {
        let bytes = name.as_bytes();
        let setting = Setting::by_set_name(bytes).or_else(|| Setting::by_shopt_name(bytes));
        match setting {
            Some(setting) => settings.set(setting, true),
            None => return Err(LoadError::Unknown(format!("an option {name}"))),
        }
    }
    Ok(settings)
}

fn save_variables(variables: &Variables) -> Vec<SavedVariable> {
    let all = variables.sorted().into_iter();
    all.map(|(name, variable)| SavedVariable {
        name: name.to_vec().into(),
        attributes: variable
            .attributes
            .letters()
            .into_iter()
            .map(char::from)
            .collect(),
        value: match &variable.value {
            Value::Unset => SavedValue::Unset,
            Value::Scalar(value) => SavedValue::Scalar(value.into()),
            Value::Indexed(array) => SavedValue::Indexed(
                array
                    .iter()
                    .map(|(index, value)| (index, value.into()))
                    .collect(),
            ),
            Value::Associative(array) => SavedValue::Associative(
                array
                    .iter()
                    .map(|(key, value)| (key.into(), value.into()))
                    .collect(),
            ),
            Value::Dynamic(_) => SavedValue::Dynamic,
        },
    })
    .collect()
}

fn load_variables(saved: &[SavedVariable]) -> Variables {
    let mut variables = Variables::default();
    let begun: Vec<Text> = variables
        .sorted()
        .into_iter()
        .map(|(name, _)| Text::clone(name))
        .collect();
    for name in begun {
        if !saved.iter().any(|variable| *variable.name.0 == *name) {
            variables.remove(&name, false);
        }
    }
    for variable in saved {
        let value = match &variable.value {
            SavedValue::Dynamic => continue,
            SavedValue::Unset => Value::Unset,
            SavedValue::Scalar(value) => Value::Scalar(value.into()),
            SavedValue::Indexed(elements) => {
                let mut array = IndexedArray::default();
                for (index, value) in elements {
                    array.set(*index, value.into());
                }
                Value::Indexed(Arc::new(array))
            }
            SavedValue::Associative(entries) => {
                let mut array = AssociativeArray::default();
                for (key, value) in entries {
                    array.set(key.into(), value.into());
                }
                Value::Associative(Arc::new(array))
            }
        };
        let letters = variable.attributes.bytes();
        let attributes = letters
            .filter_map(Attributes::by_letter)
            .fold(Attributes::NONE, |all, attribute| all | attribute);
        variables.update(&variable.name.0, Place::Global, |place| {
            place.value = value;
            // What it had from the beginning and has no letter stays.
            place.attributes = attributes | place.attributes & Attributes::UNASSIGNABLE;
        });
    }
    variables
}

fn load_function(saved: &SavedFunction, left: &mut usize) -> Option<Function> {
    let options = Options {
        max_memory: *left,
        // Printed patterns are patterns whatever the options are.
        extglob: true,
        ..Options::default()
    };
    let mut parser = Parser::new(&saved.text.0, options);
    let command = parser.next_command(&NoAliases, &Unwatched).ok()??;
    *left = left.saturating_sub(parser.memory());
    let [item] = &*command.list.items else {
        return None;
    };
    match item.command.first.only()? {
        Command::Function(function) if item.command.rest.is_empty() => Some(Function {
            body: Arc::clone(&function.body),
            source: (&saved.source).into(),
            line: saved.line,
            is_exported: saved.attributes.contains('x'),
            is_readonly: saved.attributes.contains('r'),
            is_traced: saved.attributes.contains('t'),
            weight: saved.text.0.len().saturating_mul(WEIGHT_OF_TEXT),
        }),
        _ => None,
    }
}
