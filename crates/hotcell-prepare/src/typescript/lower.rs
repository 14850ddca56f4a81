//! TypeScript that exists at run time.

use std::path::{Path, PathBuf};

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_diagnostics::Diagnostics;
use oxc_semantic::SemanticBuilder;
use oxc_transformer::{TransformOptions, Transformer, TypeScriptOptions};

use crate::diagnostic::Location;
use crate::position::PositionMap;
use crate::syntax::{Goal, SyntaxError, errors_of, parse};

/// The JavaScript for a text that parses as TypeScript, and the way back to the text.
pub(crate) fn lower(text: &str) -> Result<(String, PositionMap), Vec<SyntaxError>> {
    let allocator = Allocator::default();
    let mut program = parse(&allocator, text, Goal::TypeScript)?;
    let analyzed = SemanticBuilder::new_compiler()
        .with_enum_eval(true)
        .with_excess_capacity(2.0)
        .build(&program);
    refuse(&analyzed.diagnostics, text)?;
    let scoping = analyzed.semantic.into_scoping();

    let options = TransformOptions {
        typescript: TypeScriptOptions {
            // An import that nothing uses is still an import, and a rule has something to say about it.
            only_remove_type_imports: true,
            ..TypeScriptOptions::default()
        },
        ..TransformOptions::default()
    };
    let transformed = Transformer::new(&allocator, Path::new("code.ts"), &options)
        .build_with_scoping(scoping, &mut program);
    refuse(&transformed.diagnostics, text)?;

    let options = CodegenOptions {
        source_map_path: Some(PathBuf::from("code.ts")),
        // Deep code with many lines would be mostly indentation.
        indent_width: 0,
        ..CodegenOptions::default()
    };
    let generated = Codegen::new().with_options(options).build(&program);
    let mut pairs = Vec::new();
    if let Some(map) = &generated.map {
        pairs.extend(map.get_tokens().map(|token| {
            (
                place(token.get_dst_line(), token.get_dst_col()),
                place(token.get_src_line(), token.get_src_col()),
            )
        }));
    }
    let map = PositionMap::tokens(pairs);
    Ok((generated.code, map))
}

/// Source maps count from 0.
fn place(line: u32, column: u32) -> Location {
    Location {
        line: line.saturating_add(1),
        column: column.saturating_add(1),
    }
}

fn refuse(diagnostics: &Diagnostics, text: &str) -> Result<(), Vec<SyntaxError>> {
    let errors = errors_of(diagnostics, text);
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}
