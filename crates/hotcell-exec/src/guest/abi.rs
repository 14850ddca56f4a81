//! What a guest imports and exports.
//!
//! Here and nowhere else pointers of a guest become slices: each is held against the memory as it is now, every time.

use std::{
    future::poll_fn,
    task::Poll,
    time::{Duration, Instant},
};

use wasmtime::{Caller, Extern, ExternType, Linker, Memory, Val};

use super::{Guest, engine::ModuleError, heap};
use crate::host::MAX_LOG;

/// The memory that a guest exports.
pub(super) const MEMORY: &str = "memory";
/// What the host calls, with 0 and 1.
pub(super) const ENTRY: &str = "lembeh_handle";
/// Where the guest's own data ends.
const HEAP_BASE: &str = "__heap_base";

/// Where the functions are imported from: the name that the documents agree on, and the one of older guests.
const MODULES: [&str; 2] = ["lembeh", "env"];

/// What a call returns that did nothing.
const FAILED: i32 = -1;

/// How long calls may follow each other before other tasks of the thread get a turn, and the deadline is looked at. What a call
/// does is not in the fuel of the guest.
const TURN: Duration = Duration::from_millis(1);

type Result<T> = wasmtime::Result<T>;

pub(super) fn linker(engine: &wasmtime::Engine) -> Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    for module in MODULES {
        linker.func_wrap_async(module, "req_read", |caller, (handle, ptr, cap)| {
            Box::new(read(caller, handle, (ptr, cap)))
        })?;
        linker.func_wrap_async(module, "res_write", |caller, (handle, ptr, len)| {
            Box::new(write(caller, handle, (ptr, len)))
        })?;
        linker.func_wrap(
            module,
            "res_end",
            |mut caller: Caller<'_, Guest>, handle: i32| {
                caller
                    .data_mut()
                    .host
                    .end(handle)
                    .map_err(wasmtime::Error::new)
            },
        )?;
        for name in ["log", "telemetry"] {
            linker.func_wrap_async(module, name, |caller, (topic, topic_len, msg, msg_len)| {
                Box::new(log(caller, (topic, topic_len), (msg, msg_len)))
            })?;
        }
        for name in ["_alloc", "alloc"] {
            linker.func_wrap(module, name, alloc)?;
        }
        for name in ["_free", "free"] {
            // What was given out goes back when the guest ends.
            linker.func_wrap(module, name, |_ptr: i32| {})?;
        }
        for name in ["_ctl", "ctl"] {
            linker.func_wrap_async(module, name, |caller, (req, req_len, resp, resp_cap)| {
                Box::new(control(caller, (req, req_len), (resp, resp_cap)))
            })?;
        }
    }
    linker.func_wrap("env", "_cap", |_index: i32| FAILED)?;
    Ok(linker)
}

/// The memory of a guest; `None` if it exports none.
fn memory(caller: &mut Caller<'_, Guest>) -> Option<Memory> {
    if let Some(memory) = caller.data().memory {
        return Some(memory);
    }
    // Its start function runs before anybody has looked.
    let memory = caller.get_export(MEMORY).and_then(Extern::into_memory);
    caller.data_mut().memory = memory;
    memory
}

/// A part of a guest's memory, if all of it is there.
fn part(memory: &mut [u8], (ptr, len): (i32, i32)) -> Option<&mut [u8]> {
    let (ptr, len) = (usize::try_from(ptr).ok()?, usize::try_from(len).ok()?);
    memory.get_mut(ptr..ptr.checked_add(len)?)
}

async fn read(mut caller: Caller<'_, Guest>, handle: i32, buf: (i32, i32)) -> Result<i32> {
    let Some(memory) = memory(&mut caller) else {
        return Ok(FAILED);
    };
    let count = poll_fn(|context| {
        let (bytes, guest) = memory.data_and_store_mut(&mut caller);
        let Some(buf) = part(bytes, buf) else {
            return Poll::Ready(Ok(FAILED));
        };
        let polled = guest.host.poll_read(context, handle, buf);
        polled.map_err(wasmtime::Error::new)
    })
    .await?;
    take_turns(&mut caller).await;
    Ok(count)
}

async fn write(mut caller: Caller<'_, Guest>, handle: i32, data: (i32, i32)) -> Result<i32> {
    let Some(memory) = memory(&mut caller) else {
        return Ok(FAILED);
    };
    let written = poll_fn(|context| {
        let (bytes, guest) = memory.data_and_store_mut(&mut caller);
        let Some(data) = part(bytes, data) else {
            return Poll::Ready(Ok(FAILED));
        };
        let polled = guest.host.poll_write(context, handle, data);
        polled.map_err(wasmtime::Error::new)
    })
    .await?;
    if written == 0 && data.1 > 0 {
        // A guest that tries again and again leaves room for whoever makes some.
        give_way().await;
    } else {
        take_turns(&mut caller).await;
    }
    Ok(written)
}

/// Lets other tasks of the thread have a turn, if this one has had its own.
async fn take_turns(caller: &mut Caller<'_, Guest>) {
    if caller.data().turn.elapsed() >= TURN {
        give_way().await;
        caller.data_mut().turn = Instant::now();
    }
}

