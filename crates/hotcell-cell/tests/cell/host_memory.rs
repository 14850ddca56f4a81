//! What the host keeps for a cell is charged to an account, and its end is an error inside.

use std::sync::{Arc, Mutex};

use hotcell_cell::{
    Account, Arguments, Cell, CellError, CellOptions, Progress, Reply, Tool, Value,
};

use crate::support::{cell, engine, eval, fail};

const LIMIT: usize = 4 << 20;

fn account() -> Account {
    Account::new("host memory", LIMIT)
}

fn with_account(account: &Account) -> Cell {
    engine()
        .cell(CellOptions::default().account(account.clone()))
        .unwrap()
}

/// Calls `call(text)` a hundred times with 100 KB, and says how many calls were taken, and the error of one that was not.
const FILL: &str = "
    const big = 'x'.repeat(100_000);
    let refused = 0, error;
    const refuse = e => { refused++; error ??= e };
    for (let i = 0; i < 100; i++) {
        try { Promise.resolve(call(big)).catch(refuse) } catch (e) { refuse(e) }
    }
    for (let i = 0; i < 10; i++) await null;
    [100 - refused, String(error)]";

/// The count and the error of [`FILL`].
fn refused_after(value: &Value) -> (f64, &str) {
    let made = value.at(0).and_then(Value::as_f64).unwrap();
    (made, value.at(1).and_then(Value::as_str).unwrap())
}

#[test]
fn arguments_of_outstanding_calls_fill_the_account_and_the_cell_lives_on() {
    let kinds: [(&str, Tool); 3] = [
        ("deferred", Tool::deferred()),
        (
            "asynchronous",
            Tool::asynchronous(|_| std::future::pending()),
        ),
        (
            "maybe_async",
            Tool::maybe_async(|_| async { Ok(Reply::Later(Box::pin(std::future::pending()))) }),
        ),
    ];
    for (name, tool) in kinds {
        let account = account();
        let mut cell = with_account(&account);
        cell.define_tool("call", tool).unwrap();
        let value = eval(&mut cell, FILL);
        let (made, error) = refused_after(&value);
        assert!(
            error.starts_with(
                "RangeError: the arguments for call are too large: host memory limit exceeded"
            ),
            "{name}: {error}"
        );
        // 4 MiB, and each is held once.
        assert!((36.0..=41.0).contains(&made), "{name}: {made}");
        assert!(account.peak() <= LIMIT);
        assert!(account.used() > LIMIT / 2, "{name}");
        assert_eq!(eval(&mut cell, "1 + 1"), Value::from(2));
        drop(cell);
        assert_eq!(account.used(), 0, "{name}");
    }
}

#[test]
fn arguments_that_a_tool_keeps_stay_charged_until_it_drops_them() {
    let account = account();
    let mut cell = with_account(&account);
    let kept: Arc<Mutex<Vec<Arguments>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    cell.define_tool(
        "call",
        Tool::sync(move |call| {
            keeper.lock().unwrap().push(call.arguments);
            Ok(Value::Undefined)
        }),
    )
    .unwrap();
    let value = eval(&mut cell, FILL);
    let (made, error) = refused_after(&value);
    assert!(error.contains("host memory limit exceeded"), "{error}");
    assert!((36.0..=41.0).contains(&made), "{made}");
    // Taken out, they are the host's own.
    let values = kept.lock().unwrap().pop().unwrap().into_vec();
    assert_eq!(values.len(), 1);
    let before = account.used();
    kept.lock().unwrap().clear();
    assert!(account.used() < before);
    assert_eq!(account.used(), 0);
}

#[test]
fn answers_that_nobody_takes_are_charged() {
    let account = account();
    let mut cell = with_account(&account);
    cell.define_tool("call", Tool::deferred()).unwrap();
    cell.start("const all = await Promise.allSettled(Array.from({length: 100}, () => call())); all.map(x => x.reason?.message ?? 'ok')")
        .unwrap();
    assert!(matches!(
        pollster::block_on(cell.step()),
        Ok(Progress::Waiting)
    ));
    for call in cell.outstanding() {
        cell.answer(call.id, Ok(Value::from("y".repeat(100_000))))
            .unwrap();
    }
    assert!(account.used() > LIMIT * 9 / 10 && account.peak() <= LIMIT);
    let Ok(Progress::Done(outcome)) = pollster::block_on(cell.step()) else {
        panic!("not done");
    };
    let Value::Array(texts) = outcome.value else {
        panic!("no array");
    };
    let refused: Vec<_> = texts
        .iter()
        .filter_map(Value::as_str)
        .filter(|text| *text != "ok")
        .collect();
    assert!((55..=65).contains(&refused.len()), "{}", refused.len());
    assert!(
        refused[0].starts_with("the answer of the tool cannot be kept: host memory limit exceeded"),
        "{}",
        refused[0]
    );
    assert_eq!(account.used(), 0);
}

