//! What the host and the guest both have to know is the same on both sides: the C files are read here, and compared.
//!
//! A number that C has and Rust has not fails as well, so whoever adds a kind of anything is led here.

use std::collections::BTreeMap;

use super::{
    INBOX_SIZE, SHADOWABLE, Status, answer, clock_number, emit, exception, level, policy,
    random_number, source_kind, timers_number,
};
use crate::{
    options::{Clock, Level, Random, SourceKind, Timers},
    tool::Tool,
    value::ViewKind,
    wire::{MAX_DEPTH, TAGS},
};

macro_rules! guest {
    ($file:literal) => {
        include_str!(concat!("../../../hotcell-image/guest/c/", $file))
    };
}

/// The numbers that begin with `prefix` in a C file, from `enum` and `#define`, without it.
fn numbers<'a>(text: &'a str, prefix: &str) -> BTreeMap<&'a str, i64> {
    let lines = text.lines().map(str::trim_start);
    let named = lines.filter_map(|line| {
        let (name, value) = match line.strip_prefix("#define ") {
            Some(definition) => definition.split_once(' ')?,
            None => line.split_once(" = ")?,
        };
        let value = value.split([',', ' ']).next()?;
        let number = match value.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        Some((name.strip_prefix(prefix)?, number))
    });
    named.collect()
}

