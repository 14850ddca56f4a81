//! Every function of the host that takes what code made, with the worst that code can give it: twice as much takes less than
//! two and a half times as long.
//!
//! What is measured is the time that this thread computes, not what a clock says, at its best of several attempts; and so that
//! an odd attempt does not decide, a ratio has to be bad every time. Each test runs in a process whose allocator gives no memory
//! back, because what the kernel does for fresh pages is not the question.

use hotcell_cell::{BigInt, ErrorValue, Text, Value};
use hotcell_executor::{
    AgentTool, Answer, Executor, ExecutorOptions, Files, call_file_tool,
    json::{digits, from_json, to_json, to_text},
};
use hotcell_meter::Unwatched;
use pollster::block_on;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

use crate::support::ready;

mod functions;

/// How much longer twice as much may take. What is quadratic takes four times as long.
const MOST: f64 = 2.5;

/// Nanoseconds that this thread has computed.
fn now() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The least time of a few attempts.
fn least(mut work: impl FnMut()) -> i64 {
    let times = (0..5).map(|_| {
        let began = now();
        work();
        now() - began
    });
    times.min().unwrap_or_default().max(1)
}

/// Does `work` in a process of its own, which is this test again.
fn in_steady_memory(test: &str, work: impl FnOnce()) {
    const SETTINGS: [&str; 2] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"];
    if std::env::var_os(SETTINGS[0]).is_some() {
        return work();
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("growth::{test}"), "--nocapture"])
        .envs(SETTINGS.map(|name| (name, "4000000000")))
        .status();
    assert!(status.unwrap().success());
}

/// Measures `work` with inputs of `size` and of four times that, which is two doublings; `make` is not measured. Where only the
/// smaller fits into a cache, both do at a lower scale.
fn grows<I>(name: &str, size: usize, make: impl Fn(usize) -> I, work: impl Fn(&I)) {
    let mut best = f64::MAX;
    for size in [size, size / 4] {
        best = best.min(ratio(size, &make, &work));
        if best < MOST {
            return;
        }
    }
    panic!("{name}: {best:.2} times as long for twice as much");
}

/// How much longer twice as much takes, at the best of a few attempts.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn ratio<I>(size: usize, make: impl Fn(usize) -> I, work: impl Fn(&I)) -> f64 {
    let (small, large) = (make(size), make(size * 4));
    // So that both find memory that the allocator has already.
    work(&large);
    work(&large);
    let mut ratio = f64::MAX;
    for _ in 0..24 {
        let doublings = least(|| work(&large)) as f64 / least(|| work(&small)) as f64;
        ratio = ratio.min(doublings.sqrt());
        if ratio < MOST {
            break;
        }
    }
    ratio
}

