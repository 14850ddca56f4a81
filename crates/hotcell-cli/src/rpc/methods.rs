//! The methods there are.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value as Json;

use super::entry::Entry;
use super::error::RpcError;
use super::executors as executor;
use super::session::Session;

pub(super) type Reply = Pin<Box<dyn Future<Output = Result<Json, RpcError>> + Send>>;

/// What a method is about.
pub(super) enum Scope {
    /// The client as a whole.
    Session(fn(Arc<Session>, Json) -> Reply),
    /// The executor that the params name. Requests for it begin in order; others wait for this one to end, unless it
    /// takes long.
    Executor {
        method: fn(Arc<Session>, Arc<Entry>, Json) -> Reply,
        is_long: bool,
    },
}

const fn quick(method: fn(Arc<Session>, Arc<Entry>, Json) -> Reply) -> Scope {
    Scope::Executor {
        method,
        is_long: false,
    }
}

const fn long(method: fn(Arc<Session>, Arc<Entry>, Json) -> Reply) -> Scope {
    Scope::Executor {
        method,
        is_long: true,
    }
}

/// A function that is async, as one in this table.
macro_rules! of {
    ($scope:path, $($method:ident)::+ ($session:ident, $entry:ident, $params:ident)) => {
        $scope(|$session, $entry, $params| Box::pin($($method)::+($session, $entry, $params)))
    };
    ($scope:path, $($method:ident)::+ ($session:ident, $params:ident)) => {
        $scope(|$session, $params| Box::pin($($method)::+($session, $params)))
    };
}

pub(super) const METHODS: &[(&str, Scope)] = &[
    (
        "executor.create",
        of!(Scope::Session, executor::create(session, params)),
    ),
    (
        "executor.init",
        of!(quick, executor::init(session, entry, params)),
    ),
    (
        "executor.sendVariables",
        of!(quick, executor::send_variables(session, entry, params)),
    ),
    (
        "executor.sendTools",
        of!(quick, executor::send_tools(session, entry, params)),
    ),
    (
        "executor.run",
        of!(long, executor::run(session, entry, params)),
    ),
    (
        "executor.state",
        of!(quick, executor::state(session, entry, params)),
    ),
    (
        "executor.cancel",
        of!(quick, executor::cancel(session, entry, params)),
    ),
    (
        "executor.cleanup",
        of!(quick, executor::cleanup(session, entry, params)),
    ),
    (
        "executor.snapshot",
        of!(quick, executor::snapshot(session, entry, params)),
    ),
    (
        "executor.restore",
        of!(Scope::Session, executor::restore(session, params)),
    ),
    (
        "executor.fork",
        of!(quick, executor::fork(session, entry, params)),
    ),
    (
        "executor.dispose",
        of!(quick, executor::dispose(session, entry, params)),
    ),
];
