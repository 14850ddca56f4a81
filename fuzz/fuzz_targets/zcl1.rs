//! Any bytes are a control request or not; whatever the host answers, a guest can read.
//!
//! What is tried is in `targets`, so that the tests of `hotcell-exec` try it, too, where there is no fuzzer.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../targets/zcl1.rs"]
mod zcl1;

fuzz_target!(|data: &[u8]| zcl1::run(data));
