//! `import x = require("m")` and `export = x`, which lowering would turn into `CommonJS`.

use oxc_ast::ast::{Program, Statement, TSModuleReference};
use oxc_span::GetSpan;

/// Such a statement.
pub(crate) struct ModuleStatement {
    pub(crate) offset: u32,
    /// For an import the module, and the dynamic import that says the same.
    pub(crate) import: Option<(String, String)>,
}

pub(crate) fn module_statements(program: &Program<'_>) -> Vec<ModuleStatement> {
    program
        .body
        .iter()
        .filter_map(|statement| {
            let import = match statement {
                Statement::TSImportEqualsDeclaration(it) if !it.import_kind.is_type() => {
                    let TSModuleReference::ExternalModuleReference(reference) =
                        &it.module_reference
                    else {
                        return None;
                    };
                    let module = reference.expression.value.as_str();
                    let instead = format!("const {} = await import({module:?});", it.id.name);
                    Some((module.to_owned(), instead))
                }
                Statement::TSExportAssignment(_) => None,
                _ => return None,
            };
            Some(ModuleStatement {
                offset: statement.span().start,
                import,
            })
        })
        .collect()
}
