//! How much is on its way to Node.
//!
//! Arguments of a call are packed for Node, which is a second copy of them until Node takes it, and nobody is charged for it.
//! So of each executor only so much is packed at a time. Other calls wait in line, with arguments that the cell keeps
//! anyway.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use crate::shared::lock;

/// How many bytes of one executor may be on their way. One call may have more, alone.
const MOST: usize = 4 << 20;

/// The way to Node of one executor's calls. Cheap to clone; clones are one.
#[derive(Clone, Default)]
pub(crate) struct Transit(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    bytes: usize,
    next: u64,
    /// Who waits, first come first served: calls reach Node in the order in which they were made.
    line: VecDeque<(u64, Waker)>,
}

impl State {
    fn has_room(&self, bytes: usize) -> bool {
        self.bytes == 0 || self.bytes.saturating_add(bytes) <= MOST
    }
}

/// Bytes on their way; they have arrived when it is dropped.
pub(crate) struct Passage {
    transit: Transit,
    bytes: usize,
}

impl Transit {
    /// Waits until there is room for so many bytes, and for those who came before.
    pub(crate) async fn enter(&self, bytes: usize) -> Passage {
        let mut place = Place {
            transit: self,
            number: None,
        };
        poll_fn(|context| place.poll(bytes, context)).await;
        Passage {
            transit: self.clone(),
            bytes,
        }
    }

    /// The first in line looks again. Not behind the lock: to wake somebody is to call foreign code.
    fn wake_first(&self) {
        let first = lock(&self.0).line.front().map(|(_, waker)| waker.clone());
        if let Some(first) = first {
            first.wake();
        }
    }
}

/// A place in line, until it is given up.
struct Place<'a> {
    transit: &'a Transit,
    number: Option<u64>,
}

impl Place<'_> {
    fn poll(&mut self, bytes: usize, context: &Context<'_>) -> Poll<()> {
        let mut state = lock(&self.transit.0);
        let is_first = match self.number {
            None => state.line.is_empty(),
            Some(number) => state
                .line
                .front()
                .is_some_and(|(first, _)| *first == number),
        };
        if is_first && state.has_room(bytes) {
            state.bytes += bytes;
            drop(state);
            self.leave();
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let number = self.number;
        let known = state.line.iter_mut().find(|(one, _)| Some(*one) == number);
        if let Some((_, known)) = known {
            *known = waker;
        } else {
            let number = state.next;
            state.next += 1;
            state.line.push_back((number, waker));
            self.number = Some(number);
        }
        Poll::Pending
    }

    fn leave(&mut self) {
        if let Some(number) = self.number.take() {
            lock(&self.transit.0).line.retain(|(one, _)| *one != number);
            self.transit.wake_first();
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        lock(&self.transit.0).bytes -= self.bytes;
        self.transit.wake_first();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};

    use super::*;

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn what_does_not_fit_waits_for_what_is_on_its_way() {
        let transit = Transit::default();
        let Poll::Ready(first) = poll(pin!(transit.enter(MOST - 1))) else {
            panic!("there was room");
        };
        let mut second = pin!(transit.enter(2));
        assert!(poll(second.as_mut()).is_pending());
        // A small one does not overtake it.
        let mut third = pin!(transit.enter(1));
        assert!(poll(third.as_mut()).is_pending());
        drop(first);
        assert!(poll(third.as_mut()).is_pending());
        assert!(poll(second.as_mut()).is_ready());
        assert!(poll(third.as_mut()).is_ready());
    }

    #[test]
    fn whoever_gives_up_makes_way() {
        let transit = Transit::default();
        let first = poll(pin!(transit.enter(MOST)));
        let mut second = Box::pin(transit.enter(10));
        let mut third = pin!(transit.enter(1));
        assert!(poll(second.as_mut()).is_pending() && poll(third.as_mut()).is_pending());
        drop(second);
        drop(first);
        assert!(poll(third.as_mut()).is_ready());
    }

    #[test]
    fn one_that_is_larger_than_all_room_goes_alone() {
        let transit = Transit::default();
        let mut large = pin!(transit.enter(10 * MOST));
        assert!(poll(large.as_mut()).is_ready());
    }
}
