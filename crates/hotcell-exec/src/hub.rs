//! The hub: futures that a guest registers, and the events that tell it what came of them.
//!
//! A command is taken up when it is written: it is acknowledged or refused at once, and a future that it registers waits in
//! line. The work for a future is done when the guest reads: in order, within the call, so that the same commands give the
//! same events. What takes time (a connection) stays pending meanwhile, and the others go on.
//!
//! # Bounds
//!
//! Nothing here grows with what a guest does not read. Room for the events of a future is set aside when it is taken:
//! [`SMALL`] bytes on its own handle, and a cancellation on every other handle of the session. A handle without room for
//! one more answer takes no more commands: `res_write` accepts fewer bytes, and none in the end.

mod commands;
mod joins;
mod queue;

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use hotcell_hopper::{
    event::Event,
    frame::{COMMAND, FrameBuffer, HEADER},
    trace::{self, Trace},
};
use hotcell_meter::{Account, Charge};

use crate::{ids::Ids, options::HubLimits, work::Work};
use joins::Join;
use queue::Queue;

/// The largest event that has to find room whatever happens: an acknowledgement and a failure, or a small result.
pub(crate) const SMALL: usize = 512;
const _: () = assert!(2 * HEADER + 16 + trace::LONGEST <= SMALL);

/// A cancellation.
const CANCELLED: usize = HEADER;

/// Joins that may wait on a handle at once.
pub(crate) const MAX_JOINS: usize = 32;

/// Owners of tasks that are kept for a session, and the longest name of one.
pub(crate) const MAX_OWNERS: usize = 1024;
pub(crate) const MAX_OWNER_LEN: usize = 255;

/// The longest name of a session.
pub(crate) const MAX_SESSION_ID: usize = 255;

/// The hubs of a guest, by handle, and their sessions.
pub(crate) struct Hubs {
    limits: HubLimits,
    account: Account,
    open: BTreeMap<u32, Hub>,
    sessions: BTreeMap<u32, Session>,
    last_session: u32,
    /// What sessions said that are over: the host is told at the end of the run.
    past_owners: Vec<(u64, String)>,
    past_owners_charge: Charge,
}

/// What handles with the same session id share.
struct Session {
    /// Nothing: it is the session of one handle.
    id: Vec<u8>,
    /// Futures that there were.
    used: Ids,
    /// Who owns which task.
    owners: BTreeMap<u64, String>,
    owners_charge: Charge,
}

/// One handle.
struct Hub {
    session: u32,
    input: FrameBuffer<Vec<u8>>,
    /// What may wait in `input`.
    input_charge: Charge,
    events: Queue,
    /// What may wait in `events`.
    _events_charge: Charge,
    pending: VecDeque<Pending>,
    joins: Vec<Join>,
    /// No more commands come, or none that could be understood.
    is_over: bool,
}

/// A future without a result.
pub(crate) struct Pending {
    pub(crate) future_id: u64,
    scope_id: u64,
    /// When it is given up.
    pub(crate) deadline: Option<Instant>,
    pub(crate) work: Work,
    /// What it holds: what was asked for, or a value that waits.
    charge: Charge,
}

/// What a guest finds when it reads a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Events {
    Bytes(usize),
    /// None yet.
    Waiting,
    /// None, and none will come by itself.
    Nothing,
    /// None, for ever.
    End,
}

impl Hubs {
    pub(crate) fn new(limits: HubLimits, account: Account) -> Self {
        Self {
            limits,
            past_owners: Vec::new(),
            past_owners_charge: account.none(),
            account,
            open: BTreeMap::new(),
            sessions: BTreeMap::new(),
            last_session: 0,
        }
    }

    pub(crate) fn limits(&self) -> &HubLimits {
        &self.limits
    }

