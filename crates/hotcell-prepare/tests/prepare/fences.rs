use hotcell_prepare::Language;

use crate::{at, only, prepare};

/// The code that is left of a text, without the blanks.
#[track_caller]
fn code_in(text: &str) -> String {
    let program = prepare(text);
    assert!(!program.has_errors(), "{text}\n{:?}", program.diagnostics);
    let lines = |text: &str| text.split('\n').count();
    assert_eq!(lines(&program.transformed), lines(text));
    assert!(program.map.is_identity());
    program
        .transformed
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("|")
}

#[test]
fn a_fence_around_the_code_is_taken_off() {
    for language in [
        "",
        "js",
        "javascript",
        "JavaScript",
        "ts",
        "typescript",
        "tsx",
        "mjs",
        "js title=\"x\"",
        "{.js}",
    ] {
        assert_eq!(
            code_in(&format!("```{language}\nf()\n```")),
            "f()",
            "{language}"
        );
        assert_eq!(
            code_in(&format!("\n  ```{language}\r\nf()\r\n```\r\n")),
            "f()",
            "{language}"
        );
    }
    assert_eq!(code_in("````js\nf()\n````"), "f()");
    assert_eq!(code_in("~~~js\nf()\n~~~"), "f()");
    assert_eq!(code_in("```js\nf()"), "f()");
    assert_eq!(code_in("```js f() ```"), "f()");
    assert_eq!(code_in("```f()```"), "f()");
}

#[test]
fn text_around_the_fence_is_ignored() {
    assert_eq!(
        code_in("Here is the code:\n\n```js\nf()\n```\n\nIt calls `f`."),
        "f()"
    );
    assert_eq!(code_in("Sure\n```js\nf()\n```"), "f()");
    assert_eq!(code_in("Code:\n```js\nf()\n```<end_code>"), "f()");
    assert_eq!(
        code_in("Thought: I will use `f`.\nCode:\n```ts\nconst a: number = f()\n```"),
        "const a         = f()"
    );
}

#[test]
fn several_fences_are_joined() {
    assert_eq!(
        code_in("```js\nlet a = 1\n```\nthen\n```js\nf(a)\n```"),
        "let a = 1|f(a)"
    );
    assert_eq!(
        code_in("```\nlet a = 1\n```\n```\nf(a)\n```"),
        "let a = 1|f(a)"
    );
}

#[test]
fn blocks_in_other_languages_are_left_out() {
    assert_eq!(
        code_in("```js\nf()\n```\nOutput:\n```\n42\n```\n```json\n{\"a\": 1}\n```"),
        "f()"
    );
    assert_eq!(code_in("```bash\nnpm i\n```\n```js\nf()\n```"), "f()");
}

#[test]
fn a_block_in_another_language_alone_is_refused() {
    let found = only("```python\nprint(1)\n```");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("syntax_valid", at(1, 1))
    );
    assert!(found.message.contains("python"));
}

#[test]
fn a_closing_fence_may_stand_behind_the_code() {
    assert_eq!(code_in("```js\nf()```"), "f()");
    assert_eq!(code_in("```js\nf();\ng()```\n"), "f();|g()");
    assert_eq!(code_in("<code>\n```js\nf()```\n</code>"), "f()");
    assert_eq!(code_in("```js\nf(`a`)"), "f(`a`)");
}

#[test]
fn a_closing_fence_alone_is_taken_off() {
    assert_eq!(code_in("const a = 1;\nf(a)\n```"), "const a = 1;|f(a)");
}

#[test]
fn fences_inside_programs_stay() {
    for code in [
        "const md = `\n\\`\\`\\`js\nf()\n\\`\\`\\`\n`;\nf(md)",
        "/*\n```js\nexample()\n```\n*/\nf()",
        "// ```js\nf()\n// ```",
        "const s = \"```js\\nf()\\n```\"; f(s)",
        "f(String.raw`~~~`)",
    ] {
        let program = prepare(code);
        assert!(!program.has_errors(), "{code}: {:?}", program.diagnostics);
        assert_eq!(&*program.transformed, code);
    }
}

#[test]
fn an_example_in_a_comment_never_runs_instead_of_broken_code() {
    let program = prepare("/*\n```js\nexample()\n```\n*/\nf(\n");
    assert!(program.has_errors());
    let program = prepare("const md = `\n```js\nexample()\n```\n`;");
    assert_eq!(
        &*program.transformed,
        "const md = `\n```js\nexample()\n```\n`;"
    );
}

#[test]
fn errors_inside_fences_are_where_they_were() {
    let found = only("Here:\n```js\nlet a = 1;\n  process.exit()\n```");
    assert_eq!(found.location, at(4, 3));
    let found = only("Hier: größer 😀\n```js\nlet a = ;\n```");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("syntax_valid", at(3, 9))
    );
}

#[test]
fn typed_code_in_a_fence_is_stripped() {
    let program = prepare("```ts\nenum A { B }\nA.B\n```");
    assert_eq!(program.language, Some(Language::TypeScript));
    assert!(!program.has_errors());
}

#[test]
fn a_hashbang_in_a_fence_is_taken_off() {
    assert_eq!(code_in("```js\n#!/usr/bin/env node\nf()\n```"), "f()");
}

#[test]
fn empty_fences_hold_no_code() {
    assert_eq!(only("```js\n```").rule, "code_non_empty");
    assert_eq!(only("```js\n\n```").rule, "code_non_empty");
}

#[test]
fn the_marks_that_the_prompt_asks_for_are_taken_off() {
    assert_eq!(code_in("<code>\nf()\n</code>"), "f()");
    assert_eq!(code_in("<code>f()</code>"), "f()");
    assert_eq!(code_in("<code>\nf()"), "f()");
    assert_eq!(code_in("Thought: I call it.\n<code>\nf()\n</code>"), "f()");
    assert_eq!(code_in("<code>\n```js\nf()\n```\n</code>"), "f()");
    assert_eq!(
        code_in("const a = `\n<code>\n</code>`"),
        "const a = `|<code>|</code>`"
    );
}
