//! What can be compiled, and what becomes of compiled code.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use hotcell_meter::Stopped;
use hotcell_wasi::{CompileIn, ModuleLimits, WasiEngine, WasiEngineOptions, WasiOptions};
use tempfile::{TempDir, tempdir};

use crate::support::{Machine, c};

const SAYS: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\08\00\00\00\03\00\00\00one")
    (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))))"#;

/// A module that cannot be compiled with these may still be loaded.
const NOTHING: ModuleLimits = ModuleLimits {
    bytes: usize::MAX,
    functions: 0,
    function_bytes: 0,
    compile_time: Duration::from_mins(1),
    compile_memory: 1 << 30,
};

struct Cache(TempDir);

impl Cache {
    fn new() -> Self {
        Self(tempdir().unwrap())
    }

    fn directory(&self) -> PathBuf {
        self.0.path().join("data/compiled")
    }

    fn options(&self) -> WasiEngineOptions {
        WasiEngineOptions::default().cache(self.directory())
    }

    /// A machine with an engine of its own, as in another process.
    fn machine(options: WasiEngineOptions) -> Machine {
        let engine = WasiEngine::with_options(options);
        Machine::with(&engine, WasiOptions::default()).with_wat("says", SAYS)
    }

    /// A machine that cannot compile.
    fn loads_only(&self) -> Machine {
        Self::machine(self.options().limits(NOTHING))
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory()).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

fn is_refused(machine: &Machine) -> bool {
    let ran = machine.sh("says");
    ran.code == 126 && ran.stderr.contains("and the limit is 0")
}

#[test]
fn compiled_code_is_found_again_by_another_process() {
    let cache = Cache::new();
    assert!(is_refused(&cache.loads_only()));
    assert_eq!(Cache::machine(cache.options()).sh("says").ok(), "one");
    assert_eq!(cache.files().len(), 1);
    assert_eq!(cache.loads_only().sh("says").ok(), "one");
}

#[test]
fn a_damaged_entry_is_compiled_again_and_never_loaded() {
    let cache = Cache::new();
    Cache::machine(cache.options()).sh("says").ok();
    let file = cache.files().remove(0);
    let good = fs::read(&file).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..40)
        .map(|part| {
            let mut bytes = good.clone();
            let at = part * (bytes.len() - 1) / 39;
            bytes[at] ^= 1;
            bytes
        })
        .collect();
    damaged.push(Vec::new());
    damaged.push(good[..50].to_vec());
    damaged.push(good[..good.len() - 1].to_vec());
    damaged.push([&good[..], b"x"].concat());
    damaged.push(b"\x7fELF of somebody else".repeat(100));
    for (number, bytes) in damaged.iter().enumerate() {
        fs::write(&file, bytes).unwrap();
        assert!(is_refused(&cache.loads_only()), "{number}");
        assert_eq!(Cache::machine(cache.options()).sh("says").ok(), "one");
        assert_eq!(fs::read(&file).unwrap(), good, "{number}");
    }
}

#[test]
fn an_entry_of_somebody_else_is_not_loaded() {
    let (ours, theirs) = (Cache::new(), Cache::new());
    Cache::machine(theirs.options()).sh("says").ok();
    fs::create_dir_all(ours.directory()).unwrap();
    let file = theirs.files().remove(0);
    fs::copy(&file, ours.directory().join(file.file_name().unwrap())).unwrap();
    assert!(is_refused(&ours.loads_only()));
    // With the key of the other it would be.
    let keys = (
        ours.options().seal_key([1; 32]).limits(NOTHING),
        ours.options().seal_key([1; 32]),
    );
    assert!(is_refused(&Cache::machine(keys.0.clone())));
    Cache::machine(keys.1).sh("says").ok();
    assert_eq!(Cache::machine(keys.0).sh("says").ok(), "one");
    assert!(is_refused(&ours.loads_only()));
}

#[test]
fn an_entry_under_another_name_is_not_loaded() {
    let cache = Cache::new();
    let two = SAYS.replace("03\\00\\00\\00one", "03\\00\\00\\00two");
    let machine = Cache::machine(cache.options()).with_wat("two", &two);
    assert_eq!(machine.sh("says; two").ok(), "onetwo");
    let files = cache.files();
    let (first, second) = (&files[0], &files[1]);
    let kept = fs::read(first).unwrap();
    fs::copy(second, first).unwrap();
    fs::write(second, kept).unwrap();
    assert!(is_refused(&cache.loads_only()));
}

