//! Taking commands up.

use std::time::{Duration, Instant};

use hotcell_hopper::{
    Raw, command,
    event::Event,
    frame::{COMMAND, Frame, FrameBuffer, Fuel, HEADER, Owner, Step},
    source::{self, HEAD},
    trace::{self, Trace},
};

use super::{CANCELLED, Hubs, Join, MAX_JOINS, MAX_OWNER_LEN, MAX_OWNERS, Pending, SMALL};
use crate::work::Work;

/// How much of one write is taken. Commands that want no answer need no room, and a guest may have much memory.
const MAX_WRITE: usize = 2 << 20;

/// How many commands of one write are taken up: each may look at every handle of its session.
const MAX_COMMANDS: usize = 256;

/// What a known owner takes, about, beside its name.
const OWNER: usize = 64;

impl Hubs {
    /// Takes bytes of commands, and says how many; `None` if the hub takes no more.
    pub(crate) fn write(&mut self, handle: u32, bytes: &[u8]) -> Option<usize> {
        let bytes = bytes.get(..MAX_WRITE).unwrap_or(bytes);
        let hub = self.open.get_mut(&handle).filter(|hub| !hub.is_over)?;
        // No more than a frame waits for its rest.
        let most = (self.limits.max_payload_bytes as usize).saturating_add(HEADER);
        hub.input_charge.grow(bytes.len().min(most)).ok()?;
        // A command changes the hub that its bytes wait in.
        let nothing = FrameBuffer::new(COMMAND, 0, Vec::new());
        let mut input = std::mem::replace(&mut hub.input, nothing);
        let mut rest = bytes;
        let mut is_broken = false;
        let mut commands = 0;
        // Every command may have an answer; without room for one it is not taken.
        while !rest.is_empty() && commands < MAX_COMMANDS && self.room(handle) >= SMALL {
            commands += 1;
            match input.step(&mut rest) {
                Step::More => {}
                Step::Frame(frame) => self.command(handle, &frame),
                Step::TooLarge(header) => self.fail(handle, header.req_id, trace::ASYNC_PAYLOAD),
                Step::Broken(bad) => {
                    self.fail(handle, bad.req_id, trace::ASYNC_BAD_FRAME);
                    is_broken = true;
                    break;
                }
            }
        }
        if is_broken {
            self.end(handle);
            return Some(bytes.len());
        }
        if let Some(hub) = self.open.get_mut(&handle) {
            // Less than before, so there is room for it.
            let _ = hub.input_charge.resize(input.waiting());
            hub.input = input;
        }
        Some(bytes.len() - rest.len())
    }

    fn command(&mut self, handle: u32, frame: &Frame<Raw<'_>>) {
        let req_id = frame.req_id;
        let taken = match frame.op {
            command::REGISTER_FUTURE => self.register(handle, frame),
            command::CANCEL_FUTURE => self.cancel(handle, frame),
            command::DETACH_TASK => self.detach(handle, frame),
            command::JOIN_BOUNDED => self.join(handle, frame),
            _ => Err(trace::ASYNC_UNKNOWN_OP),
        };
        if let Err(trace) = taken {
            self.fail(handle, req_id, trace);
        }
    }

    fn ack(&mut self, handle: u32, req_id: u64) {
        if req_id != 0 {
            self.emit(handle, &Event::Ack { req_id });
        }
    }

    fn fail(&mut self, handle: u32, req_id: u64, trace: Trace) {
        if req_id != 0 {
            let refusal = trace.into();
            self.emit(handle, &Event::Fail { req_id, refusal });
        }
    }

