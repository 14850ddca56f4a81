//! Values as JSON, there and back.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use hotcell_cell::{BigInt, ErrorValue, MAX_DEPTH, Text, Value, View, ViewKind};
use hotcell_executor::json::{from_json, text_length, to_json, to_text};
use hotcell_meter::Unwatched;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// What `NaN` is equal to as well.
fn same(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[track_caller]
fn round_trip(value: &Value, expected: &Json) {
    let json = to_json(value);
    assert_eq!(json.to_string(), expected.to_string());
    let back = from_json(&json).unwrap();
    assert!(same(&back, value), "{back:?} is not {value:?}");
}

#[track_caller]
fn refused(json: &Json, message: &str) {
    assert_eq!(from_json(json).unwrap_err().to_string(), message);
}

#[test]
fn plain_json_stays_plain() {
    let value = Value::object([
        ("z", Value::from(42)),
        (
            "a",
            Value::array([Value::Null, true.into(), "x".into(), 0.5.into()]),
        ),
        ("big", Value::Number(1e20)),
        ("whole", Value::Number(9_007_199_254_740_993.0)),
    ]);
    round_trip(
        &value,
        &json!({"z": 42, "a": [null, true, "x", 0.5], "big": 1e20, "whole": 9_007_199_254_740_992_i64}),
    );
    assert_eq!(to_json(&Value::from(-3)).to_string(), "-3");
}

#[test]
fn every_kind_has_its_form() {
    round_trip(&Value::Undefined, &json!({"$": "undefined"}));
    for (number, name) in [
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (-0.0, "-0"),
    ] {
        round_trip(
            &Value::Number(number),
            &json!({"$": "number", "value": name}),
        );
    }
    round_trip(
        &Value::BigInt(BigInt::from(-12) * BigInt::from(10).pow(30)),
        &json!({"$": "bigint", "value": "-12000000000000000000000000000000"}),
    );
    round_trip(
        &Value::Map(vec![(Value::from(1), Value::from("one"))]),
        &json!({"$": "map", "entries": [[1, "one"]]}),
    );
    round_trip(
        &Value::Set(vec![Value::from(1)]),
        &json!({"$": "set", "values": [1]}),
    );
    round_trip(
        &Value::RegExp {
            source: "a+".into(),
            flags: "gi".into(),
        },
        &json!({"$": "regexp", "source": "a+", "flags": "gi"}),
    );
    round_trip(
        &Value::object([("$", Value::from(1)), ("b", 2.into())]),
        &json!({"$": "object", "entries": [["$", 1], ["b", 2]]}),
    );
    round_trip(
        &Value::array([1.into(), Value::Hole, 3.into()]),
        &json!([1, {"$": "hole"}, 3]),
    );
    round_trip(
        &Value::Boxed(Box::new(Value::from("s"))),
        &json!({"$": "boxed", "value": "s"}),
    );
}

#[test]
fn dates_are_iso_texts() {
    for (time, text) in [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_767_225_600_000.0, "2026-01-01T00:00:00.000Z"),
        (951_825_599_999.0, "2000-02-29T11:59:59.999Z"),
        (-62_198_755_200_000.0, "-000001-01-01T00:00:00.000Z"),
        (8_640_000_000_000_000.0, "+275760-09-13T00:00:00.000Z"),
        (-8_640_000_000_000_000.0, "-271821-04-20T00:00:00.000Z"),
    ] {
        round_trip(&Value::Date(time), &json!({"$": "date", "value": text}));
    }
    round_trip(&Value::Date(f64::NAN), &json!({"$": "date", "value": null}));
    round_trip(&Value::Date(1.5), &json!({"$": "date", "value": 1.5}));
}