    /// Makes `handle` a hub of a session. Refused if there is no memory for its events, or no room among them for what the
    /// session has pending.
    pub(crate) fn open(&mut self, handle: u32, session_id: &[u8]) -> Result<(), Trace> {
        let queue = usize::try_from(self.limits.max_queue_bytes).unwrap_or(usize::MAX);
        let charge = self.account.charge(queue);
        let charge = charge.map_err(|_| trace::CTL_OVERFLOW)?;
        let known = self
            .sessions
            .iter()
            .find(|(_, session)| !session_id.is_empty() && session.id == session_id);
        let session = known.map(|(key, _)| *key);
        let session = session.unwrap_or_else(|| self.new_session(session_id));
        let max_payload = usize::try_from(self.limits.max_payload_bytes).unwrap_or(usize::MAX);
        let hub = Hub {
            session,
            input: FrameBuffer::new(COMMAND, max_payload, Vec::new()),
            input_charge: self.account.none(),
            events: Queue::default(),
            _events_charge: charge,
            pending: VecDeque::new(),
            joins: Vec::new(),
            is_over: false,
        };
        self.open.insert(handle, hub);
        if self.room(handle) < SMALL {
            self.open.remove(&handle);
            return Err(trace::CTL_OVERFLOW);
        }
        Ok(())
    }

    fn new_session(&mut self, id: &[u8]) -> u32 {
        self.last_session += 1;
        let session = Session {
            id: id.to_vec(),
            used: Ids::new(self.account.none()),
            owners: BTreeMap::new(),
            owners_charge: self.account.none(),
        };
        self.sessions.insert(self.last_session, session);
        self.last_session
    }

    /// How many more bytes of events a handle has room for, beside what is set aside.
    fn room(&self, handle: u32) -> usize {
        let Some(hub) = self.open.get(&handle) else {
            return 0;
        };
        let of_session = self
            .open
            .values()
            .filter(|other| other.session == hub.session);
        let pending: usize = of_session.map(|other| other.pending.len()).sum();
        let set_aside = (hub.pending.len() + hub.joins.len()) * SMALL
            + (pending - hub.pending.len()) * CANCELLED;
        (self.limits.max_queue_bytes as usize).saturating_sub(hub.events.len() + set_aside)
    }

    fn emit(&mut self, handle: u32, event: &Event<'_>) {
        if let Some(hub) = self.open.get_mut(&handle) {
            hub.events.push(event);
        }
    }

    /// Takes events.
    pub(crate) fn read(&mut self, handle: u32, buf: &mut [u8]) -> Events {
        let Some(hub) = self.open.get_mut(&handle) else {
            return Events::End;
        };
        if !hub.events.is_empty() {
            return Events::Bytes(hub.events.read(buf));
        }
        if hub.is_over {
            return Events::End;
        }
        if hub.pending.is_empty() && hub.joins.is_empty() {
            return Events::Nothing;
        }
        Events::Waiting
    }

    /// The guest ends a handle: its futures are given up. What is to be read stays.
    pub(crate) fn end(&mut self, handle: u32) {
        let hub = self.open.get_mut(&handle).filter(|hub| !hub.is_over);
        let Some(hub) = hub else {
            return;
        };
        hub.input = FrameBuffer::new(COMMAND, 0, Vec::new());
        hub.input_charge.shrink(usize::MAX);
        while let Some(hub) = self.open.get_mut(&handle)
            && let Some(pending) = hub.pending.pop_front()
        {
            self.cancelled(handle, pending);
        }
        self.end_joins(handle);
        if let Some(hub) = self.open.get_mut(&handle) {
            hub.is_over = true;
        }
    }

    /// Forgets a handle that was read to its end; with the last one of a session, the session.
    pub(crate) fn close(&mut self, handle: u32) {
        if let Some(hub) = self.open.remove(&handle)
            && !self.open.values().any(|other| other.session == hub.session)
            && let Some(mut session) = self.sessions.remove(&hub.session)
        {
            self.past_owners.extend(session.owners);
            self.past_owners_charge.absorb(&mut session.owners_charge);
        }
    }

    /// Tells that a future was given up, on every handle of its session. Dropping its work is what ends it.
    fn cancelled(&mut self, handle: u32, pending: Pending) {
        let Pending {
            future_id, work, ..
        } = pending;
        drop(work);
        let session = self.open.get(&handle).map(|hub| hub.session);
        for hub in self.open.values_mut() {
            if Some(hub.session) == session && !hub.is_over {
                hub.events.push(&Event::Cancelled { future_id });
            }
        }
    }

