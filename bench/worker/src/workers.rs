//! What workers themselves cost.

use std::time::Instant;

use bench_measure::{Report, Row, median};
use hotcell_worker::{Supervisor, WorkerOptions};
use pollster::block_on;

pub(crate) fn measure(report: &mut Report) {
    let supervisor = Supervisor::shared().unwrap();
    let (service, _) = hotcell_executor::worker_service();
    let options = WorkerOptions::new(service, hotcell_executor::worker_build()).spares(0);
    let start = |_| {
        let began = Instant::now();
        block_on(async {
            let mut worker = supervisor.worker(&options).await.unwrap();
            worker.ready().await.unwrap();
            let took = began.elapsed().as_secs_f64() * 1e3;
            drop(worker);
            took
        })
    };
    report.add(Row {
        name: "a cold worker of an executor, until it is ready".into(),
        unit: "ms".into(),
        bar: Some(30.0),
        hotcell: median((0..50).map(start).collect()),
        ..Row::default()
    });
}
