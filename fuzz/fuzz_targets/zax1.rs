//! Any bytes in any pieces are commands or the end of a hub; whatever it says, a guest can read.
//!
//! What is tried is in `targets`, so that the tests of `hotcell-exec` try it, too, where there is no fuzzer.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../targets/zax1.rs"]
mod zax1;

fuzz_target!(|data: &[u8]| zax1::run(data));
