//! Dynamic calls: names, arguments, schemas.

use hotcell_tools::FileTools;
use serde_json::{Value, json};

use crate::support::{mem, text_of};

fn message(tool: &str, args: &[Value]) -> String {
    match mem().tools.call(tool, args) {
        Ok(result) => panic!("{tool}{args:?} gave {result}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_tool_is_told_with_the_one_meant() {
    assert_eq!(
        message("raed", &[]),
        "Unknown tool: raed. Did you mean read? There are read, write, edit, grep, find, ls"
    );
    assert_eq!(
        message("bash", &[json!("ls")]),
        "Unknown tool: bash. There are read, write, edit, grep, find, ls"
    );
}

#[test]
fn unknown_parameter_is_told_with_the_one_meant() {
    let cases = [
        (
            "read",
            json!({ "path": "a", "ofset": 1 }),
            "unknown parameter ofset; did you mean offset?",
        ),
        (
            "read",
            json!({ "file_path": "a" }),
            "unknown parameter file_path; did you mean path?",
        ),
        (
            "edit",
            json!({ "path": "a", "old_string": "x" }),
            "did you mean oldText?",
        ),
        (
            "grep",
            json!({ "pattern": "a", "case_insensitive": true }),
            "did you mean ignoreCase?",
        ),
        (
            "ls",
            json!({ "zzz": 1 }),
            "unknown parameter zzz (parameters: path, limit)",
        ),
    ];
    for (tool, args, part) in cases {
        let message = message(tool, &[args]);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn missing_parameter_is_named() {
    assert_eq!(
        message("read", &[]),
        "read: missing parameter path (a string)"
    );
    assert_eq!(
        message("write", &[json!("a.txt")]),
        "write: missing parameter content (a string)"
    );
    assert_eq!(
        message("edit", &[json!({ "path": "a", "oldText": "x" })]),
        "edit: missing parameter newText (a string)"
    );
    assert!(message("edit", &[json!("a")]).contains("oldText and newText"));
    assert_eq!(
        message(
            "edit",
            &[json!({ "path": "a", "edits": [{ "oldText": "x" }] })]
        ),
        "edit: missing parameter edits[0].newText (a string)"
    );
}

#[test]
fn mistyped_parameter_is_told_with_what_was_given() {
    let cases = [
        (
            "read",
            json!({ "path": 5 }),
            "read: path must be a string, got 5",
        ),
        (
            "read",
            json!({ "path": "a", "offset": "51" }),
            "read: offset must be a whole number of at least 0, got the string \"51\"",
        ),
        (
            "read",
            json!({ "path": "a", "limit": -1 }),
            "read: limit must be a whole number of at least 1, got -1",
        ),
        (
            "read",
            json!({ "path": "a", "limit": 1.5 }),
            "read: limit must be a whole number of at least 1, got 1.5",
        ),
        (
            "grep",
            json!({ "pattern": "a", "literal": "yes" }),
            "grep: literal must be true or false, got the string \"yes\"",
        ),
        (
            "edit",
            json!({ "path": "a", "edits": "x" }),
            "edit: edits must be an array of {oldText, newText}, got the string \"x\"",
        ),
        (
            "edit",
            json!({ "path": "a", "edits": [1] }),
            "edit: edits[0] must be an object {oldText, newText}, got 1",
        ),
    ];
    for (tool, args, expected) in cases {
        assert_eq!(message(tool, &[args]), expected);
    }
}

#[test]
fn a_parameter_given_twice_is_refused() {
    assert!(
        message(
            "edit",
            &[json!({ "path": "a", "oldText": "x", "old_text": "y", "newText": "" })]
        )
        .contains("oldText is given twice")
    );
    assert!(message("read", &[json!("a"), json!({ "path": "b" })]).contains("path is given twice"));
    assert!(
        message(
            "edit",
            &[json!({ "path": "a", "oldText": "x", "newText": "y", "edits": [{ "oldText": "x", "newText": "y" }] })]
        )
        .contains("got both")
    );
}

#[test]
fn too_many_arguments_are_refused() {
    assert_eq!(
        message("ls", &[json!("a"), json!(1), json!(2)]),
        "ls: takes at most 2 arguments (path, limit), got 3"
    );
}

#[test]
fn positional_arguments_may_end_with_an_object_of_the_others() {
    let backend = mem();
    backend.put("a.txt", "one\ntwo\nthree\n");
    let args = [json!("a.txt"), json!({ "offset": 2, "limit": 1 })];
    let result = backend.tools.call("read", &args).unwrap();
    assert_eq!(
        text_of(&result),
        "two\n\n[1 more lines in file. Use offset=3 to continue.]"
    );
}

#[test]
fn an_object_in_place_of_text_is_not_taken_for_parameters() {
    assert_eq!(
        message("write", &[json!("a.json"), json!({ "a": 1 })]),
        "write: content must be a string, got an object; JSON.stringify makes a string of it"
    );
    assert!(
        message("read", &[json!("a.txt"), json!({ "ofset": 1 })]).contains("did you mean offset?")
    );
}

#[test]
fn null_is_the_same_as_nothing_and_numbers_may_be_floating() {
    let backend = mem();
    backend.put("a.txt", "one\ntwo\n");
    let args = [json!("a.txt"), Value::Null, json!(1.0)];
    assert_eq!(
        text_of(&backend.tools.call("read", &args).unwrap()),
        "one\n\n[1 more lines in file. Use offset=2 to continue.]"
    );
    let all = json!({ "path": "a.txt", "limit": 1e300, "offset": null });
    assert_eq!(backend.text("read", all), "one\ntwo\n");
}

#[test]
fn schemas_describe_what_the_calls_take() {
    let tools = FileTools::list();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["read", "write", "edit", "grep", "find", "ls"]);
    for tool in &tools {
        assert_eq!(tool.aliases, [format!("{}Tool", tool.name)]);
        assert!(!tool.description.contains('\n'));
        assert_eq!(tool.arguments["type"], "object");
        assert_eq!(tool.arguments["additionalProperties"], false);
        for name in &tool.parameters {
            let property = &tool.arguments["properties"][name];
            assert!(property["description"].is_string(), "{} {name}", tool.name);
        }
        assert_eq!(tool.result["properties"]["content"]["type"], "array");
    }
    assert_eq!(tools[0].arguments["required"], json!(["path"]));
    assert_eq!(
        tools[2].arguments["properties"]["edits"]["items"]["required"],
        json!(["oldText", "newText"])
    );
    assert_eq!(tools[3].arguments["properties"]["limit"]["default"], 100);
}
