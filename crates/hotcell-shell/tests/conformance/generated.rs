//! Scripts that nobody wrote, by grammars: they go the same road as the recorded cases, and there is no answer but bash's.
//!
//! A few of each grammar, always the same ones, are among the tests. To look for differences for a while:
//!
//! ```text
//! HOTCELL_FUZZ_SECONDS=600 cargo test --release -p hotcell-shell --test conformance -- --ignored --nocapture
//! ```
//!
//! `HOTCELL_FUZZ_SEED=N` begins at that seed (else at one that the clock gives), `HOTCELL_FUZZ_GRAMMAR=TEXT` takes the grammars with
//! the text in their name, and `HOTCELL_FUZZ_SHOW=GRAMMAR:SEED` shows one script and both answers. A difference is printed with
//! its seed and as few of the script's lines as show it.

mod chance;
mod grammar;

use std::{
    env,
    time::{Duration, Instant, SystemTime},
};

use bstr::ByteSlice as _;

use crate::{answer::Answer, case::Case, ours, real};
use grammar::Grammar;

/// Scripts of each grammar that are among the tests.
const FEW: u64 = 40;

/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Differences after which it is enough.
const MOST_SHOWN: usize = 200;

#[test]
fn generated_scripts_come_to_the_same_as_in_bash() {
    if !real::can_run(&Case::default()) {
        println!("there is no bash here of the version that we are like");
        return;
    }
    let mut tally = Tally::default();
    for grammar in usable() {
        for seed in 0..FEW {
            tally.compare(&grammar, seed);
        }
    }
    tally.report();
}

#[test]
#[ignore = "goes on for HOTCELL_FUZZ_SECONDS: for whoever looks for differences"]
fn generated_scripts_of_a_while_come_to_the_same_as_in_bash() {
    assert!(real::can_run(&Case::default()), "there is no bash 5.2 here");
    if let Ok(wanted) = env::var("HOTCELL_FUZZ_SHOW") {
        return show(&wanted);
    }
    let number = |name| env::var(name).ok().map(|text| text.parse().expect(name));
    let seconds = number("HOTCELL_FUZZ_SECONDS").unwrap_or(60);
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut seed =
        number("HOTCELL_FUZZ_SEED").unwrap_or_else(|| clock.map_or(0, |time| time.as_secs()) << 20);
    let only = env::var("HOTCELL_FUZZ_GRAMMAR").unwrap_or_default();
    let grammars = usable();
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tally = Tally::default();
    println!("beginning at seed {seed}");
    while Instant::now() < until && tally.differences < MOST_SHOWN {
        for grammar in grammars.iter().filter(|one| one.name.contains(&only)) {
            tally.compare(grammar, seed);
        }
        seed += 1;
    }
    tally.report();
}

/// The grammars of which this machine can run scripts.
fn usable() -> Vec<Grammar> {
    let mut grammars = grammar::all();
    grammars.retain(|grammar| {
        let can_run = real::can_run(&Case {
            needs: grammar.needs.clone(),
            ..Case::default()
        });
        if !can_run {
            println!("{}: left out, it needs {:?}", grammar.name, grammar.needs);
        }
        can_run
    });
    grammars
}

#[derive(Default)]
struct Tally {
    scripts: usize,
    differences: usize,
}

impl Tally {
    fn compare(&mut self, grammar: &Grammar, seed: u64) {
        self.scripts += 1;
        let script = grammar.script(seed);
        // What stages of a pipeline do at the same time may come out otherwise the next time.
        if (0..3).any(|_| difference(&script).is_none()) {
            return;
        }
        self.differences += 1;
        let script = reduced(&script);
        let difference = difference(&script).unwrap_or_else(|| "not always\n".to_owned());
        println!(
            "=== {}:{seed}\n{script}\n--- differs\n{difference}",
            grammar.name
        );
    }

    fn report(&self) {
        println!("{} of {} scripts differ", self.differences, self.scripts);
        assert_eq!(self.differences, 0);
    }
}

/// Where the two differ, in words.
fn difference(script: &str) -> Option<String> {
    let (case, ours, mut theirs) = answers(script);
    // What bash does not end in time says nothing, nor what the machine does not have.
    if theirs.was_stopped || lacks_a_program(&theirs, &ours) {
        return None;
    }
    // Of a script that is none, bash's status depends on what is wrong with it: 0 for `[[ a b ]]`, 127 for `$(if)`. Ours is 2.
    if ours.code == 2 && theirs.stderr.contains_str(": -c: line ") {
        theirs.code = 2;
    }
    theirs.difference(&ours, &case)
}

/// Whether a program was not found there that is here.
fn lacks_a_program(theirs: &Answer, ours: &Answer) -> bool {
    let missing = |answer: &Answer| {
        let lines = answer.stderr.lines();
        lines
            .filter(|line| line.ends_with_str(": command not found"))
            .count()
    };
    missing(theirs) > missing(ours)
}

fn answers(script: &str) -> (Case, Answer, Answer) {
    let case = Case {
        script: script.to_owned(),
        ..Case::default()
    };
    let place = crate::place();
    let mut ours = ours::run(&case, place.path(), PATIENCE);
    let mut theirs = real::run(&case, place.path(), PATIENCE);
    for answer in [&mut ours, &mut theirs] {
        answer.stderr = plain(&answer.stderr);
    }
    (case, ours, theirs)
}

/// Messages in any order, because the stages of a pipeline complain when they will; without the number of the line, which
/// bash gets wrong within substitutions; and with the quotes of the C locale, which are ours.
fn plain(text: &[u8]) -> Vec<u8> {
    let text = text.replace("‘", "'").replace("’", "'");
    let line = |line: &[u8]| {
        let number = line.find(": line ").map(|at| at + ": line ".len());
        let digits = number.map(|at| line[at..].find_not_byteset("0123456789").unwrap_or(0));
        match number.zip(digits) {
            Some((at, digits)) => [&line[..at], b"N", &line[at + digits..]].concat(),
            None => line.to_vec(),
        }
    };
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|byte| *byte == b'\n')
        .map(line)
        .collect();
    lines.sort_unstable();
    lines.concat()
}

/// As few of the lines as show a difference.
fn reduced(script: &str) -> String {
    let mut lines: Vec<&str> = script.lines().collect();
    let mut at = lines.len();
    while at > 0 {
        at -= 1;
        let line = lines.remove(at);
        if difference(&lines.join("\n")).is_none() {
            lines.insert(at, line);
        }
    }
    lines.join("\n")
}

/// Shows a script, `GRAMMAR:SEED`, and what both say.
fn show(wanted: &str) {
    let (name, seed) = wanted.split_once(':').expect("GRAMMAR:SEED");
    let grammars = grammar::all();
    let grammar = grammars.iter().find(|grammar| grammar.name == name);
    let script = grammar
        .expect("there is such a grammar")
        .script(seed.parse().expect("a number"));
    let (_, ours, theirs) = answers(&script);
    println!("{script}");
    for (who, answer) in [("here", ours), ("bash", theirs)] {
        println!(
            "--- {who}: {}\n{}{}",
            answer.code,
            String::from_utf8_lossy(&answer.stdout),
            String::from_utf8_lossy(&answer.stderr)
        );
    }
}
