//! Clock and chance.

use hotcell_cell::{CellError, CellOptions, Clock, Program, Random, Value};

use crate::support::{cell, engine, eval, fail, fresh, thrown};

#[test]
fn the_clock_is_off_unless_allowed() {
    for (code, what) in [
        ("Date.now()", "Date.now()"),
        ("new Date()", "new Date()"),
        ("Date()", "Date()"),
    ] {
        let exception = thrown(&mut cell(), code);
        assert_eq!(exception.name(), "TypeError");
        assert!(
            exception.message().starts_with(what)
                && exception.message().contains("clock: \"real\""),
            "{exception}"
        );
    }
    assert_eq!(
        fresh("new Date(0).toISOString()"),
        Value::from("1970-01-01T00:00:00.000Z")
    );
    assert_eq!(
        fresh("Date.UTC(2020, 1, 1)"),
        Value::from(1_580_515_200_000.0)
    );
    assert_eq!(
        fresh("new Date('2020-02-30').getTime() !== 0 && new Date(2020, 0).getFullYear()"),
        Value::from(2020)
    );
    assert_eq!(
        fresh("class D extends Date {} new D(5).getTime()"),
        Value::from(5)
    );
    assert_eq!(
        fresh("[Date.name, Date.length, new Date(1) instanceof Date]"),
        Value::array(["Date".into(), 7.into(), true.into()])
    );
}

#[test]
fn a_fixed_clock_stands_still() {
    let mut cell = engine()
        .cell(CellOptions::default().clock(Clock::Fixed(1_600_000_000_123.0)))
        .unwrap();
    assert_eq!(
        eval(
            &mut cell,
            "[Date.now(), new Date().getTime(), Date().slice(0, 15)]"
        ),
        Value::array([
            1_600_000_000_123.0.into(),
            1_600_000_000_123.0.into(),
            "Sun Sep 13 2020".into()
        ])
    );
}

#[test]
fn a_real_clock_goes() {
    let mut cell = engine()
        .cell(CellOptions::default().clock(Clock::Real))
        .unwrap();
    let now = eval(&mut cell, "Date.now()").as_f64().unwrap();
    let outside = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
        * 1000.0;
    assert!((now - outside).abs() < 60_000.0);
    assert_eq!(
        eval(&mut cell, "Number.isInteger(Date.now())"),
        Value::from(true)
    );
}

#[test]
fn chance_is_off_unless_allowed() {
    let exception = thrown(&mut cell(), "Math.random()");
    assert_eq!(exception.name(), "TypeError");
    assert!(
        exception.message().contains("random: \"real\""),
        "{exception}"
    );
}

#[test]
fn a_seed_decides_the_sequence() {
    let numbers = |random| {
        let mut cell = engine()
            .cell(CellOptions::default().random(random))
            .unwrap();
        eval(&mut cell, "[Math.random(), Math.random(), Math.random()]")
    };
    assert_eq!(numbers(Random::Seeded(1)), numbers(Random::Seeded(1)));
    assert_ne!(numbers(Random::Seeded(1)), numbers(Random::Seeded(2)));
    assert_ne!(
        numbers(Random::Seeded(0)),
        numbers(Random::Seeded(u64::MAX))
    );
    assert_ne!(
        numbers(Random::Real),
        numbers(Random::Real),
        "cells of one image do not share a sequence"
    );
    let mut cell = engine()
        .cell(CellOptions::default().random(Random::Seeded(7)))
        .unwrap();
    assert_eq!(
        eval(
            &mut cell,
            "const s = Array.from({ length: 1000 }, Math.random); s.every((x) => x >= 0 && x < 1) && new Set(s).size"
        ),
        Value::from(1000)
    );
    let first = eval(&mut cell, "Math.random()");
    assert_ne!(
        first,
        eval(&mut cell, "Math.random()"),
        "the sequence goes on between runs"
    );
}

#[test]
fn loops_that_are_not_counted_still_end_in_time() {
    let options = CellOptions::default().count_operations(false);
    let mut cell = engine().cell(options).unwrap();
    let program = Program::new("let n = 0; while (n < 1000) n++; n").max_operations(10);
    assert_eq!(eval(&mut cell, program), Value::from(1000));
    let endless = Program::new("while (true) {}").timeout(std::time::Duration::from_millis(20));
    assert!(matches!(
        fail(&mut cell, endless),
        CellError::Deadline { .. }
    ));
}

fn seeded(seed: u64) -> CellOptions {
    CellOptions::default().random(Random::Seeded(seed))
}

const THREE: &str = "[Math.random(), Math.random(), Math.random()]";

#[test]
fn a_fork_goes_on_with_the_sequence_of_its_origin() {
    let mut origin = engine().cell(seeded(7)).unwrap();
    let begin = eval(&mut origin, THREE);
    let mut twin = origin.fork().unwrap();
    let next = eval(&mut origin, THREE);
    assert_eq!(eval(&mut twin, THREE), next);
    assert_ne!(next, begin);
    // With other options of its own as well, unless they say another seed.
    let mut other = origin
        .fork_with(seeded(7).timeout(std::time::Duration::from_secs(1)))
        .unwrap();
    assert_eq!(eval(&mut other, THREE), eval(&mut origin, THREE));
    let mut reseeded = origin.fork_with(seeded(8)).unwrap();
    let mut fresh = engine().cell(seeded(8)).unwrap();
    assert_eq!(eval(&mut reseeded, THREE), eval(&mut fresh, THREE));
    let mut off = origin.fork_with(CellOptions::default()).unwrap();
    assert_eq!(thrown(&mut off, THREE).name(), "TypeError");
}

#[test]
fn a_restored_cell_has_the_policy_of_whoever_restores_it() {
    let mut origin = engine().cell(seeded(7).clock(Clock::Real)).unwrap();
    let begin = eval(&mut origin, THREE);
    let bytes = origin.snapshot().unwrap();
    // Its clock and its randomness do not come along.
    let mut restored = engine().restore(&bytes, CellOptions::default()).unwrap();
    assert_eq!(thrown(&mut restored, "Math.random()").name(), "TypeError");
    assert_eq!(thrown(&mut restored, "Date.now()").name(), "TypeError");
    // A seed is the restorer's: its sequence begins.
    let mut restored = engine().restore(&bytes, seeded(7)).unwrap();
    assert_eq!(eval(&mut restored, THREE), begin);
}
