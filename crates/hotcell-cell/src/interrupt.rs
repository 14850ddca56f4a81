//! Stopping a run from outside.

use std::{
    sync::atomic::{AtomicU8, Ordering},
    task::Waker,
};

use futures_util::task::AtomicWaker;

/// Why a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Deadline,
    Cancelled,
}

/// Shared by a cell, its interrupters and the watchdog.
#[derive(Default)]
pub(crate) struct Interrupt {
    /// 0: none, else a [`Reason`].
    reason: AtomicU8,
    /// The task that runs the cell, which may be waiting for a tool.
    task: AtomicWaker,
}

impl Interrupt {
    /// Asks the run to end, also if it is waiting. The first reason stays.
    pub(crate) fn raise(&self, reason: Reason) {
        self.note(reason);
        self.task.wake();
    }

    /// As [`Interrupt::raise`], by the run itself, which need not be woken.
    pub(crate) fn note(&self, reason: Reason) {
        let code = match reason {
            Reason::Deadline => 1,
            Reason::Cancelled => 2,
        };
        let _ = self
            .reason
            .compare_exchange(0, code, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn reason(&self) -> Option<Reason> {
        match self.reason.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Reason::Deadline),
            _ => Some(Reason::Cancelled),
        }
    }

    /// For the next run.
    pub(crate) fn clear(&self) {
        self.reason.store(0, Ordering::Release);
    }

    /// Whom to wake when the reason changes.
    pub(crate) fn register(&self, waker: &Waker) {
        self.task.register(waker);
    }
}
