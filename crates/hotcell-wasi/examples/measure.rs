//! What programs cost: to start, to call their host, to switch. `cargo run --release -p hotcell-wasi --example measure`
//!
//! Prints a line for each: its name, and nanoseconds in the median and at the 95th percentile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_process::{Capture, Kernel, KernelOptions, Spec};
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};
use hotcell_wasi::{WasiEngine, WasiPrograms};

type Error = Box<dyn std::error::Error>;

const ROUNDS: usize = 2000;
const CALLS: u32 = 100_000;

/// A program that does nothing.
const NOTHING: &str = r#"(module (memory (export "memory") 1) (func (export "_start")))"#;

/// A program that calls a function of its host many times.
fn calls(import: &str, types: &str, arguments: &str) -> String {
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "{import}" (func $call {types}))
            (memory (export "memory") 1)
            (data (i32.const 0) "\10\00\00\00\01\00\00\00x")
            (func (export "_start") (local $n i32)
                (local.set $n (i32.const {CALLS}))
                (loop $again
                    (drop (call $call {arguments}))
                    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"#
    )
}

struct Bench {
    files: Arc<MemVfs>,
    programs: Arc<WasiPrograms>,
}

impl Bench {
    fn new() -> Self {
        let engine = WasiEngine::new();
        Self {
            files: Arc::new(MemVfs::new()),
            programs: Arc::new(WasiPrograms::new(Arc::new(Utilities), &engine)),
        }
    }

    /// Runs the program at a path and returns how long that took.
    fn run(&self, path: &'static str) -> Result<Duration, Error> {
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::clone(&self.files) as Arc<dyn Vfs>,
            programs: Arc::clone(&self.programs) as _,
            ..KernelOptions::default()
        });
        let output = Capture::new(kernel.account(), 1 << 20);
        let began = Instant::now();
        let run = kernel.run(
            Spec::new(["sh"]).stdout(Arc::new(output.clone())),
            move |process| {
                let status = process.execute(process.spec([path]));
                Ok(status.map_or(127, hotcell_process::Status::code))
            },
        );
        let ended = pollster::block_on(run);
        let took = began.elapsed();
        match ended.status.code() {
            0 => Ok(took),
            code => Err(format!("{path} ended with {code}").into()),
        }
    }

    fn measure(&self, name: &str, program: &str, rounds: usize, each: u32) -> Result<(), Error> {
        let path: &'static str = "/program.wasm";
        self.files
            .write_file(VfsPath::new(path), &wat::parse_str(program)?)?;
        self.files.chmod(VfsPath::new(path), 0o755)?;
        self.run(path)?;
        let mut times = Vec::new();
        for _ in 0..rounds {
            times.push(self.run(path)? / each);
        }
        times.sort();
        let at = |part: usize| {
            times
                .get(times.len() * part / 100)
                .copied()
                .unwrap_or_default()
        };
        println!("{name}\t{}\t{}", at(50).as_nanos(), at(95).as_nanos());
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let bench = Bench::new();
    bench.measure("start and end of a small program", NOTHING, ROUNDS, 1)?;
    let clock = calls(
        "clock_time_get",
        "(param i32 i64 i32) (result i32)",
        "(i32.const 1) (i64.const 0) (i32.const 100)",
    );
    bench.measure("clock_time_get", &clock, 20, CALLS)?;
    let seek = calls(
        "fd_fdstat_get",
        "(param i32 i32) (result i32)",
        "(i32.const 3) (i32.const 100)",
    );
    bench.measure("fd_fdstat_get", &seek, 20, CALLS)?;
    let write = calls(
        "fd_write",
        "(param i32 i32 i32 i32) (result i32)",
        "(i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)",
    );
    bench.measure("fd_write of one byte", &write, 20, CALLS)?;
    let stat = calls(
        "path_filestat_get",
        "(param i32 i32 i32 i32 i32) (result i32)",
        "(i32.const 3) (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 200)",
    );
    bench.measure("path_filestat_get of nothing", &stat, 20, CALLS)?;
    let give_way = calls("sched_yield", "(result i32)", "");
    bench.measure("sched_yield", &give_way, 20, CALLS)?;
    Ok(())
}
