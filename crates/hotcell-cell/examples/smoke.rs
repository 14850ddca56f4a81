//! scratch
use hotcell_cell::*;
use std::time::*;
fn main() {
    let t = Instant::now();
    let engine = Engine::new().unwrap();
    println!("engine {:?}", t.elapsed());
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut cell = engine
        .cell(CellOptions::default().on_console(|l, t| println!("[{}] {t}", l.as_str())))
        .unwrap();
    println!("cell {:?}", t.elapsed());
    cell.define_tools([
        (
            "add",
            Tool::sync(|c| {
                Ok(Value::from(
                    c.arguments.iter().filter_map(Value::as_f64).sum::<f64>(),
                ))
            }),
        ),
        (
            "later",
            Tool::asynchronous(|c| async move { Ok(c.arguments[0].clone()) }),
        ),
        (
            "boom",
            Tool::sync(|_| Err(ToolError::new("TypeError", "boom").with("code", "E"))),
        ),
        ("final_answer", Tool::final_answer()),
    ])
    .unwrap();
    println!("tools {:?}", t.elapsed());
    for a in &args {
        let t = Instant::now();
        match pollster::block_on(
            cell.evaluate(Program::new(a).timeout(Duration::from_millis(1000))),
        ) {
            Ok(o) => println!(
                "{:?} {:?} final={} {:?}",
                t.elapsed(),
                o.value,
                o.is_final_answer,
                o.stats
            ),
            Err(e) => println!("{:?} ERR {e}\n{e:?}", t.elapsed()),
        }
    }
    if args.is_empty() {
        let n = 2000;
        for _ in 0..3 {
            let t = Instant::now();
            for _ in 0..n {
                let mut c = engine.cell(CellOptions::default()).unwrap();
                let o = pollster::block_on(c.evaluate("1+1")).unwrap();
                assert_eq!(o.value, Value::from(2));
            }
            println!("create+eval+drop {:?}", t.elapsed() / n);
            let t = Instant::now();
            for _ in 0..n {
                let c = engine.cell(CellOptions::default()).unwrap();
                drop(c);
            }
            println!("create+drop {:?}", t.elapsed() / n);
            let t = Instant::now();
            for _ in 0..n {
                pollster::block_on(cell.evaluate("1+1")).unwrap();
            }
            println!("eval {:?}", t.elapsed() / n);
        }
        let t = Instant::now();
        pollster::block_on(cell.evaluate("let s=0; for (let i=0;i<100000;i++) s=add(s,1); s"))
            .unwrap();
        println!("sync tool {:?}", t.elapsed() / 100000);
        let t = Instant::now();
        pollster::block_on(cell.evaluate("for (let i=0;i<100000;i++) await later(1);")).unwrap();
        println!("async tool {:?}", t.elapsed() / 100000);
        for (n, c) in [
            (
                "loop10m",
                "{let s = 0; for (let i = 0; i < 10000000; i++) { s = (s + i) | 0; } s}",
            ),
            (
                "loop10m-global",
                "let q = 0; for (let i = 0; i < 10000000; i++) { q = (q + i) | 0; } q",
            ),
            (
                "fib30",
                "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } fib(30)",
            ),
        ] {
            let t = Instant::now();
            let r =
                pollster::block_on(cell.evaluate(Program::new(c).timeout(Duration::from_secs(20))))
                    .unwrap();
            println!("{n} {:?} {:?}", t.elapsed(), r.value);
        }
        let t = Instant::now();
        let s = cell.snapshot().unwrap();
        println!("snapshot {:?} {}", t.elapsed(), s.len());
        let t = Instant::now();
        let s = cell.snapshot().unwrap();
        println!("snapshot {:?} {}", t.elapsed(), s.len());
        let t = Instant::now();
        let mut f = cell.fork().unwrap();
        println!("fork {:?}", t.elapsed());
        let mut c2 = engine.cell(CellOptions::default()).unwrap();
        pollster::block_on(c2.evaluate("let a = {b:1}")).unwrap();
        let t = Instant::now();
        for _ in 0..100 {
            let _ = c2.fork().unwrap();
        }
        println!(
            "fork small {:?} snap {}",
            t.elapsed() / 100,
            c2.snapshot().unwrap().len()
        );
        println!(
            "{:?}",
            pollster::block_on(f.evaluate("fib(10)+q")).unwrap().value
        );
        let t = Instant::now();
        let mut r = engine.restore(&s, CellOptions::default()).unwrap();
        println!("restore {:?}", t.elapsed());
        println!(
            "{:?}",
            pollster::block_on(r.evaluate("fib(10)+q")).unwrap().value
        );
    }
}
