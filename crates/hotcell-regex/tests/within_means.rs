//! What a hostile pattern may take before anybody says no.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use hotcell_meter::{Account, Pace};
use hotcell_regex::{Flavor, MAX_LIST, MAX_PATTERN, Means, Options, Regex, RegexError};

/// Far more than compiling takes; what has no bound takes as long as one likes.
const GENEROUS: Duration = Duration::from_secs(5);

/// What a pattern may hold, and take while it is compiled.
const MEMORY: usize = 48 << 20;

fn doubled(levels: usize) -> String {
    let mut pattern = "a".to_owned();
    for _ in 0..levels {
        pattern = format!("({pattern}|{pattern})*");
    }
    pattern
}

/// Patterns that are as large as patterns can be in one way or another.
fn large() -> Vec<String> {
    let mut all: Vec<String> = (1..=13).map(doubled).collect();
    all.extend(
        [
            "a",
            "a*",
            "(a)",
            "(a*)*|",
            "[a-z]",
            "[^a]",
            r"\w",
            r"\W",
            ".",
            "[[:alpha:]]",
            "x|",
            "|",
            "é",
            "[à-ü]",
            "a{1,9}",
            "()*",
            "^",
            r"\b",
            "[!-\u{fffd}]",
        ]
        .map(|piece| piece.repeat(MAX_PATTERN / piece.len())),
    );
    for inner in ["a", "[a-z]", ".", r"\w", "()", "^", "(a|b)", "é"] {
        for counts in [
            "{32767}",
            "{1,250}{1,250}",
            "{0,30000}{0,30000}",
            "{5,}{9}{9}",
        ] {
            all.push(format!("({inner}{counts}){{1,20}}x"));
            all.push(format!("({inner}){counts}"));
        }
    }
    // What is looked for to the end, at each place anew; and classes of as many characters as there is room for.
    for piece in ["[[:", "{", "a{1", "a{1,2", "[[:alpha:]", "[[.a.]", "[a-"] {
        all.push(piece.repeat(MAX_PATTERN / piece.len()));
        all.push(format!("[{}", piece.repeat(MAX_PATTERN / piece.len() - 1)));
    }
    let apart = (0..21_000u32).filter_map(|index| char::from_u32(0x1000 + index * 2));
    let apart: String = apart.collect();
    all.push(format!("[{apart}]"));
    all.push(format!("[{}]", "[:alpha:]".repeat(2000)));
    all.push(format!("a{}", "?".repeat(MAX_PATTERN - 1)));
    // Nested as deep as groups may be, with repetitions of repetitions between.
    let mut nested = "a".to_owned();
    for _ in 0..240 {
        nested = format!("({nested}){}", "?".repeat(250));
    }
    all.push(nested);
    all
}

#[test]
fn compiling_and_searching_stay_within_their_means() {
    for flavor in [Flavor::Bash, Flavor::Egrep, Flavor::Awk] {
        for icase in [false, true] {
            for pattern in large() {
                let account = Account::new("memory", MEMORY);
                let units = Cell::new(0usize);
                let spend = |more| units.set(units.get().saturating_add(more));
                let paid = Means::new(&account, &spend);
                let options = Options {
                    icase,
                    ..Options::default()
                };
                let began = Instant::now();
                let shown: String = pattern.chars().take(40).collect();
                let made = Regex::new(pattern.as_bytes(), flavor, options, &paid);
                let compiled = began.elapsed();
                if let Ok(regex) = &made {
                    let mut pace = Pace::unwatched();
                    for text in ["", "aaaaaaaaaaab", "ééé\u{212a}éé", "Z"] {
                        // It may be too large for text that is not ASCII.
                        let _ = regex.captures_at(text.as_bytes(), 0, &mut pace);
                    }
                }
                let took = began.elapsed();
                if std::env::var_os("HOTCELL_SHOW").is_some() {
                    eprintln!(
                        "{compiled:>10.1?} {took:>10.1?} {:>6} KiB {flavor:?} {icase} {} {shown}",
                        account.peak() >> 10,
                        made.as_ref()
                            .err()
                            .map_or_else(String::new, ToString::to_string),
                    );
                }
                assert!(took < GENEROUS, "{shown}: {took:?}");
                assert!(
                    units.get() >= pattern.len().min(MAX_PATTERN) || made.is_err(),
                    "{shown}: {}",
                    units.get()
                );
                drop(made);
                assert_eq!(account.used(), 0, "{shown}");
            }
        }
    }
}

#[test]
fn a_text_is_too_long_to_be_a_pattern() {
    let means = Means::unmetered();
    let of = |length: usize, flavor| {
        Regex::new(&b"a".repeat(length), flavor, Options::default(), &means).map(|_| ())
    };
    let too_long = |limit| Err(RegexError::TooLong { limit });
    assert_eq!(of(MAX_PATTERN, Flavor::Bash), Ok(()));
    assert_eq!(of(MAX_PATTERN + 1, Flavor::Bash), too_long(MAX_PATTERN));
    assert_eq!(of(60 << 20, Flavor::Emacs), too_long(MAX_PATTERN));
    assert_eq!(of(MAX_LIST + 1, Flavor::Grep), too_long(MAX_LIST));
    let list = "word\n".repeat(MAX_LIST / 5);
    let regex = Regex::new(list.as_bytes(), Flavor::Grep, Options::default(), &means);
    let found = regex
        .expect("a list")
        .is_match(b"a sword", &mut Pace::unwatched());
    assert!(found.unwrap());
}

#[test]
fn what_a_search_remembers_is_charged() {
    let account = Account::new("memory", 8 << 20);
    let means = Means::new(&account, &|_| ());
    let pattern = b"(a|b)*a(a|b){14}c";
    let regex = Regex::new(pattern, Flavor::Extended, Options::default(), &means).unwrap();
    let before = account.used();
    let mut random = 1u32;
    let text: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if random >> 31 == 0 { b'a' } else { b'b' }
    })
    .take(50_000)
    .collect();
    assert!(!regex.is_match(&text, &mut Pace::unwatched()).unwrap());
    let after = account.used();
    assert!(after > before + 50_000, "{before} {after}");
    drop(regex);
    assert_eq!(account.used(), 0);
    let tiny = Account::new("memory", 1000);
    let refused = Regex::new(
        pattern,
        Flavor::Extended,
        Options::default(),
        &Means::new(&tiny, &|_| ()),
    );
    assert!(matches!(refused.err(), Some(RegexError::OverLimit(_))));
}
