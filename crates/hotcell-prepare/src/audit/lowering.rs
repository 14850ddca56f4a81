//! What it would cost to lower a tree.

use oxc_ast::AstKind;
use oxc_ast::ast::{ModuleExportName, Program, TSEnumDeclaration, TSEnumMemberName};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::enums::EnumValues;
use super::{Cause, Steps, TooManySteps};

/// Namespaces in one text. Those of one name are looked up in a list of all of them.
const MAX_NAMESPACES: usize = 5_000;

/// Bytes of code that a namespace or a part of its path is lowered to, about; likewise a member of an enum and a
/// parameter property, names and values excepted.
const NAMESPACE_BYTES: usize = 100;
const MEMBER_BYTES: usize = 32;
const PROPERTY_BYTES: usize = 24;

/// Counts the steps of lowering. What comes back is about how many bytes the lowered code would have.
pub(crate) fn audit_lowering(program: &Program<'_>) -> Result<usize, TooManySteps> {
    let mut auditor = Auditor {
        bytes: program.source_text.len(),
        ..Auditor::default()
    };
    auditor.visit_program(program);
    auditor.steps.result().map(|()| auditor.bytes)
}

#[derive(Default)]
struct Auditor<'a> {
    steps: Steps,
    bytes: usize,
    depth: usize,
    namespaces: usize,
    /// Statements of the namespaces around the node that is visited.
    statements: usize,
    values: EnumValues<'a>,
}

impl<'a> Auditor<'a> {
    fn grow(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn enumeration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.values.enter();
        self.grow(NAMESPACE_BYTES + 4 * it.id.name.len());
        for member in &it.body.members {
            let name = member_name(&member.id);
            let value = member
                .initializer
                .as_ref()
                .map_or(0, |value| self.values.evaluate(value));
            self.values.set(name, value);
            // Its name is there twice, and so is that of the enum.
            self.grow(MEMBER_BYTES + 2 * (name.len() + it.id.name.len()) + value);
            let steps = std::mem::take(&mut self.values.steps);
            self.steps.add(steps, Cause::Enums, member.span);
        }
    }
}

fn member_name<'a>(name: &TSEnumMemberName<'a>) -> &'a str {
    match name {
        TSEnumMemberName::Identifier(name) => name.name.as_str(),
        TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => {
            name.value.as_str()
        }
        TSEnumMemberName::ComputedTemplateString(name) => {
            name.single_quasi().map_or("", |name| name.as_str())
        }
    }
}

impl<'a> Visit<'a> for Auditor<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.depth += 1;
        // The transformer keeps the way to every node, and looks along it for some.
        self.steps.add(self.depth / 2, Cause::Depth, kind.span());
        match kind {
            AstKind::TSNamespaceDeclaration(it) => {
                self.namespaces += 1;
                if self.namespaces > MAX_NAMESPACES {
                    self.steps.add(usize::MAX, Cause::Namespaces, it.span);
                }
                self.grow(NAMESPACE_BYTES + 6 * it.id.name.len());
            }
            AstKind::TSModuleBlock(it) => self.statements += it.body.len(),
            AstKind::ExportSpecifier(it) if self.statements > 0 => {
                if let ModuleExportName::IdentifierReference(_) = &it.local {
                    // What it exports is looked for among all of them.
                    self.steps.add(self.statements, Cause::Namespaces, it.span);
                }
            }
            AstKind::TSEnumDeclaration(it) => self.enumeration(it),
            AstKind::FormalParameter(it) if it.accessibility.is_some() || it.readonly => {
                let name = it.pattern.get_identifier_name();
                self.grow(PROPERTY_BYTES + 3 * name.map_or(0, |name| name.len()));
            }
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        self.depth -= 1;
        if let AstKind::TSModuleBlock(it) = kind {
            self.statements -= it.body.len();
        }
    }
}
