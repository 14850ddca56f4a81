//! What can be told about a program without walking all of it.

use oxc_ast::ast::{Expression, ImportDeclaration, ImportDeclarationSpecifier, Program, Statement};
use oxc_semantic::{Scoping, SymbolFlags};

use crate::view::{Declaration, DeclarationKind};

/// The dynamic import that binds the same names as a static one.
pub(super) fn dynamic_import(it: &ImportDeclaration<'_>) -> String {
    let module = format!("{:?}", it.source.value.as_str());
    let mut namespace = None;
    let mut parts = Vec::new();
    for specifier in it.specifiers.iter().flatten() {
        match specifier {
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => {
                namespace = Some(all.local.name.as_str());
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                parts.push(format!("default: {}", default.local.name));
            }
            ImportDeclarationSpecifier::ImportSpecifier(named) => {
                let (imported, local) = (named.imported.name(), named.local.name.as_str());
                parts.push(if imported == local {
                    local.to_owned()
                } else {
                    format!("{imported}: {local}")
                });
            }
        }
    }
    match (namespace, parts.is_empty()) {
        (Some(name), true) => format!("const {name} = await import({module});"),
        (Some(name), false) => {
            format!(
                "const {name} = await import({module}); const {{ {} }} = {name};",
                parts.join(", ")
            )
        }
        (None, false) => format!("const {{ {} }} = await import({module});", parts.join(", ")),
        (None, true) => format!("await import({module});"),
    }
}

/// The names at the top level, in the order of the code.
pub(super) fn declarations(scoping: &Scoping) -> Vec<Declaration> {
    let mut declarations: Vec<_> = scoping
        .get_bindings(scoping.root_scope_id())
        .iter()
        .map(|(name, &symbol)| {
            let flags = scoping.symbol_flags(symbol);
            let kind = if flags.contains(SymbolFlags::Function) {
                DeclarationKind::Function
            } else if flags.contains(SymbolFlags::Class) {
                DeclarationKind::Class
            } else if flags.contains(SymbolFlags::ConstVariable) {
                DeclarationKind::Const
            } else if flags.contains(SymbolFlags::BlockScopedVariable) {
                DeclarationKind::Let
            } else {
                DeclarationKind::Var
            };
            let offset = scoping.symbol_span(symbol).start;
            Declaration {
                name: name.to_string(),
                kind,
                offset,
            }
        })
        .collect();
    declarations.sort_unstable_by_key(|declaration| declaration.offset);
    declarations
}

/// Whether the code is nothing but a function expression: where, and whether it is asynchronous.
pub(super) fn lone_function(program: &Program<'_>) -> Option<(u32, bool)> {
    let mut statements = program
        .body
        .iter()
        .filter(|statement| !matches!(statement, Statement::EmptyStatement(_)));
    let (Some(Statement::ExpressionStatement(statement)), None) =
        (statements.next(), statements.next())
    else {
        return None;
    };
    match statement.expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(function) => {
            Some((statement.span.start, function.r#async))
        }
        Expression::FunctionExpression(function) => Some((statement.span.start, function.r#async)),
        _ => None,
    }
}
