//! Any bytes are a value or an error, and a value survives the way there and back.

#![no_main]

use hotcell_cell::{decode_for_fuzzing, encode_for_fuzzing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(value) = decode_for_fuzzing(data) {
        let bytes = encode_for_fuzzing(&value).expect("what was decoded can be encoded");
        let again = decode_for_fuzzing(&bytes).expect("what was encoded can be decoded");
        // NaN is not equal to itself, so the messages are compared.
        assert_eq!(bytes, encode_for_fuzzing(&again).expect("as before"));
    }
});
