//! CPython's own tests of its library.
//!
//! The library that comes with the build for WASI has those of `unittest`. Those of `json`, `csv` and `re` are the machine's, if it
//! has a CPython 3.11.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

use crate::{Ran, with};

const DRIVER: &str = include_str!("own_tests.py");

/// What fails here, and why that is not ours.
const KNOWN: &[&str] = &[
    // Of versions after 3.11.3, which is what runs here.
    "test_atomic_group",
    "test_bug_gh106052",
    "test_disallow_instantiation",
    "test_look_behind_overflow",
];

/// What is not run: recursion without end. The build has 512 KiB for the stack of C, which some of it uses up before it comes to
/// CPython's own limit, and then it ends as an overflow.
const SKIPPED: &str = "test_endless_recursion,test_highly_nested_objects_encoding,test_highly_nested_objects_decoding,test_listrecursion,test_dictrecursion,test_defaultrecursion";

/// How many tests ran; all but the known ones passed.
fn passed(ran: &Ran) -> usize {
    assert_eq!(ran.code, 0, "{ran}");
    let mut lines = ran.stdout.lines();
    let count = lines.next().unwrap().parse().unwrap();
    let failed: BTreeSet<_> = lines.filter(|line| !KNOWN.contains(line)).collect();
    assert!(failed.is_empty(), "{failed:?}: {ran}");
    count
}

#[test]
fn tests_that_come_with_the_library_pass() {
    let modules = "test_suite test_skipping";
    let modules: String = modules
        .split(' ')
        .flat_map(|name| [" unittest.test.", name])
        .collect();
    let shell = with("python").stdin(DRIVER);
    let count = passed(&shell.sh(&format!("python3 - {SKIPPED}{modules}")));
    assert!(count > 50, "{count}");
}

/// Where the machine's CPython 3.11 has its tests.
fn machine() -> Option<PathBuf> {
    let asks = "import sys, test; print(sys.version_info[:2] == (3, 11), list(test.__path__)[0])";
    let output = Command::new("python3").args(["-c", asks]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(text.strip_prefix("True ")?.trim_end()))
}

#[test]
fn tests_of_json_csv_and_re_pass() {
    let Some(tests) = machine() else {
        eprintln!("the machine has no CPython 3.11 with its tests: there is nothing to run");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("test");
    for folder in ["support", "test_json"] {
        fs::create_dir_all(target.join(folder)).unwrap();
        for entry in fs::read_dir(tests.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), target.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    for file in ["__init__.py", "test_csv.py", "test_re.py", "re_tests.py"] {
        fs::copy(tests.join(file), target.join(file)).unwrap();
    }
    let shell = with("python").on(dir.path()).stdin(DRIVER);
    let modules = "test.test_json test.test_csv test.test_re";
    let count = passed(&shell.sh(&format!("python3 - {SKIPPED} {modules}")));
    assert!(count > 400, "{count}");
}
