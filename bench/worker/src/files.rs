//! What a worker pays for files that its parent has.

use std::{sync::Arc, time::Instant};

use bench_measure::{Report, Row, median};
use hotcell_vfs::{Clock, Limits, MemVfs, OpenOptions, Vfs, VfsPath};
use hotcell_worker::{Event, MakeService, Message, Parent, Service, Supervisor, WorkerOptions};
use pollster::block_on;
use serde_json::{Value as Json, json};

/// A service that reads files and says how long it took.
pub(crate) fn service() -> (&'static str, MakeService) {
    ("files", || Ok(Box::new(Reader)))
}

struct Reader;

const SMALL: usize = 4 << 10;
const LARGE: usize = 256 << 20;
const PIECE: usize = 1 << 20;

impl Service for Reader {
    fn handle(&mut self, _: Message, parent: &Parent) -> Message {
        let (small, large) = read(parent.files());
        let told = json!({ "op": "done", "small": small, "large": large });
        Message::new(&told, Vec::new())
    }
}

/// Microseconds for a read of 4 KiB, and milliseconds for 1 GB in reads of a mebibyte.
fn read(files: &dyn Vfs) -> (f64, f64) {
    let open = |path: &str| {
        files
            .open(VfsPath::new(path), &OpenOptions::read())
            .unwrap()
    };
    let file = open("/small");
    let mut buffer = vec![0; SMALL];
    let small = |_| {
        let began = Instant::now();
        for _ in 0..100 {
            assert_eq!(file.read_at(0, &mut buffer).unwrap(), SMALL);
        }
        began.elapsed().as_secs_f64() * 1e4
    };
    let small = median((0..100).map(small).collect());
    let file = open("/large");
    let mut buffer = vec![0; PIECE];
    let large = |_| {
        let began = Instant::now();
        let mut at = 0;
        while at < LARGE {
            at += file.read_at(at as u64, &mut buffer).unwrap();
        }
        let gigabytes = f64::from(u32::try_from(LARGE).unwrap()) / 1e9;
        began.elapsed().as_secs_f64() * 1e3 / gigabytes
    };
    let large = median((0..9).map(large).collect());
    (small, large)
}

pub(crate) fn measure(report: &mut Report) {
    let limits = Limits {
        bytes: 1 << 30,
        ..Limits::default()
    };
    let vfs = Arc::new(MemVfs::with(limits, Clock::None));
    let write = |path: &str, size: usize| vfs.write_file(VfsPath::new(path), &vec![b'x'; size]);
    write("/small", SMALL).unwrap();
    write("/large", LARGE).unwrap();
    let beside = read(&*vfs);
    let told: Json = block_on(async {
        let options = WorkerOptions::new(service().0, hotcell_executor::worker_build()).spares(0);
        let mut worker = Supervisor::shared()
            .unwrap()
            .worker(&options)
            .await
            .unwrap();
        worker.ready().await.unwrap();
        worker.serve_files(vfs.clone(), None, LARGE).unwrap();
        worker.command(&Message::new(&json!({}), Vec::new()));
        match worker.next(&mut |_, _| {}).await {
            Event::Done(message) => message.read().unwrap(),
            other => unreachable!("{other:?}"),
        }
    });
    report.add(Row {
        name: "reading 4 KiB of a file of the parent's".into(),
        unit: "µs".into(),
        bar: Some(15.0),
        hotcell: told["small"].as_f64().unwrap(),
        beside: Some(beside.0),
        ..Row::default()
    });
    report.add(Row {
        name: "reading 1 GB of it, a mebibyte at a time".into(),
        unit: "ms".into(),
        bar: Some(1000.0),
        hotcell: told["large"].as_f64().unwrap(),
        beside: Some(beside.1),
        ..Row::default()
    });
}