    /// Takes the next future to work on, from the handle that comes first behind `place` in the order of handles and
    /// lines; `None` at the end. It has to be given back, with [`Hubs::put_back`] or [`Hubs::settle`].
    pub(crate) fn take_at(&mut self, place: Place) -> Option<(Place, Pending)> {
        let (handle, line) = (place.handle, place.line);
        let hub = self.open.get_mut(&handle);
        if let Some(pending) = hub.and_then(|hub| hub.pending.remove(line)) {
            return Some((place, pending));
        }
        let next = self.open.range(handle + 1..);
        let mut next = next.filter(|(_, hub)| !hub.pending.is_empty());
        let handle = *next.next()?.0;
        let pending = self.open.get_mut(&handle)?.pending.pop_front()?;
        Some((Place { handle, line: 0 }, pending))
    }

    /// Puts a future back into its line.
    pub(crate) fn put_back(&mut self, place: Place, pending: Pending) {
        if let Some(hub) = self.open.get_mut(&place.handle) {
            hub.pending
                .insert(place.line.min(hub.pending.len()), pending);
        }
    }

    /// Tells what came of a future that was taken. A value that has no room yet comes back.
    pub(crate) fn settle(
        &mut self,
        place: Place,
        mut pending: Pending,
        mut result: Result<Vec<u8>, Trace>,
    ) -> Result<(), (Pending, Vec<u8>)> {
        let handle = place.handle;
        let future_id = pending.future_id;
        if let Ok(value) = &result {
            let length = value.len() + HEADER + 4;
            let most = self.limits.max_queue_bytes as usize - SMALL;
            let hub = self.open.get(&handle);
            let is_empty = hub.is_none_or(|hub| hub.events.is_empty());
            // It was taken from its line, so what was set aside for it is a part of the room.
            let waits = length <= most && length > self.room(handle) && !is_empty;
            if length > most || (waits && pending.charge.resize(value.len()).is_err()) {
                result = Err(trace::ASYNC_OVERFLOW);
            } else if waits {
                return Err((pending, result.unwrap_or_default()));
            }
        }
        match result {
            Ok(value) => {
                let value = hotcell_hopper::Raw(&value);
                self.emit(handle, &Event::Ok { future_id, value });
            }
            Err(trace) => {
                let failure = trace.into();
                self.emit(handle, &Event::Failed { future_id, failure });
            }
        }
        Ok(())
    }

    /// The future's time is over.
    pub(crate) fn expire(&mut self, place: Place, pending: Pending) {
        self.cancelled(place.handle, pending);
    }

    /// When the first future or join is due.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let hubs = self.open.values();
        let due = hubs.flat_map(|hub| {
            let futures = hub.pending.iter().flat_map(|pending| {
                let of_work = pending.work.deadline();
                pending.deadline.into_iter().chain(of_work)
            });
            futures.chain(hub.joins.iter().filter_map(Join::deadline))
        });
        due.min()
    }

    /// How many connections are being made.
    pub(crate) fn connecting(&self) -> usize {
        let pending = self.open.values().flat_map(|hub| &hub.pending);
        let connecting = pending.filter(|pending| matches!(pending.work, Work::Connect(_)));
        connecting.count()
    }

    /// Whether anything waits to be worked on.
    pub(crate) fn has_work(&self) -> bool {
        self.open
            .values()
            .any(|hub| !hub.pending.is_empty() || !hub.joins.is_empty())
    }
}

/// Where a future stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    handle: u32,
    line: usize,
}

impl Place {
    /// The first one of the next handle.
    pub(crate) fn next_handle(self) -> Self {
        Self {
            line: usize::MAX,
            ..self
        }
    }

    /// The one behind it, if this one stays.
    pub(crate) fn behind(self) -> Self {
        Self {
            line: self.line + 1,
            ..self
        }
    }
}
