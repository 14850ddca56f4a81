//! Schemas look at what code brings, and hostile values get no further than time and memory allow.

use std::time::Duration;

use hotcell_cell::Value;
use hotcell_executor::{AgentTool, ErrorCode, Executor, Run};
use pollster::block_on;
use serde_json::{Value as Json, json};

use crate::support::{fail, ready, run, value};

fn with_schema(schema: Json) -> Executor {
    let executor = ready(crate::options().max_operations(1 << 40));
    let tool = AgentTool::sync(|_| Ok(Value::from("called"))).parameters(schema);
    block_on(executor.send_tools([("tool", tool)])).unwrap();
    executor
}

fn of_x(schema: &Json) -> Executor {
    with_schema(json!({ "type": "object", "properties": { "x": schema }, "required": ["x"] }))
}

/// Whether the tool takes `x`, or what it says.
fn takes(executor: &Executor, x: &str) -> Result<(), String> {
    let code = format!("try {{ tool({{ x: {x} }}) }} catch (e) {{ e.message }}");
    match value(executor, &code).as_str() {
        Some("called") => Ok(()),
        other => Err(other.unwrap_or_default().to_owned()),
    }
}

#[test]
fn values_are_seen_as_json_would_say_them() {
    for (schema, good, bad) in [
        (
            json!({ "type": "integer" }),
            vec!["1", "-0", "10n", "2 ** 53"],
            vec!["1.5", "'1'", "10n ** 30n", "NaN"],
        ),
        (
            json!({ "type": "number" }),
            vec!["1.5", "new Number(1)"],
            vec!["NaN", "Infinity", "null"],
        ),
        (
            json!({ "type": "null" }),
            vec!["null", "NaN", "[undefined][0] ?? null", "new Date(NaN)"],
            vec!["0"],
        ),
        (
            json!({ "type": "string" }),
            vec![
                "'a'",
                "/a/g",
                "new Date(0)",
                "10n ** 30n",
                "'\\ud800'",
                "new Error('x')",
            ],
            vec!["1"],
        ),
        (
            json!({ "type": "boolean" }),
            vec!["true", "new Boolean(false)"],
            vec!["1"],
        ),
        (
            json!({ "type": "array", "items": { "type": "integer" } }),
            vec![
                "[]",
                "[1]",
                "new Set([1])",
                "new Uint8Array(3)",
                "new ArrayBuffer(3)",
                "new Int16Array([-5])",
            ],
            vec!["['a']", "{}", "[,]", "new Float32Array([0.5])"],
        ),
        (
            json!({ "type": "array", "maxItems": 2 }),
            vec!["new Float64Array(2)"],
            vec!["new Uint8Array(3)"],
        ),
        (
            json!({ "enum": [[1, { "a": 2 }], "b", 3] }),
            vec!["[1, { a: 2 }]", "'b'", "3", "3n"],
            vec!["[1, { a: 2, b: 1 }]", "'c'"],
        ),
        (
            json!({ "const": { "a": null, "b": [] } }),
            vec!["{ b: [], a: null }", "{ b: [], a: null, c: undefined }"],
            vec!["{ a: null }"],
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            vec![
                "{ a: 1 }",
                "new Map([['a', 1]])",
                "new Map([[1, 'not seen']])",
            ],
            vec!["{ a: 'x' }"],
        ),
        (
            json!({ "items": { "enum": [1, -2, 0.5, 300] } }),
            vec![
                "new Float16Array([1, -2, 0.5])",
                "new Float32Array([0.5])",
                "new BigInt64Array([-2n])",
                "new Uint16Array([300])",
            ],
            vec!["new BigUint64Array([2n ** 64n - 1n])"],
        ),
        (
            json!({ "minLength": 2, "maxLength": 3 }),
            vec!["'ab'", "'😀😀😀'"],
            vec!["'a'", "'abcd'"],
        ),
    ] {
        let executor = of_x(&schema);
        for x in good {
            assert_eq!(takes(&executor, x), Ok(()), "{schema} {x}");
        }
        for x in bad {
            assert!(takes(&executor, x).is_err(), "{schema} {x}");
        }
    }
}

