//! This program as a worker of itself, and how to be rid of one.

use hotcell_worker::Program;

fn be_a_worker() {
    hotcell_worker::run(&Program {
        build: &hotcell_executor::worker_build(),
        services: &[crate::service()],
    });
}

hotcell_worker::worker_before_main!(be_a_worker);

/// The processes that this one has started, which are workers. A test that asks has its process to itself, as each has under
/// `cargo nextest`.
pub(crate) fn workers() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let children = tasks.filter_map(|task| {
        let file = task.ok()?.path().join("children");
        std::fs::read_to_string(file).ok()
    });
    let children: Vec<String> = children.collect();
    let all = children.iter().flat_map(|text| text.split_whitespace());
    all.map(str::to_owned).collect()
}

/// Sends all workers a signal.
pub(crate) fn signal(name: &str) {
    let workers = workers();
    assert!(!workers.is_empty(), "there is a worker");
    let sent = std::process::Command::new("kill")
        .arg(format!("-{name}"))
        .args(&workers)
        .status();
    assert!(sent.unwrap().success());
}
