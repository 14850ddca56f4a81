//! From who says what happens to who reads it.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::SystemTime,
};

use futures_util::Stream;

use super::{Event, EventKind};

pub(crate) type OnEvent = Arc<dyn Fn(&Event) + Send + Sync>;

/// Where all events of one executor pass.
pub(crate) struct Hub {
    on_event: Option<OnEvent>,
    /// How many readers there are, to be asked without the lock.
    readers: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    number: u64,
    readers: Vec<Arc<Unread>>,
}

/// What one reader has not read.
struct Unread(Mutex<List>);

struct List {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// Those that went before the first in the list.
    missed: u64,
    most: usize,
    most_bytes: usize,
    waker: Option<Waker>,
    /// No more will come.
    is_closed: bool,
}

impl Hub {
    pub(crate) fn new(on_event: Option<OnEvent>) -> Arc<Self> {
        Arc::new(Self {
            on_event,
            readers: AtomicUsize::new(0),
            state: Mutex::default(),
        })
    }

    /// Whether anybody would hear of an event.
    pub(crate) fn is_watched(&self) -> bool {
        self.on_event.is_some() || self.readers.load(Ordering::Acquire) > 0
    }

    /// Tells all who watch.
    pub(crate) fn tell(&self, run: &Arc<str>, call: Option<String>, kind: EventKind) {
        if !self.is_watched() {
            return;
        }
        let mut event = Event {
            number: 0,
            at: SystemTime::now(),
            run: Arc::clone(run),
            call,
            kind,
        };
        let mut wakers = Vec::new();
        let mut gone = Vec::new();
        let event = {
            let mut state = self.state();
            state.number += 1;
            event.number = state.number;
            let event = Arc::new(event);
            for reader in &state.readers {
                wakers.extend(reader.list().push(&event, &mut gone));
            }
            event
        };
        // Outside of the locks: readers are the host's code.
        drop(gone);
        if let Some(tell) = &self.on_event {
            tell(&event);
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Another reader, of what happens from here on.
    pub(crate) fn events(self: &Arc<Self>) -> Events {
        let unread = Arc::new(Unread(Mutex::new(List {
            events: VecDeque::new(),
            bytes: 0,
            missed: 0,
            most: Events::MAX_UNREAD,
            most_bytes: Events::MAX_UNREAD_BYTES,
            waker: None,
            is_closed: false,
        })));
        self.state().readers.push(Arc::clone(&unread));
        self.readers.fetch_add(1, Ordering::AcqRel);
        Events {
            unread,
            hub: Arc::downgrade(self),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for reader in std::mem::take(&mut self.state().readers) {
            let waker = {
                let mut list = reader.list();
                list.is_closed = true;
                list.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl Unread {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    /// Takes an event in, and gives whom to wake. What there is no room for any more is moved to `gone`.
    fn push(&mut self, event: &Arc<Event>, gone: &mut Vec<Arc<Event>>) -> Option<Waker> {
        self.bytes += event.size();
        self.events.push_back(Arc::clone(event));
        self.shrink(gone);
        self.waker.take()
    }

    fn shrink(&mut self, gone: &mut Vec<Arc<Event>>) {
        while (self.events.len() > self.most || self.bytes > self.most_bytes)
            // The last one is kept, however large it is.
            && self.events.len() > 1
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= oldest.size();
            self.missed += 1;
            gone.push(oldest);
        }
    }

    fn pop(&mut self) -> Option<Arc<Event>> {
        let first = self.events.front()?;
        if self.missed > 0 {
            let events = std::mem::take(&mut self.missed);
            return Some(Arc::new(Event {
                number: first.number - 1,
                at: first.at,
                run: Arc::clone(&first.run),
                call: None,
                kind: EventKind::Missed { events },
            }));
        }
        let first = self.events.pop_front()?;
        self.bytes -= first.size();
        Some(first)
    }
}

impl Event {
    fn size(&self) -> usize {
        size_of::<Self>() + self.kind.size()
    }
}

/// What happens in an executor, from when this was made: a stream that ends with the executor. See
/// [`Executor::events`](crate::Executor::events).
///
/// 1,024 events, or 1 MiB of them, may wait to be read. Beyond that the oldest go, and [`EventKind::Missed`] says in their place how
/// many: whoever does not read loses what it does not read, and nobody else anything.
#[must_use]
pub struct Events {
    unread: Arc<Unread>,
    hub: Weak<Hub>,
}

impl Events {
    /// So many events wait to be read, unless the reader says otherwise.
    pub const MAX_UNREAD: usize = 1024;
    /// So many bytes of them.
    pub const MAX_UNREAD_BYTES: usize = 1 << 20;

    /// So many events, of so many bytes together, may wait to be read. At least one may.
    pub fn max_unread(self, events: usize, bytes: usize) -> Self {
        let mut gone = Vec::new();
        {
            let mut list = self.unread.list();
            list.most = events;
            list.most_bytes = bytes;
            list.shrink(&mut gone);
        }
        drop(gone);
        self
    }

    /// The next event, if there is one already.
    pub fn next_now(&mut self) -> Option<Arc<Event>> {
        self.unread.list().pop()
    }
}

impl Stream for Events {
    type Item = Arc<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Arc<Event>>> {
        let waker = context.waker().clone();
        let mut list = self.unread.list();
        if let Some(event) = list.pop() {
            return Poll::Ready(Some(event));
        }
        if list.is_closed {
            return Poll::Ready(None);
        }
        let before = list.waker.replace(waker);
        drop(list);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            let mut state = hub.state();
            state
                .readers
                .retain(|reader| !Arc::ptr_eq(reader, &self.unread));
            drop(state);
            hub.readers.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("unread", &self.unread.list().events.len())
            .finish_non_exhaustive()
    }
}
