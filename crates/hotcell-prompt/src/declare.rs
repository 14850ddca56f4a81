//! Tools and variables as TypeScript declarations.

mod doc;
mod object;
mod parameters;
mod refs;
mod schema;
mod ty;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use self::doc::Doc;
use self::parameters::Parameters;
use self::refs::Refs;
use self::schema::{At, Converter};
use self::ty::Ty;
use crate::names::{self, NameKind};
use crate::{ModuleSpec, PromptError, ToolMode, ToolSpec, VariableSpec};

/// What every agent can call; the runtime brings it.
pub(crate) const FINAL_ANSWER: &str = "/** Ends the task at once and hands `value` over as its result. */\n\
                                       declare function final_answer(value: unknown): never;";

/// One tool as a TypeScript declaration with doc comments, after the types it needs.
pub fn declare_tool(tool: &ToolSpec) -> Result<String, PromptError> {
    tools_prompt(std::slice::from_ref(tool))
}

/// Tools as TypeScript declarations with doc comments, one blank line between them.
///
/// Definitions that are the same in several tools are declared once; definitions that share a name but differ get the
/// tool's name in front.
pub fn tools_prompt(tools: &[ToolSpec]) -> Result<String, PromptError> {
    Declarations::default()
        .with_tools(tools)
        .map(Declarations::finish)
}

/// How a tool is called, on one line and without what explains it.
pub(crate) fn signature(tool: &ToolSpec) -> String {
    let bare = ToolSpec {
        description: None,
        ..tool.clone()
    };
    let text = Declarations::default().function(&bare, "", &tool.name);
    let code = without_comments(&text);
    let words: Vec<&str> = code.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_end_matches(';');
    if line.len() <= MAX_SIGNATURE {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(MAX_SIGNATURE)])
}

/// A declaration without what explains its parts. A text in it may look like a comment.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if let Some(inside) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = inside.find(|c| {
                let ends = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            rest = &rest[end..];
            continue;
        } else {
            1
        };
        code.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    code.push_str(rest);
    code
}

/// Longer signatures are cut: the whole declaration is there for who asks.
const MAX_SIGNATURE: usize = 400;

/// Declarations for one prompt: names of types are unique in it.
#[derive(Default)]
pub(crate) struct Declarations {
    types: BTreeMap<String, String>,
    names: BTreeSet<String>,
    out: Vec<String>,
}

impl Declarations {
    pub(crate) fn with_tools(mut self, tools: &[ToolSpec]) -> Result<Self, PromptError> {
        let mut namespaces: Vec<(&str, Vec<String>)> = Vec::new();
        for tool in tools {
            self.claim(NameKind::Tool, &tool.name)?;
            let Some((namespace, name)) = tool.name.rsplit_once('.') else {
                let text = self.function(tool, "declare function", &tool.name);
                self.out.push(text);
                continue;
            };
            let text = self.function(tool, "function", name);
            match namespaces.iter_mut().find(|(known, _)| *known == namespace) {
                Some((_, members)) => members.push(text),
                None => namespaces.push((namespace, vec![text])),
            }
        }
        for (namespace, members) in namespaces {
            let members = indented(&members);
            let text = format!("declare namespace {namespace} {{\n{members}\n}}");
            self.out.push(text);
        }
        Ok(self)
    }

    pub(crate) fn with_modules(mut self, modules: &[ModuleSpec]) -> Result<Self, PromptError> {
        for module in modules {
            let mut members = Vec::new();
            for tool in &module.functions {
                names::check_export(&tool.name)?;
                members.push(self.function(tool, "export function", &tool.name));
            }
            for value in &module.values {
                if value.name != "default" {
                    names::check_export(&value.name)?;
                    members.push(self.value(value, "export const"));
                }
            }
            let name = Value::from(module.name.as_str());
            let body = indented(&members);
            self.out
                .push(format!("declare module {name} {{\n{body}\n}}"));
        }
        Ok(self)
    }

    pub(crate) fn with_variables(
        mut self,
        variables: &[VariableSpec],
    ) -> Result<Self, PromptError> {
        for variable in variables {
            self.claim(NameKind::Variable, &variable.name)?;
            let text = self.value(variable, "declare const");
            self.out.push(text);
        }
        Ok(self)
    }

    pub(crate) fn finish(self) -> String {
        self.out.join("\n\n")
    }

