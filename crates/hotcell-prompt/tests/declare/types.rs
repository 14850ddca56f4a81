use serde_json::json;

use crate::type_of;

macro_rules! types {
    ($($name:ident: $schema:tt => $ty:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(type_of(json!($schema)), $ty);
            }
        )*
    };
}

types! {
    string: {"type": "string"} => "string";
    number: {"type": "number"} => "number";
    integer_is_a_number: {"type": "integer"} => "number";
    boolean: {"type": "boolean"} => "boolean";
    null: {"type": "null"} => "null";
    anything: {} => "unknown";
    true_is_anything: true => "unknown";
    false_is_nothing: false => "never";
    unknown_type: {"type": "file"} => "unknown";
    type_that_is_no_name: {"type": 3} => "unknown";
    schema_that_is_no_schema: "string" => "unknown";

    type_list: {"type": ["string", "null"]} => "string | null";
    type_list_with_both_numbers: {"type": ["integer", "number", "string"]} => "number | string";
    type_list_that_is_empty: {"type": []} => "unknown";
    nullable: {"type": "string", "nullable": true} => "string | null";
    nullable_union: {"anyOf": [{"type": "string"}, {"type": "null"}], "nullable": true} => "string | null";

    enum_of_strings: {"enum": ["a", "b"]} => r#""a" | "b""#;
    enum_with_type: {"type": "string", "enum": ["a", "b"]} => r#""a" | "b""#;
    enum_of_all_kinds: {"enum": ["a", 1, -2.5, true, null]} => r#""a" | 1 | -2.5 | true | null"#;
    enum_with_both_booleans: {"enum": [true, "x", false]} => r#"boolean | "x""#;
    enum_with_repetition: {"enum": ["a", "a"]} => r#""a""#;
    enum_that_is_empty: {"enum": []} => "never";
    enum_that_is_nullable: {"enum": ["a"], "nullable": true} => r#""a" | null"#;
    enum_of_objects: {"enum": [{"a": 1}, [1, "x"], {}]} => r#"{ a: 1 } | [1, "x"] | Record<string, never>"#;
    enum_of_odd_strings: {"enum": ["it's", "a\"b", "a\nb", "\\", "*/"]} => r#""it's" | "a\"b" | "a\nb" | "\\" | "*/""#;
    constant: {"const": "x"} => r#""x""#;
    constant_number: {"const": 1e21} => "1e+21";
    constant_null: {"const": null} => "null";

    array: {"type": "array", "items": {"type": "string"}} => "string[]";
    array_of_anything: {"type": "array"} => "unknown[]";
    array_of_union: {"type": "array", "items": {"type": ["string", "number"]}} => "(string | number)[]";
    array_of_arrays: {"type": "array", "items": {"type": "array", "items": {"type": "number"}}} => "number[][]";
    array_of_objects: {"type": "array", "items": {"properties": {"a": {"type": "number"}}, "required": ["a"]}}
        => "{ a: number }[]";
    array_of_nothing: {"type": "array", "items": false} => "never[]";
    tuple: {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]} => "[string, number]";
    tuple_with_optional_items: {"type": "array", "prefixItems": [{"type": "string"}, {"type": ["number", "null"]}], "minItems": 1}
        => "[string, (number | null)?]";
    tuple_with_rest: {"prefixItems": [{"type": "string"}], "items": {"type": ["number", "null"]}}
        => "[string, ...(number | null)[]]";
    tuple_without_rest: {"prefixItems": [{"type": "string"}], "items": false} => "[string]";
    tuple_of_older_drafts: {"type": "array", "items": [{"type": "string"}, {"type": "number"}], "additionalItems": false}
        => "[string, number]";
    tuple_of_older_drafts_with_rest: {"items": [{"type": "string"}], "additionalItems": {"type": "number"}}
        => "[string, ...number[]]";
    tuple_that_is_empty: {"type": "array", "prefixItems": []} => "unknown[]";

    object: {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]}
        => "{ a: string; b?: number }";
    object_keeps_the_order_of_its_properties: {"properties": {"z": {}, "a": {}, "m": {}}, "required": ["m"]}
        => "{ z?: unknown; a?: unknown; m: unknown }";
    object_without_properties: {"type": "object"} => "Record<string, unknown>";
    object_that_is_empty: {"type": "object", "additionalProperties": false} => "Record<string, never>";
    object_that_is_closed: {"properties": {"a": {}}, "additionalProperties": false} => "{ a?: unknown }";
    object_that_is_open: {"properties": {"a": {}}, "additionalProperties": true}
        => "{ a?: unknown; [key: string]: unknown }";
    map: {"type": "object", "additionalProperties": {"type": "number"}} => "{ [key: string]: number }";
    map_of_anything: {"type": "object", "additionalProperties": true} => "Record<string, unknown>";
    map_with_named_properties: {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}
        => "{ a?: string } & { [key: string]: number }";
    map_by_pattern: {"patternProperties": {"^x": {"type": "number"}, "^y": {"type": "string"}}}
        => "{ [key: string]: number | string }";
    required_property_without_schema: {"required": ["a"]} => "{ a: unknown }";
    required_on_the_property: {"properties": {"a": {"type": "string", "required": true}}} => "{ a: string }";
    odd_property_names: {"properties": {"a-b": {}, "1": {}, "": {}, "class": {}, "é": {}, "$a_1": {}, "a\"b": {}}, "required": ["a-b"]}
        => "{\n  \"a-b\": unknown;\n  \"1\"?: unknown;\n  \"\"?: unknown;\n  class?: unknown;\n  \"é\"?: unknown;\n  $a_1?: unknown;\n  \"a\\\"b\"?: unknown;\n}";
    property_that_must_not_be: {"properties": {"a": false}} => "{ a?: never }";
    nested_objects: {"properties": {"a": {"properties": {"b": {"properties": {"c": {"type": "null"}}}}}}}
        => "{ a?: { b?: { c?: null } } }";

    any_of: {"anyOf": [{"type": "string"}, {"type": "number"}]} => "string | number";
    one_of: {"oneOf": [{"const": "a"}, {"const": "b"}]} => r#""a" | "b""#;
    one_of_nothing: {"oneOf": []} => "never";
    any_of_with_anything: {"anyOf": [{"type": "string"}, {}]} => "unknown";
    all_of: {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]} => "{ a?: unknown } & { b?: unknown }";
    all_of_one: {"allOf": [{"type": "string"}]} => "string";
    all_of_with_own_properties: {"properties": {"a": {"type": "string"}}, "allOf": [{"properties": {"b": {}}}]}
        => "{ a?: string } & { b?: unknown }";
    union_inside_intersection: {"allOf": [{"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, {"properties": {"c": {}}}]}
        => "({ a?: unknown } | { b?: unknown }) & { c?: unknown }";
    intersection_inside_union: {"anyOf": [{"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, {"type": "null"}]}
        => "({ a?: unknown } & { b?: unknown }) | null";
    type_beside_branches_adds_nothing: {"type": "object", "oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}
        => "{ a?: unknown } | { b?: unknown }";
    type_beside_branches_that_only_constrain: {"type": "string", "anyOf": [{"format": "date"}, {"pattern": "^x"}]} => "string";
    type_beside_branches_that_say_nothing: {"type": "string", "anyOf": [{}, {"title": "x"}]} => "string";
    branches_that_only_require:
        {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
        => "{ a?: unknown; b?: unknown } & ({ a: unknown } | { b: unknown })";
    nested_unions_are_one: {"anyOf": [{"type": ["string", "null"]}, {"oneOf": [{"type": "number"}, {"type": "null"}]}]}
        => "string | null | number";

    implied_object: {"properties": {"a": {}}} => "{ a?: unknown }";
    implied_array: {"items": {"type": "string"}} => "string[]";
    implied_number: {"minimum": 3} => "number";
    implied_string: {"format": "date"} => "string";
    negation_is_not_understood: {"not": {"type": "string"}} => "unknown";
    condition_keeps_the_type: {"type": "string", "if": {"const": "a"}, "then": {"minLength": 1}} => "string";
}

#[test]
fn long_unions_are_broken_into_lines() {
    let names: Vec<String> = (0..12).map(|n| format!("a_rather_long_name_{n}")).collect();
    let ty = type_of(json!({ "enum": names }));
    assert!(
        ty.starts_with("\n  | \"a_rather_long_name_0\"\n  | \"a_rather_long_name_1\""),
        "{ty}"
    );
}
