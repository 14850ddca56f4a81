//! The program itself: its end, signals to itself, and giving way.

use std::{future::poll_fn, task::Poll};

use hotcell_process::Signal;

use crate::{
    abi::{Errno, signal_of},
    ending::{Answer, Ending},
    guest::Guest,
    memory::{Call, Memory},
};

pub(super) fn proc_exit(code: u32) -> wasmtime::Result<()> {
    Err(wasmtime::Error::new(Ending::Exit(code)))
}

/// A program cannot catch signals, so that each does what it does by default.
pub(super) fn proc_raise(_guest: &mut Guest, _memory: &mut Memory<'_>, signal: u32) -> Answer {
    if signal == 0 {
        return Ok(());
    }
    match signal_of(signal).ok_or(Errno::Inval)? {
        Signal::CHLD | Signal::CONT | Signal::URG | Signal::WINCH => Ok(()),
        // Nobody could let it go on.
        Signal::STOP | Signal::TSTP | Signal::TTIN | Signal::TTOU => Err(Errno::Notsup.into()),
        signal => Err(Ending::Signal(signal).into()),
    }
}

pub(super) async fn sched_yield(_call: Call<'_>) -> Answer {
    give_way().await;
    Ok(())
}

/// Lets others run, and can be killed here.
pub(super) async fn give_way() {
    let mut has_waited = false;
    poll_fn(|context| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
