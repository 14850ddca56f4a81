//! An environment's end of the bridge.

use std::sync::Arc;

use hotcell::cell::{ErrorValue, ToolError, Value};
use napi::{
    Env, Result,
    bindgen_prelude::{Array, BigInt, Function, Utf16String},
    check_status, sys,
};
use napi_derive::napi;

use crate::{
    bridge::Bridge,
    event::MORE,
    fault::bug,
    main_thread::Weight,
    sent::{Answer, Borrowed, Sent},
};

/// One for each environment, made by `lib/host.cjs`.
#[napi]
pub struct Host {
    pub(crate) bridge: Arc<Bridge>,
}

#[napi]
impl Host {
    /// `wake` is called when there is something to take.
    #[napi(constructor)]
    pub fn new(wake: Function<'_, (), ()>) -> Result<Self> {
        let wake = wake.build_threadsafe_function().weak::<true>().build()?;
        Ok(Self {
            bridge: Bridge::new(wake),
        })
    }

    /// Runs what is up to this thread, and tells what has happened since the last time, or as much of it as Node should be
    /// told at once: then the last event says that there is more.
    #[napi(catch_unwind)]
    pub fn take<'env>(&self, env: &'env Env) -> Result<Vec<Array<'env>>> {
        self.bridge.main_thread().run();
        let (events, has_more) = self.bridge.take();
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            told.extend(event.into_js(env, self.bridge.calls())?);
        }
        if has_more {
            let mut more = env.create_array(0)?;
            more.insert(MORE)?;
            told.push(more);
        }
        Ok(told)
    }

    /// The event loop has gone round.
    #[napi]
    pub fn turn(&self) {
        self.bridge.main_thread().turn();
    }

    /// A tool returned this value, or its promise was resolved with it. True if there is something to [`Self::take`].
    #[napi]
    pub fn answer(
        &self,
        call: u32,
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
        bigints: Option<Vec<BigInt>>,
    ) -> Result<bool> {
        let (value, weight) = Sent::only(Borrowed {
            row,
            text,
            bytes,
            bigints,
        })?;
        Ok(self.bridge.answer(call, weight, Answer::new(Ok(value))))
    }

    /// A tool threw this error, or its promise was rejected with it. True if there is something to [`Self::take`].
    #[napi]
    pub fn fail(
        &self,
        call: u32,
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
        bigints: Option<Vec<BigInt>>,
    ) -> Result<bool> {
        let (error, weight) = Sent::only(Borrowed {
            row,
            text,
            bytes,
            bigints,
        })?;
        let error = match error.read().map_err(bug)? {
            Value::Error(error) => *error,
            _ => ErrorValue::new("Error", "the tool failed"),
        };
        let error = Answer::new(Err(ToolError::from(error)));
        Ok(self.bridge.answer(call, weight, error))
    }

    /// There is no answer yet: whoever resumes the run gives it. True if there is something to [`Self::take`].
    #[napi]
    pub fn suspend(&self, call: u32) -> bool {
        let answer = Answer::new(Err(ToolError::suspended()));
        self.bridge.answer(call, Weight::Light, answer)
    }

    /// Which of these calls nobody waits for any more.
    #[napi]
    pub fn cancelled(&self, calls: Vec<u32>) -> Vec<u32> {
        self.bridge.calls().cancelled(calls)
    }

    /// A tool returned a promise. True if there is something to [`Self::take`].
    #[napi]
    pub fn later(&self, call: u32) -> bool {
        self.bridge.later(call)
    }

    /// Keeps the process alive, or lets it end.
    #[napi]
    pub fn hold(&self, env: &Env, alive: bool) -> Result<()> {
        let wake = self.bridge.wake();
        if wake.aborted() {
            return Ok(());
        }
        // SAFETY: this is the thread of the environment that made the function, and only this environment's end aborts it,
        // on this thread.
        check_status!(unsafe {
            if alive {
                sys::napi_ref_threadsafe_function(env.raw(), wake.raw())
            } else {
                sys::napi_unref_threadsafe_function(env.raw(), wake.raw())
            }
        })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.bridge.close();
    }
}
