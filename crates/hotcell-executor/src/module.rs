//! Modules that code can import.

use hotcell_cell::{Cell, Export, Tool, Value};
use hotcell_prepare::{Diagnostic, KnownModule};
use hotcell_prompt::{ModuleSpec, VariableSpec};

use crate::{boundary::guard, error::ExecutorError, hooks::Hooks, tool::AgentTool};
use std::sync::Arc;

/// A module that code can import: a source, or functions and values of the host's.
///
/// ```
/// # pollster::block_on(async {
/// use hotcell_cell::Value;
/// use hotcell_executor::{AgentTool, Executor, ExecutorOptions, Module};
///
/// let price = AgentTool::asynchronous(|_| async { Ok(Value::from(5)) });
/// let options = ExecutorOptions::default()
///     .authorized_imports(["shop", "sums"])
///     .module("shop", Module::new().function("price", price).value("tax", 0.2))
///     .module("sums", "export const twice = (n: number) => 2 * n;");
/// let executor = Executor::new(options);
/// executor.init().await?;
///
/// let code = "
///     import { price, tax } from 'shop';
///     import { twice } from 'sums';
///     twice(await price('tea')) * (1 + tax)
/// ";
/// assert_eq!(executor.run(code).await?.output, Value::from(12));
/// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Module(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Source(KnownModule),
    Host(Vec<(String, Member)>),
}

/// What a module exports of one kind, by name.
type Exports<'m, T> = Vec<(&'m str, &'m T)>;

#[derive(Debug, Clone)]
enum Member {
    Function(Box<AgentTool>),
    Value(Value),
}

impl Default for Module {
    fn default() -> Self {
        Self::new()
    }
}

impl Module {
    /// A module of the host's, which exports nothing yet.
    pub fn new() -> Self {
        Self(Kind::Host(Vec::new()))
    }

    /// The source of an ECMAScript module, in JavaScript or TypeScript.
    pub fn source(text: impl Into<String>) -> Self {
        Self(Kind::Source(KnownModule::source(text.into())))
    }

    /// Exports a function. It crosses the same boundary as a tool does, and is called `module#function` in records and errors.
    pub fn function(self, name: impl Into<String>, tool: impl Into<AgentTool>) -> Self {
        self.with(name.into(), Member::Function(Box::new(tool.into())))
    }

    /// Exports a value, which arrives frozen.
    pub fn value(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(name.into(), Member::Value(value.into()))
    }

    /// A source that gets an export becomes a module of the host's.
    fn with(self, name: String, member: Member) -> Self {
        let mut members = match self.0 {
            Kind::Host(members) => members,
            Kind::Source(_) => Vec::new(),
        };
        members.retain(|(known, _)| *known != name);
        members.push((name, member));
        Self(Kind::Host(members))
    }

    /// Its source, if it has one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.0 {
            Kind::Source(known) => known.text(),
            Kind::Host(_) => None,
        }
    }

    /// The functions that it exports, and the values.
    pub(crate) fn members(&self) -> (Exports<'_, AgentTool>, Exports<'_, Value>) {
        let (mut functions, mut values) = (Vec::new(), Vec::new());
        if let Kind::Host(members) = &self.0 {
            for (name, member) in members {
                match member {
                    Member::Function(tool) => functions.push((name.as_str(), &**tool)),
                    Member::Value(value) => values.push((name.as_str(), value)),
                }
            }
        }
        (functions, values)
    }

    /// What checking code has to know of it.
    pub(crate) fn known(&self) -> KnownModule {
        match &self.0 {
            Kind::Source(known) => known.clone(),
            Kind::Host(members) => {
                let names = members.iter().map(|(name, _)| name.as_str());
                KnownModule::host(names.chain(["default"]))
            }
        }
    }

    /// The source, or the names of what it exports.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.0 {
            Kind::Source(known) => known.text().unwrap_or_default().into(),
            Kind::Host(members) => {
                let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                serde_json::json!({ "exports": names })
            }
        }
    }

    /// What a model is told of it, if it is imported by this name.
    pub fn spec(&self, name: &str) -> ModuleSpec {
        let mut spec = ModuleSpec::new(name);
        match &self.0 {
            Kind::Source(known) => {
                let options = hotcell_prepare::PrepareOptions::default();
                let exports = known.exports(&options, &hotcell_meter::Unwatched);
                let exports = exports.ok().flatten().into_iter().flatten();
                spec.values = exports.map(VariableSpec::new).collect();
            }
            Kind::Host(members) => {
                for (name, member) in members {
                    match member {
                        Member::Function(tool) => {
                            let mut tool = tool.spec.clone();
                            tool.name.clone_from(name);
                            spec.functions.push(tool);
                        }
                        Member::Value(_) => spec.values.push(VariableSpec::new(name)),
                    }
                }
            }
        }
        spec
    }

    /// Makes the cell know it, if it is one of the host's.
    pub(crate) fn define(
        &self,
        name: &str,
        cell: &mut Cell,
        hooks: &Arc<Hooks>,
    ) -> Result<(), ExecutorError> {
        let Kind::Host(members) = &self.0 else {
            return Ok(());
        };
        let mut exports = Vec::new();
        for (export, member) in members {
            exports.push((
                export.as_str(),
                match member {
                    Member::Function(tool) => Export::Tool(guarded(tool, name, export, hooks)?),
                    Member::Value(value) => Export::Value(value),
                },
            ));
        }
        cell.define_module(name, exports).map_err(|error| {
            let message = format!("the module {name:?} cannot be made: {error}");
            ExecutorError::refused(Diagnostic::error("module_valid", message))
        })
    }
}

fn guarded(
    tool: &AgentTool,
    module: &str,
    export: &str,
    hooks: &Arc<Hooks>,
) -> Result<Tool, ExecutorError> {
    guard(tool, hooks).map_err(|reason| {
        let message =
            format!("the parameters of {export} in {module:?} are no JSON Schema: {reason}");
        ExecutorError::refused(Diagnostic::error("schema_valid", message))
    })
}

impl From<&str> for Module {
    fn from(source: &str) -> Self {
        Self::source(source)
    }
}

impl From<String> for Module {
    fn from(source: String) -> Self {
        Self::source(source)
    }
}
