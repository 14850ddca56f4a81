//! Every function of the host that takes what a guest gives it takes time in proportion: twice as much, twice as long, up to
//! the most that it accepts.
//!
//! What is measured is the time that the thread computes, guest included, and the least of several runs: a machine that does
//! other things as well makes that no longer. Memory that was given back stays with the process (`keep_memory`): otherwise a
//! buffer above some size costs the kernel a fault for each page, and one below it nothing, which is no growth of ours.

use std::time::Duration;

use hotcell_cell::{Cell, CellOptions, Program, Tool, Value};

use crate::support::{engine, eval, fail};

/// How long this thread has computed.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a clock that there is, and a place for its time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}

/// Has the allocator keep what it once got from the system. It does so for blocks that find room in the heap of a thread, which has
/// 64 MiB, so nothing that is measured here takes more than a part of that.
fn keep_memory() {
    // No block is a mapping of its own; nothing at the end is given back; and threads share the one heap that can grow.
    for (parameter, value) in [
        (libc::M_MMAP_MAX, 0),
        (libc::M_TRIM_THRESHOLD, i32::MAX),
        (libc::M_ARENA_MAX, 1),
    ] {
        // SAFETY: sets a number of the allocator's, which refuses what is out of its range.
        let is_set = unsafe { libc::mallopt(parameter, value) };
        assert_eq!(is_set, 1, "parameter {parameter} is not {value}");
    }
}

fn measured_cell() -> Cell {
    let options = CellOptions::default()
        .memory_limit(512 << 20)
        .max_value_bytes(256 << 20)
        .on_console(|_| {})
        .on_source(|source| {
            // What any gate does first.
            if source.body.to_str_lossy().contains("no such thing") {
                return Err("refused".into());
            }
            Ok(())
        })
        .on_import(|import| Err(format!("no module of {} bytes", import.name.len()).into()));
    let mut cell = engine().cell(options).unwrap();
    cell.define_tools([
        ("take", Tool::sync(|_| Ok(Value::Null))),
        ("echo", Tool::sync(|call| Ok(call.argument(0).clone()))),
        (
            "later",
            Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
        ),
        ("wait", Tool::blocking(|_| async { Ok(Value::Null) })),
        (
            "maybe_async",
            Tool::maybe_async(|_| async { Ok(hotcell_cell::Reply::Value(Value::Null)) }),
        ),
        ("defer", Tool::deferred()),
        ("final_answer", Tool::final_answer()),
    ])
    .unwrap();
    cell
}

/// The least that `code` takes for a size of `n`.
fn time(code: &str, n: u32) -> Duration {
    let once = || {
        let mut cell = measured_cell();
        eval(
            &mut cell,
            format!("globalThis.n = {n}; globalThis.host = {{}}; 0").as_str(),
        );
        let program = Program::new(code).timeout(Duration::from_mins(2));
        let began = thread_time();
        // Some end with an error, which is what they are about.
        let _ = pollster::block_on(cell.evaluate(program));
        thread_time().saturating_sub(began)
    };
    (0..3).map(|_| once()).min().unwrap()
}

