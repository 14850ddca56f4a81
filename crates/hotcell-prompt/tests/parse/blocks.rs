use hotcell_prompt::{BlockKind, CodeTags, ParseError, ParseOptions, Take, parse_code};

use crate::{code_of, fenced, parse, parse_with};

code_of! {
    tags_on_their_own_lines: "<code>\nf()\n</code>" => "f()";
    tags_on_the_line_of_the_code: "<code>f()</code>" => "f()";
    text_before_and_after_is_left_out: "Let me.\n<code>\nf()\n</code>\nDone." => "f()";
    blank_lines_around_the_code_go: "<code>\n\n\n  f()\n  g()\n\n</code>" => "  f()\n  g()";
    blank_lines_inside_the_code_stay: "<code>\nf()\n\n\ng()\n</code>" => "f()\n\n\ng()";
    several_blocks_are_joined_in_order: "<code>\na()\n</code>\nthen\n<code>\nb()\n</code>" => "a()\n\nb()";
    a_js_fence: "```js\nf()\n```" => "f()";
    a_javascript_fence: "```javascript\nf()\n```" => "f()";
    a_ts_fence: "```ts\nlet a: number = 1\n```" => "let a: number = 1";
    a_typescript_fence: "```typescript\nf()\n```" => "f()";
    a_jsx_fence: "```jsx\nf()\n```" => "f()";
    a_tsx_fence: "```tsx\nf()\n```" => "f()";
    a_mjs_fence: "```mjs\nf()\n```" => "f()";
    a_fence_in_capitals: "```JavaScript\nf()\n```" => "f()";
    a_fence_with_attributes: "```js title=\"main.js\"\nf()\n```" => "f()";
    a_fence_with_a_file_name: "```js:main.js\nf()\n```" => "f()";
    a_fence_in_braces: "```{.js}\nf()\n```" => "f()";
    a_fence_of_tildes: "~~~js\nf()\n~~~" => "f()";
    a_fence_of_four: "````js\nf(`\n```\n`)\n````" => "f(`\n```\n`)";
    a_fence_behind_a_label: "Code: ```js\nf()\n```" => "f()";
    a_fence_in_a_list: "- ```js\n  f()\n  ```" => "  f()";
    an_indented_fence: "   ```js\n   f()\n   ```" => "   f()";
    a_fence_on_one_line: "```js f()```" => "f()";
    a_plain_fence: "```\nf()\n```" => "f()";
    a_plain_fence_with_an_expression: "```\n1 + 1\n```" => "1 + 1";
    a_plain_fence_counts_less_than_a_js_fence: "```\nold()\n```\n```js\nf()\n```" => "f()";
    a_fence_counts_less_than_tags: "```js\nidea()\n```\n<code>\nf()\n</code>" => "f()";
    several_fences_are_joined: "```js\na()\n```\n\n```ts\nb()\n```" => "a()\n\nb()";
    other_languages_are_left_out: "```python\nprint(1)\n```\n```js\nf()\n```\n```bash\nls\n```" => "f()";
    json_beside_code_is_left_out: "```json\n{\"a\": 1}\n```\n<code>\nf()\n</code>" => "f()";
    a_plain_fence_of_json_is_not_code: "```\n{\"a\": 1}\n```\n```\nf()\n```" => "f()";
    a_plain_fence_of_prose_is_not_code: "```\nsome old output\n```\n```\nf()\n```" => "f()";
    an_open_block_at_the_end: "<code>\nf()\ng()" => "f()\ng()";
    an_open_fence_at_the_end: "```js\nf()\ng()\n" => "f()\ng()";
    only_the_last_block_is_open: "<code>\na()\n</code>\n<code>\nb()" => "a()\n\nb()";
    half_a_closing_tag_at_the_end: "<code>\nf()\n</co" => "f()";
    half_a_closing_fence_at_the_end: "```js\nf()\n``" => "f()";
    a_block_that_was_never_closed_ends_at_the_next: "<code>\na()\n<code>\nb()\n</code>" => "a()\n\nb()";
    a_fence_that_was_never_closed_ends_at_the_next: "```js\na()\n```js\nb()\n```" => "a()\n\nb()";
    tags_around_a_fence: "<code>\n```js\nf(`${a}`)\n```\n</code>" => "f(`${a}`)";
    tags_around_an_open_fence: "<code>\n```js\nf()\n</code>" => "f()";
    a_fence_around_tags: "```js\n<code>\nf()\n</code>\n```" => "f()";
    a_plain_fence_around_tags: "```\n<code>\nf()\n</code>\n```" => "f()";
    a_text_fence_around_tags: "Go.\n```text\nThought: I go.\n<code>\nf()\n</code>\n```" => "f()";
    a_markdown_fence_around_the_answer: "```markdown\nThought: I go.\n```js\nf()\n```\n```" => "f()";
    a_markdown_fence_beside_the_code: "Go.\n```markdown\n# Title\n```\n```js\nf()\n```" => "f()";
    a_fence_at_the_end_of_a_sentence: "This is the code ```js\nf()\n```\nDone." => "f()";
    backticks_in_a_sentence: "Three ``` are a fence ```.\n<code>\nf()\n</code>" => "f()";
    empty_blocks_are_left_out: "<code>\n</code>\n<code>\nf()\n</code>" => "f()";
    a_tag_that_is_only_mentioned: "I use a `<code>` block.\n<code>\nf()\n</code>" => "f()";
    tags_in_a_sentence_beside_a_block: "The tool <code>f</code> helps.\n<code>\nf()\n</code>" => "f()";
    an_opening_tag_in_a_sentence: "I write a <code> block:\n<code>\nf()\n</code>" => "f()";
    tags_in_a_sentence_alone: "I call it: <code>f()</code>" => "f()";
    a_closing_tag_without_an_opening: "no</code>\n<code>\nf()\n</code>" => "f()";
    the_old_stop_word_after_a_fence: "```js\nf()\n```<end_code>\nmore" => "f()";
    code_that_is_not_ascii: "思考\n<code>\nf('é', \"日本\", `😀`)\n</code>\n完" => "f('é', \"日本\", `😀`)";
    a_tag_in_other_case_is_no_tag: "<CODE>x</CODE>\n<code>\nf()\n</code>" => "f()";
}

