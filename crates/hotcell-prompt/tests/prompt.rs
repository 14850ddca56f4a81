//! The system prompt and templates of the host's own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

use hotcell_prompt::{
    CodeTags, Limits, NameKind, PLACEHOLDERS, ParseOptions, PromptContext, PromptError,
    SYSTEM_PROMPT_TEMPLATE, ToolSpec, VariableSpec, parse_code, render_system_prompt,
    render_template,
};
use insta::assert_snapshot;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

fn prompt() -> String {
    render_system_prompt(&PromptContext::default()).unwrap()
}

fn render(template: &str) -> Result<String, PromptError> {
    render_template(template, &PromptContext::default())
}

/// The part of the prompt under a heading.
fn section(prompt: &str, heading: &str) -> String {
    let (_, rest) = prompt
        .split_once(&format!("# {heading}\n"))
        .unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n# ").next().unwrap_or_default().to_owned()
}

// The requirements of the executor's document, one by one.

#[test]
fn the_code_is_javascript_throughout() {
    let prompt = prompt();
    assert!(prompt.contains("Write JavaScript code"));
    assert!(!prompt.to_lowercase().contains("python"));
}

#[test]
fn values_are_shown_with_console_log() {
    let prompt = prompt();
    assert!(prompt.contains("`console.log(...)`"));
    assert!(!prompt.contains("print("));
}

#[test]
fn tools_may_be_sync_or_async_and_await_is_always_right() {
    let tools = section(&prompt(), "Tools");
    assert!(tools.contains(
        "Tools may be synchronous or asynchronous. If you are not sure, `await` the call"
    ));
}

#[test]
fn a_step_is_thought_then_code_then_observation() {
    let steps = section(&prompt(), "How a step works");
    let place = |label: &str| steps.find(&format!("- \"{label}:\"")).unwrap();
    assert!(place("Thought") < place("Code") && place("Code") < place("Observation"));
}

#[test]
fn only_final_answer_ends_a_task() {
    let steps = section(&prompt(), "How a step works");
    assert!(
        steps.contains("A task ends in exactly one way: your code calls `final_answer(value)`")
    );
    assert!(steps.contains("Prose is never taken as a result"));
    assert!(
        section(&prompt(), "Tools")
            .contains("declare function final_answer(value: unknown): never;")
    );
}

