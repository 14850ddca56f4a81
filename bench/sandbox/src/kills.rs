//! How long after its deadline a command is over that would never end.

use std::time::{Duration, Instant};

use bench_measure::{Report, Row, median};
use hotcell_sandbox::Command;

const DEADLINE: Duration = Duration::from_millis(100);

/// A WASI program that never ends.
const LOOP: &str =
    r#"(module (memory (export "memory") 1) (func (export "_start") (loop (br 0))))"#;

const ENDLESS: [(&str, &str); 12] = [
    ("a loop", "while :; do :; done"),
    ("`sleep`", "sleep 1000"),
    ("a full pipe", "yes | sleep 1000"),
    ("`awk`, a loop", "awk 'BEGIN { while (1) {} }'"),
    (
        "a pattern that backtracks",
        "head -c 3000 /dev/zero | tr '\\0' a > f; while :; do grep -P '(a+)+$b' f; done",
    ),
    (
        "`sort` of what does not end",
        "while :; do seq 100000 | sort -R; done > /dev/null",
    ),
    ("`jq`, a loop", "jq -n 'repeat(.)' > /dev/null"),
    ("`xz` of zeros", "xz -c /dev/zero > /dev/null"),
    (
        "`tar` of a tree",
        "mkdir t; touch t/{1..1000}; while :; do tar cf - t; done > /dev/null",
    ),
    (
        "a job in the background",
        "(while :; do :; done) & sleep 1000",
    ),
    ("`js`, a loop", "js -e 'for (;;) {}'"),
    ("a WASI program, a loop", "./loop.wasm"),
];

pub(crate) fn measure(report: &mut Report) {
    let module = wat::parse_str(LOOP).unwrap();
    for (name, script) in ENDLESS {
        let sandbox = crate::sandbox();
        sandbox.write_file("loop.wasm", &module).unwrap();
        sandbox.chmod("loop.wasm", 0o755).unwrap();
        // Compiled once, before its time counts.
        let warm = Command::new("./loop.wasm").timeout(DEADLINE);
        pollster::block_on(sandbox.run(warm)).unwrap();
        let late = |_| {
            let began = Instant::now();
            let command = Command::new(script).timeout(DEADLINE);
            let result = pollster::block_on(sandbox.run(command)).unwrap();
            assert_eq!(result.exit_code, 124, "{script}");
            (began.elapsed().saturating_sub(DEADLINE)).as_secs_f64() * 1000.0
        };
        report.add(Row {
            name: format!("killed after its deadline: {name}"),
            unit: "ms".into(),
            bar: Some(50.0),
            hotcell: median((0..15).map(late).collect()),
            ..Row::default()
        });
    }
}
