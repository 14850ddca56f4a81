//! Stands in for the fuzzer: a target runs once, over standard input.
//!
//!     cargo run --release --package fuzz-targets --bin fuzz-prepare < fuzz/artifacts/prepare/crash-…

/// The target's function, and a `main` that calls it.
#[macro_export]
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:expr) => {
        fn run_target($data: &[u8]) {
            $body
        }

        /// Of C, because targets say that they have no `main` of Rust's.
        #[unsafe(no_mangle)]
        pub extern "C" fn main() -> i32 {
            let mut data = Vec::new();
            match std::io::Read::read_to_end(&mut std::io::stdin(), &mut data) {
                Ok(_) => {
                    run_target(&data);
                    0
                }
                Err(_) => 1,
            }
        }
    };
}
