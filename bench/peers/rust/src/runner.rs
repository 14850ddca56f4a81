//! The kinds of measurement, for any peer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::peer::{Peer, Request};

pub(crate) fn answer<P: Peer>(request: &Request) -> Value {
    let mut runner = Runner { request, runs: 0 };
    match request.kind.as_str() {
        "about" => json!(P::about()),
        "first" => {
            runner.evaluate(&mut P::create(request));
            json!({ "value": request.value })
        }
        "create" => runner.sample(|_| {
            let began = Instant::now();
            let one = P::create(request);
            let took = micros(began);
            drop(one);
            took
        }),
        "life" => runner.sample(|runner| {
            let began = Instant::now();
            runner.evaluate(&mut P::create(request));
            micros(began)
        }),
        "run" => {
            let mut one = P::create(request);
            if let Some(setup) = &request.setup {
                one.run(setup).unwrap();
            }
            runner.sample(|runner| {
                let began = Instant::now();
                runner.evaluate(&mut one);
                micros(began)
            })
        }
        "kill" => runner.sample(|_| {
            let mut one = P::create(request);
            let began = Instant::now();
            one.run(&request.code).unwrap_err();
            micros(began) - request.timeout().as_secs_f64() * 1e6
        }),
        "exhaust" => {
            let mut one = P::create(request);
            let began = Instant::now();
            let mut answer = match one.run(&request.code) {
                Ok(value) => json!({ "value": value.to_string() }),
                Err(error) => json!({ "error": error.chars().take(200).collect::<String>() }),
            };
            answer["ms"] = json!(micros(began) / 1e3);
            answer
        }
        "memory" => memory::<P>(&mut runner),
        other => json!({ "unknown": other }),
    }
}

struct Runner<'a> {
    request: &'a Request,
    runs: u32,
}

impl Runner<'_> {
    fn evaluate<P: Peer>(&mut self, one: &mut P) {
        self.runs += 1;
        let code = &self.request.code;
        let value = if code.contains("$n") {
            one.run(&code.replace("$n", &self.runs.to_string()))
        } else {
            one.run(code)
        };
        let value = value.unwrap();
        if let Some(expected) = &self.request.value {
            assert!(
                value == *expected || value.as_f64() == expected.as_f64(),
                "{code} gave {value}"
            );
        }
    }

    /// Calls `once` for twice the budget to warm up, then for the budget; what it returned then is the samples.
    fn sample(&mut self, mut once: impl FnMut(&mut Self) -> f64) -> Value {
        let budget = Duration::from_millis(self.request.budget_ms);
        let mut repeat = |time: Duration, at_least: usize| {
            let (mut samples, began) = (Vec::new(), Instant::now());
            while samples.len() < at_least || began.elapsed() < time {
                samples.push(once(self));
            }
            samples.split_off(samples.len().saturating_sub(1000))
        };
        repeat(budget * 2, 1);
        json!({ "samples": repeat(budget, 2) })
    }
}

fn memory<P: Peer>(runner: &mut Runner<'_>) -> Value {
    const COUNT: u32 = 200;
    let one = |runner: &mut Runner<'_>| {
        let mut one = P::create(runner.request);
        runner.evaluate(&mut one);
        one
    };
    // The first one also pays for what all share.
    let first = one(runner);
    let before = pss();
    let executors: Vec<P> = (0..COUNT).map(|_| one(runner)).collect();
    let answer = json!({ "samples": [(pss() - before) / f64::from(COUNT)] });
    drop((first, executors));
    answer
}

fn micros(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e6
}

/// KiB that this process holds, shared pages counted by their share.
fn pss() -> f64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = rollup
        .lines()
        .find(|line| line.starts_with("Pss:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
