//! Values that outlive cells.

use std::sync::{Arc, Mutex};

use hotcell_cell::{ToolError, Value};
use hotcell_executor::{Executor, ExecutorOptions, MemoryStore, Store, StoreFuture};
use pollster::block_on;
use serde_json::json;

use crate::support::{fail, ready, run, value};

fn with(store: impl Store + 'static) -> Executor {
    ready(crate::options().store(store))
}

#[test]
fn a_value_outlives_the_cell_and_is_shared_by_who_shares_the_store() {
    let store = MemoryStore::new(10_000);
    let executor = with(store.clone());
    run(
        &executor,
        "store('seen', { at: new Map([[1, 2n]]), self: 'x' })",
    );
    block_on(async {
        executor.cleanup().await.unwrap();
        executor.init().await.unwrap();
    });
    assert_eq!(
        value(&executor, "load('seen').at.get(1)"),
        value(&executor, "2n")
    );
    let other = with(store.clone());
    assert_eq!(value(&other, "load('seen').self"), Value::from("x"));
    assert_eq!(store.keys(), ["seen"]);
    run(&other, "store('seen', undefined)");
    assert_eq!(value(&executor, "load('seen')"), Value::Undefined);
    assert_eq!((store.keys().len(), store.bytes()), (0, 0));
}

#[test]
fn what_is_loaded_is_a_copy_that_is_frozen() {
    let executor = with(MemoryStore::new(10_000));
    assert_eq!(
        value(
            &executor,
            "const a = { n: 1 }; store('a', a); a.n = 2; [load('a').n, Object.isFrozen(load('a'))].join()"
        ),
        Value::from("1,true")
    );
}

#[test]
fn a_store_has_a_budget_and_says_so() {
    let executor = ready(
        crate::options()
            .store(MemoryStore::new(3_000))
            .max_store_bytes(2_000),
    );
    let error = fail(&executor, "store('a', 'x'.repeat(3000))");
    assert!(error.message.contains("(maxStoreBytes)"), "{error}");
    let error = fail(
        &executor,
        "store('a', 'x'.repeat(1500)); store('b', 'x'.repeat(1500))",
    );
    assert!(error.message.contains("the store holds"), "{error}");
    // What is in the way can be made smaller, or taken away.
    run(&executor, "store('a', 1); store('b', 'x'.repeat(1500))");
    for (code, words) in [
        ("store('', 1)", "the key must be a text that is not empty"),
        ("store(1, 1)", "the key must be a text"),
        ("load('x'.repeat(300))", "at most 256"),
        ("store('a', () => 1)", "function"),
    ] {
        let error = fail(&executor, code);
        assert!(error.message.contains(words), "{code}: {error}");
    }
}

#[test]
fn the_option_makes_one_that_forks_share() {
    let options = ExecutorOptions::from_json(&json!({ "store": true, "maxStoreBytes": 1000 }))
        .unwrap()
        .isolation(crate::ISOLATION);
    let executor = ready(options);
    run(&executor, "store('n', 1)");
    let twin = block_on(executor.fork()).unwrap();
    run(&twin, "store('n', load('n') + 1)");
    assert_eq!(value(&executor, "load('n')"), Value::from(2));
    let error = fail(&executor, "store('m', 'x'.repeat(2000))");
    assert!(error.message.contains("1000"), "{error}");
}

/// Answers after a while, and fails when it is asked for `bad`.
#[derive(Default)]
struct Slow(Arc<Mutex<Vec<String>>>);

impl Store for Slow {
    fn load<'s>(&'s self, key: &'s str) -> StoreFuture<'s, Option<Value>> {
        Box::pin(async move {
            crate::support::sleep(std::time::Duration::from_millis(1)).await;
            if key == "bad" {
                return Err(ToolError::new("RangeError", "the disk is full"));
            }
            Ok(Some(Value::from(key)))
        })
    }

    fn store<'s>(&'s self, key: &'s str, value: Option<Value>) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            let told = format!("{key}={:?}", value.as_ref().and_then(Value::as_f64));
            self.0.lock().unwrap().push(told);
            Ok(())
        })
    }
}

#[test]
fn code_waits_for_a_store_that_takes_its_time() {
    let store = Slow::default();
    let told = Arc::clone(&store.0);
    let executor = with(store);
    assert_eq!(
        value(&executor, "store('a', 1); store('a'); load('b')"),
        Value::from("b")
    );
    assert_eq!(*told.lock().unwrap(), ["a=Some(1.0)", "a=None"]);
    let error = fail(&executor, "load('bad')");
    assert!(error.message.contains("the disk is full"), "{error}");
}
