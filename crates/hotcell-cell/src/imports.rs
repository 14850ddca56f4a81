//! What a cell can ask of its host, the functions of `guest/c/host.h`.
//!
//! An error returned from here is a trap: the cell broke a rule and is thrown away.

use std::{sync::Arc, time::SystemTime};

use wasmtime::{Caller, Engine, Linker, Memory};

use crate::{
    foreign,
    guest::{answer, emit, place, source_kind},
    host::{Host, Reaction, Refusal, not_connected, put_answer, put_numbered_answer, read_values},
    library,
    options::{Import, Module, Source, SourceKind},
    tool::{Kind, Reply, Tool, ToolError},
    value::{ErrorValue, Text, Value},
    visit::{leave_with, leave_with_code},
    wire::{Reader, WireError, put_value},
};

pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("hotcell", "take", take)?;
    linker.func_wrap_async("hotcell", "emit", |caller, (kind, at, length)| {
        Box::new(elsewhere(length, move || receive(caller, kind, at, length)))
    })?;
    linker.func_wrap("hotcell", "interrupted", |caller: Caller<'_, Host>| {
        i32::from(caller.data().is_interrupted())
    })?;
    linker.func_wrap("hotcell", "stack", stack)?;
    linker.func_wrap("hotcell", "now", |caller: Caller<'_, Host>| {
        now(caller.data())
    })?;
    linker.func_wrap("hotcell", "timer_time", |caller: Caller<'_, Host>| {
        timer_time(caller.data())
    })?;
    linker.func_wrap("hotcell", "random", |caller: Caller<'_, Host>| {
        random(caller.data())
    })?;
    linker.func_wrap_async("hotcell", "tool_call", |caller, (tool, at, length)| {
        Box::new(elsewhere(length, move || {
            tool_call(caller, tool, at, length)
        }))
    })?;
    linker.func_wrap_async(
        "hotcell",
        "tool_wait",
        |caller, arguments: (i32, u32, u32)| Box::new(tool_wait(caller, arguments)),
    )?;
    linker.func_wrap_async("hotcell", "tool_start", |caller, (tool, id, at, length)| {
        Box::new(elsewhere(length, move || {
            tool_start(caller, tool, id, at, length)
        }))
    })?;
    linker.func_wrap_async(
        "hotcell",
        "tool_maybe_async",
        |caller, arguments: (i32, i32, u32, u32)| Box::new(tool_maybe_async(caller, arguments)),
    )?;
    linker.func_wrap("hotcell", "next_answer", next_answer)?;
    linker.func_wrap_async("hotcell", "admit", |caller, (kind, at, length)| {
        Box::new(async move {
            leave_with_code(length).await;
            admit(caller, kind, at, length)
        })
    })?;
    linker.func_wrap_async("hotcell", "module", |caller, (at, length)| {
        Box::new(elsewhere(length, move || module(caller, at, length)))
    })?;
    linker.func_wrap_async("hotcell", "library", |caller, (at, length)| {
        Box::new(elsewhere(length, move || library(caller, at, length)))
    })?;
    Ok(linker)
}

/// Work on that many bytes of the guest's, not on a thread that has better things to do.
async fn elsewhere<T>(bytes: u32, work: impl FnOnce() -> T) -> T {
    leave_with(bytes).await;
    work()
}

fn memory(caller: &Caller<'_, Host>) -> wasmtime::Result<Memory> {
    caller
        .data()
        .memory
        .ok_or_else(|| wasmtime::format_err!("a call from a cell that has no memory yet"))
}

/// The bytes that the guest points at, if they are its own.
fn guest_bytes(memory: &[u8], pointer: u32, length: u32) -> wasmtime::Result<&[u8]> {
    let start = pointer as usize;
    memory
        .get(start..)
        .and_then(|memory| memory.get(..length as usize))
        .ok_or_else(|| {
            wasmtime::format_err!("{length} bytes at {pointer} are not in the cell's memory")
        })
}

