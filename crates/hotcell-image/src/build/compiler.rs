//! The C compiler.
//!
//! Two are supported. Debian's clang 19 with wasi-libc, and the one in `ziglang` of the Python index, which needs no root and is the
//! same on every system. `bench/RESULTS.md` has the comparison that chose the default.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use super::{edits, regexp, sources};
use crate::engine::MAX_WASM_STACK;

/// Which C compiler makes the WebAssembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// `ziglang` of the Python index, installed beside the image with pip.
    Zig,
    /// `clang-19`, `lld-19`, `wasi-libc` and `libclang-rt-19-dev-wasm32` of Debian.
    Clang,
}

/// Bytes of C stack. Deep recursion in JavaScript uses some 300 bytes of it per call.
const STACK_SIZE: &str = "4194304";

/// Flags that decide what the code does. -O2 beat -O3, -Os and LTO.
pub(super) const FLAGS: &[&str] = &[
    "-O2",
    "-DNDEBUG",
    "-DHC_STACK_SIZE=4194304",
    "-mbulk-memory",
    "-msign-ext",
    "-mnontrapping-fptoint",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-std=gnu11",
    "-Wno-everything",
];

/// Parts of the engine that are units of their own.
const UNITS: &[&str] = &["libunicode.c", "dtoa.c"];

/// What the host reaches by address.
const EXPORTS: &[&str] = &[
    "__stack_pointer",
    "hc_inbox",
    "hc_operations_left",
    "hc_poll_countdown",
    "hc_policy",
];

impl Compiler {
    /// Makes sure that the compiler is there.
    pub(super) fn find(self, guest: &Path, out: &Path) -> Result<CCompiler> {
        match self {
            Self::Clang => {
                let version = sources::run(
                    Command::new("clang-19").arg("--version"),
                    "clang-19 is missing: install clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32",
                )?;
                Ok(CCompiler {
                    kind: self,
                    zig: PathBuf::new(),
                    version: first_line(&version),
                })
            }
            Self::Zig => {
                let zig = install_zig(guest, out)?;
                let version = sources::run(
                    Command::new(&zig).arg("version"),
                    "the zig of ziglang does not run",
                )?;
                Ok(CCompiler {
                    kind: self,
                    zig,
                    version: format!("zig {}", first_line(&version)),
                })
            }
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

/// Installs the package that `guest/requirements.txt` pins, by hash, into a folder of ours.
fn install_zig(guest: &Path, out: &Path) -> Result<PathBuf> {
    let folder = out.join("zig");
    let zig = folder
        .join("ziglang")
        .join(if cfg!(windows) { "zig.exe" } else { "zig" });
    let requirements = guest.join("requirements.txt");
    let stamp = folder.join("requirements.txt");
    if !zig.is_file() || fs::read(&stamp).ok() != fs::read(&requirements).ok() {
        sources::run(
            Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"])
                .args(["--require-hashes", "--only-binary", ":all:", "--target"])
                .arg(&folder)
                .arg("-r")
                .arg(&requirements),
            "python3, whose pip fetches the C compiler, is missing: install python3 and python3-pip",
        )
        .context("pip, which fetches the C compiler, failed: is python3-pip installed?")?;
        fs::copy(&requirements, &stamp)?;
    }
    Ok(zig)
}

/// A compiler that is there.
pub(super) struct CCompiler {
    kind: Compiler,
    zig: PathBuf,
    version: String,
}

impl CCompiler {
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Compiles the engine in `engine` and the glue in `glue` to one WebAssembly module.
    pub(super) fn compile(&self, engine: &Path, glue: &Path, out: &Path) -> Result<Vec<u8>> {
        let edited = out.join("engine");
        fs::create_dir_all(&edited)?;
        let source =
            fs::read_to_string(engine.join("quickjs.c")).context("failed to read quickjs.c")?;
        fs::write(edited.join("quickjs.c"), edits::apply(&source)?)?;
        let source =
            fs::read_to_string(engine.join("libregexp.c")).context("failed to read libregexp.c")?;
        fs::write(edited.join("libregexp.c"), regexp::edit(&source)?)?;

        let mut objects = Vec::new();
        for unit in UNITS
            .iter()
            .map(|unit| engine.join(unit))
            .chain([edited.join("libregexp.c"), glue.join("cell.c")])
        {
            let object = edited
                .join(unit.file_name().unwrap_or_default())
                .with_extension("o");
            let mut command = self.command();
            command
                .args(FLAGS)
                .arg(format!("-DHC_MACHINE_STACK={MAX_WASM_STACK}"))
                .arg("-I")
                .arg(&edited)
                .arg("-I")
                .arg(glue)
                .arg("-I")
                .arg(engine);
            command.arg("-c").arg(&unit).arg("-o").arg(&object);
            sources::run(&mut command, "the C compiler is missing")?;
            objects.push(object);
        }
        let module = out.join("cell.wasm");
        let mut command = self.command();
        command.args([
            "-mexec-model=reactor",
            "-nostartfiles",
            "-Wl,--no-entry",
            "-Wl,--gc-sections",
            "-Wl,--strip-debug",
        ]);
        command.arg(format!("-Wl,-z,stack-size={STACK_SIZE}"));
        if self.kind == Compiler::Clang {
            // A stack that overflows runs off the start of memory and traps. (zig's linker does so by itself.)
            command.args([
                "-Wl,--stack-first",
                "-Wl,--export-table",
                "-Wl,--growable-table",
            ]);
        }
        command.args(EXPORTS.iter().map(|name| format!("-Wl,--export={name}")));
        command.args(&objects).arg("-o").arg(&module);
        sources::run(&mut command, "the C compiler is missing")?;
        fs::read(&module).context("the linker left no module")
    }

    fn command(&self) -> Command {
        match self.kind {
            Compiler::Clang => {
                let mut command = Command::new("clang-19");
                command.args([
                    "--target=wasm32-wasi",
                    "--sysroot=/usr",
                    "-isystem",
                    "/usr/include/wasm32-wasi",
                ]);
                command
            }
            Compiler::Zig => {
                let mut command = Command::new(&self.zig);
                command.args(["cc", "--target=wasm32-wasi"]);
                command
            }
        }
    }
}
