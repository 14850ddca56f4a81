//! The file tools as code sees them: every case of `hotcell-tools`, called from JavaScript in an executor.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod calls;
#[path = "../../../hotcell-tools/tests/tools/cases.rs"]
mod cases;
mod code;
#[path = "../../../hotcell-tools/tests/tools/patch.rs"]
mod patch;
mod support;
