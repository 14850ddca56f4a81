//! Prints how long preparing a ten-line snippet takes, new and repeated.
//!
//! `cargo run --release -p hotcell-prepare --example prepare_bench`

use std::hint::black_box;
use std::time::Instant;

use hotcell_prepare::{PrepareOptions, Preparer, prepare_program};

const JAVASCRIPT: &str = r#"const pages = [];
for (const name of ["a.txt", "b.txt", "c.txt"]) {
  const text = await readTool(name);
  const words = text.split(/\s+/).filter((word) => word.length > 3);
  pages.push({ name, count: words.length, first: words[0] ?? null });
}
const total = pages.reduce((sum, page) => sum + page.count, 0);
console.log(`found ${total} words in ${pages.length} pages`);
const best = pages.toSorted((a, b) => b.count - a.count)[0];
final_answer({ total, best: best.name });
"#;

const TYPESCRIPT: &str = r#"interface Page { name: string; count: number }
const pages: Page[] = [];
for (const name of ["a.txt", "b.txt"] as const) {
  const text: string = await readTool(name);
  const words = text.split(/\s+/).filter((word: string) => word.length > 3);
  pages.push({ name, count: words.length });
}
const total = pages.reduce<number>((sum, page) => sum + page.count, 0);
const best = pages.toSorted((a: Page, b: Page) => b.count - a.count)[0]!;
final_answer({ total, best: best.name });
"#;

fn main() {
    let mut options = PrepareOptions::default();
    options.tools.insert("readTool".into());
    for (name, code) in [("JavaScript", JAVASCRIPT), ("TypeScript", TYPESCRIPT)] {
        let new = median(|| {
            black_box(prepare_program(black_box(code), &options));
        });
        let preparer = Preparer::new(options.clone(), 1 << 20);
        preparer.prepare(code);
        let repeated = median(|| {
            black_box(preparer.prepare(black_box(code)));
        });
        println!("{name}, ten lines: new {new:.2} µs, repeated {repeated:.3} µs");
    }
}

/// The median of many runs, in microseconds, each the mean of ten calls.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..2_000)
        .map(|_| {
            let start = Instant::now();
            (0..10).for_each(|_| work());
            start.elapsed().as_secs_f64() * 1e5
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
