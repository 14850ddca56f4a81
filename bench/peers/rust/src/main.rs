//! Measures one Rust peer: `bench-peers <peer> <request>` prints one line of JSON. `bench/peers/README.md` describes both.
//! Without arguments it prints the names of the peers.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for developers"
)]

mod hotcell;
mod peer;
mod rquickjs;
mod runner;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        return println!(r#"["hotcell", "rquickjs"]"#);
    };
    let request = serde_json::from_str(&arguments.next().unwrap()).unwrap();
    let answer = match name.as_str() {
        "hotcell" => runner::answer::<hotcell::Hotcell>(&request),
        _ => runner::answer::<rquickjs::Rquickjs>(&request),
    };
    println!("{answer}");
}