/// What there is to measure: the host's function, the worst that was found for it, and the largest size that it accepts, or
/// one that fills a tenth of a second.
const FUNCTIONS: &[(&str, &str, u32)] = &[
    (
        "emit: a result of small numbers",
        "Array(n).fill(1)",
        800_000,
    ),
    ("emit: a result of doubles", "Array(n).fill(1.5)", 800_000),
    (
        "emit: a result of holes",
        "const a = []; a.length = n; a",
        800_000,
    ),
    (
        "emit: a result of short texts",
        "Array.from({ length: n }, (_, i) => 'k' + i % 100)",
        500_000,
    ),
    ("emit: a result of one text", "'x'.repeat(n)", 10_000_000),
    (
        "emit: a result of one Latin-1 text",
        "'é'.repeat(n)",
        10_000_000,
    ),
    (
        "emit: a result of one UTF-16 text",
        "'→'.repeat(n)",
        10_000_000,
    ),
    (
        "emit: a result of surrogates",
        "'\\ud83d\\ude00'.repeat(n)",
        2_000_000,
    ),
    (
        "emit: a result of lone surrogates",
        "'\\ud83d'.repeat(n)",
        10_000_000,
    ),
    (
        "emit: a result of objects",
        "Array.from({ length: n }, (_, i) => ({ a: i }))",
        200_000,
    ),
    (
        "emit: an object of many properties",
        "const o = {}; for (let i = 0; i < n; i++) o['k' + i] = i; o",
        200_000,
    ),
    (
        "emit: a map",
        "new Map(Array.from({ length: n }, (_, i) => [i, i]))",
        200_000,
    ),
    ("emit: a set", "new Set(Array(n).keys())", 400_000),
    (
        "emit: one object many times",
        "const o = {}; Array(n).fill(o)",
        1_000_000,
    ),
    (
        "emit: errors",
        "Array(n).fill(0).map(() => new Error('x'))",
        30_000,
    ),
    (
        "emit: integers of a thousand bits",
        "Array.from({ length: n }, (_, i) => (1n << 1000n) + BigInt(i))",
        100_000,
    ),
    ("emit: a buffer", "new ArrayBuffer(n)", 40_000_000),
    (
        "emit: views of one buffer",
        "const b = new ArrayBuffer(n); Array.from({ length: n }, (_, i) => new Uint8Array(b, i))",
        60_000,
    ),
    (
        "emit: regular expressions",
        "Array(n).fill(0).map((_, i) => new RegExp('a' + i))",
        50_000,
    ),
    ("emit: an exception", "throw 'é'.repeat(n)", 2_000_000),
    (
        "emit: what cannot be cloned",
        "[() => 1, 'é'.repeat(n)]",
        2_000_000,
    ),
    ("emit: a log line", "console.log('é'.repeat(n))", 2_000_000),
    (
        "emit: many log lines",
        "for (let i = 0; i < n; i++) console.log('')",
        50_000,
    ),
    (
        "emit: a rejection",
        "Promise.reject('é'.repeat(n)); 1",
        2_000_000,
    ),
    (
        "emit: a final answer",
        "final_answer('é'.repeat(n))",
        10_000_000,
    ),
    ("tool_call: an argument", "take('é'.repeat(n))", 10_000_000),
    (
        "tool_call: many arguments",
        "take(...Array(n).fill(1))",
        60_000,
    ),
    (
        "tool_call: many calls",
        "for (let i = 0; i < n; i++) take(i)",
        50_000,
    ),
    (
        "tool_call, take: an answer",
        "echo('é'.repeat(n)).length",
        10_000_000,
    ),
    ("tool_wait: an argument", "wait('é'.repeat(n))", 10_000_000),
    (
        "tool_maybe_async: an argument",
        "maybe_async('é'.repeat(n))",
        10_000_000,
    ),
    (
        "tool_start: an argument",
        "await later('é'.repeat(n)); 1",
        10_000_000,
    ),
    (
        "tool_start, next_answer: many calls",
        "await Promise.all(Array.from({ length: n }, (_, i) => later(i))); 1",
        9_000,
    ),
    (
        "tool_start: calls nobody answers",
        "for (let i = 0; i < n; i++) defer('x'.repeat(1000)); 1",
        9_000,
    ),
    (
        "admit: eval",
        "eval('\"' + 'é'.repeat(n) + '\"').length",
        2_000_000,
    ),
    (
        "admit: Function",
        "Function('return \"' + 'é'.repeat(n) + '\"').length",
        2_000_000,
    ),
    (
        "admit: many parameters",
        "Function(...Array.from({ length: n }, (_, i) => 'p' + i), '1').length",
        8_000,
    ),
    (
        "module: a name",
        "for (let i = 0; i < 1000; i++) try { await import('é'.repeat(n)) } catch {}",
        8_000,
    ),
    (
        "library: the path of a URL",
        "new URL('http://h/' + 'é'.repeat(n)).href.length",
        120_000,
    ),
    (
        "library: segments of a URL",
        "new URL('http://h/' + 'a/'.repeat(n)).href.length",
        120_000,
    ),
    (
        "library: dots in a URL",
        "new URL('http://h/' + 'a/../'.repeat(n)).href.length",
        50_000,
    ),
    (
        "library: the query of a URL",
        "new URL('http://h/?' + 'é'.repeat(n)).href.length",
        120_000,
    ),
    (
        "library: a data URL",
        "new URL('data:' + 'é'.repeat(n)).href.length",
        120_000,
    ),
    (
        "library: credentials in a URL",
        "new URL('http://' + 'é:'.repeat(n) + '@h/').href.length",
        80_000,
    ),
    (
        "library: a host of a scheme that is not special",
        "new URL('foo://' + 'é'.repeat(n)).href.length",
        120_000,
    ),
    (
        "library: a base",
        "new URL('x', 'http://h/' + 'é/'.repeat(n)).href.length",
        80_000,
    ),
    (
        "library: a setter",
        "const u = new URL('http://h/'); u.pathname = 'é'.repeat(n); u.href.length",
        60_000,
    ),
    (
        "library: a setter on a long URL",
        "const u = new URL('http://h/' + 'a'.repeat(n)); u.port = '81'; u.href.length",
        480_000,
    ),
    (
        "library: the name of a time zone",
        "try { new Intl.DateTimeFormat('en', { timeZone: 'Europe/' + 'x'.repeat(n) }) } catch {}",
        2_000_000,
    ),
    (
        "library: times in a zone",
        "const f = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin' }); for (let i = 0; i < n; i++) f.format(i * 1e9)",
        2_000,
    ),
];

/// What a cell can ask for without giving anything that its code made, but for a few numbers.
const NOTHING_GIVEN: &[&str] = &["interrupted", "stack", "now", "timer_time", "random"];

