//! `_ctl`: which capabilities there are, what they can do, and opening the hub.

use hotcell_hopper::{
    Encode, Raw,
    control::{
        BadRequest, CAPS_DESCRIBE, CAPS_LIST, CAPS_OPEN, Capability, DescribeRequest, Description,
        HubMeta, HubParams, OpenRequest, Opened, Reply, Request, Tag, encode_capabilities, hflags,
    },
    trace::{self, Trace},
};

use crate::{
    describe::{self, KNOWN},
    hub::MAX_SESSION_ID,
    session::Session,
    stream::Handle,
};

/// The longest payload of a request.
pub(crate) const MAX_PAYLOAD: usize = 64 << 10;

/// What a hub can do.
const HUB_FLAGS: u32 = hflags::READABLE | hflags::WRITABLE | hflags::ENDABLE;

impl Session {
    /// Answers a request with at most `room` bytes; `None` if that cannot be. Then nothing has happened.
    pub(crate) fn control(&mut self, request: &[u8], room: usize) -> Option<Vec<u8>> {
        let request = match Request::decode(request, MAX_PAYLOAD) {
            Ok(request) => request,
            Err(BadRequest::Unreadable) => return None,
            Err(BadRequest::Frame(tag)) => return failure(tag, trace::CTL_BAD_FRAME, room),
            Err(BadRequest::Version(tag)) => return failure(tag, trace::CTL_BAD_VERSION, room),
            Err(BadRequest::TooLarge(tag)) => return failure(tag, trace::CTL_OVERFLOW, room),
        };
        let tag = request.tag();
        let payload = request.payload.0;
        let answer = match request.op {
            CAPS_LIST => self.list(tag, payload, room),
            CAPS_DESCRIBE => self.describe(tag, payload, room),
            CAPS_OPEN => self.open(tag, payload, room),
            _ => Err(trace::CTL_UNKNOWN_OP),
        };
        answer.unwrap_or_else(|trace| failure(tag, trace, room))
    }

    fn list(&self, tag: Tag, payload: &[u8], room: usize) -> Result<Option<Vec<u8>>, Trace> {
        if !payload.is_empty() {
            return Err(trace::CTL_BAD_PARAMS);
        }
        let given = KNOWN
            .iter()
            .filter(|kind| kind.grant(&self.capabilities).is_ok());
        let list: Vec<_> = given
            .map(|kind| Capability {
                kind: kind.kind,
                name: kind.name,
                flags: kind.flags,
                meta: &[],
            })
            .collect();
        Ok(success(tag, encode_capabilities(&list), room))
    }

    fn describe(&self, tag: Tag, payload: &[u8], room: usize) -> Result<Option<Vec<u8>>, Trace> {
        let request = DescribeRequest::decode(payload).map_err(|_| trace::CTL_BAD_PARAMS)?;
        let kind = describe::find(request.kind, request.name).ok_or(trace::CAP_MISSING)?;
        kind.grant(&self.capabilities)?;
        let schema = kind.describe(&self.capabilities);
        let description = Description {
            flags: kind.flags,
            schema: &schema,
        };
        Ok(success(tag, description, room))
    }

    fn open(&mut self, tag: Tag, payload: &[u8], room: usize) -> Result<Option<Vec<u8>>, Trace> {
        let request = OpenRequest::decode(payload).map_err(|_| trace::CTL_BAD_PARAMS)?;
        let kind = describe::find(request.kind, request.name).ok_or(trace::CAP_MISSING)?;
        kind.grant(&self.capabilities)?;
        let Some(hubs) = self.hubs.as_mut().filter(|_| kind.opens()) else {
            // The others are reached through the hub.
            return Err(trace::CAP_DENIED);
        };
        let params = HubParams::decode(request.params.0).map_err(|_| trace::CTL_BAD_PARAMS)?;
        if request.mode > 1 || params.session_id.len() > MAX_SESSION_ID {
            return Err(trace::CTL_BAD_PARAMS);
        }
        let limits = hubs.limits();
        let opened = Opened {
            handle: self.handles.next(),
            hflags: HUB_FLAGS,
            meta: HubMeta {
                max_payload_bytes: limits.max_payload_bytes,
                max_futures: limits.max_futures,
                max_queue_bytes: limits.max_queue_bytes,
            },
        };
        // Before anything happens: a reply that cannot be told must not leave a handle behind.
        let Some(reply) = success(tag, opened, room) else {
            return Ok(None);
        };
        if !self.handles.has_room(1) {
            return Err(trace::CTL_OVERFLOW);
        }
        hubs.open(opened.handle, params.session_id)?;
        let handle = self.handles.open(Handle::Hub);
        handle.map_err(|_| trace::CTL_OVERFLOW)?;
        Ok(Some(reply))
    }
}

fn success(tag: Tag, body: impl Encode, room: usize) -> Option<Vec<u8>> {
    fitting(
        &Reply {
            tag,
            outcome: Ok(body),
        },
        room,
    )
}

fn failure(tag: Tag, trace: Trace, room: usize) -> Option<Vec<u8>> {
    let outcome: Result<Raw<'_>, _> = Err(trace.into());
    fitting(&Reply { tag, outcome }, room)
}

fn fitting<B: Encode>(reply: &Reply<'_, B>, room: usize) -> Option<Vec<u8>> {
    let length = reply.encoded_len().ok()?;
    if length > room {
        return None;
    }
    reply.to_vec().ok()
}
