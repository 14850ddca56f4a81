//! Runs model-written JavaScript step after step.
#![forbid(unsafe_code)]