#[test]
fn the_key_is_for_its_owner_alone() {
    let cache = Cache::new();
    Cache::machine(cache.options()).sh("says").ok();
    let key = cache.directory().with_extension("key");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&key), mode(&cache.directory())), (0o600, 0o700));
    assert_eq!(mode(&cache.files()[0]), 0o600);
    assert_eq!(cache.loads_only().sh("says").ok(), "one");
    // A key that others could read is worth nothing, and so is what it sealed.
    let before = fs::read(&key).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(is_refused(&cache.loads_only()));
    assert_ne!(fs::read(&key).unwrap(), before);
    assert_eq!(mode(&key), 0o600);
    // So is one that was cut off.
    fs::write(&key, b"short").unwrap();
    assert!(is_refused(&cache.loads_only()));
    assert_eq!(Cache::machine(cache.options()).sh("says").ok(), "one");
}

#[test]
fn many_engines_use_one_directory_at_once() {
    let cache = Cache::new();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(Cache::machine(cache.options()).sh("says").ok(), "one"));
        }
    });
    assert_eq!(cache.files().len(), 1);
    assert_eq!(cache.loads_only().sh("says").ok(), "one");
}

#[test]
fn the_directory_stays_within_its_limit() {
    let cache = Cache::new();
    let machine = Cache::machine(cache.options());
    machine.sh("says").ok();
    let size = fs::metadata(&cache.files()[0]).unwrap().len();
    let machine = Cache::machine(cache.options().cache_bytes(size * 3));
    for number in 0..6 {
        let other = SAYS.replace("one", &format!("{number:03}"));
        machine.install("other", &wat::parse_str(&other).unwrap());
        assert_eq!(machine.sh("other").ok(), format!("{number:03}"));
    }
    assert!(cache.files().len() <= 3);
}

#[test]
fn a_directory_that_cannot_be_made_is_no_reason_not_to_run() {
    let options = WasiEngineOptions::default().cache("/proc/no/such/place");
    assert_eq!(Cache::machine(options).sh("says").ok(), "one");
}

#[test]
fn a_program_that_changes_is_compiled_anew() {
    let machine = Machine::new().with_wat("says", SAYS);
    assert_eq!(machine.sh("says").ok(), "one");
    machine.install("says", &wat::parse_str(SAYS.replace("one", "two")).unwrap());
    assert_eq!(machine.sh("says").ok(), "two");
}

#[test]
fn modules_have_limits() {
    let machine = |limits| {
        let options = WasiEngineOptions::default().limits(limits);
        let machine = Cache::machine(options);
        machine.sh("says").failed(126).to_owned()
    };
    let limits = ModuleLimits::default();
    for (limits, text) in [
        (
            ModuleLimits {
                bytes: 100,
                ..limits
            },
            "says: cannot execute: bytes of the module: 1",
        ),
        (
            ModuleLimits {
                functions: 0,
                ..limits
            },
            "says: cannot execute: functions of the module: 1, and the limit is 0",
        ),
        (
            ModuleLimits {
                function_bytes: 3,
                ..limits
            },
            "says: cannot execute: bytes of one function: 1",
        ),
    ] {
        let said = machine(limits);
        assert!(said.starts_with(text), "{said}");
    }
}

#[test]
fn a_run_does_not_wait_for_the_compiler_longer_than_it_may() {
    let limits = ModuleLimits {
        compile_time: Duration::from_millis(1),
        ..ModuleLimits::default()
    };
    let options = WasiEngineOptions::default().limits(limits);
    let machine = |options| {
        let engine = WasiEngine::with_options(options);
        let machine = Machine::with(&engine, WasiOptions::default());
        machine.install("ends", &c("ends", &["-O3"]));
        machine
    };
    let ran = machine(options.clone()).sh("ends");
    assert_eq!(
        ran.failed(126),
        "ends: cannot execute: compiling it takes longer than the limit of 1ms"
    );
    // On a thread it goes on, and is there for the next.
    let machine = machine(options.compile_in(CompileIn::Thread));
    for _ in 0..600 {
        if machine.sh("ends").code == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("it was never compiled");
}

#[test]
fn a_run_that_is_killed_does_not_wait_for_the_compiler() {
    let engine = WasiEngine::new();
    let mut machine = Machine::with(&engine, WasiOptions::default());
    machine.install("ends", &c("ends", &[]));
    machine.timeout = Duration::from_millis(5);
    let ran = machine.sh("ends");
    assert_eq!(ran.stopped, Some(Stopped::Deadline), "{ran}");
    machine.timeout = Duration::from_mins(1);
    assert_eq!(machine.sh("ends").ok(), "before");
}

#[test]
fn several_processes_wait_for_one_compilation() {
    let engine = WasiEngine::new();
    let machine = Machine::with(&engine, WasiOptions::default());
    machine.install("ends", &c("ends", &[]));
    let ran = machine.sh("for i in $(seq 20); do ends & done | sort | uniq -c; wait");
    assert_eq!(ran.ok().trim(), "20 before");
}
