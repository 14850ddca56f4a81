//! Link arguments of a Node addon.

fn main() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // The package ships this file: without it, it would be mostly line tables of other crates.
        println!("cargo::rustc-link-arg-cdylib=-Wl,--strip-debug");
    }
}
