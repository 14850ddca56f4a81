//! Systems whose processes nobody has built a jail for.

use std::{sync::Arc, time::Duration, time::Instant};

use hotcell_cell::Value;
use hotcell_meter::StopToken;

use crate::{
    error::{ErrorCode, ExecutorError},
    executor::{Answer, Started, Suspension},
    hooks::Hooks,
    log::LogEntry,
    output::Run,
    tool::AgentTool,
};

pub(crate) const TO_GO_ALONG: Duration = Duration::ZERO;

/// There is none.
pub(crate) enum Remote {}

/// Nor any of these.
#[derive(Clone)]
pub(crate) enum Canceller {}
pub(crate) enum Limit {}

impl Canceller {
    pub(crate) fn cancel(&self) {}

    pub(crate) fn limit(&self, _at: Instant) -> Limit {
        match *self {}
    }
}

pub(crate) enum Beginning<'a> {
    Fresh,
    #[allow(dead_code, reason = "nobody reads it here")]
    Restored {
        snapshot: &'a [u8],
        base: Option<&'a [u8]>,
        sequence: Option<[u8; 8]>,
    },
}

#[allow(dead_code, reason = "nobody reads it here")]
pub(crate) struct Time<'a> {
    pub(crate) timeout: Option<Duration>,
    pub(crate) left: Option<Duration>,
    pub(crate) cpu: Option<Duration>,
    pub(crate) cpu_left: Option<Duration>,
    pub(crate) stop: &'a StopToken,
    pub(crate) pauses: bool,
}

#[allow(dead_code, reason = "nobody makes it here")]
pub(crate) enum Gone {
    Refused(ExecutorError),
    Dead(ExecutorError, Vec<LogEntry>),
}

impl Gone {
    pub(crate) fn into_error(self) -> ExecutorError {
        match self {
            Self::Refused(error) | Self::Dead(error, _) => error,
        }
    }
}

pub(crate) struct Told {
    pub(crate) started: Started,
    pub(crate) is_dirty: bool,
    pub(crate) is_whole: bool,
    pub(crate) names: Vec<String>,
    pub(crate) globals: Vec<String>,
    pub(crate) knows_all_names: bool,
}

impl Remote {
    #[allow(clippy::unused_async, reason = "it waits on other systems")]
    pub(crate) async fn begin(
        _hooks: &Arc<Hooks>,
        _beginning: Beginning<'_>,
    ) -> Result<Self, ExecutorError> {
        Err(ExecutorError::new(
            ErrorCode::InitFailed,
            "SES init failed: this system has the thread boundary only: process isolation needs Linux",
        ))
    }

    pub(crate) fn is_alive(&self) -> bool {
        match *self {}
    }

    pub(crate) fn give_up(&mut self) {}

    pub(crate) async fn send_variables(&mut self, _: &[(String, Value)]) -> Result<(), Gone> {
        match *self {}
    }

    pub(crate) async fn send_tools(&mut self, _: &[AgentTool]) -> Result<(), Gone> {
        match *self {}
    }

    pub(crate) async fn run(
        &mut self,
        _: Run,
        _: u64,
        _: bool,
        _: Time<'_>,
        _: impl FnOnce(Canceller),
    ) -> Result<Told, Gone> {
        match *self {}
    }

    pub(crate) async fn resume(
        &mut self,
        _: &[(String, Answer)],
        _: Time<'_>,
        _: impl FnOnce(Canceller),
        _: &mut (dyn FnMut() + Send),
    ) -> Result<Told, Gone> {
        match *self {}
    }

    pub(crate) async fn recover(&mut self) -> Result<(), Gone> {
        match *self {}
    }

    pub(crate) async fn suspension(&mut self) -> Result<Option<Suspension>, Gone> {
        match *self {}
    }

    pub(crate) async fn abandon(&mut self) -> Result<(), Gone> {
        match *self {}
    }

    pub(crate) async fn snapshot(&mut self, _: Option<&[u8]>) -> Result<(Vec<u8>, [u8; 8]), Gone> {
        match *self {}
    }
}