/// A kind of value, and as much of it as is asked for.
type Kind = (&'static str, fn(usize) -> Value);

/// Code of a size.
type Code = fn(usize) -> String;

/// The kinds of values, each as much of it as so many bytes of the host's memory hold.
fn values() -> Vec<Kind> {
    vec![
        ("numbers", |n| {
            Value::Array(
                (0..n / 32)
                    .map(|i| Value::from(f64::from(u32::try_from(i).unwrap()) + 0.5))
                    .collect(),
            )
        }),
        ("undefined", |n| {
            Value::Array(vec![Value::Undefined; n / 32])
        }),
        ("minus zero", |n| {
            Value::Array(vec![Value::Number(-0.0); n / 32])
        }),
        ("holes", |n| Value::Array(vec![Value::Hole; n / 32])),
        ("one text", |n| Value::from("é\"\u{1}".repeat(n / 4))),
        ("half surrogates", |n| {
            Value::String(Text::from_utf16(&vec![0xd800; n / 2]))
        }),
        ("small integers", |n| {
            Value::Array(
                (0..n / 64)
                    .map(|i| Value::BigInt(BigInt::from(i)))
                    .collect(),
            )
        }),
        ("integers of 4,000 digits", |n| {
            Value::Array(vec![Value::BigInt(BigInt::from(7) << 14_000); n / 1800])
        }),
        ("one integer", |n| {
            Value::BigInt((BigInt::from(1) << (n * 8 - 1)) + 12345)
        }),
        ("properties", |n| {
            Value::object((0..n / 64).map(|i| (format!("name{i}"), Value::Null)))
        }),
        ("properties that JSON cannot say", |n| {
            let mut properties: Vec<_> = (0..n / 64)
                .map(|i| (Text::from(format!("name{i}")), Value::Null))
                .collect();
            properties.push(("$".into(), Value::Null));
            Value::Object(properties)
        }),
        ("entries", |n| {
            Value::Map(
                (0..n / 64)
                    .map(|i| (Value::from(i.to_string()), Value::Null))
                    .collect(),
            )
        }),
        ("bytes", |n| Value::bytes(vec![7; n])),
        ("references", |n| {
            let mut all = vec![Value::object([("a", Value::Null)]); n / 100];
            all.extend((0..n / 100).map(|i| Value::Reference(u32::try_from(i + 1).unwrap())));
            Value::Array(all)
        }),
        ("errors", |n| {
            Value::Array(vec![
                Value::from(ErrorValue::new("Error", "x".repeat(100)));
                n / 300
            ])
        }),
        ("lists in lists", |n| {
            let deep = (0..900).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
            Value::Array(vec![deep; n / 30_000])
        }),
        ("dates", |n| {
            Value::Array(vec![Value::Date(8.64e15); n / 32])
        }),
    ]
}

#[test]
fn values_into_text_and_trees_and_back() {
    in_steady_memory("values_into_text_and_trees_and_back", || {
        for (name, make) in values() {
            let size = if name == "one integer" {
                30_000
            } else {
                100_000
            };
            grows(&format!("to_text of {name}"), size, make, |value| {
                drop(to_text(value, &Unwatched).unwrap());
            });
            grows(&format!("to_json of {name}"), size, make, |value| {
                drop(to_json(value));
            });
            grows(
                &format!("from_json of {name}"),
                size,
                |n| to_json(&make(n)),
                |json| drop(from_json(json).unwrap()),
            );
        }
    });
}

#[test]
fn integers_into_digits() {
    in_steady_memory("integers_into_digits", || {
        // Up to the largest that a cell can make. Below, an integer has few digits, and what they cost is bounded by that: see
        // above, where there are many of them.
        for bits in [20_000, 100_000, 250_000] {
            let make = |n: usize| vec![(BigInt::from(1) << n) - 1; 4_000_000 / bits];
            grows(&format!("digits of {bits} bits"), bits, make, |numbers| {
                for number in numbers {
                    drop(digits(number));
                }
            });
        }
    });
}

fn patient() -> ExecutorOptions {
    crate::options()
        .timeout(std::time::Duration::from_mins(10))
        .max_operations(1 << 50)
        .memory_limit(512 << 20)
        .max_result_bytes(64 << 20)
        .max_log_bytes(16 << 20)
        .max_tool_calls(1 << 30)
}

/// Runs code of both sizes in one executor.
fn runs_grow(name: &str, executor: &Executor, size: usize, code: impl Fn(usize) -> String) {
    grows(name, size, code, |code| {
        drop(block_on(executor.execute(code.as_str())));
    });
}

#[test]
fn what_code_prints_throws_and_leaves_behind() {
    in_steady_memory("what_code_prints_throws_and_leaves_behind", || {
        let executor = ready(patient());
        // Places are translated where types were lowered or a line is not all ASCII.
        let head = |lines: usize| format!("enum E {{ A }}\nlet x{};", "; 'é'".repeat(lines));
        let cases: Vec<(&str, usize, Code)> = vec![
            ("one long line", 50_000, |n| {
                format!("console.log('a.js:1:3 '.repeat({n}))")
            }),
            ("many lines", 2_000, |n| {
                format!("for (let i = 0; i < {n}; i++) console.log('a.js:1:3 at b.js:2:2')")
            }),
            ("colons", 500_000, |n| {
                format!("console.log(':1'.repeat({n}))")
            }),
            ("digits", 500_000, |n| {
                format!("console.log(':1:' + '1'.repeat({n}))")
            }),
            ("a long stack", 50_000, |n| {
                format!("const e = new Error('x'); e.stack = 'a.js:1:3\\n'.repeat({n}); throw e")
            }),
            ("a long message", 500_000, |n| {
                format!("throw new Error('a.js:1:3 '.repeat({n} / 9))")
            }),
            ("many properties", 5_000, |n| {
                format!(
                    "const e = new Error('x'); for (let i = 0; i < {n}; i++) e['p' + i] = i; throw e"
                )
            }),
            ("a cause", 20_000, |n| {
                format!(
                    "throw new Error('x', {{ cause: Array.from({{ length: {n} }}, (_, i) => 'a' + i) }})"
                )
            }),
            ("something else thrown", 20_000, |n| {
                format!("throw Array.from({{ length: {n} }}, (_, i) => 'a' + i)")
            }),
            ("rejections", 500, |n| {
                format!("for (let i = 0; i < {n}; i++) Promise.reject(new Error('a.js:1:3'))")
            }),
            ("refused imports", 500, |n| {
                format!("for (let i = 0; i < {n}; i++) await import('m' + i).catch(() => {{}})")
            }),
            ("a refused import", 500_000, |n| {
                format!("await import('m'.repeat({n})).catch(() => {{}})")
            }),
            ("a large result", 20_000, |n| {
                format!("Array.from({{ length: {n} }}, (_, i) => ({{ i }}))")
            }),
            ("eval", 100_000, |n| {
                format!("eval('/\"[\";'.repeat({n} / 5)); 1")
            }),
            ("eval of places", 20_000, |n| {
                format!("try {{ eval(\"'é';\" + 'import(\"x\");'.repeat({n} / 12)) }} catch {{}}")
            }),
            ("Function", 2_000, |n| {
                format!(
                    "try {{ Function(...Array.from({{ length: {n} }}, (_, i) => 'a' + i), 'return 1') }} catch {{}}"
                )
            }),
        ];
        for (name, size, code) in cases {
            // Many programs are known, and the names of all of them end alike.
            runs_grow(name, &executor, size, |n| {
                format!("{}\n{}", head(2000), code(n))
            });
        }
    });
}

#[test]
fn code_of_any_length() {
    in_steady_memory("code_of_any_length", || {
        let executor = ready(patient().max_code_bytes(16 << 20));
        let cases: Vec<(&str, Code)> = vec![
            ("slashes", |n| "/\"[\";".repeat(n / 5)),
            ("imports on a line", |n| {
                format!("'é';{}", "import(\"x\");".repeat(n / 12))
            }),
            ("statements", |n| "x = 1;\n".repeat(n / 7)),
        ];
        for (name, code) in cases {
            let make = |n| (code(n), 0u64);
            grows(&format!("validate {name}"), 200_000, make, |(code, _)| {
                // Each time as if it were new.
                let fresh = format!("{code}//{}", now());
                drop(executor.validate(&fresh));
            });
        }
    });
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn arguments_for_schemas() {
    in_steady_memory("arguments_for_schemas", || {
        let recursive = json!({ "$ref": "#/$defs/node" });
        let node =
            json!({ "anyOf": [{ "type": "number" }, { "type": "array", "items": recursive }] });
        let cases: Vec<(&str, Json, usize, Code)> = vec![
            (
                "numbers",
                json!({ "items": { "type": "number", "minimum": 0 } }),
                50_000,
                |n| format!("Array({n}).fill(1)"),
            ),
            (
                "wrong numbers",
                json!({ "items": { "type": "string" } }),
                50_000,
                |n| format!("Array({n}).fill(1)"),
            ),
            (
                "unique numbers",
                json!({ "uniqueItems": true }),
                20_000,
                |n| format!("Array.from({{ length: {n} }}, (_, i) => i)"),
            ),
            (
                "unique objects",
                json!({ "uniqueItems": true }),
                10_000,
                |n| format!("Array.from({{ length: {n} }}, (_, i) => ({{ a: 1, i }}))"),
            ),
            (
                "properties",
                json!({ "additionalProperties": { "type": "number" }, "required": ["p1", "p2"] }),
                5_000,
                |n| {
                    format!(
                        "Object.fromEntries(Array.from({{ length: {n} }}, (_, i) => ['p' + i, i]))"
                    )
                },
            ),
            (
                "unexpected properties",
                json!({ "properties": { "p": {} }, "additionalProperties": false }),
                5_000,
                |n| {
                    format!(
                        "Object.fromEntries(Array.from({{ length: {n} }}, (_, i) => ['p' + i, i]))"
                    )
                },
            ),
            (
                "names",
                json!({ "patternProperties": { "^p[0-9]+$": {} }, "propertyNames": { "maxLength": 30 } }),
                5_000,
                |n| {
                    format!(
                        "Object.fromEntries(Array.from({{ length: {n} }}, (_, i) => ['p' + i, i]))"
                    )
                },
            ),
            (
                "a text with a pattern",
                json!({ "pattern": "^(a|b)*[ab]{50}$" }),
                200_000,
                |n| format!("'ab'.repeat({n} / 2)"),
            ),
            (
                "a text with a length",
                json!({ "maxLength": 10_000_000 }),
                500_000,
                |n| format!("'é'.repeat({n})"),
            ),
            (
                "texts with a format",
                json!({ "items": { "format": "uri" } }),
                2_000,
                |n| format!("Array({n}).fill('http://a.b/c?d')"),
            ),
            (
                "a text with a format",
                json!({ "format": "email" }),
                200_000,
                |n| format!("'a'.repeat({n}) + '@b.c'"),
            ),
            (
                "a text with the format uri",
                json!({ "format": "uri" }),
                200_000,
                |n| format!("'http://a/' + '%41'.repeat({n} / 3)"),
            ),
            (
                "a text with the format hostname",
                json!({ "format": "hostname" }),
                200_000,
                |n| format!("'a.'.repeat({n} / 2)"),
            ),
            (
                "bytes",
                json!({ "items": { "type": "integer" } }),
                200_000,
                |n| format!("new Uint8Array({n})"),
            ),
            (
                "a choice",
                json!({ "items": { "enum": ["a", "b", 3] } }),
                20_000,
                |n| format!("Array({n}).fill(3)"),
            ),
            (
                "what recurs",
                json!({ "$defs": { "node": node }, "$ref": "#/$defs/node" }),
                10_000,
                |n| format!("Array.from({{ length: {n} }}, () => [[1]])"),
            ),
            (
                "large integers",
                json!({ "items": { "type": "string" } }),
                100,
                |n| format!("Array({n}).fill(1n << 100_000n)"),
            ),
            ("anything", json!({}), 50_000, |n| {
                format!("Array({n}).fill(1)")
            }),
        ];
        for (name, schema, size, x) in cases {
            let executor = ready(patient());
            let whole = match schema.get("$ref") {
                Some(reference) => {
                    json!({ "properties": { "x": { "$ref": reference } }, "$defs": schema["$defs"] })
                }
                None => json!({ "properties": { "x": schema } }),
            };
            let tool = AgentTool::sync(|_| Ok(Value::Undefined)).parameters(whole);
            block_on(executor.send_tools([("tool", tool)])).unwrap();
            runs_grow(name, &executor, size, |n| {
                format!("try {{ tool({{ x: {} }}) }} catch {{}}", x(n))
            });
        }
    });
}

#[test]
fn calls_and_their_records() {
    in_steady_memory("calls_and_their_records", || {
        let executor = ready(patient());
        let fails =
            AgentTool::sync(|call| Err(call.argument(0).as_str().unwrap_or_default().into()));
        block_on(executor.send_tools([("fails", fails)])).unwrap();
        runs_grow("many calls", &executor, 1_000, |n| {
            format!("for (let i = 0; i < {n}; i++) try {{ fails('x'.repeat(100)) }} catch {{}}")
        });
        // Which tool failed is found among all that did.
        runs_grow("the call that failed", &executor, 1_000, |n| {
            format!(
                "for (let i = 0; i < {n}; i++) try {{ fails('x'.repeat(2000) + i) }} catch {{}} fails('y')"
            )
        });
        runs_grow("a long argument", &executor, 200_000, |n| {
            format!("try {{ fails('x'.repeat({n})) }} catch {{}}")
        });
    });
}

#[test]
fn snapshots() {
    in_steady_memory("snapshots", || {
        let executor = |n: usize| {
            let executor = ready(patient());
            let code =
                format!("globalThis.kept = Array.from({{ length: {n} }}, (_, i) => 'text ' + i)");
            block_on(executor.run(code)).unwrap();
            executor
        };
        grows("snapshot", 100_000, executor, |executor| {
            drop(block_on(executor.snapshot()).unwrap());
        });
        let bytes = |n| block_on(executor(n).snapshot()).unwrap();
        grows("restore", 100_000, bytes, |bytes| {
            drop(Executor::restore(bytes, Some(patient())).unwrap());
        });
    });
}

#[test]
fn runs_that_wait() {
    in_steady_memory("runs_that_wait", || {
        // As many calls as the code likes wait for who resumes it.
        let waiting = |n: usize| {
            let executor = ready(patient().max_tool_calls_in_flight(1 << 30));
            block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
            let code =
                format!("await Promise.all(Array.from({{ length: {n} }}, (_, i) => ask(i)))");
            drop(block_on(executor.start(code)));
            executor
        };
        grows("suspension", 1_000, waiting, |executor| {
            let suspension = block_on(executor.suspension()).unwrap();
            assert!(suspension.calls.len() >= 250);
        });
        let answered = |n| {
            let executor = waiting(n);
            let calls = block_on(executor.suspension()).unwrap().calls;
            let ids: Vec<String> = calls.into_iter().map(|call| call.id).collect();
            (executor, ids)
        };
        // All are looked at, and the last is none; so nothing is taken.
        grows("answers", 1_000, answered, |(executor, ids)| {
            let answers = ids
                .iter()
                .map(|id| (id.as_str(), Answer::Value(Value::Null)));
            let wrong = [("none", Answer::Value(Value::Null))];
            assert!(block_on(executor.resume(answers.chain(wrong))).is_err());
        });
        grows("snapshot of calls", 1_000, waiting, |executor| {
            drop(block_on(executor.snapshot()).unwrap());
        });
    });
}

/// What is done with files, one call after the other.
type Calls = Vec<(&'static str, Vec<Value>)>;

/// What is measured, how large it is, what makes a text, and what is done with a file that holds it.
type FileCase = (
    &'static str,
    usize,
    fn(usize) -> String,
    Box<dyn Fn(&str) -> Calls>,
);

fn named(properties: &[(&str, &str)]) -> Vec<Value> {
    let properties = properties
        .iter()
        .map(|(key, text)| (*key, Value::from(*text)));
    vec![Value::object(properties)]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn file_cases() -> Vec<FileCase> {
    /// Changes a text and changes it back.
    fn edits(old: &str, new: &str) -> Calls {
        let there = named(&[("path", "a"), ("oldText", old), ("newText", new)]);
        let back = named(&[("path", "a"), ("oldText", new), ("newText", old)]);
        vec![("edit", there), ("edit", back)]
    }
    /// Looks for what is not there.
    fn missing(old: &str) -> Calls {
        vec![(
            "edit",
            named(&[("path", "a"), ("oldText", old), ("newText", "")]),
        )]
    }
    fn read(name: &'static str) -> Calls {
        vec![(name, vec![Value::from("a")])]
    }
    fn grep(pattern: &str) -> Calls {
        vec![("grep", named(&[("pattern", pattern), ("path", "a")]))]
    }
    vec![
        (
            "readText",
            1_000_000,
            |n| "é".repeat(n / 2),
            Box::new(|_| read("readText")),
        ),
        (
            "readBytes",
            1_000_000,
            |n| "é".repeat(n / 2),
            Box::new(|_| read("readBytes")),
        ),
        (
            "readJson",
            500_000,
            |n| format!("[{}0]", "0,".repeat(n / 2)),
            Box::new(|_| read("readJson")),
        ),
        (
            "readLines: a line",
            1_000_000,
            |n| "x".repeat(n),
            Box::new(|_| read("readLines")),
        ),
        (
            "readLines: lines",
            1_000_000,
            |n| "x\n".repeat(n / 2),
            Box::new(|_| read("readLines")),
        ),
        (
            "writeText",
            1_000_000,
            |n| "é".repeat(n / 2),
            Box::new(|text| vec![("writeText", vec!["b".into(), text.into()])]),
        ),
        (
            "write",
            1_000_000,
            |n| "é".repeat(n / 2),
            Box::new(|text| vec![("write", named(&[("path", "b"), ("content", text)]))]),
        ),
        (
            "read: to its end",
            1_000_000,
            |n| "x\n".repeat(n / 2),
            Box::new(|text| {
                let last = f64::from(u32::try_from(text.len() / 2).unwrap());
                vec![("read", vec!["a".into(), last.into()])]
            }),
        ),
        (
            "read: a picture",
            1_000_000,
            |n| format!("GIF8{}", "x".repeat(n)),
            Box::new(|_| read("read")),
        ),
        (
            "grep: a line",
            1_000_000,
            |n| "x".repeat(n),
            Box::new(|_| grep("(x+x+)+y")),
        ),
        (
            "grep: lines",
            1_000_000,
            |n| "xy\n".repeat(n / 3),
            Box::new(|_| grep("\\p{L}{1,9}z")),
        ),
        (
            "grep: choices",
            1_000,
            |n| {
                (0..n / 10)
                    .map(|i| format!("word{i}"))
                    .collect::<Vec<_>>()
                    .join("|")
            },
            Box::new(grep),
        ),
        (
            "edit: at the end",
            1_000_000,
            |n| "x".repeat(n) + "y",
            Box::new(|_| edits("y", "z")),
        ),
        (
            "edit: everywhere",
            1_000_000,
            |n| "x".repeat(n),
            Box::new(|_| missing("x")),
        ),
        (
            "edit: line breaks of Windows",
            500_000,
            |n| "x\r\n".repeat(n / 3),
            Box::new(|_| missing("y")),
        ),
        (
            "edit: nowhere among line breaks",
            500_000,
            |n| "\n".repeat(n),
            Box::new(|_| missing("y")),
        ),
        (
            "edit: nowhere among accents",
            300_000,
            |n| "e\u{301} ﬁ\n".repeat(n / 8),
            Box::new(|_| missing("y")),
        ),
        (
            "edit: combining characters",
            15_000,
            |n| "\u{301}\u{316}".repeat(n / 4),
            Box::new(|_| missing("y")),
        ),
        (
            "edit: quotes on a long line",
            500_000,
            |n| "x".repeat(n) + "'y'",
            Box::new(|_| {
                // Quotes are not what they seem; then back to what was there.
                let (there, back) = (edits("\u{2018}y'", "z"), edits("z", "'y'"));
                vec![there[0].clone(), back[0].clone()]
            }),
        ),
        (
            "edit: all lines",
            600_000,
            |n| "x\n".repeat(n / 2),
            Box::new(|text| edits(text, &"y\n".repeat(text.len() / 2))),
        ),
    ]
}

/// What is done with a directory of many files.
fn list_cases() -> [(&'static str, Vec<Value>); 6] {
    [
        ("list", vec![".".into(), true.into()]),
        ("ls", named(&[("path", "d/1")])),
        ("exists", vec!["d/1/1".into()]),
        ("find", named(&[("pattern", "**/*x")])),
        ("find", named(&[("pattern", "{1,2,3}*y")])),
        ("grep", named(&[("pattern", "x")])),
    ]
}

#[test]
fn work_on_files() {
    in_steady_memory("work_on_files", || {
        for (name, size, make, calls) in file_cases() {
            let make = |n| {
                let text = make(n);
                let tools = Files::memory().tools().clone();
                tools.write_text("a", text.clone()).unwrap();
                (tools, calls(&text))
            };
            grows(name, size, make, |(tools, calls)| {
                for (name, arguments) in calls {
                    drop(call_file_tool(tools, name, arguments));
                }
            });
        }
        let directory = |n: usize| {
            let tools = Files::memory().tools().clone();
            for number in 0..n {
                tools
                    .write_text(&format!("d/{}/{number}", number % 10), String::new())
                    .unwrap();
            }
            tools
        };
        for (name, arguments) in list_cases() {
            grows(name, 1_000, directory, |tools| {
                drop(call_file_tool(tools, name, &arguments));
            });
        }
    });
}
