//! Finds the image that `cargo xtask image` built.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(hotcell_engine_sources)");
    println!("cargo::rustc-check-cfg=cfg(hotcell_has_image)");
    println!("cargo::rerun-if-env-changed=HOTCELL_IMAGE");
    if std::env::var_os("CARGO_FEATURE_EMBED").is_none() {
        return;
    }
    let image = std::env::var_os("HOTCELL_IMAGE").map_or_else(default_image, PathBuf::from);
    println!("cargo::rerun-if-changed={}", image.display());
    if !image.is_file() {
        // In a build of the whole workspace the tool that makes the image shares this crate with the product, and comes first.
        let is_error = std::env::var_os("CARGO_FEATURE_BUILD").is_none();
        println!(
            "cargo::{}=the cell image is missing ({}): build it with `cargo xtask image`",
            if is_error { "error" } else { "warning" },
            image.display()
        );
        return;
    }
    println!("cargo::rustc-cfg=hotcell_has_image");
    println!("cargo::rustc-env=HOTCELL_IMAGE_FILE={}", image.display());
}

/// Where `cargo xtask image` puts it.
fn default_image() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&manifest).join("../../target/hotcell-image/cell.image")
}