#[test]
fn unique_items_are_those_that_say_something_else() {
    let executor = of_x(&json!({ "uniqueItems": true }));
    for x in [
        "[1, 2, '1', true, null, [1], { a: 1 }, { a: 2 }, { a: 1, b: 1 }]",
        "Array.from({ length: 20_000 }, (_, i) => ({ i }))",
        "new Uint8Array([1, 2, 3])",
    ] {
        assert_eq!(takes(&executor, x), Ok(()), "{x}");
    }
    for x in [
        "[1, 1n]",
        "[0, -0]",
        "[{ a: 1, b: 2 }, { b: 2, a: 1 }]",
        "[[1, { a: [] }], 2, [1, { a: [] }]]",
        "Array.from({ length: 50_000 }, (_, i) => i % 49_999)",
        "new Uint8Array(3)",
        "[NaN, null]",
    ] {
        assert!(takes(&executor, x).is_err(), "{x}");
    }
}

#[test]
fn texts_are_matched_while_they_are_short_enough() {
    let executor = of_x(&json!({ "pattern": "^[a-z]+$" }));
    assert_eq!(takes(&executor, "'abc'"), Ok(()));
    assert_eq!(takes(&executor, "'a'.repeat(1_000_000)"), Ok(()));
    let message = takes(&executor, "'ABC'").unwrap_err();
    assert!(
        message.contains("x: \"ABC\" does not match the pattern \"^[a-z]+$\""),
        "{message}"
    );
    let message = takes(&executor, "'a'.repeat(2_000_000)").unwrap_err();
    assert!(
        message.contains("too long to be checked against the pattern"),
        "{message}"
    );
    assert_eq!(takes(&executor, "1"), Ok(()));

    // Look-around takes an engine that tries again and again.
    let executor = of_x(&json!({ "pattern": "^(?=.*\\d)(a+)+$|^(?!x)\\w+$" }));
    assert_eq!(takes(&executor, "'abc'"), Ok(()));
    assert!(takes(&executor, "'a'.repeat(40) + '!'").is_err());
    let message = takes(&executor, "'a'.repeat(10_000)").unwrap_err();
    assert!(message.contains("at most 4096"), "{message}");

    let executor = of_x(&json!({ "format": "date" }));
    assert_eq!(takes(&executor, "'2026-01-01'"), Ok(()));
    assert!(takes(&executor, "'2026-13-01'").is_err());
    let executor = of_x(&json!({ "format": "regex" }));
    assert_eq!(takes(&executor, "'a+'"), Ok(()));
    assert!(takes(&executor, "'('.repeat(100_000)").is_err());

    // In a branch, what does not match is no error.
    let patterns: Vec<_> = (0..300)
        .map(|n| json!({ "pattern": format!("^{n}$") }))
        .collect();
    let executor = of_x(&json!({ "anyOf": patterns }));
    assert_eq!(takes(&executor, "'299'"), Ok(()));

    let executor = of_x(
        &json!({ "patternProperties": { "^a": { "type": "number" } }, "additionalProperties": false }),
    );
    assert_eq!(takes(&executor, "{ abc: 1 }"), Ok(()));
    assert!(takes(&executor, "{ abc: 'x' }").is_err());
    assert!(takes(&executor, "{ b: 1 }").is_err());
    let message = takes(&executor, "{ ['a'.repeat(100_000)]: 1 }").unwrap_err();
    assert!(
        message.contains("a name of more than 4096 bytes"),
        "{message}"
    );
}

#[test]
fn a_schema_that_is_none_is_refused_when_it_is_sent() {
    let executor = ready(crate::options());
    for schema in [
        json!({ "pattern": "(" }),
        json!({ "type": "thing" }),
        json!({ "properties": { "a": { "pattern": "[" } } }),
    ] {
        let tool = AgentTool::sync(|_| Ok(Value::Undefined)).parameters(schema.clone());
        let error = block_on(executor.send_tools([("tool", tool)])).unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{schema}");
    }
}

