use hotcell_prepare::{
    Diagnostic, DynamicKind, Language, Location, Preparer, code_frame, prepare_dynamic,
    prepare_program,
};
use proptest::prelude::*;

use crate::options;

/// What programs are made of, and what they are not.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "=>",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "!",
    "?",
    ":",
    ";",
    ",",
    ".",
    "?.",
    "...",
    "`",
    "${",
    "'",
    "\"",
    "\\",
    "#",
    "@",
    "&&",
    "??",
    "++",
    "//",
    "/*",
    "*/",
    "<!--",
    "-->",
    "\n",
    "\r\n",
    " ",
    "```",
    "```js",
    "a",
    "b",
    "process",
    "search",
    "final_answer",
    "__smol_x",
    "read",
    "1",
    "1n",
    "0x1",
    "'s'",
    "/re/g",
    "let ",
    "const ",
    "var ",
    "function ",
    "class ",
    "extends ",
    "async ",
    "await ",
    "yield ",
    "return ",
    "if ",
    "else ",
    "for ",
    "of ",
    "in ",
    "while ",
    "do ",
    "switch ",
    "case ",
    "default ",
    "try ",
    "catch ",
    "finally ",
    "throw ",
    "new ",
    "typeof ",
    "void ",
    "delete ",
    "this",
    "super",
    "import ",
    "import(",
    "export ",
    "from ",
    "static ",
    "get ",
    "set ",
    "#x",
    "type ",
    "interface ",
    "enum ",
    "namespace ",
    "declare ",
    "abstract ",
    "public ",
    "readonly ",
    "as ",
    "satisfies ",
    "keyof ",
    "infer ",
    "is ",
    ": number",
    ": string",
    "<T>",
    "!",
    "unknown",
    "ü",
    "😀",
    "\u{2028}",
];

/// What holds for every text.
fn check(code: &str) {
    let program = prepare_program(code, &options());
    assert_eq!(&*program.original, code);
    assert_eq!(
        program.has_errors(),
        program.diagnostics.iter().any(Diagnostic::is_error)
    );
    let lines = code.split(['\n', '\r', '\u{2028}', '\u{2029}']).count();
    for diagnostic in &program.diagnostics {
        if let Some(place) = diagnostic.location {
            assert!(
                place.line >= 1 && place.line as usize <= lines && place.column >= 1,
                "{diagnostic}"
            );
            assert!(!code_frame(code, place).is_empty());
        }
    }
    let width = |text: &str| -> Vec<usize> {
        text.split('\n')
            .map(|line| line.encode_utf16().count())
            .collect()
    };
    if program.map.is_identity() {
        assert_eq!(width(&program.transformed), width(code), "nothing moves");
    }
    // Nothing but an HTML-like comment is blank when it is taken off, and without its types a text can start with what
    // looks like a fence.
    let is_text = program.transformed.trim().is_empty()
        || ["```", "~~~"]
            .iter()
            .any(|fence| program.transformed.contains(fence));
    if !program.has_errors() && !is_text {
        let again = prepare_program(&program.transformed, &options());
        assert_eq!(again.language, Some(Language::JavaScript), "{code}");
        assert!(
            !again.has_errors(),
            "{code}\n{}\n{:?}",
            program.transformed,
            again.diagnostics
        );
        assert_eq!(again.transformed, program.transformed);
        assert_eq!(again.declarations.len(), program.declarations.len());
    }
    let _ = program.original_location(Location { line: 3, column: 7 });
    let _ = program.engine_location(2, u32::MAX);
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TOKENS)
}

/// Snippets that are programs, to be joined, cut and mixed.
fn snippet() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        crate::corpus::ERASED
            .iter()
            .chain(crate::corpus::LOWERED)
            .map(|&(_, typescript, _)| typescript)
            .collect::<Vec<_>>(),
    )
}

proptest! {
    #[test]
    fn any_text_is_survived(code in "\\PC{0,200}") {
        check(&code);
    }

    #[test]
    fn any_tokens_are_survived(tokens in prop::collection::vec(token(), 0..40)) {
        check(&tokens.concat());
    }

    #[test]
    fn programs_joined_stay_programs(parts in prop::collection::vec(snippet(), 1..5)) {
        check(&parts.join("\n;\n"));
        check(&format!("Here:\n```ts\n{}\n```\n", parts.join("\n")));
    }

    #[test]
    fn programs_with_a_piece_missing_are_survived(
        parts in prop::collection::vec(snippet(), 1..3),
        cut in any::<prop::sample::Index>(),
        length in 0usize..20,
    ) {
        let text: Vec<char> = parts.join("\n").chars().collect();
        let at = cut.index(text.len());
        let code: String = text[..at].iter().chain(text.iter().skip(at + length)).collect();
        check(&code);
    }

    #[test]
    fn programs_with_tokens_mixed_in_are_survived(
        part in snippet(),
        tokens in prop::collection::vec((token(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut code: Vec<char> = part.chars().collect();
        for (token, at) in tokens {
            let at = at.index(code.len() + 1);
            code.splice(at..at, token.chars());
        }
        check(&code.into_iter().collect::<String>());
    }

    #[test]
    fn accepted_functions_are_what_they_seem(
        params in prop::collection::vec(token(), 0..6),
        body in prop::collection::vec(token(), 0..10),
    ) {
        let (params, body) = (params.concat(), body.concat());
        for kind in [DynamicKind::Function, DynamicKind::AsyncGeneratorFunction] {
            if let Ok(source) = prepare_dynamic(kind, Some(&params), &body, &options()) {
                let parts = format!("anonymous({params}\n) {{\n{body}\n}}");
                prop_assert!(source.ends_with(&parts));
                // As one text it parses, and with anything after it no less.
                let whole = prepare_dynamic(DynamicKind::DirectEval, None, &format!("({source}); 1"), &options());
                prop_assert!(whole.is_ok(), "{source}: {whole:?}");
            }
        }
    }

    #[test]
    fn the_cache_changes_nothing(codes in prop::collection::vec(snippet(), 1..20)) {
        let preparer = Preparer::new(options(), 4096);
        for code in codes {
            let (cached, fresh) = (preparer.prepare(code), prepare_program(code, &options()));
            prop_assert_eq!(&cached.transformed, &fresh.transformed);
            prop_assert_eq!(&cached.diagnostics, &fresh.diagnostics);
        }
    }
}