#[test]
fn dates_come_in_the_forms_of_other_languages() {
    for text in [
        "2026-01-01T02:00:00+02:00",
        "2026-01-01T00:00:00.000000+00:00",
        "2026-01-01 00:00Z",
        "2025-12-31T24:00:00Z",
    ] {
        let date = from_json(&json!({"$": "date", "value": text})).unwrap();
        assert_eq!(date, Value::Date(1_767_225_600_000.0), "{text}");
    }
    for text in [
        "2026-01-01",
        "2026-02-30T00:00:00Z",
        "2026-01-01T00:00:00",
        "x",
        "",
        "2026-01-01T00:00:00.Z",
        "-000000-01-01T00:00:00Z",
    ] {
        assert!(
            from_json(&json!({"$": "date", "value": text})).is_err(),
            "{text}"
        );
    }
}

#[test]
fn bytes_say_what_they_are() {
    round_trip(
        &Value::bytes(*b"hi"),
        &json!({"$": "bytes", "base64": "aGk="}),
    );
    round_trip(
        &Value::Buffer(b"hi".to_vec()),
        &json!({"$": "bytes", "type": "ArrayBuffer", "base64": "aGk="}),
    );
    round_trip(
        &Value::View(Box::new(View {
            kind: ViewKind::Float64,
            offset: 0,
            length: 1,
            buffer: Value::Buffer(vec![0; 8]),
        })),
        &json!({"$": "bytes", "type": "Float64Array", "base64": "AAAAAAAAAAA="}),
    );
    round_trip(
        &Value::View(Box::new(View {
            kind: ViewKind::Uint16,
            offset: 2,
            length: 1,
            buffer: Value::Buffer(vec![0; 4]),
        })),
        &json!({"$": "view", "type": "Uint16Array", "offset": 2, "length": 1,
                "buffer": {"$": "bytes", "type": "ArrayBuffer", "base64": "AAAAAA=="}}),
    );
}

#[test]
fn a_buffer_that_two_views_share_is_sent_once() {
    let view = |buffer| {
        Value::View(Box::new(View {
            kind: ViewKind::Uint8,
            offset: 0,
            length: 2,
            buffer,
        }))
    };
    // The array is 0, the first view 1, its buffer 2.
    round_trip(
        &Value::array([
            view(Value::Buffer(b"hi".to_vec())),
            view(Value::Reference(2)),
        ]),
        &json!([
            {"$": "view", "type": "Uint8Array", "offset": 0, "length": 2,
             "buffer": {"$": "def", "id": 2, "value": {"$": "bytes", "type": "ArrayBuffer", "base64": "aGk="}}},
            {"$": "view", "type": "Uint8Array", "offset": 0, "length": 2, "buffer": {"$": "ref", "id": 2}},
        ]),
    );
}

#[test]
fn errors_keep_cause_and_properties() {
    let mut error = ErrorValue::new("TypeError", "no");
    round_trip(
        &Value::from(error.clone()),
        &json!({"$": "error", "name": "TypeError", "message": "no"}),
    );
    error.stack = "at x".into();
    error.cause = Some(Value::Undefined);
    error.properties = vec![("code".into(), "ENOENT".into())];
    round_trip(
        &Value::from(error.clone()),
        &json!({"$": "error", "name": "TypeError", "message": "no", "stack": "at x",
                "cause": {"$": "undefined"}, "properties": {"code": "ENOENT"}}),
    );
    error.properties = vec![("$".into(), 1.into())];
    assert_eq!(
        to_json(&Value::from(error.clone()))["properties"],
        json!([["$", 1]])
    );
    assert_eq!(
        from_json(&to_json(&Value::from(error.clone()))).unwrap(),
        Value::from(error)
    );
    assert_eq!(
        from_json(&json!({"$": "error"})).unwrap(),
        Value::from(ErrorValue::new("Error", "")),
    );
}

#[test]
fn cycles_and_shared_objects_are_marked() {
    // const a = {}; a.self = a; [a, a]
    let cyclic = Value::array([
        Value::object([("self", Value::Reference(1))]),
        Value::Reference(1),
    ]);
    round_trip(
        &cyclic,
        &json!([{"$": "def", "id": 1, "value": {"self": {"$": "ref", "id": 1}}}, {"$": "ref", "id": 1}]),
    );
    // A client may number as it likes.
    let json = json!({"$": "def", "id": 700, "value": [{"$": "def", "id": 3, "value": {}}, {"$": "ref", "id": 3}, {"$": "ref", "id": 700}]});
    assert_eq!(
        from_json(&json).unwrap(),
        Value::array([
            Value::Object(vec![]),
            Value::Reference(1),
            Value::Reference(0)
        ]),
    );
}

