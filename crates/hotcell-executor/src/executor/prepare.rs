//! Looking at code before it runs, where it holds up nobody.

use std::{
    future::poll_fn,
    num::NonZeroUsize,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::Poll,
    thread,
    time::Duration,
};

use hotcell_cell::{Pool, leave};
use hotcell_meter::{StopToken, Stopped};
use hotcell_prepare::{PreparedProgram, Preparer, is_quick};

use crate::alarm::Alarm;

/// Less is looked at in some milliseconds, on the thread that polls the run. More would keep that from others.
const LONG: usize = 16 << 10;
/// How often a run that waits for its code to be looked at looks whether it is to end.
const LOOK: Duration = Duration::from_millis(10);

/// What a cell can run of code. Long code is looked at on threads of their own, which leave half of the machine to others.
pub(super) async fn prepare(
    preparer: Preparer,
    code: &str,
    stop: &StopToken,
) -> Result<Arc<PreparedProgram>, Stopped> {
    static LANE: OnceLock<Pool> = OnceLock::new();

    // What is too long is refused for that alone.
    if code.len() <= LONG || code.len() > preparer.options().max_code_bytes {
        if !is_quick(code) {
            leave().await;
        }
        return preparer.prepare_watched(code, stop);
    }
    let lane = LANE.get_or_init(|| {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Pool::with_threads(NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN))
    });
    let (code, watch) = (code.to_owned(), stop.clone());
    // Dropped, it is not begun.
    let mut looked = lane.spawn(async move { preparer.prepare_watched(&code, &watch) });
    loop {
        let alarm = Alarm::after(LOOK);
        let made = poll_fn(|context| match Pin::new(&mut looked).poll(context) {
            Poll::Ready(made) => Poll::Ready(Some(made)),
            Poll::Pending => alarm.poll(context).map(|()| None),
        });
        if let Some(made) = made.await {
            return made;
        }
        if let Some(stopped) = stop.stopped() {
            return Err(stopped);
        }
    }
}