#[test]
fn the_first_block_only_if_asked() {
    let options = ParseOptions {
        take: Take::First,
        ..ParseOptions::default()
    };
    let parsed = parse_with("<code>\na()\n</code>\n<code>\nb()\n</code>", &options);
    assert_eq!((parsed.code.as_str(), parsed.blocks.len()), ("a()", 1));
}

#[test]
fn blocks_tell_where_they_come_from() {
    let parsed = parse("Thought: go\n\n```ts\n\nf()\n```\ntext\n```js\ng()");
    let told: Vec<_> = parsed
        .blocks
        .iter()
        .map(|block| {
            (
                block.kind,
                block.language.as_deref(),
                block.closed,
                block.line,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (BlockKind::Fence, Some("ts"), true, 5),
            (BlockKind::Fence, Some("js"), false, 9)
        ]
    );
}

#[test]
fn ignored_languages_are_told_once() {
    let parsed = parse("```python\n1\n```\n```json\n1\n```\n```python\n2\n```\n<code>f()</code>");
    assert_eq!(parsed.ignored_languages, ["python", "json"]);
}

#[test]
fn tags_of_any_form() {
    for (opening, closing) in [
        ("[[run]]", "[[/run]]"),
        ("«", "»"),
        ("<|js|>", "<|/js|>"),
        ("BEGIN", "END"),
        ("//run", "//end"),
        ("%%", "%%"),
    ] {
        let options = ParseOptions {
            tags: CodeTags::new(opening, closing),
            ..ParseOptions::default()
        };
        let answer = format!("Go.\n{opening}\nf('{closing}')\n{closing}\nBye.");
        assert_eq!(
            parse_with(&answer, &options).code,
            format!("f('{closing}')"),
            "{opening}"
        );
    }
}

#[test]
fn fence_tags_do_not_match_longer_languages() {
    assert_eq!(
        parse_with("```json\n{}\n```\n```js\nf()\n```", &fenced()).code,
        "f()"
    );
}

#[test]
fn fence_tags_take_a_language_of_the_hosts_own() {
    let options = ParseOptions {
        tags: CodeTags::new("```run", "```"),
        ..ParseOptions::default()
    };
    assert_eq!(parse_with("```run\nf()\n```", &options).code, "f()");
}

#[test]
fn plain_fence_tags_take_plain_fences_at_their_word() {
    let options = ParseOptions {
        tags: CodeTags::new("```", "```"),
        ..ParseOptions::default()
    };
    assert_eq!(parse_with("```\n[1, 2]\n```", &options).code, "[1, 2]");
}

#[test]
fn fences_can_be_refused() {
    let options = ParseOptions {
        fences: false,
        ..ParseOptions::default()
    };
    assert!(matches!(
        parse_code("```js\nf()\n```", &options),
        Err(ParseError::NoCode { .. })
    ));
}

#[test]
fn tags_in_a_fence_are_found_where_fences_are_refused() {
    let options = ParseOptions {
        fences: false,
        ..ParseOptions::default()
    };
    assert_eq!(
        parse_with("```\n<code>\nf()\n</code>\n```", &options).code,
        "f()"
    );
}

#[test]
fn empty_tags_are_never_found() {
    let options = ParseOptions {
        tags: CodeTags::new("", ""),
        ..ParseOptions::default()
    };
    assert_eq!(parse_with("text\n```js\nf()\n```", &options).code, "f()");
}