#[test]
fn half_a_surrogate_pair_survives_everywhere() {
    let half = Text::from_utf16(&[0x61, 0xd800]);
    let units = json!({"$": "string", "units": [0x61, 0xd800]});
    round_trip(&Value::String(half.clone()), &units);
    round_trip(
        &Value::Object(vec![(half.clone(), 1.into())]),
        &json!({"$": "object", "entries": [[units, 1]]}),
    );
    let mut error = ErrorValue::new(half.clone(), half.clone());
    error.stack = half.clone();
    error.properties = vec![(half, 1.into())];
    let error = Value::from(error);
    assert_eq!(from_json(&to_json(&error)).unwrap(), error);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    refused(
        &json!({"items": [1, 2, 3, {"$": "functon"}]}),
        "items[3].$: unknown kind \"functon\"; the kinds are undefined, number, bigint, string, date, bytes, view, map, set, \
         regexp, error, object, boxed, hole, def, ref",
    );
    refused(
        &json!({"a b": {"$": 1}}),
        "[\"a b\"].$: a kind is a string; an object with a key $ of its own is sent as \
         {\"$\":\"object\",\"entries\":[[key,value]…]}",
    );
    refused(
        &json!([{"$": "undefined", "x": 1}]),
        "[0].x: unknown member of the kind undefined",
    );
    refused(
        &json!({"$": "map"}),
        "the kind map needs the member entries",
    );
    refused(
        &json!({"$": "map", "entries": [[1]]}),
        "entries[0]: expected a pair [key, value]",
    );
    refused(
        &json!({"$": "hole"}),
        "a hole can only stand inside an array",
    );
    refused(
        &json!({"$": "ref", "id": 1}),
        "id: no object was marked with {\"$\":\"def\",\"id\":1} before",
    );
    refused(
        &json!({"$": "def", "id": 1, "value": {"$": "ref", "id": 1}}),
        "value.id: no object was marked with {\"$\":\"def\",\"id\":1} before",
    );
    refused(
        &json!({"$": "def", "id": 1, "value": 5}),
        "value: only an object can be marked",
    );
    refused(
        &json!({"$": "def", "id": 1, "value": {"$": "def", "id": 2, "value": {}}}),
        "value: an object is marked once",
    );
    refused(
        &json!([{"$": "def", "id": 1, "value": {}}, {"$": "def", "id": 1, "value": {}}]),
        "[1].id: the id 1 marks another object already",
    );
    refused(
        &json!({"$": "number", "value": "1"}),
        "value: expected \"NaN\", \"Infinity\", \"-Infinity\" or \"-0\"; any other number is plain JSON",
    );
    refused(
        &json!({"$": "bigint", "value": "1e3"}),
        "value: expected decimal digits, or 0x and hexadecimal ones, with or without a minus sign",
    );
    refused(
        &json!({"$": "bigint", "value": "9".repeat(400_000)}),
        "value: expected at most 315653 digits",
    );
    refused(
        &json!({"$": "bytes", "base64": "AA", "type": "Int16Array"}),
        "base64: 1 bytes are no whole number of elements: those of a Int16Array have 2",
    );
    refused(
        &json!({"$": "bytes", "base64": "", "type": "Foo"}),
        "type: unknown type of view \"Foo\"",
    );
    refused(
        &json!({"$": "view", "type": "DataView", "offset": 3, "length": 1, "buffer": {"$": "bytes", "base64": "AAAA", "type": "ArrayBuffer"}}),
        "a view that ends at byte 4 is outside of its buffer of 3 bytes",
    );
    refused(
        &json!({"$": "view", "type": "DataView", "offset": 0, "length": 1, "buffer": {"$": "bytes", "base64": "AAAA"}}),
        "buffer: expected an ArrayBuffer, or a reference to one",
    );
    refused(
        &json!({"$": "boxed", "value": null}),
        "value: expected a boolean, number, bigint or string",
    );
    refused(
        &json!({"$": "string", "units": [70000]}),
        "units[0]: expected an integer from 0 to 65535",
    );
    let error = from_json(&json!([{"$": "x"}]))
        .unwrap_err()
        .within("variables.x");
    assert_eq!(error.path(), "variables.x[0].$");
}

