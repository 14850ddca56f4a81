//! Snapshots and forks: everything, pending promises included.

use std::{process::Command, time::Duration};

use hotcell_cell::{
    Account, Cell, CellError, CellOptions, Progress, SnapshotError, SnapshotKey, Tool, ToolError,
    Value,
};

use crate::support::{cell, engine, eval, fail, sleep};

fn restore(bytes: &[u8]) -> Cell {
    engine().restore(bytes, CellOptions::default()).unwrap()
}

#[test]
fn a_restored_cell_goes_on_where_the_first_was() {
    let mut first = cell();
    eval(
        &mut first,
        "let n = 1; const up = () => ++n; class A { #x = 5; get x() { return this.#x } } const a = new A(); const m = new Map([[a, 'a']]); function* g() { yield 1; yield 2 } const it = g(); it.next();",
    );
    let bytes = first.snapshot().unwrap();
    let mut second = restore(&bytes);
    for cell in [&mut first, &mut second] {
        assert_eq!(
            eval(cell, "[up(), a.x, m.get(a), it.next().value].join()"),
            Value::from("2,5,a,2")
        );
    }
    assert_eq!(
        eval(&mut restore(&bytes), "n"),
        Value::from(1),
        "a snapshot can be used again"
    );
}

#[test]
fn snapshots_are_small() {
    let mut cell = cell();
    eval(&mut cell, "const small = { state: 1 }");
    let bytes = cell.snapshot().unwrap();
    assert!(bytes.len() < 256 << 10, "{}", bytes.len());
    eval(
        &mut cell,
        "const big = Array.from({ length: 1e5 }, (_, i) => i)",
    );
    assert!(cell.snapshot().unwrap().len() < 2 << 20);
}

#[test]
fn a_fork_is_a_twin_that_goes_its_own_way() {
    let mut first = cell();
    first
        .define_tool(
            "add",
            Tool::sync(|call| Ok(Value::from(call.argument(0).as_f64().unwrap_or(0.0) + 1.0))),
        )
        .unwrap();
    eval(&mut first, "let n = 1; const list = [1, 2, 3];");
    let mut second = first.fork().unwrap();
    eval(&mut first, "n = 10; list.push('first')");
    eval(&mut second, "n = 20; list.push('second', add(1))");
    assert_eq!(
        eval(&mut first, "[n, ...list].join()"),
        Value::from("10,1,2,3,first")
    );
    assert_eq!(
        eval(&mut second, "[n, ...list].join()"),
        Value::from("20,1,2,3,second,2")
    );
    drop(first);
    assert_eq!(eval(&mut second, "n"), Value::from(20));
}

#[test]
fn a_run_that_waits_for_tools_survives() {
    let mut first = cell();
    first.define_tool("ask", Tool::deferred()).unwrap();
    first.start("let log = []; try { log.push(await ask('a', { n: 1 })); log.push(await ask('b')) } catch (e) { log.push(e.message) } log.join()").unwrap();
    assert!(matches!(
        pollster::block_on(first.step()).unwrap(),
        Progress::Waiting
    ));
    let bytes = first.snapshot().unwrap();
    let mut twin = first.fork().unwrap();
    let mut restored = restore(&bytes);
    for (cell, name) in [
        (&mut first, "first"),
        (&mut twin, "twin"),
        (&mut restored, "restored"),
    ] {
        let calls = cell.outstanding();
        assert_eq!(calls.len(), 1);
        assert_eq!(
            (
                calls[0].tool.as_str(),
                &calls[0].arguments[1],
                calls[0].is_deferred
            ),
            ("ask", &Value::object([("n", Value::from(1))]), true)
        );
        cell.answer(calls[0].id, Ok(Value::from(name))).unwrap();
        if !cell.is_connected("ask") {
            cell.define_tool("ask", Tool::deferred()).unwrap();
        }
        assert!(matches!(
            pollster::block_on(cell.step()).unwrap(),
            Progress::Waiting
        ));
        let calls = cell.outstanding();
        cell.answer(calls[0].id, Err(ToolError::from("no")))
            .unwrap();
        let Progress::Done(outcome) = pollster::block_on(cell.step()).unwrap() else {
            panic!()
        };
        assert_eq!(outcome.value, Value::from(format!("{name},no")));
    }
}

