//! Values both ways.

use std::sync::{Arc, Mutex};

use hotcell_cell::{
    BigInt, CellError, CellOptions, ErrorValue, MAX_DEPTH, Text, Tool, Value, View, ViewKind,
    decode_for_fuzzing, encode_for_fuzzing,
};
use proptest::prelude::*;

use crate::support::{cell, engine, eval, fail, fresh, thrown};

#[test]
fn primitives_leave_the_cell() {
    assert_eq!(fresh("undefined"), Value::Undefined);
    assert_eq!(fresh("null"), Value::Null);
    assert_eq!(fresh("true"), Value::from(true));
    assert_eq!(fresh("-7"), Value::from(-7));
    assert_eq!(fresh("2 ** 40 + 0.5"), Value::from(1_099_511_627_776.5));
    assert_eq!(fresh("1 / 0"), Value::from(f64::INFINITY));
    assert!(fresh("NaN").as_f64().unwrap().is_nan());
    let zero = fresh("-0").as_f64().unwrap();
    assert!(zero == 0.0 && zero.is_sign_negative());
    assert_eq!(fresh("'grüße 🎉'"), Value::from("grüße 🎉"));
    assert_eq!(
        fresh("'\\ud800x'"),
        Value::String(Text::from_utf16(&[0xd800, 0x78]))
    );
    assert_eq!(
        fresh("'a'.repeat(3) + ('b' + 'c').repeat(2000)"),
        Value::from("aaa".to_owned() + &"bc".repeat(2000))
    );
    assert_eq!(
        fresh("-12345678901234567890n"),
        Value::BigInt("-12345678901234567890".parse::<BigInt>().unwrap())
    );
    for n in [
        "0",
        "-1",
        "127",
        "128",
        "-128",
        "9223372036854775807",
        "-9223372036854775808",
        "340282366920938463463374607431768211456",
    ] {
        assert_eq!(
            fresh(&format!("{n}n")),
            Value::BigInt(n.parse().unwrap()),
            "{n}"
        );
    }
}

#[test]
fn objects_leave_the_cell() {
    assert_eq!(
        fresh("[1, , 3, ,]"),
        Value::array([Value::from(1), Value::Hole, Value::from(3), Value::Hole])
    );
    assert_eq!(
        fresh("({ b: 1, a: { 2: 'x' } })"),
        Value::object([
            ("b", Value::from(1)),
            ("a", Value::object([("2", Value::from("x"))]))
        ])
    );
    assert_eq!(fresh("new Date(86400000)"), Value::Date(86_400_000.0));
    assert!(matches!(fresh("new Date(NaN)"), Value::Date(time) if time.is_nan()));
    assert_eq!(
        fresh("/a\\/b/giu"),
        Value::RegExp {
            source: "a\\/b".into(),
            flags: "giu".into()
        }
    );
    assert_eq!(
        fresh("new Map([[{}, 1], ['k', new Set([2])]])"),
        Value::Map(vec![
            (Value::Object(vec![]), Value::from(1)),
            (Value::from("k"), Value::Set(vec![Value::from(2)]))
        ])
    );
    assert_eq!(fresh("new Uint8Array([1, 2])"), Value::bytes([1, 2]));
    assert_eq!(fresh("new ArrayBuffer(2)"), Value::Buffer(vec![0, 0]));
    assert_eq!(
        fresh("new Int16Array(new ArrayBuffer(8), 2, 1)"),
        Value::View(Box::new(View {
            kind: ViewKind::Int16,
            offset: 2,
            length: 1,
            buffer: Value::Buffer(vec![0; 8])
        }))
    );
    assert_eq!(
        fresh("Object(1n)"),
        Value::Boxed(Box::new(Value::BigInt(1.into())))
    );
    assert_eq!(
        fresh("class A { x = 1; get y() { return 2 } } new A"),
        Value::object([("x", Value::from(1))])
    );
    assert_eq!(
        fresh("({ get computed() { return 'by getter' } })"),
        Value::object([("computed", Value::from("by getter"))])
    );
    assert_eq!(
        fresh("Object.create(null, { a: { value: 1, enumerable: true }, b: { value: 2 } })"),
        Value::object([("a", Value::from(1))])
    );
}

