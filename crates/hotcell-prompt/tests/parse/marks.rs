//! Marks inside of marks, and marks at unusual places.

use crate::{code_of, parse};

code_of! {
    a_fence_inside_the_tags: "<code>\n```js\nf(1)\n```\n</code>" => "f(1)";
    a_fence_inside_the_tags_on_their_lines: "<code>```js\nf(1)\n```</code>" => "f(1)";
    a_fence_inside_the_tags_closed_on_the_last_line: "<code>\n```js\nf(1)```\n</code>" => "f(1)";
    a_fence_inside_the_tags_with_words_before_it: "<code>\nHere it is:\n```js\nf(1)\n```\n</code>" => "f(1)";
    a_fence_of_tildes_inside_the_tags: "<code>\n~~~js\nf(1)\n~~~\n</code>" => "f(1)";
    a_fence_closed_on_the_last_line: "```js\nconst a = 1;\nf(a)```" => "const a = 1;\nf(a)";
    a_fence_closed_on_the_last_line_with_text_after_it: "```js\nf(1);```\nThat is it." => "f(1);";
    a_fence_closed_after_a_template: "```js\nf(`a`)```" => "f(`a`)";
    two_blocks_in_tags: "<code>\nconst a = 1;\n</code>\nand then\n<code>\nf(a)\n</code>" => "const a = 1;\n\nf(a)";
    two_fences: "First:\n```js\nconst a = 1;\n```\nThen:\n```js\nf(a)\n```" => "const a = 1;\n\nf(a)";
    two_fences_inside_the_tags: "<code>\n```js\nconst a = 1;\n```\n```js\nf(a)\n```\n</code>" => "const a = 1;\n\nf(a)";
    tags_and_a_fence: "<code>\nf(1)\n</code>\nThis prints:\n```\n1\n```" => "f(1)";
    tags_inside_a_fence: "```js\n<code>\nf(1)\n</code>\n```" => "f(1)";
    tags_on_the_line_of_code: "<code>f(1)</code>" => "f(1)";
}

#[test]
fn several_blocks_are_told_one_by_one() {
    let parsed = parse("<code>\nconst a = 1;\n</code>\n<code>\nf(a)\n</code>");
    let lines: Vec<usize> = parsed.blocks.iter().map(|block| block.line).collect();
    assert_eq!(lines, [2, 5]);
}