#[test]
fn calls_of_async_tools_are_handed_over_too() {
    let mut first = cell();
    first
        .define_tool(
            "later",
            Tool::asynchronous(|_| async {
                sleep(Duration::from_millis(200)).await;
                Ok(Value::from("mine"))
            }),
        )
        .unwrap();
    first
        .start("(await Promise.all([later(1), later(2)])).join()")
        .unwrap();
    assert!(matches!(
        pollster::block_on(first.step()).unwrap(),
        Progress::Waiting
    ));
    let mut second = restore(&first.snapshot().unwrap());
    let calls = second.outstanding();
    assert_eq!(calls.len(), 2);
    for call in &calls {
        second
            .answer(call.id, Ok(call.arguments[0].clone()))
            .unwrap();
    }
    let Progress::Done(outcome) = pollster::block_on(second.step()).unwrap() else {
        panic!()
    };
    assert_eq!(outcome.value, Value::from("1,2"));
    loop {
        match pollster::block_on(first.step()).unwrap() {
            Progress::Done(outcome) => break assert_eq!(outcome.value, Value::from("mine,mine")),
            Progress::Waiting => pollster::block_on(first.ready()),
        }
    }
}

#[test]
fn a_tool_that_was_not_connected_again_says_so() {
    let mut first = cell();
    first
        .define_tools([
            ("now", Tool::sync(|_| Ok(Value::Null))),
            ("later", Tool::asynchronous(|_| async { Ok(Value::Null) })),
            ("wait", Tool::blocking(|_| async { Ok(Value::Null) })),
        ])
        .unwrap();
    eval(&mut first, "const kept = now;");
    let mut second = restore(&first.snapshot().unwrap());
    assert_eq!(second.tools().collect::<Vec<_>>(), ["now", "later", "wait"]);
    for code in ["now()", "kept()", "await later()", "wait()"] {
        assert!(
            fail(&mut second, code)
                .to_string()
                .contains("not connected"),
            "{code}"
        );
    }
    second
        .define_tool("now", Tool::sync(|_| Ok(Value::from(7))))
        .unwrap();
    assert_eq!(eval(&mut second, "kept()"), Value::from(7));
}

#[test]
fn damaged_truncated_and_foreign_snapshots_are_refused() {
    let mut cell = cell();
    eval(&mut cell, "let x = 1");
    let bytes = cell.snapshot().unwrap();
    let try_restore = |bytes: &[u8]| match engine().restore(bytes, CellOptions::default()) {
        Err(CellError::Snapshot(error)) => error,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("restored"),
    };
    assert!(matches!(try_restore(b""), SnapshotError::NotASnapshot));
    assert!(matches!(
        try_restore(&[0; 1000]),
        SnapshotError::NotASnapshot
    ));
    for length in [0, 7, 8, 40, 63, 64, 65, bytes.len() / 2, bytes.len() - 1] {
        assert!(
            matches!(
                try_restore(&bytes[..length]),
                SnapshotError::NotASnapshot | SnapshotError::Damaged
            ),
            "{length}"
        );
    }
    let mut foreign = bytes.clone();
    foreign[20] ^= 1;
    assert!(matches!(
        try_restore(&foreign),
        SnapshotError::Foreign { .. }
    ));
    for at in (40..bytes.len()).step_by(97) {
        let mut altered = bytes.clone();
        altered[at] ^= 0x40;
        assert!(
            matches!(
                try_restore(&altered),
                SnapshotError::Damaged | SnapshotError::TooLarge { .. } | SnapshotError::Malformed
            ),
            "{at}"
        );
    }
}

#[test]
fn a_snapshot_needs_its_memory() {
    let mut cell = cell();
    eval(&mut cell, "const big = new Uint8Array(30 << 20)");
    let bytes = cell.snapshot().unwrap();
    assert!(matches!(
        engine().restore(&bytes, CellOptions::default().memory_limit(16 << 20)),
        Err(CellError::Snapshot(SnapshotError::TooLarge { .. }))
    ));
}

