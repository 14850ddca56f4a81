//! Builds the image, runs every check and the benchmarks.

fn main() {}
