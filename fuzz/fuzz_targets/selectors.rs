//! Any bytes are parameters, results and sources or not; what is read is written again as the same bytes.
//!
//! What is tried is in `targets`, so that the tests of `hotcell-exec` try it, too, where there is no fuzzer.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../targets/selectors.rs"]
mod selectors;

fuzz_target!(|data: &[u8]| selectors::run(data));