#[test]
fn a_snapshot_works_in_another_process() {
    const VARIABLE: &str = "HOTCELL_TEST_SNAPSHOT";
    if let Ok(path) = std::env::var(VARIABLE) {
        let mut cell = restore(&std::fs::read(path).unwrap());
        assert_eq!(eval(&mut cell, "up() + [...list].length"), Value::from(5));
        return;
    }
    let mut cell = cell();
    eval(
        &mut cell,
        "let n = 1; const up = () => ++n; const list = new Set([1, 2, 3]);",
    );
    let path = std::env::temp_dir().join(format!("hotcell-snapshot-{}", std::process::id()));
    std::fs::write(&path, cell.snapshot().unwrap()).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "snapshot::a_snapshot_works_in_another_process"])
        .env(VARIABLE, &path)
        .status()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(status.success());
}

#[test]
fn forks_of_forks() {
    let mut cell = cell();
    eval(&mut cell, "let path = []");
    for i in 0..10 {
        let mut twin = cell.fork().unwrap();
        eval(&mut twin, format!("path.push({i})").as_str());
        cell = twin;
    }
    assert_eq!(eval(&mut cell, "path.join('')"), Value::from("0123456789"));
}

#[test]
fn a_dead_cell_gives_no_snapshot() {
    let mut cell = cell();
    let _ = fail(&mut cell, hotcell_cell::Program::new("const t = new Float64Array(2e6).map((_, i) => Math.sin(i)); while (true) t.slice().sort()").timeout(Duration::from_millis(30)));
    if !cell.is_alive() {
        assert!(matches!(cell.snapshot(), Err(CellError::Gone)));
        assert!(matches!(cell.fork(), Err(CellError::Gone)));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 200, ..Default::default() })]

    #[test]
    fn a_right_header_before_wrong_content_does_not_help(content in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..9000)) {
        let sealed = hotcell_cell::seal_for_fuzzing(&content);
        let refused = matches!(
            engine().restore(&sealed, CellOptions::default()),
            Err(CellError::Snapshot(SnapshotError::Malformed | SnapshotError::TooLarge { .. }))
        );
        proptest::prop_assert!(refused);
    }
}

/// Whoever can write a snapshot can write a cell's memory. The worst that comes of it is a broken cell.
#[test]
fn a_forged_memory_breaks_the_cell_and_nothing_else() {
    let mut first = cell();
    eval(&mut first, "let x = { a: [1, 2, 3] }");
    let honest = first.snapshot().unwrap();
    let content = hotcell_cell::unseal_for_fuzzing(&honest);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let places = proptest::collection::vec(
        (
            proptest::prelude::any::<proptest::sample::Index>(),
            proptest::prelude::any::<u8>(),
        ),
        1..200,
    );
    for _ in 0..150 {
        use proptest::strategy::{Strategy, ValueTree};
        let mut forged = content.clone();
        let length = forged.len();
        for (place, byte) in places.new_tree(&mut runner).unwrap().current() {
            // Behind the state, which is checked apart.
            forged[(length / 20 + place.index(length - length / 20)).min(length - 1)] = byte;
        }
        if let Ok(mut cell) = engine().restore(
            &hotcell_cell::seal_for_fuzzing(&forged),
            CellOptions::default(),
        ) {
            let program = hotcell_cell::Program::new("JSON.stringify(x) + [1, 2].map(String)")
                .timeout(Duration::from_millis(200));
            let _ = pollster::block_on(cell.evaluate(program));
        }
    }
    assert_eq!(eval(&mut cell(), "1"), Value::from(1));
}

#[test]
fn a_full_engine_can_still_be_snapshotted() {
    let options = hotcell_cell::EngineOptions::default().max_cells(1);
    let engine = hotcell_cell::Engine::with_options(&options).unwrap();
    let mut cell = engine.cell(CellOptions::default()).unwrap();
    eval(&mut cell, "let kept = 1");
    let full = engine.cell(CellOptions::default()).unwrap_err();
    assert!(matches!(
        full,
        hotcell_cell::CellError::TooManyCells { limit: 1 }
    ));
    assert!(matches!(
        cell.fork(),
        Err(hotcell_cell::CellError::TooManyCells { .. })
    ));
    let bytes = cell.snapshot().unwrap();
    drop(cell);
    let mut restored = engine.restore(&bytes, CellOptions::default()).unwrap();
    assert_eq!(eval(&mut restored, "kept"), 1.into());
}

fn refusal(bytes: &[u8], options: CellOptions) -> SnapshotError {
    match engine().restore(bytes, options) {
        Err(CellError::Snapshot(error)) => error,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("restored"),
    }
}

