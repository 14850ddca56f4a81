//! The pipeline that makes the image.
//!
//! Sources of the engine (from the package that Cargo fetched) with our edits and glue → C compiler → WebAssembly →
//! Wizer, which runs `boot` (SES, `lockdown()`, our library) and freezes it → Cranelift → the image file, which has the
//! machine code and the memory side by side.

mod compiler;
mod edits;
mod freeze;
mod regexp;
mod scripts;
mod sources;

use std::{fs, path::Path, time::Instant};

use anyhow::{Context, Result};

use crate::format::{Header, checksum};
pub use compiler::Compiler;

/// What [`image`] found or did.
#[derive(Debug)]
pub struct Report {
    /// Hash of all inputs, in hexadecimal.
    pub build_id: String,
    /// Whether the image was there already, made from the same inputs.
    pub up_to_date: bool,
    /// Size of the image file.
    pub bytes: u64,
}

/// Makes the image of the workspace at `root`, unless it is there and made from the same inputs. Each step is told to
/// `say` when it is done.
pub fn image(root: &Path, compiler: Compiler, say: &mut dyn FnMut(&str)) -> Result<Report> {
    let out = root.join("target/hotcell-image");
    fs::create_dir_all(&out).context("failed to create the folder for the image")?;
    let guest = root.join("crates/hotcell-image/guest");

    let mut step = Step::new(say);
    let engine = sources::engine(root)?;
    let ses = sources::ses(&guest, &out)?;
    let c_compiler = compiler.find(&guest, &out)?;
    let scripts = scripts::load(&guest.join("js"), &ses)?;
    step.done("sources of the engine, SES and the compiler are here");

    let build_id = build_id(&engine, &guest, &scripts, &c_compiler)?;
    let hex = build_id.to_hex().to_string();
    let file = out.join("cell.image");
    if let Some(header) = fs::read(&file).ok().as_deref().and_then(Header::parse)
        && header.build_id == *build_id.as_bytes()
    {
        return Ok(Report {
            build_id: hex,
            up_to_date: true,
            bytes: fs::metadata(&file)?.len(),
        });
    }

    let wasm = c_compiler.compile(&engine, &guest.join("c"), &out)?;
    step.done(&format!(
        "compiled the engine to WebAssembly ({} KiB) with {}",
        wasm.len() / 1024,
        c_compiler.version()
    ));
    let frozen = freeze::freeze(&wasm, &scripts)?;
    step.done(&format!(
        "ran lockdown and froze the memory ({} KiB)",
        frozen.memory.len() / 1024
    ));
    let mut content = freeze::compile(&frozen.wasm)?;
    content.resize(content.len().next_multiple_of(freeze::PAGE), 0);
    let module_length = u32::try_from(content.len())?;
    step.done(&format!(
        "compiled to machine code ({} KiB)",
        content.len() / 1024
    ));

    content.extend_from_slice(&frozen.memory);
    let header = Header {
        build_id: *build_id.as_bytes(),
        module_length,
        memory_length: u32::try_from(frozen.memory.len())?,
        layout: frozen.layout,
        checksum: checksum(&content),
    };
    let mut image = header.to_bytes().to_vec();
    image.extend_from_slice(&content);
    // Written beside and renamed, so that a build that is interrupted leaves no half of an image.
    let temporary = out.join("cell.image.new");
    fs::write(&temporary, &image)?;
    fs::rename(&temporary, &file)?;
    Ok(Report {
        build_id: hex,
        up_to_date: false,
        bytes: image.len() as u64,
    })
}

/// Hash of everything that decides what is in the image.
fn build_id(
    engine: &Path,
    guest: &Path,
    scripts: &[scripts::Script],
    compiler: &compiler::CCompiler,
) -> Result<blake3::Hash> {
    let mut hash = blake3::Hasher::new();
    let mut add = |name: &str, content: &[u8]| {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update(&(content.len() as u64).to_le_bytes());
        hash.update(content);
    };
    for folder in [engine, &guest.join("c")] {
        for file in sources::c_files(folder)? {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            add(&name, &fs::read(&file)?);
        }
    }
    for edit in edits::all() {
        add(edit.find, edit.replace.as_bytes());
    }
    for script in scripts {
        add(&script.name, script.source.as_bytes());
    }
    add(regexp::FIND, regexp::REPLACE.as_bytes());
    add("format", &crate::format::MAGIC);
    add("compiler", compiler.version().as_bytes());
    add("flags", compiler::FLAGS.join(" ").as_bytes());
    add("machine", &freeze::fingerprint()?.to_le_bytes());
    Ok(hash.finalize())
}

/// Tells how long each step took.
struct Step<'a> {
    say: &'a mut dyn FnMut(&str),
    since: Instant,
}

impl<'a> Step<'a> {
    fn new(say: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            say,
            since: Instant::now(),
        }
    }

    fn done(&mut self, what: &str) {
        (self.say)(&format!(
            "{what} in {:.1} s",
            self.since.elapsed().as_secs_f64()
        ));
        self.since = Instant::now();
    }
}
