//! Calls of Node's functions that have no answer yet.

use std::{collections::HashMap, sync::Mutex};

use futures_channel::oneshot;
use hotcell::meter::Charge;

use crate::{sent::Answer, shared::lock};

/// Fewer calls than this are not worth a look at which of them nobody waits for any more.
const FEW: usize = 64;

/// What a function of Node's does when it is called.
pub(crate) enum First {
    /// It returns, or throws.
    Now(Answer),
    /// It returns a promise.
    Later(oneshot::Receiver<Answer>),
}

/// Who waits for an answer of Node's, and what pays for it until it is taken.
pub(crate) struct Caller<T> {
    sender: oneshot::Sender<T>,
    /// Code that computes takes no answers, so many may be there when it does. `None` if nobody has an account.
    room: Option<Charge>,
}

impl<T> Caller<T> {
    /// One whose answers are small, or charged where they are taken.
    pub(crate) fn unpaid(sender: oneshot::Sender<T>) -> Self {
        Self { sender, room: None }
    }

    /// One whose answer is charged to `room` until it is taken.
    pub(crate) fn paid_by(sender: oneshot::Sender<T>, room: Option<Charge>) -> Self {
        Self { sender, room }
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.sender.is_canceled()
    }
}

/// Calls that Node has not settled yet.
#[derive(Default)]
pub(crate) struct Calls(Mutex<Table>);

#[derive(Default)]
struct Table {
    next: u32,
    first: HashMap<u32, Caller<First>>,
    later: HashMap<u32, Caller<Answer>>,
    /// How many there were when those were last forgotten that nobody waits for.
    swept: usize,
}

impl Calls {
    /// Keeps a call until Node answers it, under this number.
    pub(crate) fn expect(&self, caller: Caller<First>) -> u32 {
        let mut table = lock(&self.0);
        table.next = table.next.wrapping_add(1);
        let id = table.next;
        table.first.insert(id, caller);
        id
    }

    /// A function returned or threw, or the promise it returned was settled.
    pub(crate) fn answer(&self, call: u32, answer: Answer) {
        let first = lock(&self.0).first.remove(&call);
        // Whoever waited may have gone; then there is nobody to tell. Not behind the lock: to tell is to wake.
        if let Some(Caller { sender, room }) = first {
            let _ = sender.send(First::Now(answer.paid(room)));
            return;
        }
        let later = lock(&self.0).later.remove(&call);
        if let Some(Caller { sender, room }) = later {
            let _ = sender.send(answer.paid(room));
        }
    }

    /// A function returned a promise.
    pub(crate) fn later(&self, call: u32) {
        let first = lock(&self.0).first.remove(&call);
        let Some(Caller {
            sender: first,
            room,
        }) = first
        else {
            return;
        };
        let (sender, receiver) = oneshot::channel();
        if first.send(First::Later(receiver)).is_ok() {
            let caller = Caller { sender, room };
            lock(&self.0).later.insert(call, caller);
        }
    }

    /// Which of these calls nobody waits for any more.
    pub(crate) fn cancelled(&self, ids: Vec<u32>) -> Vec<u32> {
        let table = lock(&self.0);
        let is_awaited = |id: &u32| {
            let first = table.first.get(id).map(Caller::is_gone);
            let later = table.later.get(id).map(Caller::is_gone);
            first.or(later) == Some(false)
        };
        ids.into_iter().filter(|id| !is_awaited(id)).collect()
    }

    /// Forgets calls whose run is over: a promise of the host's may never be settled. Not each time, because it looks at the
    /// calls of all executors.
    pub(crate) fn sweep(&self) {
        let mut table = lock(&self.0);
        if table.first.len() + table.later.len() > 2 * table.swept + FEW {
            table.first.retain(|_, caller| !caller.is_gone());
            table.later.retain(|_, caller| !caller.is_gone());
            table.swept = table.first.len() + table.later.len();
        }
    }

    /// Forgets all: the environment ends.
    pub(crate) fn clear(&self) {
        let table = std::mem::take(&mut *lock(&self.0));
        drop(table);
    }
}
