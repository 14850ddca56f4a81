use hotcell_prompt::{NameKind, PromptError, ToolMode, ToolSpec, declare_tool, tools_prompt};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::declare;

fn search() -> ToolSpec {
    ToolSpec::new("web_search")
        .description("Searches the web.\n\nBest hits first.")
        .parameters(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many hits"},
                "safe": {"type": "boolean"},
                "sort": {"enum": ["date", "rank"], "description": "Order of the hits"},
                "range": {
                    "type": "object",
                    "description": "Only hits from this time",
                    "properties": {
                        "from": {"type": "string", "format": "date"},
                        "to": {"type": "string", "format": "date"},
                    },
                    "required": ["from"],
                },
            },
            "required": ["query"],
        }))
        .returns(json!({
            "description": "The hits",
            "type": "array",
            "items": {"$ref": "#/$defs/search_hit"},
            "$defs": {"search_hit": {
                "description": "One hit.",
                "type": "object",
                "properties": {"url": {"type": "string", "format": "uri"}, "score": {"type": "number"}},
                "required": ["url", "score"],
            }},
        }))
}

#[test]
fn a_tool_that_takes_an_object() {
    assert_snapshot!(declare(&[search()]).unwrap(), @r#"
    /** One hit. */
    interface SearchHit {
      /** (format uri) */
      url: string;
      score: number;
    }

    /**
     * Searches the web.
     *
     * Best hits first.
     *
     * @returns The hits
     */
    declare function web_search(args: {
      /** What to look for */
      query: string;
      /** How many hits (integer, min 1, max 50, default 10) */
      limit?: number;
      safe?: boolean;
      /** Order of the hits */
      sort?: "date" | "rank";
      /** Only hits from this time */
      range?: {
        /** (format date) */
        from: string;
        /** (format date) */
        to?: string;
      };
    }): Promise<SearchHit[]>;
    "#);
}

#[test]
fn a_tool_that_takes_arguments_one_by_one() {
    assert_snapshot!(declare(&[search().positional().sync()]).unwrap(), @r#"
    /** One hit. */
    interface SearchHit {
      /** (format uri) */
      url: string;
      score: number;
    }

    /**
     * Searches the web.
     *
     * Best hits first.
     *
     * @param query - What to look for
     * @param limit - How many hits (integer, min 1, max 50, default 10)
     * @param sort - Order of the hits
     * @param range - Only hits from this time
     * @returns The hits
     */
    declare function web_search(query: string, limit?: number, safe?: boolean, sort?: "date" | "rank", range?: {
      /** (format date) */
      from: string;
      /** (format date) */
      to?: string;
    }): SearchHit[];
    "#);
}

#[test]
fn several_tools() {
    let tools = [
        ToolSpec::new("now")
            .description("The time")
            .sync()
            .parameters(json!({"type": "object"})),
        ToolSpec::new("log"),
        ToolSpec::new("wait")
            .parameters(json!({"properties": {"ms": {"type": "integer"}}}))
            .returns(json!({"type": "null"})),
    ];
    assert_snapshot!(declare(&tools).unwrap(), @r#"
    /** The time */
    declare function now(): unknown;

    declare function log(...args: unknown[]): Promise<unknown>;

    declare function wait(args?: {
      /** (integer) */
      ms?: number;
    }): Promise<null>;
    "#);
}

fn list_of(parameters: Value, positional: bool) -> String {
    let mut tool = ToolSpec::new("f").parameters(parameters);
    tool.positional = positional;
    let text = declare(&[tool]).unwrap();
    let (_, rest) = text.split_once("declare function f(").unwrap();
    rest.strip_suffix("): Promise<unknown>;")
        .unwrap()
        .to_owned()
}

macro_rules! lists {
    ($($name:ident: $kind:ident $schema:tt => $list:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(list_of(json!($schema), stringify!($kind) == "positional"), $list);
            }
        )*
    };
}

lists! {
    no_properties_no_parameter: object {"type": "object", "properties": {}} => "";
    a_closed_empty_object_is_no_parameter: object {"type": "object", "additionalProperties": false} => "";
    an_object_of_optional_properties_is_optional: object {"properties": {"a": {"type": "string"}}} => "args?: { a?: string }";
    an_object_with_a_required_property_is_required: object {"properties": {"a": {}}, "required": ["a"]} => "args: { a: unknown }";
    a_map: object {"type": "object", "additionalProperties": {"type": "string"}} => "args: { [key: string]: string }";
    a_single_value: object {"type": "string"} => "input: string";
    an_array: object {"type": "array", "items": {"type": "number"}} => "input: number[]";
    a_schema_that_says_nothing: object {} => "...args: unknown[]";
    a_schema_that_says_nothing_but_its_name: object {"$schema": "x", "title": "y"} => "...args: unknown[]";
    a_union_of_objects: object {"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}
        => "input: { a?: unknown } | { b?: unknown }";
    positional_parameters_keep_their_order: positional {"properties": {"z": {}, "a": {}}, "required": ["a", "z"]}
        => "z: unknown, a: unknown";
    positional_parameters_at_the_end_can_be_left_out:
        positional {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
        => "a: string, b?: string";
    positional_parameters_before_a_required_one_cannot:
        positional {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}
        => "a: string | undefined, b: string";
    positional_names_become_identifiers: positional {"properties": {"a-b": {}, "class": {}, "1": {}, "a b": {}, "this": {}}}
        => "a_b?: unknown, class_?: unknown, _1?: unknown, a_b_2?: unknown, this_?: unknown";
    positional_tuple: positional {"prefixItems": [{"type": "string"}, {"type": "number"}]} => "...args: [string, number]";
    positional_list: positional {"type": "array", "items": {"type": "string"}} => "...args: string[]";
    positional_scalar: positional {"type": "string"} => "input: string";
    positional_nothing: positional {"type": "object"} => "";
    positional_behind_a_reference:
        positional {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"x": {"type": "number"}}}}} => "x?: number";
}

#[test]
fn names_that_are_no_identifiers_are_refused() {
    for (name, suggestion) in [
        ("web-search", "web_search"),
        ("1st", "_1st"),
        ("", "_"),
        ("a b", "a_b"),
        ("x.", "x_"),
        ("x..y", "x__y"),
        ("x.class", "x_class"),
        ("f()", "f__"),
        ("💥", "_"),
        ("a\n", "a_"),
    ] {
        let error = declare_tool(&ToolSpec::new(name)).unwrap_err();
        assert_eq!(
            error,
            PromptError::InvalidName {
                kind: NameKind::Tool,
                name: name.to_owned(),
                suggestion: suggestion.to_owned(),
            }
        );
    }
}

#[test]
fn refused_names_come_with_advice() {
    let error = declare_tool(&ToolSpec::new("web-search")).unwrap_err();
    assert_snapshot!(error, @r#"tool name "web-search" is not a JavaScript identifier; use for example "web_search""#);
    let error = declare_tool(&ToolSpec::new("final_answer")).unwrap_err();
    assert_snapshot!(error, @r#"tool name "final_answer" cannot be used: the runtime defines it itself"#);
}

#[test]
fn reserved_names_are_refused() {
    for name in [
        "class",
        "await",
        "null",
        "final_answer",
        "console",
        "__smol_guard",
        "eval",
        "undefined",
    ] {
        let error = declare_tool(&ToolSpec::new(name)).unwrap_err();
        assert!(matches!(error, PromptError::ReservedName { .. }), "{name}");
    }
}

#[test]
fn names_in_any_script_are_accepted() {
    for name in [
        "a", "$", "_", "été", "検索", "a1", "async", "of", "readTool",
    ] {
        assert!(declare(&[ToolSpec::new(name)]).is_ok(), "{name}");
    }
}

#[test]
fn two_tools_with_one_name_are_refused() {
    let error = declare(&[ToolSpec::new("a"), ToolSpec::new("a")]).unwrap_err();
    assert_eq!(
        error,
        PromptError::DuplicateName {
            name: "a".to_owned()
        }
    );
}

#[test]
fn tools_of_the_protocol_are_read() {
    let tool: ToolSpec = serde_json::from_value(json!({
        "name": "add", "mode": "sync", "description": "Adds",
        "parameters": {"properties": {"a": {"type": "number"}}}, "returns": {"type": "number"},
    }))
    .unwrap();
    assert_eq!((tool.mode, tool.positional), (ToolMode::Sync, false));
    assert_eq!(
        declare(&[tool]).unwrap(),
        "/** Adds */\ndeclare function add(args?: { a?: number }): number;"
    );
}

#[test]
fn tools_of_an_mcp_server_are_read() {
    let tool: ToolSpec = serde_json::from_value(json!({
        "name": "add", "title": "Add", "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
        "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}}},
    }))
    .unwrap();
    assert_eq!(
        declare(&[tool]).unwrap(),
        "declare function add(args: { a: number }): Promise<{ sum?: number }>;"
    );
}

#[test]
fn tools_in_namespaces_are_declared_in_them() {
    let tools = [
        ToolSpec::new("Host.readDoc").description("Reads a document"),
        ToolSpec::new("add").sync(),
        ToolSpec::new("Host.list"),
        ToolSpec::new("Host.files.stat"),
    ];
    assert_snapshot!(tools_prompt(&tools).unwrap(), @r"
    declare function add(...args: unknown[]): unknown;

    declare namespace Host {
      /** Reads a document */
      function readDoc(...args: unknown[]): Promise<unknown>;

      function list(...args: unknown[]): Promise<unknown>;
    }

    declare namespace Host.files {
      function stat(...args: unknown[]): Promise<unknown>;
    }
    ");
    let both = [ToolSpec::new("Host"), ToolSpec::new("Host.readDoc")];
    assert!(tools_prompt(&both).is_err());
}