/// As [`numbers`], of this side.
fn ours<N: Into<i64> + Copy>(named: &[(&'static str, N)]) -> BTreeMap<&'static str, i64> {
    let numbers = named.iter().map(|(name, number)| (*name, (*number).into()));
    numbers.collect()
}

#[test]
fn tags_of_the_wire() {
    let mut theirs = numbers(guest!("wire.c"), "HC_");
    assert_eq!(theirs.remove("MAX_DEPTH"), Some(i64::from(MAX_DEPTH)));
    assert_eq!(theirs, ours(TAGS));
}

#[test]
fn the_inbox() {
    let theirs = numbers(guest!("host.h"), "HC_INBOX_");
    assert_eq!(theirs["SIZE"], i64::try_from(INBOX_SIZE).unwrap_or(0));
    // The pipeline has no other way to know it.
    let pipeline = include_str!("../../../hotcell-image/src/build/freeze.rs");
    assert!(pipeline.contains(&format!("const INBOX_SIZE: usize = {INBOX_SIZE};")));
}

#[test]
fn kinds_of_what_is_emitted() {
    let kinds = [
        ("RESULT", emit::RESULT),
        ("EXCEPTION", emit::EXCEPTION),
        ("UNCLONEABLE", emit::UNCLONEABLE),
        ("FINAL", emit::FINAL),
        ("LOG", emit::LOG),
        ("REJECTION", emit::REJECTION),
        ("PLACE", emit::PLACE),
    ];
    assert_eq!(numbers(guest!("host.h"), "HC_EMIT_"), ours(&kinds));
}

#[test]
fn answers_and_exceptions() {
    let answers = [
        ("VALUE", answer::VALUE),
        ("ERROR", answer::ERROR),
        ("STOP", answer::STOP),
    ];
    assert_eq!(numbers(guest!("tools.c"), "HC_ANSWER_"), ours(&answers));
    let flags = [
        ("FROM_TOOL", exception::FROM_TOOL),
        ("AT_COMPILE", exception::AT_COMPILE),
    ];
    assert_eq!(numbers(guest!("run.c"), "HC_EXCEPTION_"), ours(&flags));
}

#[test]
fn statuses() {
    let statuses = numbers(guest!("run.c"), "HC_STATUS_");
    let reasons = numbers(guest!("stop.c"), "HC_STOP_");
    let of = |number: i64| {
        let number = i32::try_from(number).unwrap_or(-1);
        Status::from_guest(number).ok()
    };
    assert_eq!(of(statuses["DONE"]), Some(Status::Done));
    assert_eq!(of(statuses["WAITING"]), Some(Status::Waiting));
    assert_eq!(of(statuses["STALLED"]), Some(Status::Stalled));
    let stopped = |reason| of(statuses["STOPPED"] + reasons[reason]);
    assert_eq!(stopped("OPERATIONS"), Some(Status::StoppedForOperations));
    assert_eq!(stopped("INTERRUPTED"), Some(Status::StoppedByInterrupt));
    assert_eq!(stopped("FINAL_ANSWER"), Some(Status::StoppedByFinalAnswer));
    assert_eq!(stopped("UNCAUGHT"), Some(Status::StoppedByUncaught));
    assert_eq!((statuses.len(), reasons.len()), (4, 4));
    // No reason: there was no memory to go on with, not even for one.
    assert_eq!(of(statuses["STOPPED"]), Some(Status::StoppedByInterrupt));
    assert_eq!(of(statuses["STOPPED"] + 5), None);
}

#[test]
fn kinds_of_tools() {
    let nothing = |_| async { Ok(crate::Value::Undefined) };
    let kinds = [
        ("SYNC", Tool::sync(|_| Ok(crate::Value::Undefined))),
        ("WAIT", Tool::blocking(nothing)),
        ("ASYNC", Tool::asynchronous(nothing)),
        ("FINAL", Tool::final_answer()),
        (
            "MAYBE_ASYNC",
            Tool::maybe_async(|_| async { Ok(crate::Reply::Value(crate::Value::Undefined)) }),
        ),
        ("PAGES", Tool::paged(nothing)),
        ("JSON", Tool::json(nothing)),
    ];
    let mut theirs = numbers(guest!("tools.c"), "HC_TOOL_");
    assert_eq!(theirs.remove("SHADOWABLE"), Some(i64::from(SHADOWABLE)));
    let kinds = kinds.map(|(name, tool)| (name, tool.kind_number()));
    assert_eq!(theirs, ours(&kinds));
    assert!(kinds.iter().all(|(_, number)| *number < SHADOWABLE));
}

#[test]
fn kinds_of_source() {
    let theirs = numbers(guest!("source.c"), "HC_SOURCE_");
    let of = |number: i64| source_kind(i32::try_from(number).unwrap_or(-1));
    assert_eq!(of(theirs["DIRECT_EVAL"]), Some(SourceKind::DirectEval));
    assert_eq!(of(theirs["INDIRECT_EVAL"]), Some(SourceKind::IndirectEval));
    // Plus the engine's number for the kind of function.
    let function = theirs["FUNCTION"];
    assert_eq!(of(function), Some(SourceKind::Function));
    assert_eq!(of(function + 1), Some(SourceKind::GeneratorFunction));
    assert_eq!(of(function + 2), Some(SourceKind::AsyncFunction));
    assert_eq!(of(function + 3), Some(SourceKind::AsyncGeneratorFunction));
    assert_eq!(of(function + 4), None);
    assert_eq!(theirs.len(), 3);
}

#[test]
fn levels_of_the_console() {
    let names = Level::ALL.map(|level| format!("\"{}\"", level.as_str()));
    let array = format!("levels[] = {{ {} }};", names.join(", "));
    assert!(guest!("library.c").contains(&array), "{array}");
    assert_eq!(level(3), Some(Level::Error));
    assert_eq!(level(4), None);
}

#[test]
fn kinds_of_views() {
    let theirs = numbers(guest!("encode.c"), "HC_DATAVIEW_");
    assert_eq!(theirs["KIND"], i64::from(ViewKind::DataView as u8));
}

#[test]
fn the_policy() {
    let clocks = [
        ("OFF", clock_number(Clock::Off)),
        ("REAL", clock_number(Clock::Real)),
        ("FIXED", clock_number(Clock::Fixed(0.0))),
    ];
    assert_eq!(numbers(guest!("policy.c"), "HC_CLOCK_"), ours(&clocks));
    let randoms = [
        ("OFF", random_number(Random::Off)),
        ("REAL", random_number(Random::Real)),
        ("SEEDED", random_number(Random::Seeded(0))),
    ];
    assert_eq!(numbers(guest!("policy.c"), "HC_RANDOM_"), ours(&randoms));

    let timers = [
        ("OFF", timers_number(Timers::Off)),
        ("ON", timers_number(Timers::On)),
        ("PERSIST", timers_number(Timers::Persistent)),
    ];
    let timers = timers.map(|(name, number)| (name, number.cast_signed()));
    assert_eq!(numbers(guest!("timers.c"), "HC_TIMERS_"), ours(&timers));

    // The layout, as C lays it out: each field at the next multiple of its size.
    let (_, fields) = guest!("hooks.h")
        .split_once("struct HcPolicy {")
        .unwrap_or_default();
    let (fields, _) = fields.split_once("} hc_policy;").unwrap_or_default();
    let mut places = Vec::new();
    let mut at = 0_usize;
    for field in fields.lines().filter_map(|line| line.split_once(';')) {
        let mut words = field.0.split_whitespace();
        let size = match words.next() {
            Some("uint32_t") => 4,
            Some("uint64_t" | "double") => 8,
            // A line of a comment.
            _ => continue,
        };
        at = at.next_multiple_of(size);
        places.push((words.next().unwrap_or_default(), at));
        at += size;
    }
    let expected = [
        ("clock", policy::CLOCK),
        ("random", policy::RANDOM),
        ("fixed_time", policy::FIXED_TIME),
        ("seed", policy::SEED),
        ("counts_loops", policy::COUNTS_LOOPS),
        ("timers", policy::TIMERS),
        ("timer_time", policy::TIMER_TIME),
        ("timer_due", policy::TIMER_DUE),
    ];
    assert_eq!(places, expected);
    assert_eq!(at, policy::SIZE);
}

#[test]
fn imports() {
    let header = guest!("host.h").split("HC_IMPORT(\"").skip(1);
    let mut theirs: Vec<&str> = header.filter_map(|rest| rest.split('"').next()).collect();
    let linker = include_str!("../imports.rs").split("\"hotcell\",").skip(1);
    let mut ours: Vec<&str> = linker.filter_map(|rest| rest.split('"').nth(1)).collect();
    theirs.sort_unstable();
    ours.sort_unstable();
    assert_eq!(theirs, ours);
    assert!(theirs.len() > 10);
}
