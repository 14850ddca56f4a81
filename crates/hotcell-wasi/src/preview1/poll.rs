//! Waiting for one of several things.

use std::{
    future::poll_fn,
    io::SeekFrom,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hotcell_process::Stream;

use crate::{
    abi::{CLOCK_ABSOLUTE, Clock, EVENT_SIZE, Errno, Event, EventType, Rights, Version, event},
    ending::Answer,
    guest::Guest,
    mailbox::Mailbox,
    memory::{Call, Memory},
};

/// What can be waited for at once: more than a program can have open, and few enough to look at all of them each time.
const MAX_SUBSCRIPTIONS: u32 = 4096;

/// Nobody waits longer.
const LONGEST: Duration = Duration::from_hours(365 * 24);

pub(super) async fn poll_oneoff(
    mut call: Call<'_>,
    version: Version,
    subscriptions: u32,
    events: u32,
    count: u32,
    out: u32,
) -> Answer {
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(Errno::Inval.into());
    }
    let (guest, memory) = call.parts();
    memory.check(out, 4)?;
    memory.check(events, count * EVENT_SIZE)?;
    let waits = read_all(guest, &memory, version, subscriptions, count)?;
    let mailbox = guest.mailbox.clone();
    let happened = poll_fn(|context| poll(&waits, &mailbox, context)).await;
    let (_, mut memory) = call.parts();
    let mut at = events;
    for one in &happened {
        memory.write(at, &event(one))?;
        at += EVENT_SIZE;
    }
    memory.write_size(out, happened.len())?;
    Ok(())
}

/// Something that is waited for.
struct Wait {
    userdata: u64,
    kind: EventType,
    until: Until,
}

enum Until {
    Time(Instant),
    Readable(Arc<dyn Stream>),
    Writable(Arc<dyn Stream>),
    /// It cannot be waited for, which is an event like any other.
    Never(Errno),
}

/// What has happened, or nothing yet; then the process wakes the program when something may have.
fn poll(waits: &[Wait], mailbox: &Mailbox, context: &Context<'_>) -> Poll<Vec<Event>> {
    let now = Instant::now();
    let mut happened = Vec::new();
    let mut first: Option<Instant> = None;
    for wait in waits {
        let state = match &wait.until {
            Until::Time(time) if *time <= now => Poll::Ready(Ok(0)),
            Until::Time(time) => {
                first = Some(first.map_or(*time, |first| first.min(*time)));
                Poll::Pending
            }
            Until::Readable(stream) => stream
                .poll_readable(context.waker())
                .map(|()| Ok(readable_bytes(&**stream))),
            Until::Writable(stream) => stream.poll_writable(context.waker()).map(|()| Ok(1)),
            Until::Never(errno) => Poll::Ready(Err(*errno)),
        };
        if let Poll::Ready(bytes) = state {
            happened.push(Event {
                userdata: wait.userdata,
                error: bytes.err(),
                kind: wait.kind,
                bytes: bytes.unwrap_or(0),
            });
        }
    }
    if happened.is_empty() {
        if let Some(first) = first {
            mailbox.wake_at(first);
        }
        return Poll::Pending;
    }
    Poll::Ready(happened)
}

/// How much can be read without waiting: the rest of a file, what is in a pipe. At least one byte, as the end can be read, too.
fn readable_bytes(stream: &dyn Stream) -> u64 {
    let size = stream.metadata().map_or(0, |metadata| metadata.size);
    let position = stream.seek(SeekFrom::Current(0)).unwrap_or(0);
    size.saturating_sub(position).max(1)
}

/// The size of a subscription, and where its union and the clock in there begin: the older version has a number in front.
fn layout(version: Version) -> (u32, usize, usize) {
    match version {
        Version::Zero => (56, 16, 24),
        Version::One => (48, 16, 16),
    }
}

fn read_all(
    guest: &Guest,
    memory: &Memory<'_>,
    version: Version,
    at: u32,
    count: u32,
) -> Result<Vec<Wait>, Errno> {
    let (size, union, clock) = layout(version);
    let records = memory.bytes(at, count * size)?;
    records
        .chunks_exact(size as usize)
        .map(|record| {
            let kind = EventType::from_number(byte(record, 8))?;
            let until = match kind {
                EventType::Clock => clock_until(guest, record, clock)?,
                EventType::Read => stream_until(guest, record, union, Rights::FD_READ),
                EventType::Write => stream_until(guest, record, union, Rights::FD_WRITE),
            };
            Ok(Wait {
                userdata: u64::from_le_bytes(field(record, 0)),
                kind,
                until,
            })
        })
        .collect()
}

fn clock_until(guest: &Guest, record: &[u8], at: usize) -> Result<Until, Errno> {
    let clock = match Clock::from_number(u32::from_le_bytes(field(record, at))) {
        Ok(Clock::Computing) => return Ok(Until::Never(Errno::Notsup)),
        Ok(clock) => clock,
        Err(errno) => return Ok(Until::Never(errno)),
    };
    let timeout = u64::from_le_bytes(field(record, at + 8));
    let flags = u16::from_le_bytes(field(record, at + 24));
    if flags & !CLOCK_ABSOLUTE != 0 {
        return Err(Errno::Inval);
    }
    let wait = if flags & CLOCK_ABSOLUTE != 0 {
        timeout.saturating_sub(guest.clocks.now(clock))
    } else {
        timeout
    };
    let wait = Duration::from_nanos(wait).min(LONGEST);
    Ok(Until::Time(Instant::now() + wait))
}

fn stream_until(guest: &Guest, record: &[u8], at: usize, right: Rights) -> Until {
    let fd = u32::from_le_bytes(field(record, at));
    let stream = guest.fds.get(fd).and_then(|descriptor| {
        let stream = descriptor.stream()?;
        descriptor
            .rights
            .check(right)
            .and_then(|()| descriptor.rights.check(Rights::POLL_FD_READWRITE))?;
        Ok(Arc::clone(stream))
    });
    match stream {
        Ok(stream) if right == Rights::FD_READ => Until::Readable(stream),
        Ok(stream) => Until::Writable(stream),
        Err(errno) => Until::Never(errno),
    }
}

/// A field of a record, whose length was checked.
fn field<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let bytes = record.get(at..at + N);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .unwrap_or([0; N])
}

fn byte(record: &[u8], at: usize) -> u8 {
    record.get(at).copied().unwrap_or(0)
}
