//! Any text goes through everything that `hotcell-prepare` does with texts, and what it accepts must stay accepted.

#![no_main]

use hotcell_prepare::{
    DynamicKind, Language, PrepareOptions, PreparedProgram, code_frame, prepare_dynamic,
    prepare_program,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| fuzz_prepare(data));

fn fuzz_prepare(data: &[u8]) {
    let Some((&mode, text)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let mut options = PrepareOptions::default();
    options.tools.insert("tool".into());
    options.async_tools.insert("slow".into());
    options.authorized_imports.push("ok".into());
    if mode & 1 == 0 {
        program(&text, &options);
    } else {
        dynamic(mode >> 1, &text, &options);
    }
}

fn program(code: &str, options: &PrepareOptions) {
    let program = prepare_program(code, options);
    for diagnostic in &program.diagnostics {
        if let Some(place) = diagnostic.location {
            assert!(place.line >= 1 && place.column >= 1);
            let _ = code_frame(code, place);
        }
    }
    let _ = program.engine_location(1, 1);
    if program.map.is_identity() {
        assert_eq!(widths(&program.transformed), widths(code), "nothing moves");
    }
    // Without its types a text can start with what looks like a fence.
    let is_text = program.transformed.trim().is_empty()
        || ["```", "~~~"]
            .iter()
            .any(|fence| program.transformed.contains(fence));
    if !program.has_errors() && !is_text {
        stays_accepted(&program, options);
    }
}

fn stays_accepted(program: &PreparedProgram, options: &PrepareOptions) {
    let again = prepare_program(&program.transformed, options);
    assert_eq!(again.language, Some(Language::JavaScript));
    assert!(!again.has_errors(), "{:?}", again.diagnostics);
    assert_eq!(again.transformed, program.transformed);
}

fn dynamic(kind: u8, text: &str, options: &PrepareOptions) {
    let kind = match kind % 7 {
        0 => DynamicKind::IndirectEval,
        1 => DynamicKind::DirectEval,
        2 => DynamicKind::Function,
        3 => DynamicKind::GeneratorFunction,
        4 => DynamicKind::AsyncFunction,
        5 => DynamicKind::AsyncGeneratorFunction,
        _ => DynamicKind::Module,
    };
    let (params, body) = text.split_once('\0').unwrap_or(("", text));
    let Ok(source) = prepare_dynamic(kind, Some(params), body, options) else {
        return;
    };
    if source != body {
        // A function is one expression, whatever its parts were.
        let whole = prepare_dynamic(
            DynamicKind::DirectEval,
            None,
            &format!("({source})"),
            options,
        );
        assert!(whole.is_ok(), "{source}: {whole:?}");
    }
}

fn widths(text: &str) -> Vec<usize> {
    text.split('\n')
        .map(|line| line.encode_utf16().count())
        .collect()
}
