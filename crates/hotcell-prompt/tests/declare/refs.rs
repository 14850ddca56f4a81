use hotcell_prompt::ToolSpec;
use insta::assert_snapshot;
use serde_json::json;

use crate::{declare, type_of};

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
    definition: {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}} => "type A = string;\n\nA";
    definition_of_older_drafts: {"$ref": "#/definitions/A", "definitions": {"A": {"type": "string"}}}
        => "type A = string;\n\nA";
    definition_of_openapi: {"$ref": "#/components/schemas/A", "components": {"schemas": {"A": {"type": "string"}}}}
        => "type A = string;\n\nA";
    definition_of_an_object: {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"x": {"type": "number"}}}}}
        => "interface A { x?: number }\n\nA";
    used_twice_declared_once:
        {"properties": {"a": {"$ref": "#/$defs/T"}, "b": {"$ref": "#/$defs/T"}}, "$defs": {"T": {"type": "string"}}}
        => "type T = string;\n\n{ a?: T; b?: T }";
    unused_is_not_declared: {"type": "string", "$defs": {"A": {"type": "string"}}} => "string";
    chain: {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}}
        => "type A = B;\n\ntype B = string;\n\nA";
    recursive_list: {"$ref": "#/$defs/Node", "$defs": {"Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}}}}
        => "interface Node { next?: Node }\n\nNode";
    recursive_array: {"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
        => "type Tree = Tree[];\n\nTree";
    recursive_map: {"$ref": "#/$defs/M", "$defs": {"M": {"additionalProperties": {"$ref": "#/$defs/M"}}}}
        => "interface M { [key: string]: M }\n\nM";
    recursive_tuple: {"$ref": "#/$defs/T", "$defs": {"T": {"prefixItems": [{"$ref": "#/$defs/T"}]}}}
        => "type T = [T];\n\nT";
    recursive_value:
        {"$ref": "#/$defs/Json", "$defs": {"Json": {"anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "items": {"$ref": "#/$defs/Json"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
        ]}}}
        => "type Json = string | number | boolean | null | Json[] | { [key: string]: Json };\n\nJson";
    mutual_recursion:
        {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"b": {"$ref": "#/$defs/B"}}}, "B": {"properties": {"a": {"$ref": "#/$defs/A"}}}}}
        => "interface A { b?: B }\n\ninterface B { a?: A }\n\nA";
    a_type_that_is_itself: {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}} => "type A = unknown;\n\nA";
    a_type_that_is_itself_in_a_union:
        {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}}}
        => "type A = unknown;\n\nA";
    types_that_are_each_other:
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}]}}}
        => "type A = unknown;\n\nA";
    the_whole_document: {"properties": {"child": {"$ref": "#"}}}
        => "interface FResult { child?: FResult }\n\n{ child?: FResult }";
    any_pointer: {"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}
        => "type A = string;\n\n{ a?: string; b?: A }";
    pointer_to_items: {"properties": {"hits": {"items": {"type": "string"}}, "b": {"$ref": "#/properties/hits/items"}}}
        => "type Hits = string;\n\n{ hits?: string[]; b?: Hits }";
    escaped_pointer: {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"type": "string"}}} => "type ABC = string;\n\nABC";
    names_are_pascal_case: {"$ref": "#/$defs/search_hit", "$defs": {"search_hit": {"type": "string"}}}
        => "type SearchHit = string;\n\nSearchHit";
    names_that_come_out_the_same:
        {"prefixItems": [{"$ref": "#/$defs/a_b"}, {"$ref": "#/$defs/aB"}], "$defs": {"a_b": {"type": "string"}, "aB": {"type": "number"}}}
        => "type AB = string;\n\ntype FResultAB = number;\n\n[AB, FResultAB]";
    names_of_the_language: {"$ref": "#/$defs/Promise", "$defs": {"Promise": {"type": "string"}}}
        => "type PromiseType = string;\n\nPromiseType";
    names_without_letters: {"$ref": "#/$defs/-", "$defs": {"-": {"type": "string"}}} => "type Defs = string;\n\nDefs";
    missing_definition: {"$ref": "#/$defs/B", "$defs": {}} => "unknown";
    other_document: {"$ref": "https://example.com/schema.json"} => "unknown";
    anchor: {"$ref": "#a", "$defs": {"A": {"$anchor": "a", "type": "string"}}} => "unknown";
    broken_escape: {"$ref": "#/$defs/%zz"} => "unknown";
    reference_that_is_no_string: {"$ref": 3, "type": "string"} => "string";
    reference_with_more_beside_it:
        {"$ref": "#/$defs/A", "properties": {"b": {}}, "$defs": {"A": {"properties": {"a": {}}}}}
        => "interface A { a?: unknown }\n\n{ b?: unknown } & A";
    nullable_reference: {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {"A": {"type": "string"}}}
        => "type A = string;\n\nA | null";
    inheritance:
        {"$ref": "#/$defs/B", "$defs": {"A": {"properties": {"a": {}}}, "B": {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {}}}]}}}
        => "type B = A & { b?: unknown };\n\ninterface A { a?: unknown }\n\nB";
}

#[test]
fn definitions_are_documented() {
    let schema = json!({
        "properties": {"unit": {"$ref": "#/$defs/Unit", "description": "The unit to use"}},
        "$defs": {"Unit": {"description": "A unit of length", "enum": ["m", "ft"], "default": "m"}},
    });
    assert_snapshot!(type_of(schema), @r#"
    /** A unit of length (default "m") */
    type Unit = "m" | "ft";

    {
      /** The unit to use */
      unit?: Unit;
    }
    "#);
}

#[test]
fn the_same_definition_in_several_tools_is_declared_once() {
    let tool = |name: &str| {
        ToolSpec::new(name)
            .parameters(json!({"$ref": "#/$defs/P", "$defs": {"P": {"properties": {"x": {"type": "number"}}}}}))
            .returns(json!({"$ref": "#/$defs/P", "$defs": {"P": {"properties": {"x": {"type": "number"}}}}}))
    };
    assert_snapshot!(declare(&[tool("a"), tool("b")]).unwrap(), @r#"
    interface P { x?: number }

    declare function a(args?: P): Promise<P>;

    declare function b(args?: P): Promise<P>;
    "#);
}

#[test]
fn different_definitions_of_one_name_get_different_names() {
    let tool = |name: &str, leaf: &str| {
        ToolSpec::new(name).parameters(json!({
            "type": "object",
            "properties": {"p": {"$ref": "#/$defs/P"}, "q": {"$ref": "#/$defs/Same"}},
            "$defs": {
                "P": {"properties": {"leaf": {"$ref": "#/$defs/Leaf"}}},
                "Leaf": {"type": leaf},
                "Same": {"type": "null"},
            },
        }))
    };
    assert_snapshot!(declare(&[tool("a", "string"), tool("b", "number")]).unwrap(), @r#"
    interface P { leaf?: Leaf }

    type Same = null;

    type Leaf = string;

    declare function a(args?: { p?: P; q?: Same }): Promise<unknown>;

    interface BArgsP { leaf?: BArgsLeaf }

    type BArgsLeaf = number;

    declare function b(args?: { p?: BArgsP; q?: Same }): Promise<unknown>;
    "#);
}