/// Lets other tasks of the thread have a turn.
async fn give_way() {
    let mut was_here = false;
    poll_fn(|context| {
        if std::mem::replace(&mut was_here, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

async fn log(mut caller: Caller<'_, Guest>, topic: (i32, i32), msg: (i32, i32)) -> Result<()> {
    let Some(memory) = memory(&mut caller) else {
        return Ok(());
    };
    let (bytes, guest) = memory.data_and_store_mut(&mut caller);
    // No more is copied than is told.
    let topic = part(bytes, topic).map(|topic| topic.get(..MAX_LOG).unwrap_or(topic).to_vec());
    // Whoever logs nonsense is not told.
    if let (Some(topic), Some(msg)) = (topic, part(bytes, msg)) {
        guest.host.log(&topic, msg).map_err(wasmtime::Error::new)?;
    }
    take_turns(&mut caller).await;
    Ok(())
}

async fn control(
    mut caller: Caller<'_, Guest>,
    request: (i32, i32),
    reply: (i32, i32),
) -> Result<i32> {
    let length = answer(&mut caller, request, reply)?;
    take_turns(&mut caller).await;
    Ok(length)
}

fn answer(
    caller: &mut Caller<'_, Guest>,
    request: (i32, i32),
    (to, room): (i32, i32),
) -> Result<i32> {
    let Some(memory) = memory(caller) else {
        return Ok(FAILED);
    };
    let (bytes, guest) = memory.data_and_store_mut(caller);
    let Some(room) = part(bytes, (to, room)).map(|room| room.len()) else {
        return Ok(FAILED);
    };
    let Some(request) = part(bytes, request) else {
        return Ok(FAILED);
    };
    let reply = guest.host.control(request, room);
    let Some(reply) = reply.map_err(wasmtime::Error::new)? else {
        return Ok(FAILED);
    };
    let length = i32::try_from(reply.len()).unwrap_or(FAILED);
    match part(bytes, (to, length)) {
        Some(place) => {
            place.copy_from_slice(&reply);
            Ok(length)
        }
        None => Ok(FAILED),
    }
}

fn alloc(mut caller: Caller<'_, Guest>, size: i32) -> i32 {
    let (Some(memory), Ok(size)) = (memory(&mut caller), u64::try_from(size)) else {
        return FAILED;
    };
    let base = caller.get_export(HEAP_BASE).and_then(Extern::into_global);
    let base = base.map(|global| global.get(&mut caller));
    let end = memory.data_size(&caller) as u64;
    let begin = caller.data_mut().heap.begin(|| match base {
        Some(Val::I32(base)) => u64::from(base.cast_unsigned()),
        _ => end,
    });
    let Ok(place) = i32::try_from(begin) else {
        return FAILED;
    };
    let top = begin + size.next_multiple_of(4);
    if i32::try_from(top).is_err() || !heap::reserve(&mut caller, memory, top) {
        return FAILED;
    }
    caller.data_mut().heap.move_to(top);
    place
}

/// Whether a module has what a host calls.
pub(super) fn check_exports(module: &wasmtime::Module) -> std::result::Result<(), ModuleError> {
    let Some(ExternType::Memory(_)) = module.get_export(MEMORY) else {
        return Err(ModuleError::Export("memory called \"memory\""));
    };
    let is_entry = match module.get_export(ENTRY) {
        Some(ExternType::Func(function)) => {
            let mut params = function.params();
            let is_number =
                |kind: Option<wasmtime::ValType>| kind.is_some_and(|kind| kind.is_i32());
            is_number(params.next())
                && is_number(params.next())
                && params.next().is_none()
                && function.results().len() == 0
        }
        _ => false,
    };
    if !is_entry {
        return Err(ModuleError::Export(
            "function \"lembeh_handle\" that takes two numbers of 32 bits and returns nothing",
        ));
    }
    Ok(())
}

/// The first import that there is nothing for.
pub(super) fn unknown_import(module: &wasmtime::Module) -> Option<(String, String)> {
    let arguments = |name: &str| match name {
        "req_read" | "res_write" => Some((3, 1)),
        "res_end" | "_free" | "free" => Some((1, 0)),
        "log" | "telemetry" => Some((4, 0)),
        "_alloc" | "alloc" => Some((1, 1)),
        "_ctl" | "ctl" => Some((4, 1)),
        _ => None,
    };
    let is_known = |module: &str, name: &str, kind: &ExternType| {
        let ExternType::Func(function) = kind else {
            return false;
        };
        let form = (function.params().len(), function.results().len());
        let mut kinds = function.params().chain(function.results());
        let is_cap = module == "env" && name == "_cap" && form == (1, 1);
        MODULES.contains(&module)
            && (is_cap || arguments(name) == Some(form))
            && kinds.all(|kind| kind.is_i32())
    };
    module
        .imports()
        .find(|import| !is_known(import.module(), import.name(), &import.ty()))
        .map(|import| (import.module().to_owned(), import.name().to_owned()))
}
