use hotcell_prompt::{BlockKind, ParseError, ParseOptions, parse_code};

use crate::{code_of, parse, refuse};

code_of! {
    a_call: "final_answer(42)" => "final_answer(42)";
    declarations: "const a = 1;\nlet b = a + 1\nconsole.log(b)" => "const a = 1;\nlet b = a + 1\nconsole.log(b)";
    comments_in_prose: "// add the two numbers now\nconst a = 1 + 1;" => "// add the two numbers now\nconst a = 1 + 1;";
    prose_in_strings: "final_answer('it is the right one')" => "final_answer('it is the right one')";
    prose_in_templates: "final_answer(`it is\nthe right one`)" => "final_answer(`it is\nthe right one`)";
    an_arrow: "xs.map((x) => x + 1)" => "xs.map((x) => x + 1)";
    keywords_in_a_row: "export default async function f() { return await g() }"
        => "export default async function f() { return await g() }";
    types: "interface A { readonly b: string }\nconst a = x as A;" => "interface A { readonly b: string }\nconst a = x as A;";
    white_space_around: "\n\n  f();\n" => "f();";
    code_behind_a_label: "Thought: I add them.\nCode:\nfinal_answer(1 + 1)" => "final_answer(1 + 1)";
    code_behind_a_label_on_its_line: "Thought: I add them.\nCode: final_answer(1 + 1)" => "final_answer(1 + 1)";
    code_after_reasoning: "<think>easy one</think>\nfinal_answer(2)" => "final_answer(2)";
    code_before_an_invented_observation: "f();\nObservation: 2 things came back" => "f();";
}

#[test]
fn bare_code_says_so() {
    let parsed = parse("Thought: I add.\nCode:\nf()");
    assert_eq!(parsed.blocks[0].kind, BlockKind::Bare);
    assert_eq!(
        (parsed.blocks[0].line, parsed.thought.as_deref()),
        (3, Some("I add."))
    );
}

#[test]
fn what_is_not_code_is_not_run() {
    for answer in [
        "The answer is 42.",
        "42",
        "Paris",
        "Yes.",
        "I'll call f(x) now",
        "Answer: 42",
        "{\"answer\": 42}",
        "[1, 2, 3]",
        "- one\n- two",
        "First I add the numbers; then I stop;",
        "Thought: I should call the tool web_search.",
        "f(x)\nThis calls the function.",
        "1 + 1",
        "It's (perhaps) done",
        "3 apples = 3 fruits",
        "# Heading\n\nSome text here.",
    ] {
        assert!(
            matches!(refuse(answer), ParseError::NoCode { .. }),
            "{answer}"
        );
    }
}

#[test]
fn bare_code_can_be_refused() {
    let options = ParseOptions {
        bare_code: false,
        ..ParseOptions::default()
    };
    assert!(matches!(
        parse_code("f();", &options),
        Err(ParseError::NoCode { .. })
    ));
}