#[test]
fn errors_are_short_and_few_whatever_is_wrong() {
    let executor = of_x(
        &json!({ "type": "array", "items": { "type": "number", "minimum": 1 }, "maxItems": 3 }),
    );
    for x in [
        "Array.from({ length: 50_000 }, () => 'x'.repeat(10))",
        "['x'.repeat(1_000_000)]",
        "Array(100_000).fill(-1)",
        "'x'.repeat(1_000_000)",
        "[[[[[[[[1]]]]]]]]",
    ] {
        let message = takes(&executor, x).unwrap_err();
        assert!(message.len() < 4000, "{x}: {} bytes", message.len());
        assert!(
            message.contains("invalid arguments for tool: x"),
            "{message}"
        );
    }
    let executor = with_schema(json!({ "properties": { "x": {} }, "additionalProperties": false }));
    let code = "const many = {}; for (let i = 0; i < 50_000; i++) many['name' + i] = 1;
                try { tool(many) } catch (e) { e.message }";
    let message = value(&executor, code);
    assert!(message.as_str().unwrap().len() < 2000);
}

#[test]
fn deep_values_meet_recursive_schemas() {
    let node = json!({ "anyOf": [
        { "type": "null" },
        { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "also": { "$ref": "#/$defs/node" } }, "required": ["next"] },
    ] });
    let schema = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/node" } }, "$defs": { "node": node } });
    let executor = with_schema(schema);
    for depth in [10, 100, 900] {
        let nested = |end: &str| {
            format!(
                "(() => {{ let x = {end}; for (let i = 0; i < {depth}; i++) x = {{ next: x }}; return x }})()"
            )
        };
        assert_eq!(takes(&executor, &nested("null")), Ok(()), "{depth}");
        let message = takes(&executor, &nested("1")).unwrap_err();
        assert!(message.len() < 5000, "{}", message.len());
    }
    // Also where the code has left little of its stack.
    let code = "function deep(n) { if (n > 0) return deep(n - 1); let x = null; for (let i = 0; i < 900; i++) x = { next: x };
                try { return tool({ x }) } catch (e) { return e.message } }
                deep(2000)";
    assert_eq!(value(&executor, code), Value::from("called"));
}

#[test]
fn a_check_ends_when_the_run_has_to() {
    // For every level twice as many ways to fail.
    let branch = |also: &str| json!({ "properties": { "next": { "$ref": "#/$defs/node" }, also: { "type": "number" } }, "required": ["next", also] });
    let node = json!({ "oneOf": [branch("a"), branch("b"), branch("c")] });
    let schema =
        json!({ "properties": { "x": { "$ref": "#/$defs/node" } }, "$defs": { "node": node } });
    let executor = with_schema(schema);
    let code = "let x = {}; for (let i = 0; i < 400; i++) x = { next: x, a: 1, b: 1, c: 1 };
                for (;;) try { tool({ x }) } catch {}";
    let error =
        block_on(executor.run(Run::new(code).timeout(Duration::from_millis(200)))).unwrap_err();
    assert_eq!(error.code, ErrorCode::ExecTimeout);
}

#[test]
fn bytes_for_a_file_tool_are_refused_with_what_to_do() {
    let executor = ready(crate::options());
    let vfs = hotcell_vfs::MemVfs::new();
    block_on(executor.enable_file_tools(std::sync::Arc::new(vfs))).unwrap();
    let error = fail(
        &executor,
        "await write({ path: 'a', content: new Uint8Array(3_000_000) })",
    );
    assert!(
        error.message.contains("new TextDecoder().decode(bytes)"),
        "{error}"
    );
    let error = fail(
        &executor,
        "await write({ path: 'a', content: Array(20_000).fill(1) })",
    );
    assert!(error.message.contains("more than 10000 values"), "{error}");
    run(
        &executor,
        "await write({ path: 'a', content: 'x'.repeat(3_000_000) })",
    );
}

#[test]
fn patterns_that_look_around_are_not_tried_on_long_names() {
    let executor = with_schema(json!({ "patternProperties": { "(?=a*b)x": {} } }));
    let call = |length: u32| {
        format!("try {{ tool({{ ['a'.repeat({length})]: 1 }}) }} catch (e) {{ e.message }}")
    };
    assert_eq!(value(&executor, &call(4000)), Value::from("called"));
    let refused = value(&executor, &call(5000));
    let message = refused.as_str().unwrap();
    assert!(
        message.contains("a name of more than 4096 bytes"),
        "{message}"
    );
}
