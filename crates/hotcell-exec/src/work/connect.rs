//! Connections that are being made.

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Instant,
};

use hotcell_hopper::{
    selector::net::ConnectRequest,
    source::Call,
    trace::{self, Trace},
};

use super::{Work, granted};
use crate::{
    exec::Flag,
    net::{ConnectError, Connecting, Destination},
    session::Session,
    stream::Socket,
};

/// A connection that is being made.
pub(crate) struct Connect {
    connecting: Connecting,
    flag: Arc<Flag>,
    waker: Waker,
    deadline: Option<Instant>,
}

impl Session {
    pub(super) fn connect(&self, call: &Call<'_>) -> Result<Work, Trace> {
        let policy = granted(&self.capabilities.net)?;
        let request = ConnectRequest::decode(call.params.0);
        let request = request.map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        if request.host.len() > policy.max_host_len {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        if self.handles.sockets() + self.connecting >= policy.max_conns {
            return Err(trace::ASYNC_OVERFLOW);
        }
        let connecting = policy.network.connect(Destination {
            host: request.host.to_owned(),
            port: request.port,
            flags: request.flags,
        });
        let flag = Flag::new(&self.task);
        Ok(Work::Connect(Connect {
            connecting,
            waker: Waker::from(Arc::clone(&flag)),
            flag,
            deadline: Instant::now().checked_add(policy.connect_timeout),
        }))
    }
}

impl Connect {
    /// When the host gives up.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether looking at it may bring it further.
    pub(super) fn is_ready(&self) -> bool {
        self.flag.is_raised() || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    pub(super) fn poll(&mut self) -> Poll<Result<Socket, Trace>> {
        if self.flag.take() {
            let mut context = Context::from_waker(&self.waker);
            match self.connecting.as_mut().poll(&mut context) {
                Poll::Pending => {}
                Poll::Ready(Ok(connection)) => {
                    return Poll::Ready(Ok(Socket {
                        connection,
                        is_over: false,
                        is_ended: false,
                    }));
                }
                Poll::Ready(Err(ConnectError::Denied)) => {
                    return Poll::Ready(Err(trace::NET_DENIED));
                }
                Poll::Ready(Err(ConnectError::Unreachable)) => {
                    return Poll::Ready(Err(trace::NET_UNREACHABLE));
                }
                Poll::Ready(Err(ConnectError::TimedOut)) => {
                    return Poll::Ready(Err(trace::CTL_TIMEOUT));
                }
            }
        }
        if self.is_late() {
            return Poll::Ready(Err(trace::CTL_TIMEOUT));
        }
        Poll::Pending
    }
}