fn take(mut caller: Caller<'_, Host>, pointer: u32, length: u32) -> wasmtime::Result<()> {
    let memory = memory(&caller)?;
    let waiting = caller.data_mut().outbox.waiting.take();
    let message = waiting.map_or_else(Vec::new, |waiting| waiting.message);
    if message.len() != length as usize {
        wasmtime::bail!("{length} bytes wanted of a reply of {}", message.len());
    }
    memory.write(&mut caller, pointer as usize, &message)?;
    Ok(())
}

fn receive(
    mut caller: Caller<'_, Host>,
    kind: i32,
    pointer: u32,
    length: u32,
) -> wasmtime::Result<()> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    if kind == emit::LOG {
        host.check_in_run()?;
    }
    host.receive(kind, guest_bytes(memory, pointer, length)?)?;
    if kind == emit::LOG {
        end_if_interrupted(memory, host);
    }
    Ok(())
}

/// A function of the host's that was called in the time of the run has returned. If that time is over, or the run was
/// cancelled meanwhile, the guest's next poll ends it. True if so.
fn end_if_interrupted(memory: &mut [u8], host: &Host) -> bool {
    let is_interrupted = host.is_interrupted();
    if is_interrupted {
        let at = place::POLL_COUNTDOWN;
        memory[at..at + 4].fill(0);
    }
    is_interrupted
}

/// Bytes of the machine's stack between the last call with `mark` set and this one. Both run on the stack of the same
/// fiber, each at the end of the guest's frames, so the distance of their locals is what the guest uses.
#[inline(never)]
fn stack(mut caller: Caller<'_, Host>, mark: i32) -> u32 {
    let here = std::hint::black_box(0u8);
    let address = (&raw const here).addr();
    if mark != 0 {
        caller.data_mut().stack.mark = address;
    }
    let host = caller.data_mut();
    let used = host.stack.mark.saturating_sub(address);
    host.stack.peak = host.stack.peak.max(used);
    u32::try_from(used).unwrap_or(u32::MAX)
}

/// Milliseconds since the epoch, with fractions.
fn now(host: &Host) -> wasmtime::Result<f64> {
    if !host.grants.clock {
        wasmtime::bail!("it asked for the time, which it may not know");
    }
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Ok(since.as_secs_f64() * 1000.0)
}

fn timer_time(host: &Host) -> wasmtime::Result<f64> {
    if !host.grants.timers {
        wasmtime::bail!("it asked for the time of timers, which it may not have");
    }
    Ok(host.timer_time.now())
}

fn random(host: &Host) -> wasmtime::Result<u64> {
    if !host.grants.random {
        wasmtime::bail!("it asked for a random number, which it may not have");
    }
    getrandom::u64().map_err(|error| wasmtime::format_err!("the host has no randomness: {error}"))
}

fn tool_call(
    mut caller: Caller<'_, Host>,
    tool: i32,
    pointer: u32,
    length: u32,
) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    let reaction = match host.read_call(tool, guest_bytes(memory, pointer, length)?)? {
        Ok((
            call,
            Some(Tool {
                kind: Kind::Sync(function),
                ..
            }),
        )) => {
            host.pause_clock();
            let answer = function(call);
            host.resume_clock();
            end_if_interrupted(memory, host);
            Reaction::Answer(answer)
        }
        Ok((call, _)) => Reaction::Answer(Err(not_connected(&call.tool))),
        Err(reaction) => reaction,
    };
    react(host, memory, reaction)
}