#[test]
fn an_answer_too_large_to_wait_is_a_range_error() {
    let mut cell = with_account(&account());
    cell.define_tool("call", Tool::sync(|_| Ok(Value::from("z".repeat(5 << 20)))))
        .unwrap();
    let value = eval(
        &mut cell,
        "try { call().length } catch (e) { e instanceof RangeError && e.message }",
    );
    let message = value.as_str().unwrap_or_default();
    assert!(message.contains("host memory limit exceeded"), "{value:?}");
    assert_eq!(eval(&mut cell, "2"), Value::from(2));
}

#[test]
fn a_result_that_has_no_room_is_an_error_that_names_the_limit() {
    let account = account();
    let mut cell = with_account(&account);
    let error = fail(&mut cell, "'x'.repeat(5 << 20)");
    assert!(
        matches!(
            &error,
            CellError::HostMemory {
                is_final_answer: false,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(error.code(), "ERR_MEMORY_LIMIT");
    assert!(
        error
            .to_string()
            .starts_with("the result cannot leave the cell: host memory limit exceeded"),
        "{error}"
    );
    assert_eq!(account.used(), 0);
    // What was fetched is the host's own.
    let text = eval(&mut cell, "'x'.repeat(1 << 20)");
    assert_eq!(account.used(), 0);
    drop(text);
}

#[test]
fn an_account_of_several_cells_is_one_limit() {
    let account = account();
    let mut cells: Vec<_> = (0..4).map(|_| with_account(&account)).collect();
    let mut made = 0.0;
    for cell in &mut cells {
        cell.define_tool("call", Tool::deferred()).unwrap();
        made += refused_after(&eval(cell, FILL)).0;
    }
    assert!((36.0..=41.0).contains(&made), "{made}");
}

#[test]
fn without_one_a_cell_has_an_account_as_large_as_its_memory() {
    let mut cell = cell();
    cell.define_tool("call", Tool::deferred()).unwrap();
    let value = eval(
        &mut cell,
        "const big = 'x'.repeat(4 << 20);
         let refused = 0;
         for (let i = 0; i < 20; i++) call(big).catch(() => refused++);
         for (let i = 0; i < 10; i++) await null;
         20 - refused",
    );
    assert_eq!(value, Value::from(15));
}

/// A tool whose answers are not there when it is called, but soon.
fn soon(bytes: usize) -> Tool {
    Tool::asynchronous(move |_| {
        let mut is_first = true;
        std::future::poll_fn(move |context| {
            if std::mem::take(&mut is_first) {
                context.waker().wake_by_ref();
                return std::task::Poll::Pending;
            }
            std::task::Poll::Ready(Ok(Value::from("x".repeat(bytes))))
        })
    })
}

#[test]
fn answers_are_paid_for_also_while_the_code_computes() {
    let account = account();
    let mut cell = with_account(&account);
    cell.define_tool("call", soon(1_000_000)).unwrap();
    let code = "
        let refused = 0, error;
        const all = [];
        for (let i = 0; i < 20; i++) all.push(call().catch(e => { refused++; error = e }));
        // It computes, and looks at none of them.
        let left = 50_000_000;
        while (--left && !(left % 1000 === 0 && isFull()));
        await Promise.all(all);
        [refused, String(error), left]";
    let at = account.clone();
    let is_full = Tool::sync(move |_| Ok(Value::from(at.used() > 3_000_000)));
    cell.define_tool("isFull", is_full).unwrap();
    let value = eval(&mut cell, code);
    let error = value.at(1).and_then(Value::as_str).unwrap();
    let refused = value.at(0).and_then(Value::as_f64).unwrap();
    assert!((16.0..=17.0).contains(&refused), "{refused}: {error}");
    assert!(error.contains("host memory limit exceeded"), "{error}");
    assert!(value.at(2).and_then(Value::as_f64) > Some(0.0));
    assert!(account.peak() <= LIMIT);
    assert_eq!(eval(&mut cell, "1 + 1"), Value::from(2));
}

#[test]
fn answers_that_the_cell_has_no_room_for_do_not_break_it() {
    let account = Account::new("host memory", 64 << 20);
    let options = CellOptions::default()
        .memory_limit(32 << 20)
        .account(account);
    let mut cell = engine().cell(options).unwrap();
    // However it ends, the cell is there for the next.
    for bytes in [6, 3, 2, 1].map(|megabytes| megabytes * 1_000_000) {
        cell.define_tool("call", soon(bytes)).unwrap();
        for code in [
            "globalThis.kept = []; for (let i = 0; i < 50; i++) kept.push(call()); await Promise.all(kept); 1",
            "globalThis.kept = []; for (let i = 0; i < 50; i++) kept.push(call().catch(() => {})); await Promise.all(kept); 1",
            "globalThis.kept = []; for (;;) kept.push(await call())",
        ] {
            let ended = pollster::block_on(cell.evaluate(code));
            assert!(!matches!(ended, Err(CellError::Broken(_))), "{ended:?}");
            assert_eq!(eval(&mut cell, "kept = null; 1 + 1"), Value::from(2));
        }
    }
}