#[test]
fn errors_leave_the_cell_with_their_cause() {
    let Value::Error(error) = fresh(
        "Object.assign(new RangeError('outer', { cause: new Error('inner') }), { code: 'E' })",
    ) else {
        panic!()
    };
    assert_eq!(
        (error.name.as_str(), error.message.as_str()),
        (Some("RangeError"), Some("outer"))
    );
    assert!(matches!(&error.cause, Some(Value::Error(inner)) if inner.message == "inner"));
    assert_eq!(error.properties, vec![("code".into(), Value::from("E"))]);
    let Value::Error(error) = fresh("new AggregateError([new Error('a'), 2], 'both')") else {
        panic!()
    };
    assert!(
        matches!(&error.properties[0], (key, Value::Array(errors)) if key == "errors" && errors.len() == 2)
    );
}

#[test]
fn sharing_and_cycles_survive() {
    assert_eq!(
        fresh("const o = {}; [o, o]"),
        Value::array([Value::Object(vec![]), Value::Reference(1)])
    );
    assert_eq!(
        fresh("const o = {}; o.self = o; o"),
        Value::object([("self", Value::Reference(0))])
    );
    let mut cell = cell();
    cell.set_variable(
        "v",
        &Value::array([
            Value::Object(vec![]),
            Value::Reference(1),
            Value::Reference(0),
        ]),
    )
    .unwrap();
    assert_eq!(
        eval(&mut cell, "[v[0] === v[1], v[2] === v]"),
        Value::from(vec![true, true])
    );
    let b = fresh("const b = new ArrayBuffer(4); [new Uint8Array(b), new Uint16Array(b, 2)]");
    assert_eq!(
        b.at(1),
        Some(&Value::View(Box::new(View {
            kind: ViewKind::Uint16,
            offset: 2,
            length: 1,
            buffer: Value::Reference(2)
        })))
    );
}

