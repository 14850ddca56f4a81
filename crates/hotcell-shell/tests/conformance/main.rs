//! Scripts that are run by this shell and by the machine's bash, and must come to the same.
//!
//! All files `tests/cases/*.txt` are run: nothing has to be registered. A file holds cases:
//!
//! ```text
//! Lines before the first case are notes.
//!
//! ### a name that says what is tested
//! # stderr: ignore
//! echo hello > file
//! exit 3
//! --- stdin
//! what the script reads
//! --- code 3
//! --- file file
//! hello
//! ```
//!
//! A case begins with `### NAME`. Lines that follow and begin with `# KEY: VALUE` are flags:
//!
//! - `# stderr: ignore`: standard error is not compared (it has times, process numbers, …).
//! - `# files: ignore`: neither are the files that it leaves.
//! - `# needs: jq zip`: the machine's bash runs it only where these programs are; else the recorded answer counts alone.
//! - `# only: ours WHY`: bash or its tools answer differently, and why that is so; the recorded answer is ours.
//! - `# env: NAME=VALUE`: a variable of the environment.
//! - `# args: a 'b c'`: arguments of the script, `$1`, `$2`…, as a shell would read them.
//!
//! Then comes the script, which is run as `bash -c SCRIPT bash ARGS`, up to the first line that begins with `--- `. Sections:
//!
//! - `--- stdin`: its standard input, which is empty otherwise.
//! - `--- given NAME`: a file that is there before, in the working directory.
//! - `--- stdout`, `--- stderr`, `--- code N`, `--- file NAME`, `--- link NAME -> TARGET`, `--- dir NAME`: the recorded answer:
//!   what it prints, the exit code if it is not 0, files (with ` (MODE)` behind the name if it is neither 644 nor 755
//!   for directories), symbolic links and empty directories that are there at the end. What is not recorded is empty.
//!
//! A line of a section stands for itself and a newline. With ` escaped` behind the name of a section, backslashes are escapes
//! (`\\`, `\n`, `\t`, `\r`, `\e`, `\xHH`), and `\c` at the end of the last line means that no newline ends it.
//!
//! The environment is `PATH=/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC HOME=…/home` in an empty directory `…/work` whose name is the same
//! for both and is written `/case/work` in answers.
//!
//! `HOTCELL_BLESS=1 cargo test -p hotcell-shell --test conformance` records what bash says (for `only: ours`, what we say), so
//! a new case needs nothing but its script. `HOTCELL_CASES=text` runs the cases whose file or name contains the text.

mod answer;
mod case;
mod generated;
mod ours;
mod real;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use answer::Answer;
use case::{Case, CaseFile};

/// What no case comes near to, on a busy machine either.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often the machine's bash is asked: what its processes do at the same time is up to whatever else the machine does. Ours
/// is asked once.
const TRIES: usize = 3;

/// How many failures are shown in full.
const SHOWN: usize = 40;

#[derive(Default)]
struct Tally {
    passed: usize,
    /// Answers that are ours alone, with the reasons.
    own: Vec<String>,
    failures: Vec<String>,
}

#[test]
fn scripts_come_to_the_same_as_in_bash() {
    let filter = std::env::var("HOTCELL_CASES").unwrap_or_default();
    let bless = std::env::var_os("HOTCELL_BLESS").is_some();
    let mut files = case_files();
    let mut work: Vec<(usize, usize)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        for (index, case) in file.cases.iter().enumerate() {
            let name = format!("{}: {}", file.name(), case.name);
            if name.contains(&filter) {
                work.push((number, index));
            }
        }
    }
    let results = run_all(&files, &work, bless);
    if bless {
        for ((file, index), result) in &results {
            if let (Some(case), Ok(answer)) = (files[*file].cases.get_mut(*index), &result.blessed)
            {
                case.answer = answer.clone();
            }
        }
        for file in &files {
            fs::write(&file.path, file.to_text()).expect("the case file can be written");
        }
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for ((file, index), result) in &results {
        let file = &files[*file];
        let case = &file.cases[*index];
        let tally = tallies.entry(file.name()).or_default();
        match &result.failure {
            None => tally.passed += 1,
            Some(failure) => {
                tally
                    .failures
                    .push(format!("=== {}: {}\n{failure}", file.name(), case.name));
            }
        }
        if let Some(reason) = &case.only_ours {
            tally
                .own
                .push(format!("{}: {} ({reason})", file.name(), case.name));
        }
    }
    report(&tallies, bless);
}