/// Whoever adds a function to the wall adds a row, or says why not.
#[test]
fn every_function_of_the_wall_is_measured() {
    let header = include_str!("../../../hotcell-image/guest/c/host.h");
    let imports = header.split("HC_IMPORT(\"").skip(1);
    let measured: Vec<&str> = FUNCTIONS
        .iter()
        .filter_map(|(name, ..)| name.split(": ").next())
        .flat_map(|functions| functions.split(", "))
        .collect();
    let missing: Vec<&str> = imports
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| !measured.contains(name) && !NOTHING_GIVEN.contains(name))
        .collect();
    assert!(missing.is_empty(), "in no row: {missing:?}");
}

#[test]
fn twice_as_much_takes_twice_as_long() {
    keep_memory();
    let mut bent = Vec::new();
    for (name, code, largest) in FUNCTIONS {
        // Again if it looks bent: what is quadratic stays so, what a busy machine did to its caches does not.
        let ratio = || {
            let [quarter, half, whole] = [4, 2, 1].map(|part| time(code, largest / part));
            let first = half.as_secs_f64() / quarter.as_secs_f64();
            let second = whole.as_secs_f64() / half.as_secs_f64();
            println!("{name}: {quarter:?}, {half:?}, {whole:?}");
            first.max(second)
        };
        let ratio = (0..8).map(|_| ratio()).find(|ratio| *ratio < 2.5);
        if ratio.is_none() {
            bent.push(*name);
        }
    }
    assert!(bent.is_empty(), "more than in proportion: {bent:?}");
}

/// The largest that the library accepts: nothing can stop it, so this has to be short.
#[test]
fn the_library_takes_some_milliseconds_at_most() {
    let host: String = ('\u{4e00}'..).take(660).collect();
    let hosts = format!("'http://' + Array(2).fill('{host}').join('.') + '/'");
    let punycode = "'http://' + Array(4).fill('xn--' + 'a'.repeat(990)).join('.') + '/'".to_owned();
    for (name, url) in [
        ("a path", "'http://h/' + 'é'.repeat(262_000)".to_owned()),
        ("segments", "'http://h/' + 'a/'.repeat(262_000)".to_owned()),
        ("opaque", "'data:' + 'é'.repeat(262_000)".to_owned()),
        (
            "credentials",
            "'http://' + 'u:'.repeat(262_000) + '@h/'".to_owned(),
        ),
        ("numbers", "'http://' + '1.'.repeat(2_040) + '/'".to_owned()),
        ("a domain name", hosts),
        ("Punycode", punycode),
    ] {
        let code = format!(
            "const url = {url}; for (let i = 0; i < n; i++) try {{ new URL(url) }} catch {{}}"
        );
        let once = time(&code, 4).saturating_sub(time(&code, 2)) / 2;
        println!("{name}: {once:?}");
        assert!(once < Duration::from_millis(100), "{name}: {once:?}");
    }
}

#[test]
fn what_is_too_long_for_the_library_is_an_error_that_says_so() {
    let mut cell = measured_cell();
    for (code, what) in [
        (
            "new URL('http://h/' + 'x'.repeat(600_000))",
            "at most 524288 bytes",
        ),
        ("new URL('x'.repeat(30_000_000))", "at most 524288 bytes"),
        (
            "new URL('http://' + 'x'.repeat(5_000))",
            "its host may have at most 4096 bytes",
        ),
        (
            "const u = new URL('http://h/'); u.hash = 'x'.repeat(600_000)",
            "at most 524288 bytes",
        ),
        (
            "await import('x'.repeat(20_000))",
            "the name of a module may have at most 16384 bytes",
        ),
    ] {
        let error = fail(&mut cell, code).to_string();
        assert!(error.starts_with("TypeError: "), "{code}: {error}");
        assert!(error.contains(what), "{code}: {error}");
    }
    let zone = "new Intl.DateTimeFormat('en', { timeZone: 'Europe/' + 'x'.repeat(1_000_000) })";
    let error = fail(&mut cell, zone).to_string();
    assert!(error.starts_with("RangeError"), "{error}");
}

/// However large the text, and whatever is done with it: at the deadline it is over.
#[test]
fn reading_what_a_guest_says_ends_at_the_deadline() {
    for what in [
        "text",
        "take(text)",
        "await later(text)",
        "console.log(text)",
        "throw text",
        "eval('\"' + text + '\"')",
        "Array(2_000_000).fill(text.slice(0, 10))",
    ] {
        let mut cell = measured_cell();
        eval(&mut cell, "const text = '→'.repeat(30_000_000)");
        for micros in [200, 2_000, 20_000] {
            let code = format!("{{ {what} }}");
            let program = Program::new(&code).timeout(Duration::from_micros(micros));
            let began = thread_time();
            let outcome = pollster::block_on(cell.evaluate(program));
            let took = thread_time().saturating_sub(began);
            if let Err(error) = outcome
                && error.is_fatal()
            {
                break;
            }
            assert!(
                took < Duration::from_micros(micros) + Duration::from_millis(60),
                "{what}: {took:?}"
            );
        }
    }
}
