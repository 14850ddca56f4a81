//! The code of installed programs for processes that cannot open files.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    thread,
};

use futures_channel::oneshot;

use super::{Code, Installed, hash};
use crate::{
    engine::WasiEngine,
    module::{Key, NotRunnable, STACK, Source},
};

/// Gets the code of a program ready for a process that asks for it: compiled, if it was not before, and sealed with a key that the
/// engine of that process has, too. It happens on a thread of its own.
///
/// Whoever has the key can make an engine run anything: it is for one such process, which has no other use for it.
#[derive(Debug)]
pub struct Sealing(oneshot::Receiver<Result<Vec<u8>, NotRunnable>>);

impl Sealing {
    /// Begins with it.
    pub fn begin(installed: &Installed, engine: &WasiEngine, key: [u8; 32]) -> Self {
        let (sender, receiver) = oneshot::channel();
        let (installed, engine) = (installed.clone(), engine.clone());
        // Where no thread can be had, the sender is dropped, and that is told.
        let _thread = thread::Builder::new()
            .name("hotcell-seal".into())
            .stack_size(STACK)
            .spawn(move || {
                // Nobody may be waiting any more.
                let _ = sender.send(installed.sealed(&engine, key));
            });
        Self(receiver)
    }
}

impl Future for Sealing {
    type Output = Result<Vec<u8>, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(context)
            .map(|sealed| match sealed {
                Ok(sealed) => sealed.map_err(|error| error.to_string()),
                Err(oneshot::Canceled) => Err("it could not be loaded".to_owned()),
            })
    }
}

impl Installed {
    /// What its code is sealed as. Its hash may not be known where it is asked for.
    pub(super) fn sealed_as(&self) -> Key {
        blake3::hash(self.description().as_bytes())
    }

    fn sealed(&self, engine: &WasiEngine, key: [u8; 32]) -> Result<Vec<u8>, NotRunnable> {
        let Code::File { path, key: known } = &self.0.code else {
            return Err(NotRunnable::File(format!(
                "{}: it is elsewhere",
                self.name()
            )));
        };
        let module = match known.get() {
            Some(module) => *module,
            None => {
                let found =
                    hash(path, &mut |_| ()).map_err(|error| NotRunnable::file(path, &error))?;
                *known.get_or_init(|| found)
            }
        };
        let ready = engine
            .ready()
            .map_err(|error| NotRunnable::Machine(error.to_owned()))?;
        let loaded = ready
            .modules
            .load_now(module, &Source::File(path.clone()))?;
        ready.modules.seal(&self.sealed_as(), &loaded, key)
    }
}