async fn tool_wait(
    mut caller: Caller<'_, Host>,
    (tool, pointer, length): (i32, u32, u32),
) -> wasmtime::Result<i32> {
    leave_with(length).await;
    let memory = memory(&caller)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let call = host.read_call(tool, guest_bytes(data, pointer, length)?)?;
    let reaction = match call {
        Ok((
            call,
            Some(Tool {
                kind: Kind::Wait(function),
                ..
            }),
        )) => {
            let tool = Arc::clone(&call.tool);
            let answer = host.wait_for(tool, function(call)).await;
            answer.map_or(Reaction::Stop, Reaction::Answer)
        }
        Ok((call, _)) => Reaction::Answer(Err(not_connected(&call.tool))),
        Err(reaction) => reaction,
    };
    let (data, host) = memory.data_and_store_mut(&mut caller);
    react(host, data, reaction)
}

async fn tool_maybe_async(
    mut caller: Caller<'_, Host>,
    (tool, id, pointer, length): (i32, i32, u32, u32),
) -> wasmtime::Result<i32> {
    leave_with(length).await;
    let memory = memory(&caller)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let call = host.read_call(tool, guest_bytes(data, pointer, length)?)?;
    let id = host.new_call_id(id)?;
    let reaction = match call {
        Ok((
            mut call,
            Some(Tool {
                kind: Kind::MaybeAsync(function),
                ..
            }),
        )) => {
            call.id = Some(id);
            let (tool, arguments) = (Arc::clone(&call.tool), call.arguments.clone());
            match host.wait_for(Arc::clone(&tool), function(call)).await {
                Some(Ok(Reply::Value(value))) => Reaction::Answer(Ok(value)),
                Some(Ok(Reply::Later(future))) => {
                    match host.start_future(id, tool, arguments, future) {
                        Ok(()) => return Ok(0),
                        Err(refused) => Reaction::Answer(Err(refused)),
                    }
                }
                Some(Err(error)) if error.is_suspension() => {
                    match host.wait_for_host(id, tool, arguments) {
                        Ok(()) => return Ok(0),
                        Err(refused) => Reaction::Answer(Err(refused)),
                    }
                }
                Some(Err(error)) => Reaction::Answer(Err(error)),
                None => Reaction::Stop,
            }
        }
        Ok((call, _)) => Reaction::Answer(Err(not_connected(&call.tool))),
        Err(reaction) => reaction,
    };
    let (data, host) = memory.data_and_store_mut(&mut caller);
    react(host, data, reaction)
}

/// Tells the guest what its call comes to.
fn react(host: &mut Host, memory: &mut [u8], reaction: Reaction) -> wasmtime::Result<i32> {
    match reaction {
        Reaction::Answer(answer) => host.reply_answer(memory, put_answer, &answer),
        Reaction::Stop => host.reply(memory, |out| {
            out.push(answer::STOP);
            Ok(())
        }),
    }
}

fn tool_start(
    mut caller: Caller<'_, Host>,
    tool: i32,
    id: i32,
    pointer: u32,
    length: u32,
) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    let call = host.read_call(tool, guest_bytes(memory, pointer, length)?)?;
    let id = host.new_call_id(id)?;
    let started = call.and_then(|(call, tool)| {
        let started = host.start_call(id, call, tool);
        started.map_err(|refused| Reaction::Answer(Err(refused)))
    });
    end_if_interrupted(memory, host);
    match started {
        Ok(()) => Ok(0),
        Err(reaction) => react(host, memory, reaction),
    }
}

fn next_answer(mut caller: Caller<'_, Host>) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    host.check_in_run()?;
    if host.calls.answers.is_empty() {
        host.poll_answers_now();
    }
    let Some((id, answer)) = host.calls.answers.pop_front() else {
        return Ok(0);
    };
    host.calls.pending.remove(&id);
    host.reply_answer(
        memory,
        |out, answer| put_numbered_answer(out, id, answer),
        &answer,
    )
}

