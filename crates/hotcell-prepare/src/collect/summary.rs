//! What can be told about a program without walking all of it.

use oxc_ast::ast::{
    Expression, ImportDeclaration, ImportDeclarationSpecifier, ModuleExportName, Program, Statement,
};
use oxc_semantic::{Scoping, SymbolFlags};
use oxc_span::{GetSpan, Span};

use crate::view::{Declaration, DeclarationKind, LoneFunction};

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
                parts.push(match &named.imported {
                    // Any text can be the name of an export.
                    ModuleExportName::StringLiteral(_) => {
                        format!("{:?}: {local}", imported.as_str())
                    }
                    _ if imported == local => local.to_owned(),
                    _ => format!("{imported}: {local}"),
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

/// The names that a module must export for this import.
pub(super) fn imported_names(it: &ImportDeclaration<'_>) -> Vec<String> {
    let name = |specifier: &ImportDeclarationSpecifier<'_>| match specifier {
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => Some("default".to_owned()),
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            Some(named.imported.name().to_string())
        }
    };
    it.specifiers.iter().flatten().filter_map(name).collect()
}

/// Where the first statement is that is no import.
pub(super) fn first_statement(program: &Program<'_>) -> Option<u32> {
    let is_import =
        |statement: &&Statement<'_>| matches!(statement, Statement::ImportDeclaration(_));
    let mut others = program.body.iter().skip_while(is_import);
    others.next().map(|statement| statement.span().start)
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

/// The function that the code is, if it is nothing else.
pub(super) fn lone_function(program: &Program<'_>) -> Option<LoneFunction> {
    let mut statements = program
        .body
        .iter()
        .filter(|statement| !matches!(statement, Statement::EmptyStatement(_)));
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return None;
    };
    let found = |Span { start, end, .. }: Span, is_async, is_declaration| {
        Some(LoneFunction {
            start,
            end,
            is_async,
            is_declaration,
        })
    };
    match only {
        Statement::FunctionDeclaration(function) if !function.generator => {
            found(function.span, function.r#async, true)
        }
        Statement::ExpressionStatement(statement) => {
            let span = statement.expression.span();
            match statement.expression.get_inner_expression() {
                Expression::ArrowFunctionExpression(function) => {
                    found(span, function.r#async, false)
                }
                Expression::FunctionExpression(function) => found(span, function.r#async, false),
                _ => None,
            }
        }
        _ => None,
    }
}