struct CaseResult {
    failure: Option<String>,
    /// What is to be recorded.
    blessed: Result<Answer, ()>,
}

fn case_files() -> Vec<CaseFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("there are cases")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths.into_iter().map(CaseFile::read).collect()
}

/// Runs cases on all cores.
fn run_all(
    files: &[CaseFile],
    work: &[(usize, usize)],
    bless: bool,
) -> BTreeMap<(usize, usize), CaseResult> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((file, index)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run_case(&files[*file].cases[*index], bless);
                    let mut results = results.lock().expect("nobody panics with it");
                    results.insert((*file, *index), result);
                }
            });
        }
    });
    results.into_inner().expect("nobody panics with it")
}

/// Where a case is run: a name of the same length each time.
fn place() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("hc-")
        .rand_bytes(6)
        .tempdir_in("/tmp")
        .expect("there is room in /tmp")
}

fn run_case(case: &Case, bless: bool) -> CaseResult {
    let place = place();
    let ours = ours::run(case, place.path(), PATIENCE);
    let asks_bash = case.only_ours.is_none() && real::can_run(case);
    let real = asks_bash.then(|| ask_bash(case, if bless { 1 } else { TRIES }));
    let recorded = match (&real, bless) {
        (Some(real), true) => real.clone(),
        (None, true) => ours.clone(),
        (_, false) => case.answer.clone(),
    };
    let mut failure = String::new();
    if let Some(difference) = recorded.difference(&ours, case) {
        let _ = write!(
            failure,
            "ours differs from the recorded answer:\n{difference}"
        );
    }
    if let Some(real) = &real
        && let Some(difference) = recorded.difference(real, case)
    {
        let _ = write!(
            failure,
            "bash differs from the recorded answer:\n{difference}"
        );
    }
    if !failure.is_empty() {
        let _ = write!(failure, "the script:\n{}\n", case.script);
    }
    CaseResult {
        failure: (!failure.is_empty()).then_some(failure),
        blessed: Ok(recorded),
    }
}

/// What bash says, at the latest the last time that it is asked.
fn ask_bash(case: &Case, tries: usize) -> Answer {
    let ask = || real::run(case, place().path(), PATIENCE);
    let is_recorded = |answer: &Answer| case.answer.difference(answer, case).is_none();
    let earlier = (1..tries).map(|_| ask()).find(is_recorded);
    earlier.unwrap_or_else(ask)
}

fn report(tallies: &BTreeMap<String, Tally>, bless: bool) {
    let (mut passed, mut all) = (0, 0);
    for (file, tally) in tallies {
        let total = tally.passed + tally.failures.len();
        println!("{file}: {} of {total}", tally.passed);
        passed += tally.passed;
        all += total;
    }
    let own: Vec<&String> = tallies.values().flat_map(|tally| &tally.own).collect();
    println!(
        "{passed} of {all} cases pass; {} have answers of our own",
        own.len()
    );
    for case in own {
        println!("  {case}");
    }
    let failures: Vec<&String> = tallies.values().flat_map(|tally| &tally.failures).collect();
    for failure in failures.iter().take(SHOWN) {
        println!("{failure}");
    }
    if failures.len() > SHOWN {
        println!("… and {} more:", failures.len() - SHOWN);
        for failure in failures.iter().skip(SHOWN) {
            println!("{}", failure.lines().next().unwrap_or_default());
        }
    }
    assert!(
        bless || failures.is_empty(),
        "{} of {all} cases fail",
        failures.len()
    );
}
