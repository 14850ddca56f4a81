//! Ten thousand bad programs in one process, and the process does not notice.

use std::time::Duration;

use hotcell_cell::{CellError, CellOptions, Program, Value};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use crate::support::{cell, engine, eval};

/// Pieces that are put together at random.
const PIECES: &[&str] = &[
    "while (true) {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "let x = ",
    "x",
    ";",
    "try ",
    "catch (e) ",
    "finally ",
    "throw ",
    "await ",
    "return ",
    "new Proxy({}, { get() { throw 1 } })",
    "Object.prototype",
    ".x = 1",
    "'a'.repeat(1e6)",
    "/(a+)+b/.test('aaaaaaaaaaaaaaaaaaaaaaaa')",
    "f()",
    "function f() { return f() }",
    "async () => ",
    "yield ",
    "class A extends ",
    "null",
    ".constructor",
    "('return this')()",
    "eval(",
    "\"while(1);\"",
    "Symbol.iterator",
    "globalThis",
    "delete ",
    "import('x')",
    "JSON.parse('[[[')",
    "[].map(f)",
    "Array(1e8).fill(0)",
    "BigInt(2) ** 100000n",
    "new Uint8Array(1 << 28)",
    "structuredClone(globalThis)",
    "console.log(globalThis)",
    "final_answer(",
    "new Promise(() => {})",
    "Promise.reject(1)",
    "queueMicrotask(f)",
    "new Compartment().evaluate('x')",
    "harden(globalThis)",
    "Reflect.ownKeys(globalThis)",
    "Error.prototype.stack",
    "super.x",
    "new.target",
    "\u{0}",
    "\u{2028}",
    "`${",
    "}`",
    "#x in o",
    "?.",
    "=>",
    "...",
    "0x",
    "1n",
    "//",
    "/*",
    "*/",
    "<!--",
];

#[test]
fn ten_thousand_random_programs_break_nothing() {
    let mut runner = TestRunner::deterministic();
    let strategy = proptest::collection::vec(proptest::sample::select(PIECES), 1..14);
    let mut fresh = cell();
    for _ in 0..10_000 {
        let code = strategy.new_tree(&mut runner).unwrap().current().join(" ");
        let result = pollster::block_on(
            fresh.evaluate(
                Program::new(&code)
                    .timeout(Duration::from_millis(20))
                    .max_operations(1000),
            ),
        );
        if let Err(CellError::Broken(why)) = &result {
            panic!("{code}: {why}");
        }
        if !fresh.is_alive() {
            fresh = engine().cell(CellOptions::default()).unwrap();
        }
    }
    let mut last = cell();
    assert_eq!(eval(&mut last, "1"), Value::from(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_is_a_program_or_an_error(code in any::<String>()) {
        let mut cell = cell();
        let result = pollster::block_on(cell.evaluate(Program::new(&code).timeout(Duration::from_millis(200))));
        prop_assert!(!matches!(result, Err(CellError::Broken(_))));
    }
}