fn admit(
    mut caller: Caller<'_, Host>,
    kind: i32,
    pointer: u32,
    length: u32,
) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    host.check_in_run()?;
    let Some(gate) = host.grants.gate.clone() else {
        return Ok(0);
    };
    let message = guest_bytes(memory, pointer, length)?;
    let Some(kind) = source_kind(kind) else {
        wasmtime::bail!("unknown kind of source {kind}");
    };
    let source = host.read(message, |reader| read_source(kind, reader))?;
    let ((parameters, body), _charge) = match source {
        Ok(source) => source,
        Err(refusal) => {
            end_if_interrupted(memory, host);
            let message = format!("the code is too large: {refusal}");
            let error = Value::from(ErrorValue::new("RangeError", message));
            return host.reply(memory, |out| put_value(out, &error));
        }
    };
    let source = Source {
        kind,
        parameters,
        body: &body,
        watch: &*host.interrupt,
    };
    let admitted = foreign::call(|| gate(&source))
        .unwrap_or_else(|_| Err("the host panicked when it looked at this code".into()));
    let error = if end_if_interrupted(memory, host) {
        // What the gate said may be half of what it would have said.
        ErrorValue::new("InternalError", "the run has ended")
    } else {
        match admitted {
            Ok(()) => return Ok(0),
            Err(message) => ErrorValue::new("SyntaxError", message),
        }
    };
    host.reply(memory, |out| put_value(out, &error.into()))
}

/// Parameters and body of what is to be evaluated.
fn read_source(kind: SourceKind, reader: &mut Reader<'_>) -> Result<(Vec<Text>, Text), WireError> {
    if matches!(kind, SourceKind::DirectEval | SourceKind::IndirectEval) {
        return Ok((Vec::new(), reader.text()?));
    }
    let mut parameters = Vec::new();
    for argument in read_values(reader)? {
        let Value::String(text) = argument else {
            return Err(WireError::Malformed);
        };
        parameters.push(text);
    }
    let body = parameters.pop().unwrap_or_default();
    Ok((parameters, body))
}

/// A name longer than this is nobody's.
const MAX_MODULE_NAME: usize = 16 << 10;

fn module(mut caller: Caller<'_, Host>, pointer: u32, length: u32) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    host.check_in_run()?;
    let name = guest_bytes(memory, pointer, length)?;
    let source = if name.len() > MAX_MODULE_NAME {
        Err(ToolError::new(
            "TypeError",
            format!(
                "the name of a module may have at most {MAX_MODULE_NAME} bytes, this one has {}",
                name.len()
            ),
        ))
    } else {
        find_module(host, &String::from_utf8_lossy(name))
    };
    end_if_interrupted(memory, host);
    let source = source.map(|found| match found {
        Module::Source(text) => Value::String(Text::from(text)),
        // See `hc_load_module`.
        Module::Defined => Value::Null,
    });
    host.reply_answer(memory, put_answer, &source)
}

fn find_module(host: &Host, name: &str) -> Result<Module, ToolError> {
    let Some(modules) = &host.grants.modules else {
        let message = format!("there is no module {name:?} in this cell");
        return Err(ToolError::new("TypeError", message));
    };
    let import = Import {
        name,
        watch: &*host.interrupt,
    };
    foreign::call(|| modules(&import)).unwrap_or_else(|_| {
        let message = format!("the host panicked when it looked for the module {name:?}");
        Err(message.into())
    })
}

fn library(mut caller: Caller<'_, Host>, pointer: u32, length: u32) -> wasmtime::Result<i32> {
    let (memory, host) = memory(&caller)?.data_and_store_mut(&mut caller);
    let message = guest_bytes(memory, pointer, length)?;
    let answer = if message.len() > library::MAX_MESSAGE {
        Err(library::too_long(message.len()))
    } else {
        match host.read(message, read_values)? {
            Ok((arguments, _charge)) => library::call(&arguments),
            Err(refusal @ Refusal::Account(_)) => {
                Err(ToolError::new("RangeError", refusal.to_string()))
            }
            Err(_) => Err(library::too_long(message.len())),
        }
    };
    end_if_interrupted(memory, host);
    host.reply_answer(memory, put_answer, &answer)
}
