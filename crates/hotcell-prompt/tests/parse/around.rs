use hotcell_prompt::ParseOptions;

use crate::{parse, parse_with};

macro_rules! thought_of {
    ($($name:ident: $answer:expr => $thought:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let parsed = parse($answer);
                assert_eq!((parsed.thought.as_deref(), parsed.code.as_str()), ($thought, "f()"));
            }
        )*
    };
}

thought_of! {
    a_labelled_thought: "Thought: I go.\n<code>\nf()\n</code>" => Some("I go.");
    a_thought_without_a_label: "I go.\n<code>\nf()\n</code>" => Some("I go.");
    a_thought_of_several_lines: "Thought: One.\n\nTwo.\n<code>f()\n</code>" => Some("One.\n\nTwo.");
    a_thought_in_bold: "**Thought:** I go.\n<code>f()\n</code>" => Some("I go.");
    a_thought_as_a_heading: "## Thought: I go.\n```js\nf()\n```" => Some("I go.");
    the_label_of_the_code_is_no_thought: "Thought: I go.\nCode:\n<code>f()</code>" => Some("I go.");
    the_label_of_the_code_in_bold_is_no_thought: "Thought: I go.\n**Code:**\n```js\nf()\n```" => Some("I go.");
    no_thought_at_all: "<code>f()</code>" => None;
    only_labels: "Thought:\nCode:\n<code>f()</code>" => None;
    text_after_the_code_is_no_thought: "<code>\nf()\n</code>\nI went." => None;
    windows_line_ends: "Thought: I go.\r\n<code>\r\nf()\r\n</code>\r\n" => Some("I go.");
    old_line_ends: "Thought: I go.\r<code>\rf()\r</code>" => Some("I go.");
    a_byte_order_mark: "\u{feff}Thought: I go.\n```js\nf()\n```" => Some("I go.");
    reasoning_is_removed: "<think>hm, <code>draft()</code>?</think>Thought: I go.\n<code>f()\n</code>" => Some("I go.");
    reasoning_by_another_name: "<thinking>\n```js\ndraft()\n```\n</thinking>\nI go.\n```js\nf()\n```" => Some("I go.");
    reasoning_that_the_chat_template_opened: "draft: <code>old()</code></think>I go.\n<code>f()\n</code>" => Some("I go.");
    reasoning_in_two_parts: "<think>a</think>I <think>b</think>go.\n<code>f()\n</code>" => Some("I go.");
    reasoning_that_was_not_closed: "<think>I go.\n<code>\nf()\n</code>" => Some("<think>I go.");
    reasoning_that_is_only_mentioned: "No `<think>` here.\n<code>\nf()\n</code>" => Some("No `<think>` here.");
    an_invented_observation: "I go.\n<code>\nf()\n</code>\nObservation: 4\nThought: so\n<code>\ng()\n</code>" => Some("I go.");
    an_invented_observation_in_bold: "I go.\n```js\nf()\n```\n**Observation:** 4\n```js\ng()\n```" => Some("I go.");
    an_invented_observation_in_an_open_block: "I go.\n<code>\nf()\nObservation: 4\nThought: so" => Some("I go.");
    an_observation_before_the_code_is_text: "Observation: 4\nI go.\n<code>f()\n</code>" => Some("Observation: 4\nI go.");
}

#[test]
fn reasoning_inside_code_is_code() {
    assert_eq!(
        parse("<code>\nf('<think>a</think>')\n</code>").code,
        "f('<think>a</think>')"
    );
}

#[test]
fn invented_observations_are_reported() {
    assert!(parse("<code>f()</code>\nObservation: 1").invented_observation);
    assert!(!parse("<code>f()</code>\n").invented_observation);
}

#[test]
fn invented_observations_can_be_kept() {
    let options = ParseOptions {
        stop_at_observation: false,
        ..ParseOptions::default()
    };
    let parsed = parse_with(
        "<code>\na()\n</code>\nObservation: 4\n<code>\nb()\n</code>",
        &options,
    );
    assert_eq!(parsed.code, "a()\n\nb()");
}

#[test]
fn options_and_results_have_json_forms() {
    let options: ParseOptions = serde_json::from_str(
        r#"{"tags": {"opening": "[js]", "closing": "[/js]"}, "take": "first", "bareCode": false}"#,
    )
    .unwrap();
    let parsed = parse_with("[js]f()[/js]", &options);
    assert_eq!(
        serde_json::to_value(&parsed).unwrap(),
        serde_json::json!({
            "code": "f()",
            "thought": null,
            "blocks": [{"code": "f()", "kind": "tag", "language": null, "closed": true, "line": 1}],
            "ignoredLanguages": [],
            "inventedObservation": false,
        })
    );
    assert!(serde_json::from_str::<ParseOptions>(r#"{"bare_code": true}"#).is_err());
}
