use hotcell_prompt::{CodeTags, ParseOptions, Take, parse_code};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Everything that means something to the parser, and some that does not.
const PIECES: &[&str] = &[
    "<code>",
    "</code>",
    "</co",
    "```",
    "```js",
    "```python",
    "~~~",
    "`",
    "``",
    "${",
    "}",
    "{",
    "\"",
    "'",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "[",
    "]",
    "(",
    ")",
    "\n",
    "\r\n",
    " ",
    "<think>",
    "</think>",
    "<thinking>",
    "Thought:",
    "Code:",
    "Observation:",
    "f()",
    "return",
    "é",
    "😀",
    "\u{2028}",
    "\u{feff}",
    "<end_code>",
    ";",
    "=",
    "=>",
    "word",
    "42",
];

/// Sound code in which the closing marks stand wherever they may.
const SOUND: &[&str] = &[
    "f(\"</code>\");",
    "f('</code> \\' ```');",
    "f(`</code>`);",
    "f(`a ${b(`</code>`, '}')} c`);",
    "// <code> </code> it's",
    "/* </code>\n</code>\n*/",
    "x = /<\\/code>['\"`]/g;",
    "y = a / b / c;",
    "if (a) { b() }",
    "const o = { p: [1, 2] };",
    "f(`\n</code>\n`);",
    "\n",
    "  indented();",
    "await g();",
    "for (const a of b) {\n  c(a)\n}",
    "let t: Array<number> = [];",
    "s = 'don\\'t';",
    "f('`');",
    "/* ` ' \" */",
    "// `",
    "final_answer(`${x}`);",
];

fn any_answer() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        vec(select(PIECES), 0..60).prop_map(|pieces| pieces.concat()),
        vec(
            prop_oneof![select(PIECES).prop_map(str::to_owned), any::<String>()],
            0..20
        )
        .prop_map(|pieces| pieces.concat()),
    ]
}

fn any_options() -> impl Strategy<Value = ParseOptions> {
    let tags = prop_oneof![
        Just(CodeTags::default()),
        Just(CodeTags::fenced()),
        (select(PIECES), select(PIECES))
            .prop_map(|(opening, closing)| CodeTags::new(opening, closing)),
        (any::<String>(), any::<String>())
            .prop_map(|(opening, closing)| CodeTags::new(opening, closing)),
    ];
    (
        tags,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(tags, fences, bare_code, stop_at_observation, first)| ParseOptions {
                tags,
                take: if first { Take::First } else { Take::All },
                fences,
                bare_code,
                stop_at_observation,
                ..ParseOptions::default()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_gives_code_or_an_error(answer in any_answer(), options in any_options()) {
        if let Ok(parsed) = parse_code(&answer, &options) {
            prop_assert!(!parsed.code.trim().is_empty());
            prop_assert!(!parsed.blocks.is_empty());
            let lines = answer.replace("\r\n", "\n").replace('\r', "\n").matches('\n').count() + 1;
            for block in &parsed.blocks {
                prop_assert!((1..=lines).contains(&block.line));
            }
        }
    }

    #[test]
    fn code_comes_out_as_it_went_in(
        pieces in vec(select(SOUND), 1..12),
        tags in select(vec![CodeTags::default(), CodeTags::fenced(), CodeTags::new("[js]", "[/js]")]),
        closed in any::<bool>(),
        thought in select(vec!["", "Thought: it's `x`.\n", "<think>`</think>\n"]),
    ) {
        let code = pieces.join("\n").trim_matches('\n').trim_end().to_owned();
        prop_assume!(!code.is_empty());
        let options = ParseOptions { tags: tags.clone(), ..ParseOptions::default() };
        let mut answer = format!("{thought}{}", tags.wrap(&code));
        if !closed {
            answer.truncate(answer.len() - tags.closing.len());
        }
        let parsed = parse_code(&answer, &options).unwrap();
        prop_assert_eq!(&parsed.code, &code);
        prop_assert_eq!(parsed.blocks.len(), 1);
    }

    #[test]
    fn simple_code_comes_out_as_it_went_in(code in "[a-z0-9_ ;=+.,()\n]{0,80}") {
        prop_assume!(!code.trim().is_empty());
        let parsed = parse_code(&CodeTags::default().wrap(&code), &ParseOptions::default()).unwrap();
        let expected = code.trim_end();
        prop_assert_eq!(parsed.code.trim_start(), expected.trim_start());
    }
}

/// Repetition of one piece is what makes a careless scanner quadratic: at this size it would take minutes.
#[test]
fn long_repetitive_answers_are_parsed_in_linear_time() {
    for piece in [
        "<code>",
        "</code>",
        "<code>`</code>",
        "<code>\n`\n",
        "<code>//</code>",
        "// </code>",
        "<think>",
        "</think>",
        "<think></think>",
        "```js\n`\n",
        "```x\n```\n",
        "``` ```",
        "=/[",
        "${",
        "`${",
        "\"",
        "/*",
        "'<code>",
        "Observation:\n",
        "<code>f()</code>",
        "<code>\nf()\n</code>\n",
        "[",
        "```text\n",
        "```\n<code>\n",
        " ",
        "\n",
        "``",
        "~~~",
    ] {
        for prefix in ["", "<code>", "<code>\n`", "```js\n"] {
            let answer = format!("{prefix}{}", piece.repeat(200_000 / piece.len()));
            let _ = parse_code(&answer, &ParseOptions::default());
        }
    }
}
