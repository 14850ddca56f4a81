//! A program in the life of a process.
//!
//! The program runs on a stack of Wasmtime's, inside a future that its process polls. When it has computed for a millisecond,
//! or has to wait, the poll is over and the process is at a point where it can be suspended, signalled and killed: no frame of
//! the program is on the stack of the process then.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Instant,
};

use bstr::BString;
use hotcell_process::Process;
use wasmtime::{Store, UpdateDeadline};

use crate::{
    ending::Ended,
    engine::Ready,
    files::Naming,
    guest::Guest,
    mailbox::{Mailbox, Request},
    module::Loaded,
    options::WasiOptions,
    settings::MAX_WASM_STACK,
};

/// How a program is called.
pub(crate) struct Invocation<'a> {
    pub(crate) options: &'a WasiOptions,
    pub(crate) naming: Naming,
    pub(crate) args: Vec<BString>,
    /// Variables that it needs, unless the process says otherwise.
    pub(crate) environment: &'a [(BString, BString)],
}

/// Runs a program to its end; returns its exit code.
pub(crate) fn run(
    process: &Process,
    ready: &Ready,
    loaded: &Loaded,
    invocation: Invocation<'_>,
) -> io::Result<i32> {
    let _stack = process.charge(MAX_WASM_STACK)?;
    let Invocation {
        options,
        naming,
        args,
        environment,
    } = invocation;
    let guest = Guest::new(process, options, naming, args, environment)?;
    let mailbox = guest.mailbox.clone();
    let mut store = Store::new(&ready.engine, guest);
    store.limiter(|guest| &mut guest.limiter);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
    let result = {
        let program = pin!(begin(loaded, &mut store));
        drive(process, ready, &mailbox, program)?
    };
    // What it has open is closed before anybody is told.
    let refused = store.into_data().limiter.refused();
    match Ended::of(result, refused) {
        Ended::Exited(code) => Ok((code & 0xff).cast_signed()),
        Ended::Signaled(signal) => process.die(signal),
        Ended::Trapped(signal, text) => {
            process.complain(text);
            process.die(signal)
        }
    }
}

async fn begin(loaded: &Loaded, store: &mut Store<Guest>) -> wasmtime::Result<()> {
    let instance = loaded.pre.instantiate_async(&mut *store).await?;
    let start = instance.get_typed_func::<(), ()>(&mut *store, "_start")?;
    start.call_async(store, ()).await
}

/// What happened while the program was polled.
enum Event<T> {
    Ended(T),
    Asked(Request),
    /// It is to be woken at another time than it was, or at none.
    Sleeps(Option<Instant>),
}

/// Polls a program to its end, and does for it what it asks for.
fn drive<T>(
    process: &Process,
    ready: &Ready,
    mailbox: &Mailbox,
    mut program: Pin<&mut impl Future<Output = T>>,
) -> io::Result<T> {
    let mut wake_at: Option<Instant> = None;
    loop {
        let mut poll = |waker: &Waker| {
            let polled = {
                let _computing = ready.watchdog.computing();
                mailbox.begin_poll();
                let polled = program.as_mut().poll(&mut Context::from_waker(waker));
                mailbox.end_poll();
                polled
            };
            if let Poll::Ready(result) = polled {
                return Poll::Ready(Event::Ended(result));
            }
            if let Some(request) = mailbox.take_request() {
                return Poll::Ready(Event::Asked(request));
            }
            let time = mailbox.take_wake_at();
            if time != wake_at {
                return Poll::Ready(Event::Sleeps(time));
            }
            Poll::Pending
        };
        let event = match wake_at {
            Some(time) => process.until(time, || poll(process.waker())),
            None => Poll::Ready(process.block_on_poll(&mut poll)),
        };
        match event {
            Poll::Ready(Event::Ended(result)) => return Ok(result),
            Poll::Ready(Event::Asked(Request::Meet { file, options })) => {
                mailbox.answer(process.stream_of(file, &options));
            }
            Poll::Ready(Event::Sleeps(time)) => wake_at = time,
            // The time has come; the program finds that out when it is polled.
            Poll::Pending => wake_at = None,
        }
    }
}