#[test]
fn a_key_tells_ones_own_snapshots_from_all_others() {
    let keyed =
        |secret: &str| CellOptions::default().snapshot_key(SnapshotKey::from_secret(secret));
    let mut sealed_cell = engine().cell(keyed("ours")).unwrap();
    eval(&mut sealed_cell, "let kept = 1");
    let sealed = sealed_cell.snapshot().unwrap();
    assert_eq!(
        eval(
            &mut engine().restore(&sealed, keyed("ours")).unwrap(),
            "kept"
        ),
        Value::from(1)
    );
    assert!(matches!(
        refusal(&sealed, keyed("theirs")),
        SnapshotError::WrongSeal
    ));
    // Whoever has no key does not ask for one.
    eval(&mut restore(&sealed), "kept");
    let mut plain_cell = cell();
    let plain = plain_cell.snapshot().unwrap();
    assert!(matches!(
        refusal(&plain, keyed("ours")),
        SnapshotError::Unsealed
    ));
    // A fork's are sealed with the key of its own options.
    let forked = sealed_cell.fork().unwrap().snapshot().unwrap();
    engine().restore(&forked, keyed("ours")).unwrap();
    // Any change is noticed, and nothing else is looked at first.
    for at in (0..sealed.len()).step_by(61).chain([40, 71, 72, 88]) {
        let mut altered = sealed.clone();
        altered[at] ^= 1;
        let error = refusal(&altered, keyed("ours"));
        match at {
            0..8 => assert!(
                matches!(error, SnapshotError::NotASnapshot),
                "{at}: {error:?}"
            ),
            8..40 => assert!(
                matches!(error, SnapshotError::Foreign { .. }),
                "{at}: {error:?}"
            ),
            72..88 => assert!(matches!(error, SnapshotError::Damaged), "{at}: {error:?}"),
            _ => assert!(matches!(error, SnapshotError::WrongSeal), "{at}: {error:?}"),
        }
    }
    // Nor does it help to make one of one's own with another's seal.
    let mut counterfeit = hotcell_cell::seal_for_fuzzing(b"anything");
    counterfeit[40..72].copy_from_slice(&sealed[40..72]);
    assert!(matches!(
        refusal(&counterfeit, keyed("ours")),
        SnapshotError::WrongSeal
    ));
}

#[test]
fn limits_are_those_of_whoever_restores() {
    let mut first = cell();
    first.define_tool("ask", Tool::deferred()).unwrap();
    let program = hotcell_cell::Program::new(
        "const all = Array.from({ length: 50 }, (_, i) => ask('x'.repeat(1000))); await all[0]; for (let i = 0; i < 100; i++); i = 1",
    );
    first
        .start(
            program
                .max_operations(60)
                .timeout(Duration::from_secs(1000)),
        )
        .unwrap();
    assert!(matches!(
        pollster::block_on(first.step()).unwrap(),
        Progress::Waiting
    ));
    let bytes = first.snapshot().unwrap();
    let few = CellOptions::default().max_calls_in_flight(49);
    assert!(matches!(
        refusal(&bytes, few),
        SnapshotError::TooManyCalls {
            found: 50,
            limit: 49
        }
    ));
    let account = Account::new("host memory", 20_000);
    let small = CellOptions::default().account(account.clone());
    assert!(matches!(
        refusal(&bytes, small),
        SnapshotError::HostMemory(_)
    ));
    assert_eq!(account.used(), 0);
    let account = Account::new("host memory", 1 << 20);
    let options = CellOptions::default().account(account.clone());
    let mut restored = engine().restore(&bytes, options).unwrap();
    assert!(account.used() > 50_000, "{account:?}");
    // The limit on operations was the first cell's. This one has none, until it gets one.
    let error = |cell: &mut Cell| {
        let id = cell.outstanding()[0].id;
        cell.answer(id, Ok(Value::Null)).unwrap();
        pollster::block_on(cell.step()).unwrap_err()
    };
    assert!(matches!(error(&mut restored), CellError::Exception(_)));
    let mut restored = restore(&bytes);
    restored.limit_operations(7).unwrap();
    assert!(matches!(
        error(&mut restored),
        CellError::Operations { limit: 7 }
    ));
    drop(restored);
    assert!(matches!(
        error(&mut first),
        CellError::Operations { limit: 60 }
    ));
}
