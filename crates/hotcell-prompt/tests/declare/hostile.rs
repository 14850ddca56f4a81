use hotcell_prompt::{ToolSpec, tools_prompt};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::{declare, type_of};

fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(json!({"type": "string"}), |inner, _| wrap(inner))
}

#[test]
fn deep_schemas_end_in_unknown_and_say_so() {
    for wrap in [
        (|inner| json!({"properties": {"a": inner}})) as fn(Value) -> Value,
        |inner| json!({"items": inner}),
        |inner| json!({"prefixItems": [inner]}),
        |inner| json!({"additionalProperties": inner}),
        |inner| json!({"anyOf": [inner, {"type": "null"}]}),
        |inner| json!({"allOf": [inner, {"properties": {"a": {}}}]}),
        |inner| json!({"const": [inner]}),
        |inner| json!({"enum": [[inner]]}),
    ] {
        let shallow = type_of(nested(3, wrap));
        assert!(!shallow.contains("too deep"), "{shallow}");
        let deep = type_of(nested(100, wrap));
        assert!(deep.len() < 10_000, "{deep}");
    }
    let deep = type_of(nested(100, |inner| json!({"properties": {"a": inner}})));
    assert!(
        deep.contains("unknown /* nested too deep to show */"),
        "{deep}"
    );
}

#[test]
fn schemas_that_refer_to_all_their_levels_are_bounded() {
    // Each level is also a named type that spells out all levels below it.
    let mut schema = json!({"type": "string"});
    for level in 0..60 {
        let pointer = format!("#{}", "/properties/a".repeat(level));
        schema = json!({"properties": {"a": schema, "b": {"$ref": pointer}}});
    }
    assert!(type_of(schema).len() < 200_000);
}

#[test]
fn large_schemas_end_in_unknown_and_say_so() {
    let branches: Vec<Value> = (0..30_000)
        .map(|n| json!({"properties": {format!("p{n}"): {}}}))
        .collect();
    let ty = type_of(
        json!({"type": "array", "items": {"properties": {"a": {"prefixItems": branches}}}}),
    );
    assert!(ty.contains("unknown /* schema too large to show */"));
}

#[test]
fn references_in_great_number_are_searched_for_cycles_in_bounded_time() {
    let mut definitions = Map::new();
    for n in 0..2_000 {
        let branches: Vec<Value> = (0..20)
            .map(|step| json!({"$ref": format!("#/$defs/D{}", (n * 7 + step * 31 + 1) % 2_000)}))
            .collect();
        definitions.insert(format!("D{n}"), json!({"anyOf": branches}));
    }
    let ty = type_of(json!({"$ref": "#/$defs/D0", "$defs": definitions}));
    assert!(ty.contains("type D0 = "));
}

#[test]
fn names_and_values_in_great_number_take_time_in_proportion() {
    let names: Vec<String> = (0..15_000).map(|n| format!("n{n}")).collect();
    type_of(json!({ "enum": names }));
    let huge: Vec<u32> = (0..200_000).collect();
    assert!(type_of(json!({ "enum": huge })).contains("too large"));
    type_of(json!({ "required": names }));
    // All of these become the same identifier, and the same type name.
    let odd = |n: u32| char::from_u32(0x2500 + n).unwrap().to_string();
    let properties: Map<String, Value> = (0..1_500)
        .map(|n| (odd(n), json!({"$ref": format!("#/$defs/{}", odd(n))})))
        .collect();
    let definitions: Map<String, Value> =
        (0..1_500).map(|n| (odd(n), json!({"const": n}))).collect();
    let tool = ToolSpec::new("f")
        .parameters(json!({"properties": properties, "$defs": definitions}))
        .positional();
    let text = declare(&[tool]).unwrap();
    assert!(text.contains("type FArgsDefs1499 = ") && text.contains("__1500?: "));
    assert!(text.len() < 1_000_000);
}

/// Values with the words of JSON Schema in them, in the right places and in the wrong ones.
fn any_schema() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "prefixItems",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "A",
        "B",
        "additionalProperties",
        "patternProperties",
        "description",
        "default",
        "nullable",
        "minItems",
        "format",
        "propertyNames",
        "pattern",
        "minimum",
        "examples",
        "not",
        "*/",
        "a-b",
        "title",
        "additionalItems",
        "exclusiveMinimum",
    ];
    const STRINGS: &[&str] = &[
        "string",
        "object",
        "array",
        "integer",
        "null",
        "#/$defs/A",
        "#/$defs/B",
        "#",
        "#/properties/A",
        "*/",
        "A",
        "a\nb",
        "",
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(STRINGS).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(6, 80, 6, |inner| {
        let key = prop_oneof![8 => select(WORDS).prop_map(str::to_owned), 1 => any::<String>()];
        prop_oneof![
            1 => vec(inner.clone(), 0..5).prop_map(Value::from),
            3 => vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_schema_gives_a_declaration(
        parameters in any_schema(),
        returns in any_schema(),
        description in any::<String>(),
        positional in any::<bool>(),
    ) {
        let mut tool = ToolSpec::new("f").description(description).parameters(parameters).returns(returns);
        tool.positional = positional;
        let mut second = tool.clone();
        second.name = "g".to_owned();
        let text = declare(&[tool.clone(), second]).unwrap();
        prop_assert!(text.contains("declare function f("));
        prop_assert!(text.ends_with(';'));
        prop_assert_eq!(text.matches("/*").count() >= text.matches("/**").count(), true);
        prop_assert_eq!(tools_prompt(&[tool.clone()]), tools_prompt(&[tool]));
    }

    #[test]
    fn any_name_is_accepted_or_refused(name in any::<String>()) {
        let _ = tools_prompt(&[ToolSpec::new(name)]);
    }
}
