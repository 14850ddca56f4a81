//! Requests of a program: futures, polled by its process.

use std::{
    io::{self, Read},
    pin::pin,
    task::{Context, Poll},
};

use bstr::BString;
use hotcell_process::Process;

use crate::note::{Note, Notes};

/// Waits for a future, and tells what happens meanwhile.
///
/// A process that is killed here drops the future, and with it the sockets.
pub(crate) fn wait<T>(
    process: &Process,
    notes: &Notes,
    tell: &mut dyn FnMut(Note) -> io::Result<()>,
    future: impl Future<Output = T>,
) -> io::Result<T> {
    enum Event<T> {
        Noted(Note),
        Done(T),
    }
    let mut future = pin!(future);
    let mut poll = |context: &mut Context<'_>| {
        if let Some(note) = notes.next() {
            return Poll::Ready(Event::Noted(note));
        }
        match future.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(Event::Done(result)),
            Poll::Pending => match notes.next() {
                Some(note) => Poll::Ready(Event::Noted(note)),
                None => Poll::Pending,
            },
        }
    };
    loop {
        let event = process.block_on_poll(|waker| poll(&mut Context::from_waker(waker)));
        match event {
            Event::Noted(note) => tell(note)?,
            Event::Done(result) => {
                while let Some(note) = notes.next() {
                    tell(note)?;
                }
                return Ok(result);
            }
        }
    }
}

/// Waits until so many bytes may have gone by at so many in a second.
pub(crate) fn pace(process: &Process, bytes: usize, limit: Option<u64>) {
    let Some(limit) = limit.filter(|limit| *limit > 0) else {
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "a pause need not be exact")]
    let seconds = bytes as f64 / limit as f64;
    if let Ok(pause) = std::time::Duration::try_from_secs_f64(seconds) {
        process.sleep(pause);
    }
}

/// A whole file, or standard input for `-`.
pub(crate) fn read_file(process: &Process, file: &[u8]) -> io::Result<BString> {
    let mut input = process.open_input(file)?;
    let mut text = Vec::new();
    let mut piece = vec![0; 64 << 10];
    let mut charge = process.charge(piece.len())?;
    loop {
        let count = input.read(&mut piece)?;
        if count == 0 {
            return Ok(text.into());
        }
        charge.grow(count).map_err(hotcell_process::limit_error)?;
        text.extend_from_slice(piece.get(..count).unwrap_or_default());
    }
}
