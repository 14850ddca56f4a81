//! From WebAssembly to the frozen, compiled image.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use anyhow::{Result, anyhow, bail};
use wasmtime::{
    Caller, Config, Engine, Extern, Instance, Linker, Memory, Module, OptLevel, Store, Val,
};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use super::scripts::Script;
use crate::{
    engine::{TARGET_FEATURES, engine_config},
    format::Layout,
};

/// The settings of the compiling side: those of the running side, and for which machine.
fn compile_config() -> Result<Config> {
    let mut config = engine_config();
    config.cranelift_opt_level(OptLevel::Speed);
    // Naming the target keeps Wasmtime from using whatever this machine's CPU happens to have.
    config
        .target(&target_triple())
        .map_err(|error| anyhow!(error))?;
    if cfg!(target_arch = "x86_64") {
        for feature in TARGET_FEATURES {
            // SAFETY: these flags only say which instructions may be used; loading checks that the CPU has them.
            unsafe { config.cranelift_flag_enable(feature) };
        }
    }
    Ok(config)
}

fn target_triple() -> String {
    let os = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else if cfg!(windows) {
        "pc-windows-msvc"
    } else {
        "unknown-linux-gnu"
    };
    format!("{}-{os}", std::env::consts::ARCH)
}

/// Changes when compilation would: the version of Wasmtime, the settings, the target.
pub(super) fn fingerprint() -> Result<u64> {
    let engine = Engine::new(&compile_config()?).map_err(|error| anyhow!(error))?;
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    Ok(hasher.finish())
}

/// Ahead-of-time compilation.
pub(super) fn compile(wasm: &[u8]) -> Result<Vec<u8>> {
    let engine = Engine::new(&compile_config()?).map_err(|error| anyhow!(error))?;
    engine
        .precompile_module(wasm)
        .map_err(|error| anyhow!(error).context("failed to compile the image"))
}

/// What the guest asks for while it boots.
struct Boot {
    /// As the guest wants them: length and bytes of the name, then of the source.
    scripts: Vec<Vec<u8>>,
    /// The reply that did not fit into the inbox.
    waiting: Vec<u8>,
    inbox: Option<(Memory, usize)>,
    complaints: Vec<String>,
}

const INBOX_SIZE: usize = 16384;

/// The unit in which memory is mapped.
pub(super) const PAGE: usize = 4096;

/// A module that continues where `boot` ended.
pub(super) struct Frozen {
    /// The module. It says nothing about what is in its memory.
    pub(super) wasm: Vec<u8>,
    /// What is in its memory above the stack: whole pages, up to the last that is not empty.
    pub(super) memory: Vec<u8>,
    /// Where things are in it.
    pub(super) layout: Layout,
}

/// Runs `boot` in the module.
pub(super) fn freeze(wasm: &[u8], scripts: &[Script]) -> Result<Frozen> {
    let wizer = {
        let mut wizer = Wizer::new();
        wizer.init_func("boot");
        wizer
    };
    let (context, instrumented) = wizer.instrument(wasm).map_err(|error| anyhow!(error))?;
    let mut config = engine_config();
    config.epoch_interruption(false);
    let engine = Engine::new(&config).map_err(|error| anyhow!(error))?;
    let module = Module::new(&engine, &instrumented).map_err(|error| anyhow!(error))?;
    let mut store = Store::new(
        &engine,
        Boot {
            scripts: scripts.iter().map(script_message).collect(),
            waiting: Vec::new(),
            inbox: None,
            complaints: Vec::new(),
        },
    );
    let linker = boot_linker(&engine, &module)?;
    let instance = linker
        .instantiate(&mut store, &module)
        .map_err(|error| anyhow!(error))?;
    let memory = instance
        .get_memory(&mut store, "memory")
        .ok_or_else(|| anyhow!("the module exports no memory"))?;
    let inbox = instance
        .get_global(&mut store, "hc_inbox")
        .and_then(|global| global.get(&mut store).i32())
        .ok_or_else(|| anyhow!("the module exports no inbox"))?;
    store.data_mut().inbox = Some((memory, usize::try_from(inbox)?));

    for name in ["_initialize", "boot"] {
        let Ok(function) = instance.get_typed_func::<(), ()>(&mut store, name) else {
            if name == "boot" {
                bail!("the module exports no boot function");
            }
            continue;
        };
        if let Err(error) = function.call(&mut store, ()) {
            let said = store.data().complaints.join("\n");
            bail!("the engine did not boot: {said}\n{error:#}");
        }
    }
    let mut state = Booted {
        store: &mut store,
        instance,
    };
    let snapshot =
        block_on(wizer.snapshot(&context, &mut state)).map_err(|error| anyhow!(error))?;
    let mut address = |name: &str| {
        let global = instance.get_global(&mut store, name);
        global
            .and_then(|global| global.get(&mut store).i32())
            .map(i32::cast_unsigned)
            .ok_or_else(|| anyhow!("the module exports no {name}"))
    };
    let poll_countdown = address("hc_poll_countdown")? as usize;
    let layout = Layout {
        inbox: address("hc_inbox")?,
        operations_left: address("hc_operations_left")?,
        policy: address("hc_policy")?,
        stack_top: address("__stack_pointer")?,
        memory_size: u32::try_from(memory.data_size(&store))?,
        poll_countdown: {
            let mut pointer = [0; 4];
            memory.read(&store, poll_countdown, &mut pointer)?;
            u32::from_le_bytes(pointer)
        },
    };
    // The stack is below everything else, and nothing on it is alive.
    let stack_top = layout.stack_top as usize;
    let above_stack = memory.data(&store).get(stack_top..).unwrap_or_default();
    let is_empty = |page: &[u8]| page.iter().all(|byte| *byte == 0);
    let Some(last) = above_stack.chunks(PAGE).rposition(|page| !is_empty(page)) else {
        bail!("the memory is empty after booting");
    };
    if !stack_top.is_multiple_of(PAGE) {
        bail!("the stack does not end on a page");
    }
    Ok(Frozen {
        wasm: without_data(&snapshot)?,
        memory: above_stack[..(last + 1) * PAGE].to_vec(),
        layout,
    })
}

