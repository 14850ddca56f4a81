//! Where the parts come from that are not in the repository.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

/// The C sources of QuickJS-ng, in the package that Cargo fetched because the lock file names it.
pub(super) fn engine(root: &Path) -> Result<PathBuf> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("failed to run cargo metadata")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let package = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "rquickjs-sys")
        .context("cargo metadata does not know rquickjs-sys")?;
    let manifest = package["manifest_path"]
        .as_str()
        .context("rquickjs-sys has no manifest path")?;
    let folder = Path::new(manifest)
        .parent()
        .unwrap_or(Path::new("."))
        .join("quickjs");
    ensure!(
        folder.join("quickjs.c").is_file(),
        "rquickjs-sys does not carry quickjs.c where it used to"
    );
    Ok(folder)
}

/// The SES shim, installed by npm from the lock file in `guest`, which pins version and hash.
pub(super) fn ses(guest: &Path, out: &Path) -> Result<String> {
    let folder = out.join("npm");
    fs::create_dir_all(&folder)?;
    let lock = fs::read(guest.join("package-lock.json"))?;
    let installed = folder.join("package-lock.json");
    // Not the minified one: it has lost the names of the functions that become `Date`, `Error`, …
    let script = folder.join("node_modules/ses/dist/ses.umd.js");
    if !script.is_file() || fs::read(&installed).ok().as_deref() != Some(&lock) {
        fs::copy(guest.join("package.json"), folder.join("package.json"))?;
        fs::write(&installed, &lock)?;
        run(
            Command::new("npm")
                .args([
                    "ci",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--loglevel=error",
                ])
                .current_dir(&folder),
            "npm, which fetches SES, is missing: install Node.js 20 with npm",
        )?;
    }
    fs::read_to_string(&script).context("npm installed ses without its script")
}

/// The C files and headers right in `folder`, in a fixed order.
pub(super) fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("failed to read {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "c" || extension == "h")
    });
    files.sort();
    Ok(files)
}

/// Runs a command to its end. `missing` is said if there is no such program.
pub(super) fn run(command: &mut Command, missing: &str) -> Result<String> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!("{missing}"),
        Err(error) => return Err(error).with_context(|| format!("failed to run {command:?}")),
    };
    ensure!(
        output.status.success(),
        "{command:?} failed ({}):\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