#[test]
fn what_cannot_cross_is_named_by_its_path() {
    let cases = [
        (
            "({ items: [0, 1, 2, { callback() {} }] })",
            "result.items[3].callback is a function",
        ),
        ("Symbol('s')", "result is a symbol"),
        ("({ a: { b: Symbol.iterator } })", "result.a.b is a symbol"),
        (
            "({ 'odd key': Promise.resolve() })",
            "result[\"odd key\"] is a promise",
        ),
        (
            "new Map([['k', () => 1]])",
            "result.<map entry 0> is a function",
        ),
        (
            "new Set([1, new WeakMap()])",
            "result.<set entry 1> is a WeakMap",
        ),
        (
            "new Error('x', { cause: () => 1 })",
            "result.cause is a function",
        ),
        ("[new Proxy({}, {})]", "result[0] is a Proxy"),
        ("(function* () {})()", "result is a Generator"),
        ("({ a: new WeakRef({}) })", "result.a is a WeakRef"),
    ];
    for (code, expected) in cases {
        match fail(&mut cell(), code) {
            CellError::Uncloneable {
                reason,
                printed,
                is_final_answer,
            } => {
                assert_eq!(reason, expected, "{code}");
                assert!(!printed.is_empty());
                assert!(!is_final_answer);
            }
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[test]
fn a_tool_argument_that_cannot_cross_is_a_type_error_inside() {
    let mut cell = cell();
    cell.define_tool("f", Tool::sync(|_| Ok(Value::Undefined)))
        .unwrap();
    let exception = thrown(&mut cell, "f(1, { x: () => 1 })");
    assert_eq!(exception.name(), "TypeError");
    assert_eq!(
        exception.message(),
        "arguments[1].x is a function and cannot be passed to a tool"
    );
    // The bridge is part of the tool: code that called it well would not have got this error.
    assert!(exception.from_tool);
}

#[test]
fn deep_nesting_is_an_error_with_a_short_path() {
    for depth in [MAX_DEPTH as usize + 5, 1_000_000] {
        let options = CellOptions::default().memory_limit(512 << 20);
        let mut cell = engine().cell(options).unwrap();
        let code = format!("let v = null; for (let i = 0; i < {depth}; i++) v = [v]; v");
        match fail(&mut cell, code.as_str()) {
            CellError::Uncloneable { reason, .. } => {
                assert!(reason.contains("nested") && reason.len() < 200, "{reason}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(eval(&mut cell, "1"), Value::from(1));
    }
    let code = "let v = null; for (let i = 0; i < 990; i++) v = { v }; v";
    assert!(matches!(fresh(code), Value::Object(_)));
}

#[test]
fn hostile_values_are_errors_and_the_cell_lives() {
    let mut cell = cell();
    assert_eq!(
        thrown(&mut cell, "({ get x() { throw new RangeError('no') } })").name(),
        "RangeError"
    );
    assert_eq!(
        eval(
            &mut cell,
            "class A { a = 1; toJSON() { return 'lie' } } new A"
        ),
        Value::object([("a", Value::from(1))])
    );
    assert_eq!(
        eval(&mut cell, "const a = []; a.length = 4; a"),
        Value::Array(vec![Value::Hole; 4])
    );
    // Four thousand million holes would be a hundred gigabytes outside.
    assert!(matches!(
        fail(&mut cell, "const big = []; big.length = 4294967295; big"),
        CellError::TooLarge { .. }
    ));
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

#[test]
fn what_is_said_at_too_great_length_is_cut_and_breaks_nothing() {
    let console = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&console);
    let options = CellOptions::default()
        .max_value_bytes(10_000)
        .on_console(move |line| lines.lock().unwrap().push(line.text.len()));
    let mut cell = engine().cell(options).unwrap();
    for code in [
        "throw 'x'.repeat(1e6)",
        "throw Array(1e5)",
        "throw new Error('é'.repeat(1e6))",
        "throw Object.assign(new Error('x'), { list: Array(1e5), cause: new Map([[1, new Set([/x/, 1n, -1.5])]]) })",
        "throw Object.assign(new Error('x'), { deep: [[{ a: new Uint8Array(1e5), b: new Date(0), c: new Number(1) }, , '\\ud800']] })",
        "throw Array.from({ length: 1000 }, (_, i) => ({ i, again: globalThis.again ??= {} }))",
    ] {
        let exception = thrown(&mut cell, code);
        assert_eq!(exception.value, None, "{code}");
        assert!(!exception.printed.is_empty(), "{code}");
        assert!(exception.printed.len() < 10_010, "{code}");
    }
    assert_eq!(
        eval(&mut cell, "console.log('é'.repeat(1e5)); 1"),
        Value::from(1)
    );
    assert_eq!(*console.lock().unwrap(), [9_971]);
    let rejected = "Promise.reject('x'.repeat(1e6)); 1";
    assert_eq!(eval(&mut cell, rejected), Value::from(1));
    assert!(matches!(
        fail(&mut cell, "[() => {}, 'x'.repeat(1e6)]"),
        CellError::Uncloneable { printed, .. } if printed.len() < 10_010
    ));
    assert_eq!(eval(&mut cell, "'alive'"), Value::from("alive"));
}

#[test]
fn a_getter_may_change_what_is_being_copied() {
    let code = "const a = [1, { get x() { a.length = 0; a.push('new'); for (let i = 0; i < 1000; i++) a.push({}); return 'got' } }, 3]; a";
    let value = fresh(code);
    assert_eq!(value.at(0), Some(&Value::from(1)));
    assert_eq!(
        value.at(1),
        Some(&Value::object([("x", Value::from("got"))]))
    );
    let code = "const m = new Map([[1, { get x() { m.clear(); return 1 } }], [2, {}]]); m";
    assert!(matches!(fresh(code), Value::Map(entries) if entries.len() == 2));
}

#[test]
fn values_enter_the_cell_as_they_are() {
    let mut cell = cell();
    let check = |cell: &mut _, value: Value, code: &str| {
        hotcell_cell::Cell::set_variable(cell, "v", &value).unwrap();
        assert_eq!(eval(cell, code), Value::from(true), "{value:?}: {code}");
    };
    check(&mut cell, Value::Undefined, "v === undefined");
    check(&mut cell, Value::Number(-0.0), "Object.is(v, -0)");
    check(&mut cell, Value::Number(f64::NAN), "Number.isNaN(v)");
    check(
        &mut cell,
        Value::BigInt("-340282366920938463463374607431768211456".parse().unwrap()),
        "v === -(2n ** 128n)",
    );
    check(
        &mut cell,
        Value::String(Text::from_utf16(&[0xdc00])),
        "v === '\\udc00'",
    );
    check(&mut cell, Value::from("ünï 🎉"), "v === 'ünï 🎉'");
    check(
        &mut cell,
        Value::Date(0.0),
        "v instanceof Date && v.getTime() === 0",
    );
    check(
        &mut cell,
        Value::RegExp {
            source: "a+".into(),
            flags: "g".into(),
        },
        "v instanceof RegExp && String(v) === '/a+/g'",
    );
    check(
        &mut cell,
        Value::Map(vec![(Value::from(1), Value::from(2))]),
        "v instanceof Map && v.get(1) === 2",
    );
    check(
        &mut cell,
        Value::Set(vec![Value::from(1)]),
        "v instanceof Set && v.has(1)",
    );
    check(
        &mut cell,
        Value::bytes([1, 2, 3]),
        "v instanceof Uint8Array && v.length === 3 && v[2] === 3",
    );
    check(
        &mut cell,
        Value::array([Value::from(1), Value::Hole]),
        "v.length === 2 && !(1 in v)",
    );
    check(
        &mut cell,
        Value::Boxed(Box::new(Value::from(1))),
        "typeof v === 'object' && v + 1 === 2",
    );
    let mut error = ErrorValue::new("TypeError", "m");
    error.cause = Some(Value::from(1));
    error.properties.push(("code".into(), Value::from("E")));
    check(
        &mut cell,
        error.into(),
        "v instanceof TypeError && v.message === 'm' && v.cause === 1 && v.code === 'E' && v.name === 'TypeError'",
    );
    check(
        &mut cell,
        ErrorValue::new("Custom", "m").into(),
        "v instanceof Error && v.name === 'Custom' && String(v) === 'Custom: m'",
    );
}

/// Any value, with references only to what comes before them.
fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>().prop_map(Text::from),
        proptest::collection::vec(any::<u16>(), 0..6).prop_map(|units| Text::from_utf16(&units)),
    ];
    let leaf = prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("NaN is not equal to itself", |n| !n.is_nan())
            .prop_map(Value::from),
        any::<i128>().prop_map(|n| Value::BigInt(n.into())),
        text.clone().prop_map(Value::String),
        any::<i32>().prop_map(|ms| Value::Date(f64::from(ms))),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::bytes),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::Buffer),
        any::<i32>().prop_map(|n| Value::Boxed(Box::new(Value::from(n)))),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let text = text.clone();
        prop_oneof![
            proptest::collection::vec(
                prop_oneof![4 => inner.clone(), 1 => Just(Value::Hole)],
                0..6
            )
            .prop_map(Value::Array),
            proptest::collection::btree_map("[a-z]{1,6}", inner.clone(), 0..6)
                .prop_map(Value::object),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(|entries| {
                // A map has each primitive key once.
                let mut seen: Vec<Value> = Vec::new();
                Value::Map(
                    entries
                        .into_iter()
                        .filter(|(key, _)| {
                            let new = key.is_object() || !seen.contains(key);
                            seen.push(key.clone());
                            new && !matches!(key, Value::Number(n) if *n == 0.0)
                        })
                        .collect(),
                )
            }),
            (text.clone(), text, proptest::option::of(inner)).prop_map(|(name, message, cause)| {
                let mut error = ErrorValue::new(name, message);
                error.stack = "    at somewhere".into();
                error.cause = cause;
                error.into()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_codec_is_its_own_inverse(value in any_value()) {
        prop_assert_eq!(decode_for_fuzzing(&encode_for_fuzzing(&value).unwrap()).unwrap(), value);
    }

    #[test]
    fn arbitrary_bytes_do_not_break_the_decoder(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_for_fuzzing(&bytes);
    }

    #[test]
    fn tag_soup_does_not_break_the_decoder(bytes in proptest::collection::vec(0u8..24, 0..200)) {
        let _ = decode_for_fuzzing(&bytes);
    }
}

#[test]
fn values_come_back_from_a_cell_as_they_went_in() {
    let mut cell = cell();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 300,
        ..ProptestConfig::default()
    });
    let cell = std::cell::RefCell::new(&mut cell);
    runner
        .run(&any_value(), |value| {
            let mut cell = cell.borrow_mut();
            cell.set_variable("v", &value).unwrap();
            prop_assert_eq!(eval(&mut cell, "v"), value.clone());
            prop_assert_eq!(eval(&mut cell, "structuredClone(v)"), value);
            Ok(())
        })
        .unwrap();
}

#[test]
fn structured_clone_copies_and_refuses_as_the_web_does() {
    assert_eq!(
        fresh(
            "const o = { d: new Date(1), s: new Set([1]) }; const c = structuredClone(o); [c !== o, c.d !== o.d, c.d.getTime(), c.s.has(1), Object.isFrozen(c)]"
        ),
        Value::array([
            true.into(),
            true.into(),
            1.into(),
            true.into(),
            false.into()
        ])
    );
    let exception = thrown(&mut cell(), "structuredClone({ f() {} })");
    assert_eq!(
        (exception.name().as_str(), exception.message().as_str()),
        (
            "DataCloneError",
            "value.f is a function and cannot be cloned"
        )
    );
    assert_eq!(
        fresh(
            "const b = new ArrayBuffer(4); const c = structuredClone(b, { transfer: [b] }); [b.byteLength, c.byteLength]"
        ),
        Value::from(vec![0, 4])
    );
    assert_eq!(
        fresh("const o = {}; o.o = o; const c = structuredClone(o); c.o === c"),
        Value::from(true)
    );
}