/// The module without its data segments: cells get their memory from the image file, page by page as they need it, and
/// Wasmtime would copy all of it first.
fn without_data(wasm: &[u8]) -> Result<Vec<u8>> {
    const PREAMBLE: usize = 8;
    const DATA: u8 = 11;
    const DATA_COUNT: u8 = 12;
    let cut = || anyhow!("Wizer returned a module that ends in the middle");
    let (preamble, mut rest) = wasm.split_at_checked(PREAMBLE).ok_or_else(cut)?;
    let mut module = preamble.to_vec();
    while let Some((id, after_id)) = rest.split_first() {
        let (mut size, mut shift, mut digits) = (0, 0, 0);
        for byte in after_id {
            size |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            digits += 1;
            if byte & 0x80 == 0 || digits == 5 {
                break;
            }
        }
        let (section, after) = rest.split_at_checked(1 + digits + size).ok_or_else(cut)?;
        if ![DATA, DATA_COUNT].contains(id) {
            module.extend_from_slice(section);
        }
        rest = after;
    }
    Ok(module)
}

/// The instance that Wizer reads. Wizer has such a type itself, behind a feature that brings much else.
struct Booted<'a> {
    store: &'a mut Store<Boot>,
    instance: Instance,
}

#[expect(
    clippy::panic,
    reason = "the trait asks for it: Wizer exports what it then reads"
)]
impl InstanceState for Booted<'_> {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut *self.store, name);
        match global.map(|global| global.get(&mut *self.store)) {
            Some(Val::I32(x)) => SnapshotVal::I32(x),
            Some(Val::I64(x)) => SnapshotVal::I64(x),
            Some(Val::F32(x)) => SnapshotVal::F32(x),
            Some(Val::F64(x)) => SnapshotVal::F64(x),
            _ => panic!("no numeric global {name}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        match self.instance.get_memory(&mut *self.store, name) {
            Some(memory) => contents(memory.data(&*self.store)),
            None => panic!("no memory {name}"),
        }
    }
}

fn script_message(script: &Script) -> Vec<u8> {
    let mut message = Vec::new();
    for part in [&script.name, &script.source] {
        leb128(&mut message, part.len() as u64);
        message.extend_from_slice(part.as_bytes());
    }
    message
}

fn leb128(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 0x80")]
    out.push(n as u8);
}

/// Booting needs three of the imports; the others do not answer yet.
fn boot_linker(engine: &Engine, module: &Module) -> Result<Linker<Boot>> {
    let mut linker = Linker::<Boot>::new(engine);
    linker
        .func_wrap(
            "hotcell",
            "module",
            |mut caller: Caller<'_, Boot>, pointer: u32, _length: u32| -> wasmtime::Result<i32> {
                let memory = memory(&mut caller)?;
                let number = memory
                    .data(&caller)
                    .get(pointer as usize)
                    .copied()
                    .unwrap_or(u8::MAX);
                let Some(message) = caller.data().scripts.get(usize::from(number)).cloned() else {
                    return Ok(0);
                };
                let length = i32::try_from(message.len())?;
                if message.len() <= INBOX_SIZE {
                    let (memory, inbox) = caller
                        .data()
                        .inbox
                        .ok_or_else(|| wasmtime::format_err!("no inbox yet"))?;
                    memory.write(&mut caller, inbox, &message)?;
                } else {
                    caller.data_mut().waiting = message;
                }
                Ok(length)
            },
        )
        .map_err(|error| anyhow!(error))?;
    linker
        .func_wrap(
            "hotcell",
            "take",
            |mut caller: Caller<'_, Boot>, pointer: u32, _length: u32| -> wasmtime::Result<()> {
                let memory = memory(&mut caller)?;
                let message = std::mem::take(&mut caller.data_mut().waiting);
                memory.write(&mut caller, pointer as usize, &message)?;
                Ok(())
            },
        )
        .map_err(|error| anyhow!(error))?;
    linker
        .func_wrap(
            "hotcell",
            "emit",
            |mut caller: Caller<'_, Boot>,
             _kind: i32,
             pointer: u32,
             length: u32|
             -> wasmtime::Result<()> {
                let memory = memory(&mut caller)?;
                let mut text = vec![0; length as usize];
                memory.read(&caller, pointer as usize, &mut text)?;
                caller
                    .data_mut()
                    .complaints
                    .push(String::from_utf8_lossy(&text).into_owned());
                Ok(())
            },
        )
        .map_err(|error| anyhow!(error))?;
    linker
        .define_unknown_imports_as_traps(module)
        .map_err(|error| anyhow!(error))?;
    for import in module.imports() {
        if import.module() != "hotcell" {
            bail!(
                "the module imports {}.{}, but a cell must ask nothing but its host",
                import.module(),
                import.name()
            );
        }
    }
    Ok(linker)
}

fn memory(caller: &mut Caller<'_, Boot>) -> wasmtime::Result<Memory> {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory),
        _ => wasmtime::bail!("the module exports no memory"),
    }
}

/// Wizer's snapshot is an async function that never waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Nothing;
    impl Wake for Nothing {
        fn wake(self: Arc<Self>) {}
    }
    let waker = Waker::from(Arc::new(Nothing));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
