//! How long after its deadline a command is over that would never end.

use std::time::{Duration, Instant};

use bench_measure::{Report, Row, median};
use hotcell_sandbox::Command;

const DEADLINE: Duration = Duration::from_millis(100);

const ENDLESS: [(&str, &str); 9] = [
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
    ("`js`, a loop", "js -e 'for (;;) {}'"),
];

pub(crate) fn measure(report: &mut Report) {
    for (name, script) in ENDLESS {
        let sandbox = crate::sandbox();
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