    fn register(&mut self, handle: u32, frame: &Frame<Raw<'_>>) -> Result<(), Trace> {
        let future_id = frame.future_id;
        let payload = frame.payload.0;
        if future_id == 0 {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        let hub = self.open.get(&handle).ok_or(trace::ASYNC_OVERFLOW)?;
        let (key, pending) = (hub.session, hub.pending.len());
        let session = self.sessions.get(&key).ok_or(trace::ASYNC_OVERFLOW)?;
        if session.used.contains(future_id) {
            return Err(trace::ASYNC_FUTURE_EXISTS);
        }
        let siblings = self.open.iter().filter(|(other, _)| **other != handle);
        let mut siblings = siblings.filter(|(_, hub)| hub.session == key && !hub.is_over);
        if pending >= self.limits.max_futures as usize
            // The acknowledgement, and what comes of it.
            || self.room(handle) < 2 * SMALL
            || siblings.any(|(other, _)| self.room(*other) < CANCELLED + SMALL)
        {
            return Err(trace::ASYNC_OVERFLOW);
        }
        match payload.first() {
            Some(_) if payload.len() < HEAD => return Err(trace::ASYNC_BAD_PARAMS),
            None => return Err(trace::ASYNC_BAD_PARAMS),
            Some(&(source::OPAQUE | source::CAP_SELECTOR)) => {}
            Some(_) => return Err(trace::ASYNC_UNKNOWN_SOURCE),
        }
        let charge = self.account.charge(payload.len());
        let charge = charge.map_err(|_| trace::ASYNC_OVERFLOW)?;
        let session = self.sessions.get_mut(&key).ok_or(trace::ASYNC_OVERFLOW)?;
        let inserted = session.used.insert(future_id);
        inserted.map_err(|_| trace::ASYNC_OVERFLOW)?;
        self.ack(handle, frame.req_id);
        let pending = Pending {
            future_id,
            scope_id: frame.scope_id,
            deadline: deadline(frame.flags),
            work: Work::new(payload),
            charge,
        };
        if let Some(hub) = self.open.get_mut(&handle) {
            hub.pending.push_back(pending);
        }
        Ok(())
    }

    fn cancel(&mut self, handle: u32, frame: &Frame<Raw<'_>>) -> Result<(), Trace> {
        let future_id = frame.future_id;
        if future_id == 0 || !frame.payload.0.is_empty() {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        let hub = self.open.get(&handle).ok_or(trace::ASYNC_MISSING_FUTURE)?;
        let key = hub.session;
        let session = self.sessions.get(&key);
        if !session.is_some_and(|session| session.used.contains(future_id)) {
            return Err(trace::ASYNC_MISSING_FUTURE);
        }
        self.ack(handle, frame.req_id);
        let of_session = self.open.iter_mut().filter(|(_, hub)| hub.session == key);
        let found = of_session.into_iter().find_map(|(owner, hub)| {
            let is_it = |pending: &Pending| pending.future_id == future_id;
            let line = hub.pending.iter().position(is_it)?;
            Some((*owner, hub.pending.remove(line)?))
        });
        if let Some((owner, pending)) = found {
            self.cancelled(owner, pending);
            self.check_joins(None);
        }
        Ok(())
    }

    fn detach(&mut self, handle: u32, frame: &Frame<Raw<'_>>) -> Result<(), Trace> {
        let owner = Owner::decode(frame.payload.0).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        if owner.0.len() > MAX_OWNER_LEN {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        let key = self.open.get(&handle).map(|hub| hub.session);
        let session = key.and_then(|key| self.sessions.get_mut(&key));
        let session = session.ok_or(trace::ASYNC_OVERFLOW)?;
        let is_known = session.owners.contains_key(&frame.task_id);
        if !is_known && session.owners.len() >= MAX_OWNERS {
            return Err(trace::ASYNC_OVERFLOW);
        }
        let charged = session.owners_charge.grow(OWNER + owner.0.len());
        charged.map_err(|_| trace::ASYNC_OVERFLOW)?;
        if let Some(old) = session.owners.insert(frame.task_id, owner.0.to_owned()) {
            session.owners_charge.shrink(OWNER + old.len());
        }
        self.ack(handle, frame.req_id);
        Ok(())
    }

    fn join(&mut self, handle: u32, frame: &Frame<Raw<'_>>) -> Result<(), Trace> {
        let Fuel(fuel) = Fuel::decode(frame.payload.0).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        let has_room = self.room(handle) >= 2 * SMALL;
        let hub = self.open.get(&handle).filter(|_| has_room);
        let hub = hub.filter(|hub| hub.joins.len() < MAX_JOINS);
        let session = hub.ok_or(trace::ASYNC_OVERFLOW)?.session;
        self.ack(handle, frame.req_id);
        let join = Join {
            req_id: frame.req_id,
            scope_id: frame.scope_id,
            fuel,
            deadline: deadline(frame.flags),
        };
        self.begin_join(handle, session, join);
        Ok(())
    }

    /// Who owns which task, of all sessions that there were.
    pub(crate) fn owners(&self) -> impl Iterator<Item = (u64, &str)> {
        let past = self.past_owners.iter();
        let past = past.map(|(task, owner)| (*task, owner.as_str()));
        let owners = self.sessions.values().flat_map(|session| &session.owners);
        past.chain(owners.map(|(task, owner)| (*task, owner.as_str())))
    }
}

fn deadline(flags: u16) -> Option<Instant> {
    (flags > 0).then(|| Instant::now() + Duration::from_millis(u64::from(flags)))
}
