//! TypeScript that exists at run time.

use std::path::{Path, PathBuf};

use hotcell_meter::{Stopped, Watch};
use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_semantic::SemanticBuilder;
use oxc_transformer::{TransformOptions, Transformer, TypeScriptOptions};

use crate::diagnostic::Location;
use crate::position::PositionMap;
use crate::syntax::{Goal, SyntaxError, errors_of, parse};

/// The JavaScript for a text that parses as TypeScript, and the way back to the text.
pub(crate) fn lower(
    text: &str,
    watch: &dyn Watch,
) -> Result<Result<(String, PositionMap), Vec<SyntaxError>>, Stopped> {
    let allocator = Allocator::default();
    let mut program = match parse(&allocator, text, Goal::TypeScript, watch)? {
        Ok(program) => program,
        Err(errors) => return Ok(Err(errors)),
    };
    watch.check()?;
    let analyzed = SemanticBuilder::new_compiler()
        .with_enum_eval(true)
        .with_excess_capacity(2.0)
        .build(&program);
    let errors = errors_of(&analyzed.diagnostics, text);
    if !errors.is_empty() {
        return Ok(Err(errors));
    }
    let scoping = analyzed.semantic.into_scoping();

    let options = TransformOptions {
        typescript: TypeScriptOptions {
            // An import that nothing uses is still an import, and a rule has something to say about it.
            only_remove_type_imports: true,
            ..TypeScriptOptions::default()
        },
        ..TransformOptions::default()
    };
    watch.check()?;
    let transformed = Transformer::new(&allocator, Path::new("code.ts"), &options)
        .build_with_scoping(scoping, &mut program);
    let errors = errors_of(&transformed.diagnostics, text);
    if !errors.is_empty() {
        return Ok(Err(errors));
    }

    let options = CodegenOptions {
        source_map_path: Some(PathBuf::from("code.ts")),
        // Deep code with many lines would be mostly indentation.
        indent_width: 0,
        ..CodegenOptions::default()
    };
    watch.check()?;
    // The engine does not read comments, and to find where they go all are looked through again and again.
    program.comments.clear();
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
    Ok(Ok((generated.code, map)))
}

/// Source maps count from 0.
fn place(line: u32, column: u32) -> Location {
    Location {
        line: line.saturating_add(1),
        column: column.saturating_add(1),
    }
}
