//! The methods there are.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value as Json;

use super::batch::Responder;
use super::entry::{Entry, Work};
use super::executors as executor;
use super::message;
use super::session::Session;

pub(super) type Reply = Pin<Box<dyn Future<Output = message::Reply> + Send>>;

/// What a method is about.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// The client as a whole.
    Session(fn(Arc<Session>, Json) -> Reply),
    /// The executor that the params name. Requests for it begin in order.
    Executor(Method),
}

#[derive(Clone, Copy)]
pub(super) enum Method {
    /// Requests after it wait for it to end.
    Quick(fn(Arc<Session>, Arc<Entry>, Json) -> Reply),
    /// It takes as long as it takes, and gives its answer itself: only it knows when the next of its kind may give one.
    Long(fn(Arc<Entry>, Json, Responder) -> Work),
}

const fn quick(method: fn(Arc<Session>, Arc<Entry>, Json) -> Reply) -> Scope {
    Scope::Executor(Method::Quick(method))
}

const fn long(method: fn(Arc<Entry>, Json, Responder) -> Work) -> Scope {
    Scope::Executor(Method::Long(method))
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
        of!(long, executor::run(entry, params, responder)),
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