fn nested(depth: u32) -> Json {
    (0..depth).fold(json!(1), |inner, _| Json::Array(vec![inner]))
}

/// Dropped level by level: `serde_json` would recurse.
fn unnest(mut json: Json) {
    while let Json::Array(mut inner) = json {
        json = inner.pop().unwrap_or_default();
    }
}

#[test]
fn nesting_has_a_limit_on_both_ways() {
    let deepest = from_json(&nested(MAX_DEPTH)).unwrap();
    assert_eq!(to_json(&deepest), nested(MAX_DEPTH));
    let too_deep = nested(MAX_DEPTH + 1);
    assert!(
        from_json(&too_deep)
            .unwrap_err()
            .problem()
            .starts_with("nested more than 1000")
    );

    let marked = to_json(&Value::array([deepest]));
    assert!(marked.to_string().contains(r#"{"$":"too-deep"}"#));
    assert!(
        from_json(&marked)
            .unwrap_err()
            .problem()
            .contains("levels deep")
    );

    let abyss = nested(200_000);
    assert!(from_json(&abyss).is_err());
    unnest(abyss);
}

#[test]
fn the_deepest_of_the_widest_kind_fits_the_stack() {
    let walk = || {
        let value = (0..MAX_DEPTH).fold(Value::Null, |inner, _| {
            let mut error = ErrorValue::new("Error", "x");
            error.cause = Some(inner);
            Value::from(error)
        });
        assert_eq!(from_json(&to_json(&value)).unwrap(), value);
        let value = (0..MAX_DEPTH).fold(Value::Null, |inner, _| {
            Value::Map(vec![(inner, Value::Null)])
        });
        assert_eq!(from_json(&to_json(&value)).unwrap(), value);
    };
    // Half of what a thread has by default; frames without optimisation are several times as large.
    let stack = if cfg!(debug_assertions) {
        6 << 20
    } else {
        1 << 20
    };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(walk);
    thread.unwrap().join().unwrap();
}

fn any_text() -> impl Strategy<Value = Text> {
    prop_oneof![
        4 => "[a-c$]{0,3}".prop_map(Text::from),
        1 => ".{0,8}".prop_map(Text::from),
        1 => proptest::collection::vec(any::<u16>(), 0..4).prop_map(|units| Text::from_utf16(&units)),
    ]
}

fn any_primitive() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_map(Value::Number),
        any::<i32>().prop_map(Value::from),
        Just(Value::Number(f64::NAN)),
        Just(Value::Number(-0.0)),
        any::<i128>().prop_map(|n| Value::BigInt(BigInt::from(n))),
        any_text().prop_map(Value::String),
    ]
}

fn any_view() -> impl Strategy<Value = Value> {
    let kinds = prop_oneof![
        Just(ViewKind::Uint8),
        Just(ViewKind::Int16),
        Just(ViewKind::Float64),
        Just(ViewKind::DataView)
    ];
    (kinds, 0u32..3, 0u32..3, 0usize..5).prop_map(|(kind, offset, length, more)| {
        let size = kind.element_size();
        let bytes = ((offset + length) * size) as usize + more;
        Value::View(Box::new(View {
            kind,
            offset: offset * size,
            length,
            buffer: Value::Buffer(vec![7; bytes]),
        }))
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => any_primitive(),
        1 => prop_oneof![
            Just(Value::Undefined),
            Just(Value::Null),
            // Replaced below by what the place allows.
            any::<u32>().prop_map(Value::Reference),
            any::<f64>().prop_map(Value::Date),
            (-9e15..9e15).prop_map(|time: f64| Value::Date(time.trunc())),
            (any_text(), any_text()).prop_map(|(source, flags)| Value::RegExp { source, flags }),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::Buffer),
            any_primitive().prop_map(|inner| Value::Boxed(Box::new(inner))),
            any_view(),
        ],
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let list = || proptest::collection::vec(inner.clone(), 0..6);
        let properties = || proptest::collection::vec((any_text(), inner.clone()), 0..6);
        prop_oneof![
            proptest::collection::vec(
                prop_oneof![4 => inner.clone(), 1 => Just(Value::Hole)],
                0..6
            )
            .prop_map(Value::Array),
            properties().prop_map(Value::Object),
            list().prop_map(Value::Set),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(Value::Map),
            (
                any_text(),
                any_text(),
                any_text(),
                proptest::option::of(inner.clone()),
                properties()
            )
                .prop_map(|(name, message, stack, cause, properties)| Value::from(
                    ErrorValue {
                        name,
                        message,
                        stack,
                        cause,
                        properties,
                    }
                )),
        ]
    })
    .prop_map(|mut value| {
        settle(&mut value, &mut 0);
        value
    })
}