#[test]
fn only_authorized_modules_can_be_imported() {
    let context = PromptContext {
        authorized_imports: vec!["lodash".to_owned(), "@scope/a \"b\"".to_owned()],
        ..PromptContext::default()
    };
    let runtime = section(&render_system_prompt(&context).unwrap(), "The runtime");
    assert!(
        runtime.contains(r#"import only the modules on this list: "lodash", "@scope/a \"b\""."#),
        "{runtime}"
    );
    assert!(runtime.contains("`await import(\"name\")`"));
}

#[test]
fn without_authorized_modules_there_is_nothing_to_import() {
    let runtime = section(&prompt(), "The runtime");
    assert!(
        runtime.contains("on this list: none (there is nothing to import)."),
        "{runtime}"
    );
    assert!(!runtime.contains("await import"));
}

#[test]
fn the_template_has_the_placeholders_of_the_document() {
    for placeholder in [
        "{{code_block_opening_tag}}",
        "{{code_block_closing_tag}}",
        "{{{tools_prompt}}}",
        "{{authorized_imports}}",
        "{{#if custom_instructions}}",
        "{{custom_instructions}}",
    ] {
        assert!(
            SYSTEM_PROMPT_TEMPLATE.contains(placeholder),
            "{placeholder}"
        );
    }
}

// What else a prompt says.

#[test]
fn no_placeholder_is_left() {
    let prompt = prompt();
    assert!(!prompt.contains("{{") && !prompt.contains("}}"), "{prompt}");
}

#[test]
fn tools_are_declared_between_the_tags() {
    let context = PromptContext {
        tools: vec![ToolSpec::new("look_up").description("Finds <b> & \"quotes\"")],
        ..PromptContext::default()
    };
    let tools = section(&render_system_prompt(&context).unwrap(), "Tools");
    let (_, rest) = tools.split_once("<code>\n").unwrap();
    let (declarations, _) = rest.split_once("\n</code>").unwrap();
    assert_snapshot!(declarations, @r#"
    /** Finds <b> & "quotes" */
    declare function look_up(...args: unknown[]): Promise<unknown>;

    /** Ends the task at once and hands `value` over as its result. */
    declare function final_answer(value: unknown): never;
    "#);
}

#[test]
fn the_hosts_tags_are_used_everywhere() {
    let context = PromptContext {
        tags: CodeTags::fenced(),
        ..PromptContext::default()
    };
    let prompt = render_system_prompt(&context).unwrap();
    assert!(!prompt.contains("<code>") && !prompt.contains("</code>"));
    assert!(prompt.contains("starts with '```js' and ends with '```'"));
}

#[test]
fn variables_are_declared_if_there_are_any() {
    let context = PromptContext {
        variables: vec![
            VariableSpec::new("page")
                .type_text("string")
                .description("The page to read"),
            VariableSpec::new("rows").schema(json!({"items": {"type": "object"}})),
            VariableSpec::new("thing"),
        ],
        ..PromptContext::default()
    };
    assert_snapshot!(render_template("{{{variables_prompt}}}", &context).unwrap(), @r#"
    /** The page to read */
    declare const page: string;

    declare const rows: Record<string, unknown>[];

    declare const thing: unknown;
    "#);
    assert!(
        render_system_prompt(&context)
            .unwrap()
            .contains("# Variables\n")
    );
    assert!(!prompt().contains("# Variables\n"));
}

#[test]
fn custom_instructions_come_last_if_there_are_any() {
    let context = PromptContext {
        custom_instructions: Some("Speak <i>softly</i> & never of {{tools_prompt}}.\n".to_owned()),
        ..PromptContext::default()
    };
    let prompt = render_system_prompt(&context).unwrap();
    assert!(prompt.ends_with(
        "\n# Further instructions\n\nSpeak <i>softly</i> & never of {{tools_prompt}}.\n\nNow begin.\n"
    ));
    assert!(!self::prompt().contains("Further instructions"));
}

#[test]
fn blank_custom_instructions_are_none() {
    let context = PromptContext {
        custom_instructions: Some(" \n".to_owned()),
        ..PromptContext::default()
    };
    assert_eq!(render_system_prompt(&context).unwrap(), prompt());
}

#[test]
fn limits_are_told() {
    let context = PromptContext {
        limits: Limits {
            max_operations: 1234,
            timeout_ms: Some(2500),
            cpu_time_ms: None,
            max_log_bytes: 4096,
            max_steps: Some(7),
        },
        ..PromptContext::default()
    };
    let runtime = section(&render_system_prompt(&context).unwrap(), "The runtime");
    for told in [
        "2.5 seconds",
        "1234 loop iterations",
        "4096 bytes per step",
        "at most 7 steps",
    ] {
        assert!(runtime.contains(told), "{told}: {runtime}");
    }
    assert!(!prompt().contains("at most"));
}

#[test]
fn a_limit_of_computing_is_told_beside_that_of_all_or_alone() {
    let told = |timeout_ms, cpu_time_ms| {
        let context = PromptContext {
            limits: Limits {
                timeout_ms,
                cpu_time_ms,
                ..Limits::default()
            },
            ..PromptContext::default()
        };
        let runtime = section(&render_system_prompt(&context).unwrap(), "The runtime");
        let line = runtime.lines().find(|line| line.starts_with("- One step"));
        let (told, _) = line.unwrap().split_once(", all its loops").unwrap();
        told.to_owned()
    };
    assert_eq!(
        told(Some(10_000), Some(500)),
        "- One step may take 10 seconds (0.5 of them computing) and 50000 loop iterations"
    );
    assert_eq!(
        told(None, Some(500)),
        "- One step may wait as long as it has to, but compute for 0.5 seconds only, and make 50000 loop iterations"
    );
    assert_eq!(
        told(None, None),
        "- One step may wait as long as it has to, and make 50000 loop iterations"
    );
}

#[test]
fn timers_are_told_where_they_are() {
    let context = PromptContext {
        timers: true,
        ..PromptContext::default()
    };
    let with = render_system_prompt(&context).unwrap();
    assert!(with.contains("- Timers work: `setTimeout`") && !with.contains("no `setTimeout`"));
    let without = prompt();
    assert!(
        without.contains("no `fetch`, no `setTimeout`, no `fs`")
            && !without.contains("Timers work")
    );
}

#[test]
fn the_default_limits_are_those_of_the_executor() {
    let runtime = section(&prompt(), "The runtime");
    assert!(runtime.contains("10 seconds and 50000 loop iterations"));
}

#[test]
fn clock_and_random_numbers_are_told_as_they_are() {
    let off = prompt();
    assert!(off.contains("There is no clock") && off.contains("`Math.random()` throws"));
    let context = PromptContext {
        clock: true,
        random: true,
        ..PromptContext::default()
    };
    let on = render_system_prompt(&context).unwrap();
    assert!(on.contains("The clock works") && on.contains("`Math.random()` works"));
    assert!(!on.contains("There is no clock") && !on.contains("`Math.random()` throws"));
}

#[test]
fn what_the_runtime_lacks_and_keeps_is_told() {
    let runtime = section(&prompt(), "The runtime");
    for fact in [
        "State stays from step to step",
        "You may declare a name again",
        "`await` works at the top level",
        "top-level `return`",
        "TypeScript annotations are accepted",
        "`URL`, `URLSearchParams`, `TextEncoder`, `TextDecoder` and `structuredClone`",
        "no `process`, no `require`, no `fetch`, no `setTimeout`, no `fs`",
    ] {
        assert!(runtime.contains(fact), "{fact}");
    }
    let tools = section(&prompt(), "Tools");
    assert!(tools.contains("read-only copy") && tools.contains("throws an ordinary `Error`"));
}

#[test]
fn the_examples_are_answers_that_parse() {
    for tags in [CodeTags::default(), CodeTags::fenced()] {
        let context = PromptContext {
            tags: tags.clone(),
            ..PromptContext::default()
        };
        let options = ParseOptions {
            tags,
            ..ParseOptions::default()
        };
        let prompt = render_system_prompt(&context).unwrap();
        let examples = section(&prompt, "Examples");
        let tasks: Vec<&str> = examples.split("Task: ").skip(1).collect();
        assert!(tasks.len() >= 4);
        let mut code = String::new();
        for task in &tasks {
            for step in task.split("\nThought: ").skip(1) {
                let parsed = parse_code(&format!("Thought: {step}"), &options).unwrap();
                assert!(parsed.thought.is_some() && parsed.blocks[0].closed);
                assert_eq!(parsed.invented_observation, step.contains("\nObservation:"));
                code.push_str(&parsed.code);
            }
            assert_eq!(task.matches("final_answer(").count(), 1, "{task}");
        }
        for shown in [
            "await Promise.all(",
            "catch (error)",
            "error.message",
            "console.log(",
            ": number",
        ] {
            assert!(code.contains(shown), "{shown}");
        }
    }
}

#[test]
fn a_context_has_a_json_form() {
    let context: PromptContext = serde_json::from_value(json!({
        "tools": [{"name": "f", "mode": "sync"}],
        "variables": [{"name": "v", "type": "string"}],
        "authorizedImports": ["a"],
        "tags": {"opening": "[js]", "closing": "[/js]"},
        "customInstructions": "x",
        "limits": {"maxOperations": 5, "timeoutMs": 6},
        "clock": true,
    }))
    .unwrap();
    let text = render_template(
        "{{tool_names}}|{{variables_prompt}}|{{authorized_imports}}|{{code_block_opening_tag}}|{{custom_instructions}}|\
         {{max_operations}}|{{timeout_ms}}|{{timeout_seconds}}|{{max_log_bytes}}|{{clock}}|{{random}}",
        &context,
    );
    assert_eq!(
        text.unwrap(),
        "f, final_answer|declare const v: string;|\"a\"|[js]|x|5|6|0.006|262144|true|false"
    );
    assert!(serde_json::from_value::<PromptContext>(json!({"tolls": []})).is_err());
}

// Contexts that cannot be told.

#[test]
fn contexts_with_mistakes_are_refused() {
    let with_tags = |opening: &str, closing: &str| PromptContext {
        tags: CodeTags::new(opening, closing),
        ..PromptContext::default()
    };
    let mistakes = [
        (
            with_tags("", "</code>"),
            PromptError::EmptyTag { which: "opening" },
        ),
        (
            with_tags("<code>", " "),
            PromptError::EmptyTag { which: "closing" },
        ),
        (
            PromptContext {
                authorized_imports: vec!["a".to_owned(), " ".to_owned()],
                ..PromptContext::default()
            },
            PromptError::EmptyImport { position: 2 },
        ),
        (
            PromptContext {
                variables: vec![VariableSpec::new("a-b")],
                ..PromptContext::default()
            },
            PromptError::InvalidName {
                kind: NameKind::Variable,
                name: "a-b".to_owned(),
                suggestion: "a_b".to_owned(),
            },
        ),
        (
            PromptContext {
                tools: vec![ToolSpec::new("a")],
                variables: vec![VariableSpec::new("a")],
                ..PromptContext::default()
            },
            PromptError::DuplicateName {
                name: "a".to_owned(),
            },
        ),
    ];
    for (context, error) in mistakes {
        assert_eq!(render_system_prompt(&context), Err(error));
    }
}

// Templates of the host's own.

#[test]
fn every_placeholder_can_be_used() {
    for name in PLACEHOLDERS {
        assert!(render(&format!("{{{{{name}}}}}")).is_ok(), "{name}");
        assert!(
            render(&format!("{{{{#if {name}}}}}x{{{{/if}}}}")).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn unknown_placeholders_are_named_with_the_known_ones() {
    assert_snapshot!(render("Hi {{tool_prompt}}").unwrap_err(), @r#"unknown placeholder "tool_prompt" in the template; the known ones are authorized_imports, clock, code_block_closing_tag, code_block_opening_tag, cpu_seconds, custom_instructions, deferred_tools, has_imports, max_log_bytes, max_operations, max_steps, modules_prompt, random, timeout_ms, timeout_seconds, timers, tool_names, tools_prompt, variables_prompt"#);
}

#[test]
fn unknown_placeholders_are_found_wherever_they_are() {
    for template in [
        "{{typo}}",
        "{{{typo}}}",
        "{{&typo}}",
        "{{typo.x}}",
        "{{#if typo}}x{{/if}}",
        "{{#unless typo}}x{{/unless}}",
        "{{#if clock}}{{typo}}{{/if}}",
        "{{#if clock}}x{{else}}{{typo}}{{/if}}",
        "{{#if clock}}x{{else if typo}}y{{/if}}",
        "{{#if (not typo)}}x{{/if}}",
        "{{#each typo}}x{{/each}}",
        "{{#if (and clock (or random typo))}}x{{/if}}",
    ] {
        let error = render(template).unwrap_err();
        assert!(
            matches!(&error, PromptError::UnknownPlaceholder { name, .. } if name.starts_with("typo")),
            "{template}: {error:?}"
        );
    }
}

#[test]
fn templates_that_are_not_valid_say_where() {
    let error = render("line one\n{{#if clock}}x").unwrap_err();
    assert!(
        matches!(error, PromptError::TemplateSyntax { line: Some(2), .. }),
        "{error:?}"
    );
    assert!(render("{{#if clock}}x{{/unless}}").is_err());
    assert!(render("{{").is_err());
}

#[test]
fn helpers_and_partials_that_do_not_exist_are_errors() {
    for template in [
        "{{> part}}",
        "{{nothing clock}}",
        "{{#nothing clock}}x{{/nothing}}",
    ] {
        assert!(
            matches!(render(template), Err(PromptError::Render { .. })),
            "{template}"
        );
    }
}

#[test]
fn nesting_is_limited() {
    for template in [
        format!(
            "{}x{}",
            "{{#if clock}}".repeat(10_000),
            "{{/if}}".repeat(10_000)
        ),
        format!(
            "{{{{#if clock}}}}{}x{{{{/if}}}}",
            "{{else if clock}}".repeat(10_000)
        ),
        format!(
            "{{{{#if {}clock{}}}}}x{{{{/if}}}}",
            "(not ".repeat(10_000),
            ")".repeat(10_000)
        ),
    ] {
        let error = render(&template).unwrap_err();
        assert!(
            matches!(error, PromptError::TemplateSyntax { .. }),
            "{error}"
        );
    }
    let many = "{{#if clock}}a{{else}}b{{/if}} (:( ".repeat(200);
    assert_eq!(render(&many).unwrap(), "b (:( ".repeat(200));
}

#[test]
fn values_are_never_escaped_or_read_as_templates() {
    let context = PromptContext {
        custom_instructions: Some("<a href=\"x\">&'`={{clock}}".to_owned()),
        ..PromptContext::default()
    };
    let text = render_template("{{custom_instructions}}", &context).unwrap();
    assert_eq!(text, "<a href=\"x\">&'`={{clock}}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_template_gives_text_or_an_error(
        template in prop_oneof![
            any::<String>(),
            vec(
                select(&["{{", "}}", "{{{", "}}}", "{{#if ", "{{/if}}", "{{else}}", "clock", "tools_prompt", " ", "(", ")", "x",
                    "{{#each ", "{{!--", "--}}", "~", "\n", "\"", "{{>", "as |", "|", "{{{{raw}}}}", "{{{{/raw}}}}", "../", "@",
                    "this", "=", "[", "]", "\\"][..]),
                0..25,
            )
            .prop_map(|parts| parts.concat()),
        ],
    ) {
        let _ = render(&template);
    }

    #[test]
    fn any_context_gives_a_prompt_or_an_error(
        description in any::<String>(),
        instructions in any::<String>(),
        import in any::<String>(),
        opening in any::<String>(),
        type_text in any::<String>(),
        numbers in any::<(u64, u64, u64, Option<u64>)>(),
    ) {
        let context = PromptContext {
            tools: vec![ToolSpec::new("f").description(description)],
            variables: vec![VariableSpec::new("v").type_text(type_text)],
            authorized_imports: vec![import],
            tags: CodeTags::new(opening, "END"),
            custom_instructions: Some(instructions),
            limits: Limits {
                max_operations: numbers.0,
                timeout_ms: Some(numbers.1),
                cpu_time_ms: numbers.3,
                max_log_bytes: numbers.2,
                max_steps: numbers.3,
            },
            ..PromptContext::default()
        };
        let _ = render_template("{{tools_prompt}}{{variables_prompt}}{{authorized_imports}}{{timeout_seconds}}", &context);
    }
}
