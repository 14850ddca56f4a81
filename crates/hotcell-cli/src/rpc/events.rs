//! What happens in an executor, told as it happens.
//!
//! A task of its own takes events and sends them, many in one notification, and never a second one before the first is written
//! to the client. What comes meanwhile waits in the stream, which is bounded: a client that stops reading misses events, is told
//! how many, and harms nobody.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use hotcell::{Event, Events};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::entry::Entry;
use super::error::RpcError;
use super::message::{self, Reply, result};
use super::params::params;
use super::session::{Message, Session};

/// So many events are told at once.
const BATCH: usize = 256;

/// Ends the telling, when it is dropped.
#[derive(Default)]
pub(super) struct Telling(Mutex<Option<oneshot::Sender<()>>>);

impl Telling {
    fn replace(&self, stop: Option<oneshot::Sender<()>>) {
        let before = std::mem::replace(
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner),
            stop,
        );
        drop(before);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Params {
    #[serde(rename = "executor")]
    _executor: String,
    #[serde(default = "yes")]
    on: bool,
    max_unread: Option<usize>,
    max_unread_bytes: Option<usize>,
}

fn yes() -> bool {
    true
}

/// Begins to tell, or ends it.
pub(super) async fn events(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let Params {
        on,
        max_unread,
        max_unread_bytes,
        ..
    } = params(given)?;
    if !on {
        entry.telling.replace(None);
        return result(&json!({}));
    }
    if max_unread == Some(0) || max_unread_bytes == Some(0) {
        return Err(RpcError::params(
            "maxUnread and maxUnreadBytes are at least 1",
        ));
    }
    let events = entry.executor.events().max_unread(
        max_unread.unwrap_or(Events::MAX_UNREAD),
        max_unread_bytes.unwrap_or(Events::MAX_UNREAD_BYTES),
    );
    let (stop, stopped) = oneshot::channel();
    entry.telling.replace(Some(stop));
    let (transport, id) = (Arc::clone(&session.transport), entry.id.clone());
    let tell = async move {
        let mut events = Box::pin(events);
        while let Some(batch) = next_batch(events.as_mut()).await {
            let (written, is_written) = oneshot::channel::<()>();
            let batch: Vec<&Event> = batch.iter().map(|event| &**event).collect();
            let params = json!({ "executor": id, "events": batch });
            let text = message::notification("executor.event", &params);
            transport.send(Message::with(text, Box::new(written)));
            // It is dropped when the message has been written.
            let _ = is_written.await;
        }
    };
    let work = async move {
        match select(Box::pin(tell), stopped).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    };
    session.pool.spawn(work).detach();
    result(&json!({}))
}

/// What there is to tell; `None` at the end.
async fn next_batch(mut events: Pin<&mut Events>) -> Option<Vec<Arc<Event>>> {
    let mut batch = vec![events.next().await?];
    while batch.len() < BATCH
        && let Some(event) = events.next_now()
    {
        batch.push(event);
    }
    Some(batch)
}
