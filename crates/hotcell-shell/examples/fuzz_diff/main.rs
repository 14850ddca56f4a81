//! Random scripts in bash and here, to find where they differ:
//!
//! `cargo run --release -p hotcell-shell --example fuzz_diff -- SEED COUNT`
//!
//! `SEED` alone shows one script and what both say of it.

mod generate;

use std::{
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use hotcell_process::{Capture, Environment, Kernel, KernelOptions, Spec};
use hotcell_shell::{ShellPrograms, run_shell};
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What file names are matched against.
const FILES: &[&str] = &[
    "a/b/c/3", "a/1", "a/b/2", ".hid/x/q", ".hid/y", "d/f", ".dot", "z1", "z2", "sp ace", "br[x]",
    "Zed", "é",
];

/// Scripts that one bash runs.
const BATCH: usize = 200;

/// What scripts begin with: `show` tells how many arguments it got and which.
const SHOW: &str = r#"show() { local IFS; printf '%s:' $#; [ $# = 0 ] || printf '<%s>' "$@"; echo; }
"#;

/// Runs the scripts that it reads, each in a subshell.
const DRIVER: &str = r#"while IFS= read -r -d '' script; do
    ( eval "unset script REPLY; set --; $script" ) 2>&1 </dev/null
    printf '=>%s\n\0' $?
done"#;

fn main() -> Result<()> {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .map(|arg| arg.parse())
        .collect::<std::result::Result<_, _>>()?;
    let (seed, count) = match *numbers.as_slice() {
        [seed] => (seed, 1),
        [seed, count] => (seed, count),
        _ => return Err("usage: fuzz_diff SEED [COUNT]".into()),
    };
    let root = tempfile::tempdir()?;
    let directory = root.path().join("w");
    make_files(&directory)?;
    let seeds: Vec<u64> = (seed..seed + count).collect();
    let mut different = 0;
    for batch in seeds.chunks(BATCH) {
        let scripts: Vec<String> = batch.iter().map(|seed| generate::script(*seed)).collect();
        let theirs = in_bash(&directory, root.path(), &scripts)?;
        for ((seed, script), theirs) in batch.iter().zip(&scripts).zip(theirs) {
            let ours = here(script)?;
            let same = ours == theirs;
            different += u64::from(!same);
            if !same || numbers.len() == 1 {
                println!("=== seed {seed}\n{script}\n--- here\n{ours}--- bash\n{theirs}");
            }
        }
    }
    println!("{different} of {count} differ");
    Ok(())
}

fn make_files(directory: &Path) -> Result<()> {
    for file in FILES {
        let path = directory.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(directory))?;
        std::fs::write(path, b"")?;
    }
    symlink("a", directory.join("la"))?;
    symlink("nope", directory.join("broken"))?;
    Ok(())
}

fn in_bash(directory: &Path, root: &Path, scripts: &[String]) -> Result<Vec<BString>> {
    let input = root.join("scripts");
    let all: Vec<u8> = scripts
        .iter()
        .flat_map(|script| script.bytes().chain([0]))
        .collect();
    std::fs::write(&input, all)?;
    let output = Command::new("bash")
        .args(["-c", &format!("{SHOW}{DRIVER}")])
        .env_clear()
        .envs([
            ("HOME", "/root"),
            ("PATH", "/usr/bin:/bin"),
            ("LC_ALL", "C.UTF-8"),
        ])
        .current_dir(directory)
        .stdin(Stdio::from(std::fs::File::open(input)?))
        .output()?;
    let outputs = output.stdout.split_str("\0");
    Ok(outputs.map(without_lines).collect())
}

fn here(script: &str) -> Result<BString> {
    let vfs = MemVfs::new();
    let root = VfsPath::new("/w");
    for file in FILES {
        let path = root.join(file);
        vfs.mkdir_all(path.parent().unwrap_or(root), 0o755)?;
        vfs.write_file(&path, b"")?;
    }
    vfs.symlink(VfsPath::new("a"), &root.join("la"))?;
    vfs.symlink(VfsPath::new("nope"), &root.join("broken"))?;
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::new(vfs),
        programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
        ..KernelOptions::default()
    });
    let output = Capture::new(kernel.account(), 1 << 24);
    let environment = Environment::from([
        ("HOME".into(), "/root".into()),
        ("PATH".into(), "/usr/bin:/bin".into()),
    ]);
    let text = format!("{SHOW}( eval \"$1\" ); printf '=>%s\\n' $?");
    let spec = Spec::new(["bash", "-c", &text, "bash", script])
        .cwd(root)
        .env(Arc::new(environment))
        .stdout(Arc::new(output.clone()))
        .stderr(Arc::new(output.clone()));
    pollster::block_on(kernel.run(spec, run_shell));
    Ok(without_lines(&output.take().bytes))
}

/// Messages without the name of the shell and the line.
fn without_lines(text: &[u8]) -> BString {
    let mut plain = BString::default();
    for line in text.lines() {
        let mut line = line;
        if let Some(rest) = line.strip_prefix(b"bash: ") {
            line = rest;
        }
        if let Some(rest) = line.strip_prefix(b"line ")
            && let Some(end) = rest.find(": ")
        {
            line = rest.get(end + 2..).unwrap_or_default();
        }
        plain.extend_from_slice(line);
        plain.push(b'\n');
    }
    plain
}
