#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "the numbers of a row are small and whole"
)]

use hotcell::cell::{BigInt, ErrorValue, Text, Value, View, ViewKind};
use proptest::prelude::*;

use super::{Malformed, Packed, Piece, Reader, op, pack};

/// The other half, as `lib/pack.cjs` would put what `lib/unpack.cjs` was given: texts by length instead of by index.
fn turn_round(packed: &Packed) -> (Vec<f64>, Vec<u16>, Vec<u8>) {
    struct Turn<'a> {
        packed: &'a Packed,
        at: usize,
        row: Vec<f64>,
        text: Vec<u16>,
    }
    impl Turn<'_> {
        fn copy(&mut self) -> usize {
            let number = self.packed.row[self.at];
            self.at += 1;
            self.row.push(number);
            number as usize
        }
        fn text(&mut self) {
            let units = match &self.packed.strings[self.packed.row[self.at] as usize] {
                Piece::Text(text) => text.to_utf16(),
                Piece::Latin1(bytes) => bytes.iter().map(|byte| u16::from(*byte)).collect(),
                Piece::Utf16(units) => units.clone(),
                Piece::BigInt(number) => format!("{number:x}").encode_utf16().collect(),
            };
            self.at += 1;
            self.row.push(units.len() as f64);
            self.text.extend(units);
        }
        fn properties(&mut self) {
            for _ in 0..self.copy() {
                self.text();
                self.value();
            }
        }
        fn value(&mut self) {
            match self.copy() as u32 {
                op::NUMBER | op::DATE | op::HOLES | op::BUFFER | op::REFERENCE => {
                    self.copy();
                }
                op::STRING | op::BIGINT => self.text(),
                op::ARRAY => {
                    let mut left = self.copy();
                    while left > 0 {
                        let holes = self.packed.row[self.at] == f64::from(op::HOLES);
                        left -= if holes {
                            self.packed.row[self.at + 1] as usize
                        } else {
                            1
                        };
                        self.value();
                    }
                }
                op::OBJECT => self.properties(),
                op::REGEXP => {
                    self.text();
                    self.text();
                }
                op::MAP => (0..self.copy() * 2).for_each(|_| self.value()),
                op::SET => (0..self.copy()).for_each(|_| self.value()),
                op::VIEW => {
                    for _ in 0..3 {
                        self.copy();
                    }
                    self.value();
                }
                op::ERROR => {
                    for _ in 0..3 {
                        self.text();
                    }
                    if self.copy() == 1 {
                        self.value();
                    }
                    self.properties();
                }
                op::BOXED => self.value(),
                _ => {}
            }
        }
    }
    let mut turn = Turn {
        packed,
        at: 0,
        row: Vec::new(),
        text: Vec::new(),
    };
    while turn.at < packed.row.len() {
        turn.value();
    }
    (turn.row, turn.text, packed.bytes.clone())
}

fn back(value: &Value) -> Value {
    let (row, text, bytes) = turn_round(&pack([value.clone()]));
    Reader::new(&row, &text, &bytes, &[]).only().unwrap()
}

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        any::<String>().prop_map(Text::from),
        prop::collection::vec(any::<u16>(), 0..6).prop_map(|units| Text::from_utf16(&units)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        Just(Value::Number(-0.0)),
        any::<i128>().prop_map(|n| Value::BigInt(BigInt::from(n))),
        text().prop_map(Value::String),
        any::<i32>().prop_map(|n| Value::Date(f64::from(n))),
        (text(), text()).prop_map(|(source, flags)| Value::RegExp { source, flags }),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::Buffer),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::bytes),
        any::<u32>().prop_map(Value::Reference),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let properties = || prop::collection::vec((text(), inner.clone()), 0..5);
        let element = prop_oneof![4 => inner.clone(), 1 => Just(Value::Hole)];
        prop_oneof![
            prop::collection::vec(element, 0..5).prop_map(Value::Array),
            properties().prop_map(Value::Object),
            prop::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(Value::Map),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Set),
            (
                text(),
                text(),
                text(),
                prop::option::of(inner.clone()),
                properties()
            )
                .prop_map(|(name, message, stack, cause, properties)| {
                    Value::from(ErrorValue {
                        name,
                        message,
                        stack,
                        cause,
                        properties,
                    })
                }),
            inner
                .clone()
                .prop_map(|value| Value::Boxed(Box::new(value))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_packed_is_read_back(value in value()) {
        prop_assert_eq!(back(&value), value);
    }

    #[test]
    fn no_row_makes_the_reader_panic(
        row in prop::collection::vec(prop_oneof![(0u32..30).prop_map(f64::from), any::<f64>()], 0..40),
        text in prop::collection::vec(any::<u16>(), 0..9),
        bytes in prop::collection::vec(any::<u8>(), 0..9),
    ) {
        let _ = Reader::new(&row, &text, &bytes, &[]).only();
    }
}

#[test]
fn views_of_one_buffer_stay_views_of_one_buffer() {
    let view = |kind, buffer| {
        Value::View(Box::new(View {
            kind,
            offset: 0,
            length: 2,
            buffer,
        }))
    };
    let value = Value::array([
        view(ViewKind::Uint8, Value::Buffer(vec![1, 2])),
        view(ViewKind::DataView, Value::Reference(2)),
    ]);
    assert_eq!(back(&value), value);
}

#[test]
fn a_key_that_many_objects_share_crosses_once() {
    let packed = pack([Value::array(
        (0..100).map(|n| Value::object([("n", Value::from(n))])),
    )]);
    assert_eq!(packed.strings.len(), 1);
}

#[test]
fn what_is_long_goes_in_the_form_that_is_made_at_once() {
    for text in ["x", "\u{e9}", "\u{20ac}", "\u{1f600}"] {
        let value = Value::array([
            Value::from(text.repeat(2000)),
            Value::object([(&*text.repeat(3000), Value::from(1))]),
        ]);
        assert_eq!(back(&value), value);
    }
    for number in [
        BigInt::from(-7),
        BigInt::from(2).pow(5000),
        -BigInt::from(3).pow(5000),
    ] {
        let value = Value::BigInt(number);
        assert_eq!(back(&value), value);
    }
}

#[test]
fn where_large_things_begin_is_known() {
    let list = |length: u32| Value::array((0..length).map(Value::from));
    assert!(pack([list(100)]).large.is_empty());
    // Two numbers before, of which the first says that it is an array; then two for each element.
    let packed = pack([Value::array([list(10), list(3000), list(3000)])]);
    assert_eq!(packed.large, [2 + 22, 2 + 22 + 6002, 0]);
    assert!(packed.is_large());
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = |levels: u32| {
        let one = [f64::from(op::ARRAY), 1.0];
        let mut row = one.repeat(levels as usize);
        row.push(f64::from(op::NULL));
        Reader::new(&row, &[], &[], &[]).only()
    };
    assert!(deep(hotcell::cell::MAX_DEPTH).is_ok());
    assert_eq!(deep(hotcell::cell::MAX_DEPTH + 1), Err(Malformed));
}

#[test]
fn what_is_left_over_is_refused() {
    assert_eq!(
        Reader::new(&[0.0, 0.0], &[], &[], &[]).only(),
        Err(Malformed)
    );
    assert_eq!(Reader::new(&[0.0], &[1], &[], &[]).only(), Err(Malformed));
    assert_eq!(Reader::new(&[0.0], &[], &[1], &[]).only(), Err(Malformed));
}