/// Makes every reference one to an object that began before it.
fn settle(value: &mut Value, objects: &mut u32) {
    if let Value::Reference(index) = value {
        *value = match index.checked_rem(*objects) {
            Some(index) => Value::Reference(index),
            None => Value::Null,
        };
        return;
    }
    *objects += u32::from(value.is_object());
    match value {
        Value::Array(values) | Value::Set(values) => {
            for value in values {
                settle(value, objects);
            }
        }
        Value::Object(properties) => {
            for (_, value) in properties {
                settle(value, objects);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                settle(key, objects);
                settle(value, objects);
            }
        }
        Value::View(view) => settle(&mut view.buffer, objects),
        Value::Error(error) => {
            if let Some(cause) = &mut error.cause {
                settle(cause, objects);
            }
            for (_, value) in &mut error.properties {
                settle(value, objects);
            }
        }
        _ => {}
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<i8>().prop_map(Json::from),
        "[a-z$-]{0,6}".prop_map(Json::from),
    ];
    let word = prop_oneof![
        Just("$"),
        Just("id"),
        Just("value"),
        Just("entries"),
        Just("values"),
        Just("base64"),
        Just("type"),
        Just("buffer"),
        Just("offset"),
        Just("length"),
        Just("units"),
        Just("properties"),
        Just("cause"),
    ];
    let kind = prop_oneof![
        Just("def"),
        Just("ref"),
        Just("map"),
        Just("set"),
        Just("object"),
        Just("bytes"),
        Just("view"),
        Just("error"),
        Just("boxed"),
        Just("date"),
        Just("string"),
        Just("bigint"),
        Just("regexp"),
        Just("hole"),
    ];
    leaf.prop_recursive(4, 48, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            (
                kind.clone(),
                proptest::collection::hash_map(word.clone(), inner, 0..4)
            )
                .prop_map(|(kind, members)| {
                    let mut object: serde_json::Map<String, Json> = members
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect();
                    object.entry("$").or_insert(kind.into());
                    Json::Object(object)
                }),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_comes_back(value in any_value()) {
        let json = to_json(&value);
        let back = from_json(&json).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(same(&back, &value), "{json}");
    }

    #[test]
    fn every_value_comes_back_through_text(value in any_value()) {
        let text = to_json(&value).to_string();
        let json: Json = serde_json::from_str(&text).unwrap();
        prop_assert!(same(&from_json(&json).unwrap(), &value), "{text}");
    }

    #[test]
    fn what_is_taken_is_understood(json in any_json()) {
        if let Ok(value) = from_json(&json) {
            prop_assert!(same(&from_json(&to_json(&value)).unwrap(), &value));
        }
    }
}

proptest! {
    #[test]
    fn the_length_of_a_text_is_known_before_it_is_written(value in any_value(), text in "[\\x00-\\x7f\u{80}-\u{ffff}]{0,50}") {
        let value = Value::array([value, text.as_str().into(), Value::object([(text.as_str(), Value::Null)])]);
        let text = to_text(&value, &Unwatched).unwrap();
        prop_assert_eq!(text_length(&value, &Unwatched).unwrap(), text.len());
    }
}
