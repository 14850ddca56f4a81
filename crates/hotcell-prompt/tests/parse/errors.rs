use hotcell_prompt::{CodeTags, ParseError, ParseOptions, parse_code};
use insta::assert_snapshot;

use crate::{fenced, parse_with, refuse};

#[test]
fn prose_is_answered_with_a_lesson() {
    assert_snapshot!(refuse("The result is 42."), @r#"
    no code block found in the answer; if this was meant as the result, hand it in with final_answer(value) inside a code block

    write your reasoning after "Thought:", then exactly one block of JavaScript between <code> and </code>, like this:

    Thought: Two numbers are given, so I add them and hand in the sum.
    Code:
    <code>
    const total = 19 + 23;
    final_answer(total);
    </code>
    "#);
}

#[test]
fn the_lesson_uses_the_hosts_marks() {
    let error = parse_code("The result is 42.", &fenced()).unwrap_err();
    assert_snapshot!(error, @r#"
    no code block found in the answer; if this was meant as the result, hand it in with final_answer(value) inside a code block

    write your reasoning after "Thought:", then exactly one block of JavaScript between ```js and ```, like this:

    Thought: Two numbers are given, so I add them and hand in the sum.
    Code:
    ```js
    const total = 19 + 23;
    final_answer(total);
    ```
    "#);
}

#[test]
fn following_the_lesson_gives_code() {
    for tags in [
        CodeTags::default(),
        CodeTags::fenced(),
        CodeTags::new("[js]", "[/js]"),
    ] {
        let options = ParseOptions {
            tags,
            ..ParseOptions::default()
        };
        let error = parse_code("no", &options).unwrap_err().to_string();
        let (_, example) = error.split_once("like this:").unwrap();
        let parsed = parse_with(example, &options);
        assert_eq!(parsed.code, "const total = 19 + 23;\nfinal_answer(total);");
        assert!(parsed.thought.is_some());
    }
}

#[test]
fn other_languages_are_named() {
    let error = refuse("```python\nprint(1)\n```\n```Bash\nls\n```");
    assert!(
        matches!(&error, ParseError::OtherLanguages { languages, .. } if languages == &["python", "bash"])
    );
    assert!(
        error
            .to_string()
            .starts_with("the answer has no JavaScript, only a block marked python, bash")
    );
}

#[test]
fn nothing_at_all() {
    for answer in [
        "",
        "  \n\t",
        "\u{feff}",
        "<think>hm</think>\n",
        "hm</think>",
    ] {
        assert!(
            matches!(refuse(answer), ParseError::Empty { .. }),
            "{answer}"
        );
    }
}

#[test]
fn blocks_with_nothing_in_them() {
    for answer in [
        "<code></code>",
        "<code>\n \n</code>",
        "Go.\n```js\n```",
        "<code>",
        "```js",
    ] {
        assert!(
            matches!(refuse(answer), ParseError::EmptyBlock { .. }),
            "{answer}"
        );
    }
}

#[test]
fn thinking_without_end() {
    let error = refuse("<think>First I would add the numbers and");
    assert!(matches!(error, ParseError::UnfinishedThinking { .. }));
}

#[test]
fn too_long() {
    let options = ParseOptions {
        max_bytes: 10,
        ..ParseOptions::default()
    };
    let error = parse_code("<code>f()</code>", &options).unwrap_err();
    assert_eq!(
        error,
        ParseError::TooLong {
            bytes: 16,
            limit: 10
        }
    );
}
