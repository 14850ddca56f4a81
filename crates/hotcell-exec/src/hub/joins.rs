//! `JOIN_BOUNDED`: waiting until nothing of a scope is pending, for so many steps and so long.
//!
//! A step is one future that was worked on, whether it came to its end or not. A join cancels nothing.

use std::{collections::HashSet, time::Instant};

use hotcell_hopper::{event::Event, trace};

use super::Hubs;

/// A join that waits.
pub(super) struct Join {
    pub(super) req_id: u64,
    pub(super) scope_id: u64,
    /// Steps that are left.
    pub(super) fuel: u64,
    pub(super) deadline: Option<Instant>,
}

impl Join {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

impl Hubs {
    /// A future was worked on.
    pub(crate) fn step(&mut self) {
        for join in self.open.values_mut().flat_map(|hub| &mut hub.joins) {
            join.fuel = join.fuel.saturating_sub(1);
        }
        self.check_joins(None);
    }

    /// Takes a join up. It is answered at once if it is over.
    pub(super) fn begin_join(&mut self, handle: u32, session: u32, join: Join) {
        if !self.has_pending(session, join.scope_id) {
            self.join_result(handle, join.req_id);
        } else if join.fuel == 0 {
            self.join_limit(handle, join.req_id);
        } else if let Some(hub) = self.open.get_mut(&handle) {
            hub.joins.push(join);
        }
    }

    /// Answers the joins that are over; with a time, also those whose time is.
    pub(crate) fn check_joins(&mut self, now: Option<Instant>) {
        let handles: Vec<u32> = self.with_joins().collect();
        if handles.is_empty() {
            return;
        }
        // Once for all of them: there may be as many joins as futures, and this is done for every future.
        let pending = self.pending_scopes();
        for handle in handles {
            let Some(hub) = self.open.get_mut(&handle) else {
                continue;
            };
            let session = hub.session;
            let joins = std::mem::take(&mut hub.joins);
            let mut left = Vec::with_capacity(joins.len());
            for join in joins {
                let is_late = now.zip(join.deadline).is_some_and(|(now, at)| now >= at);
                if !pending.contains(&(session, join.scope_id)) {
                    self.join_result(handle, join.req_id);
                } else if join.fuel == 0 || is_late {
                    self.join_limit(handle, join.req_id);
                } else {
                    left.push(join);
                }
            }
            if let Some(hub) = self.open.get_mut(&handle) {
                hub.joins = left;
            }
        }
    }

    /// Answers all joins of a handle that ends.
    pub(super) fn end_joins(&mut self, handle: u32) {
        if let Some(hub) = self.open.get_mut(&handle) {
            for join in &mut hub.joins {
                join.fuel = 0;
            }
        }
        self.check_joins(None);
    }

    fn with_joins(&self) -> impl Iterator<Item = u32> {
        let hubs = self.open.iter();
        let waiting = hubs.filter(|(_, hub)| !hub.joins.is_empty());
        waiting.map(|(handle, _)| *handle)
    }

    fn has_pending(&self, session: u32, scope_id: u64) -> bool {
        let hubs = self.open.values().filter(|hub| hub.session == session);
        let mut pending = hubs.flat_map(|hub| &hub.pending);
        pending.any(|pending| pending.scope_id == scope_id)
    }

    /// The scopes that have something pending, each with its session.
    fn pending_scopes(&self) -> HashSet<(u32, u64)> {
        let hubs = self.open.values();
        let scopes = hubs.flat_map(|hub| {
            let pending = hub.pending.iter();
            pending.map(|pending| (hub.session, pending.scope_id))
        });
        scopes.collect()
    }

    fn join_result(&mut self, handle: u32, req_id: u64) {
        if req_id != 0 {
            self.emit(handle, &Event::JoinResult { req_id });
        }
    }

    fn join_limit(&mut self, handle: u32, req_id: u64) {
        if req_id != 0 {
            let refusal = trace::ASYNC_JOIN_LIMIT.into();
            self.emit(handle, &Event::JoinLimit { req_id, refusal });
        }
    }
}
