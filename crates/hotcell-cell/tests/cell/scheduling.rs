//! Many cells share few threads.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use hotcell_cell::{Program, Value};

use crate::support::{cell, eval};

/// Polls all futures in turn on this thread until all are done.
fn run_together<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    struct Nothing;
    impl Wake for Nothing {
        fn wake(self: Arc<Self>) {}
    }
    let waker = Waker::from(Arc::new(Nothing));
    let mut context = Context::from_waker(&waker);
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    while done.iter().any(Option::is_none) {
        for (future, slot) in futures.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(&mut context)
            {
                *slot = Some(value);
            }
        }
    }
    done.into_iter().flatten().collect()
}

#[test]
fn a_busy_cell_gives_others_their_turn() {
    let mut busy = cell();
    let mut quick = cell();
    let order = std::sync::Mutex::new(Vec::new());
    run_together::<()>(vec![
        Box::pin(async {
            let endless = Program::new("while (true) {}").timeout(Duration::from_millis(500));
            let _ = busy.evaluate(endless).await;
            order.lock().unwrap().push("busy");
        }),
        Box::pin(async {
            quick.evaluate("1 + 1").await.unwrap();
            order.lock().unwrap().push("quick");
        }),
    ]);
    assert_eq!(*order.lock().unwrap(), ["quick", "busy"]);
}

#[test]
fn a_thousand_cells_are_alive_at_once_and_each_answers() {
    let mut cells: Vec<_> = (0..1000).map(|_| cell()).collect();
    for (i, cell) in cells.iter_mut().enumerate() {
        eval(cell, format!("let mine = {i}").as_str());
    }
    for (i, cell) in cells.iter_mut().enumerate() {
        assert_eq!(
            eval(cell, "mine * 2"),
            Value::from(u32::try_from(i * 2).unwrap())
        );
    }
}

#[test]
fn cells_run_on_many_threads_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            scope.spawn(move || {
                for i in 0..50 {
                    let mut cell = cell();
                    eval(&mut cell, format!("let x = {thread} * 1000 + {i}").as_str());
                    assert_eq!(eval(&mut cell, "x"), Value::from(thread * 1000 + i));
                }
            });
        }
    });
}

#[test]
fn a_full_engine_says_so_and_has_room_again_later() {
    use hotcell_cell::{CellError, CellOptions, Engine, EngineOptions};
    let engine = Engine::with_options(&EngineOptions::default().max_cells(3)).unwrap();
    let cells: Vec<_> = (0..3)
        .map(|_| engine.cell(CellOptions::default()).unwrap())
        .collect();
    assert!(matches!(
        engine.cell(CellOptions::default()),
        Err(CellError::TooManyCells { limit: 3 })
    ));
    drop(cells);
    assert_eq!(
        eval(&mut engine.cell(CellOptions::default()).unwrap(), "1"),
        Value::from(1)
    );
}

#[test]
fn a_pool_of_two_threads_serves_a_hundred_busy_cells_and_a_quick_one() {
    let pool = hotcell_cell::Pool::with_threads(2.try_into().unwrap());
    let busy: Vec<_> = (0..100)
        .map(|_| {
            let mut cell = cell();
            pool.spawn(async move {
                let endless = Program::new("while (true) {}").timeout(Duration::from_secs(2));
                cell.evaluate(endless).await.is_err()
            })
        })
        .collect();
    let mut quick = cell();
    let answer =
        pool.spawn(async move { quick.evaluate("6 * 7").await.map(|outcome| outcome.value) });
    assert_eq!(pollster::block_on(answer).unwrap(), Value::from(42));
    assert!(busy.iter().all(|task| !task.is_finished()));
    assert!(busy.into_iter().all(pollster::block_on));
}
