//! Rust's types as values, and back.

use std::collections::BTreeMap;

use hotcell_cell::{Value, from_value, to_value};
use serde::{Deserialize, Serialize};

use crate::support::{cell, eval};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Everything {
    name: String,
    count: u64,
    huge: u64,
    small: i8,
    share: f64,
    on: bool,
    letter: char,
    none: Option<u8>,
    some: Option<Inner>,
    list: Vec<(u8, String)>,
    by_name: BTreeMap<String, i32>,
    by_number: BTreeMap<u32, bool>,
    kinds: Vec<Kind>,
    unit: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Inner {
    x: [u8; 2],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Plain,
    One(i32),
    Two(i32, String),
    Named { a: bool },
}

fn everything() -> Everything {
    Everything {
        name: "tea ☕".into(),
        count: 3,
        huge: u64::MAX,
        small: -8,
        share: 0.5,
        on: true,
        letter: 'é',
        none: None,
        some: Some(Inner { x: [1, 2] }),
        list: vec![(1, "a".into())],
        by_name: [("a".into(), -1)].into(),
        by_number: [(7, true)].into(),
        kinds: vec![
            Kind::Plain,
            Kind::One(1),
            Kind::Two(2, "b".into()),
            Kind::Named { a: false },
        ],
        unit: (),
    }
}

#[test]
fn what_goes_in_comes_out() {
    let value = to_value(&everything()).unwrap();
    assert_eq!(from_value::<Everything>(&value).unwrap(), everything());
    // And through a cell, as data of JavaScript's.
    let mut cell = cell();
    cell.set_variable("it", &value).unwrap();
    let code = "[it.huge === 2n ** 64n - 1n, it.kinds[1].One, it.kinds[3].Named.a, it.by_number['7'], it.none, it.unit].join()";
    assert_eq!(eval(&mut cell, code), Value::from("true,1,false,true,,"));
    let back = eval(&mut cell, "it");
    assert_eq!(from_value::<Everything>(&back).unwrap(), everything());
}

#[test]
fn values_of_javascript_are_what_rust_asks_for() {
    let mut cell = cell();
    let mut of = |code: &str| eval(&mut cell, code);
    assert_eq!(
        from_value::<Vec<u8>>(&of("new Uint8Array([1, 2])")).unwrap(),
        [1, 2]
    );
    assert_eq!(
        from_value::<Vec<f32>>(&of("new Float32Array([1.5, -2])")).unwrap(),
        [1.5, -2.0]
    );
    assert_eq!(
        from_value::<Vec<i64>>(&of("new BigInt64Array([-5n])")).unwrap(),
        [-5]
    );
    assert_eq!(
        from_value::<Vec<f64>>(&of("new Float16Array([0.5, 65504])")).unwrap(),
        [0.5, 65504.0]
    );
    assert_eq!(
        from_value::<String>(&of("new Date(0)")).unwrap(),
        "1970-01-01T00:00:00.000Z"
    );
    assert!((from_value::<f64>(&of("new Date(5)")).unwrap() - 5.0).abs() < f64::EPSILON);
    assert_eq!(
        from_value::<BTreeMap<String, u8>>(&of("new Map([['a', 1]])")).unwrap(),
        [("a".to_owned(), 1)].into()
    );
    assert_eq!(
        from_value::<Vec<u8>>(&of("new Set([1, 1, 2])")).unwrap(),
        [1, 2]
    );
    assert_eq!(from_value::<Option<u8>>(&of("undefined")).unwrap(), None);
    assert_eq!(from_value::<u128>(&of("2n ** 100n")).unwrap(), 1 << 100);
    assert_eq!(from_value::<String>(&of("/a+/g")).unwrap(), "/a+/g");
    assert!(from_value::<bool>(&of("new Boolean(true)")).unwrap());
}

#[test]
fn the_same_object_twice_is_read_twice_and_a_circle_is_an_error() {
    #[derive(Debug, Deserialize)]
    struct Knot {
        #[expect(dead_code, reason = "only looked for")]
        next: Box<Knot>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Pair {
        a: Inner,
        b: Inner,
    }
    let mut cell = cell();
    let value = eval(
        &mut cell,
        "const x = { x: [1, 2] }; ({ skip: new Map([[{}, new Uint8Array(3)]]), a: x, b: x })",
    );
    let pair: Pair = from_value(&value).unwrap();
    assert_eq!(pair.a, pair.b);
    assert_eq!(pair.b, Inner { x: [1, 2] });
    let circle = eval(&mut cell, "const knot = {}; knot.next = knot; knot");
    let error = from_value::<Knot>(&circle).unwrap_err().to_string();
    assert!(error.contains("contains itself"), "{error}");
    let deep = eval(
        &mut cell,
        "let d = []; for (let i = 0; i < 900; i++) d = [d]; d",
    );
    assert!(from_value::<Value>(&deep).is_err());
}

#[test]
fn what_does_not_fit_is_told() {
    for (value, expected) in [
        (Value::from("x"), "invalid type: string \"x\", expected u8"),
        (
            Value::from(300),
            "invalid value: integer `300`, expected u8",
        ),
        (
            Value::from(0.5),
            "invalid type: floating point `0.5`, expected u8",
        ),
        (Value::Undefined, "invalid type: unit value, expected u8"),
    ] {
        assert_eq!(from_value::<u8>(&value).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_value_may_be_a_part_of_a_type() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Loose {
        kind: String,
        data: Value,
    }
    let loose = Loose {
        kind: "any".into(),
        data: Value::object([("a", Value::array([Value::from(1), Value::Null]))]),
    };
    let json = serde_json::to_string(&loose).unwrap();
    assert_eq!(json, r#"{"kind":"any","data":{"a":[1.0,null]}}"#);
    assert_eq!(serde_json::from_str::<Loose>(&json).unwrap(), loose);
}
