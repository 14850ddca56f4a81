use crate::{code_of, fenced, parse_with};

/// The code survives between tags, closed and left open, and in a fence.
fn survives(code: &str) {
    for answer in [
        format!("Thought: go\n<code>\n{code}\n</code>\nIt's done."),
        format!("<code>\n{code}\n</code>"),
        format!("<code>\n{code}\n"),
        format!("<code>{code}\n</code>"),
        format!("<code>\n{code}\n</code>\nand\n<code>\n</code>"),
    ] {
        assert_eq!(crate::parse(&answer).code, code, "{answer}");
    }
    for answer in [
        format!("Thought: go\n```js\n{code}\n```\nIt's done."),
        format!("```js\n{code}\n"),
        format!("```ts\n{code}\n```\n"),
    ] {
        assert_eq!(parse_with(&answer, &fenced()).code, code, "{answer}");
    }
}

macro_rules! survives {
    ($($name:ident: $code:expr;)*) => {
        $(#[test] fn $name() { survives($code); })*
    };
}

survives! {
    a_tag_in_double_quotes: r#"f("</code>"); g()"#;
    a_tag_in_single_quotes: r"f('</code>'); g()";
    a_tag_after_an_escaped_quote: r#"f("a \" </code>"); g()"#;
    a_tag_after_an_escaped_backslash: r#"f("a \\", "</code>"); g()"#;
    a_tag_in_a_template: "f(`</code>`); g()";
    a_tag_on_its_own_line_in_a_template: "f(`\n</code>\n`); g()";
    both_tags_on_lines_of_a_template: "f(`\n<code>\nx\n</code>\n`); g()";
    a_tag_in_a_substitution: "f(`a ${h('</code>')} b`); g()";
    a_tag_after_a_substitution: "f(`a ${h({ a: { b: 1 } })} </code>`); g()";
    a_tag_in_nested_templates: "f(`a ${h(`b ${'}'} </code>`)} </code>`); g()";
    a_tag_after_an_escaped_backtick: "f(`a \\` </code>`); g()";
    a_tag_after_an_escaped_substitution: "f(`a \\${ </code>`); g()";
    a_tag_in_a_line_comment: "// like <code>x</code> here\ng()";
    a_tag_at_the_end_of_an_inner_comment: "f() // <code>x</code>\nconst y = 1";
    a_tag_in_a_block_comment: "/* </code> */ g()";
    a_tag_on_its_own_line_in_a_comment: "/*\n</code>\n*/\ng()";
    a_tag_in_a_regex: "f(/<\\/code>/); g()";
    a_tag_in_a_regex_class: "f(/[</code>]/); g()";
    a_quote_in_a_regex: "x = /['\"`]/g; f('</code>')";
    a_regex_after_return: "function a(x) { return /[`'\"]/.test(x) }\nf('</code>')";
    a_division_before_a_quote: "const r = a / b; const s = '/ </code>'; g(r / 2)";
    a_division_after_parentheses: "const r = (a + b) / 2 / '</code>'.length";
    an_apostrophe_in_a_comment: "// don't\nf('</code>')";
    a_fence_in_a_template_of_escaped_backticks: "f(`\n\\`\\`\\`js\nx\n\\`\\`\\`\n`); g()";
    a_fence_in_a_block_comment: "/*\n```\n*/\ng()";
    a_fence_in_a_doc_comment: "/**\n * ```js\n * f()\n * ```\n */\nfunction f() {}\nf()";
    a_fence_in_a_string: "f('```'); g(\"```js\")";
    a_fence_that_was_not_escaped_in_a_template: "const md = `\n```js\nx\n```\n`;\nf(md)";
    a_fence_of_tildes_in_a_template: "f(`\n~~~\nx\n~~~\n`)";
    a_comparison_with_the_name_of_the_tag: "if (a <code && b > c) f()";
    an_object_then_a_regex: "const o = { a: 1 }\nf(o, /}`/)";
    a_type_annotation: "const m: Map<string, Array<number>> = new Map();\nf(m)";
    a_class_with_private_fields: "class A { #x = '</code>'; get x() { return this.#x } }";
    a_continued_string: "f('a \\\n </code>'); g()";
    a_label_and_braces: "outer: for (;;) { while (1) { break outer } }";
    an_html_page: "const page = `<!doctype html>\n<pre><code>\n${body.map((l) => `<b>${l}</b>`).join('\\n')}\n</code></pre>`;\nfinal_answer(page)";
}

code_of! {
    a_closing_tag_behind_a_comment_at_the_end: "<code>f() // done</code>" => "f() // done";
    a_closing_tag_behind_a_comment_before_text: "<code>f() // done</code>\nThat is it." => "f() // done";
    a_closing_tag_behind_a_comment_before_a_block:
        "<code>a() // x</code>\nAnd:\n<code>\nb()\n</code>" => "a() // x\n\nb()";
    a_string_that_was_not_closed: "<code>f(\"hi)</code>\nIt's text." => "f(\"hi)";
    a_string_that_was_not_closed_on_an_earlier_line: "<code>\nf('hi)\ng()\n</code>\nText." => "f('hi)\ng()";
    a_template_that_was_not_closed: "<code>\nf(`hi)\n</code>\nText." => "f(`hi)";
    a_template_that_was_not_closed_in_a_fence: "```js\nf(`hi)\n```\nText." => "f(`hi)";
    a_comment_that_was_not_closed: "<code>\nf() /* hi\n</code>\nText." => "f() /* hi";
    a_template_that_was_not_closed_before_a_block:
        "<code>\nf(`hi)\n</code>\nAnd\n<code>\ng()\n</code>" => "f(`hi)\n\ng()";
    a_template_that_was_not_closed_on_one_line_before_a_block:
        "<code>f(`hi)</code>\nAnd\n<code>\ng()\n</code>" => "f(`hi)\n\ng()";
    a_regex_that_was_not_closed: "<code>\nx = /[\n</code>" => "x = /[";
    braces_that_do_not_match: "<code>\n}}}}f()\n</code>" => "}}}}f()";
}
