use std::sync::Arc;
use std::thread;

use hotcell_prepare::{DynamicKind, Preparer, prepare_program};

use crate::options;

#[test]
fn repeated_text_is_prepared_once() {
    let preparer = Preparer::new(options(), 1 << 20);
    let first = preparer.prepare("const a: number = 1");
    assert!(Arc::ptr_eq(
        &first,
        &preparer.prepare("const a: number = 1")
    ));
    assert!(!Arc::ptr_eq(
        &first,
        &preparer.prepare("const a: number = 2")
    ));
}

#[test]
fn cached_and_fresh_results_are_the_same() {
    let preparer = Preparer::new(options(), 1 << 20);
    for code in [
        "1",
        "let a: string",
        "process",
        "let = ;",
        "",
        "enum A { B }",
    ] {
        for _ in 0..2 {
            let (cached, fresh) = (preparer.prepare(code), prepare_program(code, &options()));
            assert_eq!(cached.transformed, fresh.transformed);
            assert_eq!(cached.diagnostics, fresh.diagnostics);
            assert_eq!(cached.map, fresh.map);
        }
    }
}

#[test]
fn other_options_are_other_entries() {
    let first = Preparer::new(options(), 1 << 20);
    let mut other = options();
    other.tools.insert("process".into());
    let second = first.with_options(other);
    assert_eq!(first.validate("process").len(), 1);
    assert_eq!(second.validate("process").len(), 0);
    let third = second.with_options(options());
    assert!(Arc::ptr_eq(
        &first.prepare("process"),
        &third.prepare("process")
    ));
}

#[test]
fn old_entries_make_room_for_new_ones() {
    let preparer = Preparer::new(options(), 8 << 10);
    let kept = preparer.prepare("'kept'");
    let dropped = preparer.prepare("'dropped'");
    for n in 0..200 {
        preparer.prepare(&format!("'{n}'"));
        assert!(
            Arc::ptr_eq(&kept, &preparer.prepare("'kept'")),
            "used entries stay"
        );
    }
    assert!(!Arc::ptr_eq(&dropped, &preparer.prepare("'dropped'")));
}

#[test]
fn a_text_larger_than_the_cache_is_not_kept() {
    let preparer = Preparer::new(options(), 100);
    let code = format!("'{}'", "x".repeat(1000));
    assert!(!Arc::ptr_eq(
        &preparer.prepare(&code),
        &preparer.prepare(&code)
    ));
}

#[test]
fn dynamic_code_is_cached_by_kind_and_parameters() {
    let preparer = Preparer::new(options(), 1 << 20);
    let run = |kind, params| {
        preparer
            .prepare_dynamic(kind, Some(params), "return 1")
            .unwrap()
    };
    let first = run(DynamicKind::Function, "a");
    assert!(Arc::ptr_eq(&first, &run(DynamicKind::Function, "a")));
    assert_ne!(first, run(DynamicKind::Function, "b"));
    assert_ne!(first, run(DynamicKind::AsyncFunction, "a"));
    for _ in 0..2 {
        assert!(
            preparer
                .prepare_dynamic(DynamicKind::DirectEval, None, "return 1")
                .is_err()
        );
    }
    assert_eq!(&*preparer.prepare("return 1").transformed, "return 1");
}

#[test]
fn threads_share_a_preparer() {
    let preparer = Preparer::new(options(), 1 << 16);
    thread::scope(|scope| {
        for start in 0..4 {
            let preparer = preparer.clone();
            scope.spawn(move || {
                for n in 0..200 {
                    let code = format!("let x: number = {}", (start + n) % 50);
                    assert!(!preparer.prepare(&code).has_errors());
                }
            });
        }
    });
}
