//! Polls on threads that have better things to do.
//!
//! A future that runs a cell may be polled anywhere, also on the thread of an event loop, where it is only a visitor: small
//! work is done there, because going elsewhere would cost more than the work. A cell makes way when it has computed for a
//! while; what it asks of the host is native code, though, and goes on until it is done. So before the host takes in much
//! data, a visitor leaves: the poll is over, and the work is done wherever the future is polled next.

use std::{
    cell::Cell,
    future::poll_fn,
    task::{Context, Poll},
};

/// How many bytes a visitor may bring. Whatever is done with so few is done in some ten microseconds.
const SMALL: usize = 4 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    AtHome,
    Visiting,
    Leaving,
}

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::AtHome) };
}

/// Polls a future as a visitor of this thread. It should be polled elsewhere next if [`is_leaving`] says so when it wakes
/// itself.
pub fn visit<T>(poll: impl FnOnce() -> T) -> T {
    struct Back(State);
    impl Drop for Back {
        fn drop(&mut self) {
            STATE.set(self.0);
        }
    }
    let _back = Back(STATE.replace(State::Visiting));
    poll()
}

/// Whether the future that is polled by [`visit`] on this thread has work for another thread.
pub fn is_leaving() -> bool {
    STATE.get() == State::Leaving
}

/// Ends a visit, if this is one: what follows is done where the future is polled next.
pub async fn leave() {
    if STATE.get() != State::Visiting {
        return;
    }
    STATE.set(State::Leaving);
    let mut has_left = false;
    poll_fn(|context: &mut Context<'_>| {
        if has_left {
            return Poll::Ready(());
        }
        has_left = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// How many bytes of code a visitor may bring: it takes longer to look at code than at data.
const SMALL_CODE: usize = 512;

/// Ends a visit before a look at that many bytes of code, unless they are few.
pub(crate) async fn leave_with_code(bytes: u32) {
    if bytes as usize > SMALL_CODE {
        leave().await;
    }
}

/// Ends a visit before work on that many bytes, unless they are few.
pub(crate) async fn leave_with(bytes: u32) {
    if bytes as usize > SMALL {
        leave().await;
    }
}