    /// What was declared so far; the names stay taken.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.out).join("\n\n")
    }

    fn claim(&mut self, kind: NameKind, name: &str) -> Result<(), PromptError> {
        names::check_name(kind, name)?;
        // A name is a namespace or a tool, not both.
        let is_both = self.names.iter().any(|known| {
            let inside = |outer: &str, inner: &str| {
                inner
                    .strip_prefix(outer)
                    .is_some_and(|rest| rest.starts_with('.'))
            };
            inside(known, name) || inside(name, known)
        });
        if !is_both && self.names.insert(name.to_owned()) {
            Ok(())
        } else {
            Err(PromptError::DuplicateName {
                name: name.to_owned(),
            })
        }
    }

    fn value(&mut self, variable: &VariableSpec, keyword: &str) -> String {
        let mut doc = Doc::default();
        if let Some(text) = &variable.description {
            doc.push_text(text);
        }
        let ty = match (&variable.type_text, &variable.schema) {
            (Some(text), _) => text.trim().to_owned(),
            (None, Some(schema)) => {
                let owner = names::to_type_name(&variable.name);
                self.convert(schema, &owner, |converter| {
                    converter.convert(schema, At::ROOT).write(0)
                })
            }
            (None, None) => "unknown".to_owned(),
        };
        format!("{}{keyword} {}: {ty};", doc.write(0), variable.name)
    }

    fn function(&mut self, tool: &ToolSpec, keyword: &str, name: &str) -> String {
        let mut doc = Doc::default();
        if let Some(text) = &tool.description {
            doc.push_text(text);
        }
        let owner = names::to_type_name(&tool.name);
        let Parameters { list, docs } = match &tool.parameters {
            Some(schema) => self.convert(schema, &format!("{owner}Args"), |converter| {
                parameters::convert(converter, schema, tool.positional)
            }),
            None => Parameters {
                list: parameters::ANYTHING.to_owned(),
                ..Parameters::default()
            },
        };
        let returns = match &tool.returns {
            Some(schema) => self.convert(schema, &format!("{owner}Result"), |converter| {
                converter.convert(schema, At::ROOT).write(0)
            }),
            None => "unknown".to_owned(),
        };
        let return_doc = tool
            .returns
            .as_ref()
            .map(doc::of_schema)
            .unwrap_or_default();
        if !docs.is_empty() || !return_doc.is_empty() {
            doc.push_gap();
        }
        for (name, text) in &docs {
            doc.push_tag(&format!("@param {name} -"), text);
        }
        if !return_doc.is_empty() {
            doc.push_tag("@returns", &return_doc);
        }
        let around = match tool.mode {
            ToolMode::Sync => None,
            ToolMode::Async => Some("Promise"),
            ToolMode::Stream => Some("AsyncIterable"),
        };
        let returns = match around {
            None => returns,
            Some(around) if returns.starts_with('\n') => format!("{around}<{returns}\n>"),
            Some(around) => format!("{around}<{returns}>"),
        };
        format!("{}{keyword} {name}({list}): {returns};", doc.write(0))
    }

    /// Runs `make` on a document and declares the types it referred to. Runs it again under other names as long as one
    /// of the types has a name that already means something else.
    fn convert<'a, T>(
        &mut self,
        root: &'a Value,
        owner: &str,
        make: impl Fn(&mut Converter<'a>) -> T,
    ) -> T {
        let mut avoid = BTreeSet::new();
        loop {
            let mut converter = Converter::new(Refs::new(root, owner.to_owned(), avoid.clone()));
            let result = make(&mut converter);
            let types = named_types(&mut converter);
            let clashes: Vec<&String> = types
                .iter()
                .filter(|(name, text)| self.types.get(name).is_some_and(|other| other != text))
                .map(|(name, _)| name)
                .collect();
            if clashes.is_empty() {
                for (name, text) in types {
                    if self.types.insert(name, text.clone()).is_none() {
                        self.out.push(text);
                    }
                }
                return result;
            }
            avoid.extend(clashes.into_iter().cloned());
        }
    }
}

/// Declarations within another.
fn indented(members: &[String]) -> String {
    let members = members.join("\n\n");
    let lines = members.lines().map(|line| match line {
        "" => String::new(),
        line => format!("  {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Declares every type that was referred to, and those that these refer to.
fn named_types(converter: &mut Converter<'_>) -> Vec<(String, String)> {
    let mut types = Vec::new();
    while let Some(pending) = converter.refs.next_pending() {
        let ty = converter.convert(pending.schema, At::ROOT);
        let name = pending.name;
        let declared = match &ty {
            Ty::Object(_) => format!("interface {name} {}", ty.write(0)),
            _ => format!("type {name} = {};", ty.write(0)),
        };
        let doc = doc::of_schema(pending.schema).write(0);
        types.push((name, format!("{doc}{declared}")));
    }
    types
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::signature;
    use crate::ToolSpec;

    #[test]
    fn a_signature_has_all_parameters_and_nothing_of_what_explains_them() {
        let mut tool = ToolSpec::default().description("Bills").parameters(json!({
            "type": "object",
            "properties": {
                "customer": { "type": "string", "description": "Who pays \"it\" */ all" },
                "amount": { "type": "integer" },
                "kind": { "enum": ["a/*b", "c\"/*"] },
            },
            "required": ["customer", "amount", "kind"],
        }));
        tool.name = "bill".to_owned();
        let line = signature(&tool);
        assert!(line.starts_with("bill("), "{line}");
        for part in [
            "customer: string",
            "amount: number",
            r#""a/*b""#,
            r#""c\"/*""#,
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(!line.contains("pays"), "{line}");
    }
}
