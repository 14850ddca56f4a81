//! The methods there are.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value as Json;

use super::batch::Responder;
use super::entry::Entry;
use super::events;
use super::executors as executor;
use super::files;
use super::line::Work;
use super::message;
use super::runs;
use super::sandbox::{self, SandboxEntry, files as sandbox_files, run as sandbox_run};
use super::session::Session;
use super::texts;

pub(super) type Reply = Pin<Box<dyn Future<Output = message::Reply> + Send>>;

/// What a method is about.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// The client as a whole.
    Session(fn(Arc<Session>, Json) -> Reply),
    /// The executor that the params name. Requests for it begin in order.
    Executor(Method<Entry>),
    /// The sandbox that the params name, likewise.
    Sandbox(Method<SandboxEntry>),
}

pub(super) enum Method<E> {
    /// Requests after it wait for it to end.
    Quick(fn(Arc<Session>, Arc<E>, Json) -> Reply),
    /// It takes as long as it takes, and gives its answer itself: only it knows when the next of its kind may give one.
    Long(fn(Arc<Session>, Arc<E>, Json, Responder) -> Work),
}

impl<E> Clone for Method<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Method<E> {}

const fn quick(method: fn(Arc<Session>, Arc<Entry>, Json) -> Reply) -> Scope {
    Scope::Executor(Method::Quick(method))
}

const fn long(method: fn(Arc<Session>, Arc<Entry>, Json, Responder) -> Work) -> Scope {
    Scope::Executor(Method::Long(method))
}

const fn boxed(method: fn(Arc<Session>, Arc<SandboxEntry>, Json) -> Reply) -> Scope {
    Scope::Sandbox(Method::Quick(method))
}

const fn boxed_long(method: fn(Arc<Session>, Arc<SandboxEntry>, Json, Responder) -> Work) -> Scope {
    Scope::Sandbox(Method::Long(method))
}

/// A function that is async, as one in this table.
macro_rules! of {
    ($scope:path, $($method:ident)::+ ($session:ident, $entry:ident, $params:ident)) => {
        $scope(|$session, $entry, $params| Box::pin($($method)::+($session, $entry, $params)))
    };
    ($scope:path, $($method:ident)::+ ($session:ident, $params:ident)) => {
        $scope(|$session, $params| Box::pin($($method)::+($session, $params)))
    };
    ($scope:path, $($method:ident)::+ ($session:ident, $entry:ident, $params:ident, $responder:ident)) => {
        $scope(|$session, $entry, $params, $responder| {
            Box::pin($($method)::+($session, $entry, $params, $responder))
        })
    };
}

pub(super) const METHODS: &[(&str, Scope)] = &[
    (
        "executor.create",
        of!(Scope::Session, executor::create(session, params)),
    ),
    (
        "observation",
        of!(Scope::Session, texts::observation(session, params)),
    ),
    (
        "parseCode",
        of!(Scope::Session, texts::parse(session, params)),
    ),
    (
        "renderPrompt",
        of!(Scope::Session, texts::render(session, params)),
    ),
    (
        "validateCode",
        of!(Scope::Session, texts::validate(session, params)),
    ),
    (
        "executor.sendFileTools",
        of!(quick, files::send(session, entry, params)),
    ),
    (
        "executor.callFileTool",
        of!(quick, files::call(session, entry, params)),
    ),
    (
        "executor.fileChanges",
        of!(quick, files::changes(session, entry, params)),
    ),
    (
        "executor.renderPrompt",
        of!(quick, executor::render_prompt(session, entry, params)),
    ),
    (
        "executor.validate",
        of!(quick, executor::validate(session, entry, params)),
    ),
    (
        "executor.tools",
        of!(quick, executor::tools(session, entry, params)),
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
        of!(long, executor::run(session, entry, params, responder)),
    ),
    (
        "executor.start",
        of!(long, runs::start(session, entry, params, responder)),
    ),
    (
        "executor.resume",
        of!(long, runs::resume(session, entry, params, responder)),
    ),
    (
        "executor.suspension",
        of!(quick, runs::suspension(session, entry, params)),
    ),
    (
        "executor.abandon",
        of!(quick, runs::abandon(session, entry, params)),
    ),
    (
        "executor.wait",
        of!(long, runs::wait(session, entry, params, responder)),
    ),
    (
        "executor.cancelRun",
        of!(quick, runs::cancel_run(session, entry, params)),
    ),
    (
        "executor.giveUp",
        of!(quick, runs::give_up(session, entry, params)),
    ),
    (
        "executor.events",
        of!(quick, events::events(session, entry, params)),
    ),
    (
        "inspectSnapshot",
        of!(Scope::Session, runs::inspect(session, params)),
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
        "executor.recover",
        of!(quick, executor::recover(session, entry, params)),
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
    (
        "executor.attachSandbox",
        of!(quick, executor::attach_sandbox(session, entry, params)),
    ),
    (
        "sandbox.create",
        of!(Scope::Session, sandbox::create(session, params)),
    ),
    (
        "sandbox.restore",
        of!(Scope::Session, sandbox::restore(session, params)),
    ),
    (
        "sandbox.run",
        of!(
            boxed_long,
            sandbox_run::run(session, entry, params, responder)
        ),
    ),
    (
        "sandbox.cancel",
        of!(boxed, sandbox_run::cancel(session, entry, params)),
    ),
    (
        "sandbox.fork",
        of!(boxed, sandbox::fork(session, entry, params)),
    ),
    (
        "sandbox.snapshot",
        of!(boxed, sandbox::snapshot(session, entry, params)),
    ),
    (
        "sandbox.setEnv",
        of!(boxed, sandbox::set_env(session, entry, params)),
    ),
    (
        "sandbox.getEnv",
        of!(boxed, sandbox::get_env(session, entry, params)),
    ),
    (
        "sandbox.history",
        of!(boxed, sandbox::history(session, entry, params)),
    ),
    (
        "sandbox.state",
        of!(boxed, sandbox::state(session, entry, params)),
    ),
    (
        "sandbox.destroy",
        of!(boxed, sandbox::destroy(session, entry, params)),
    ),
    (
        "sandbox.readFile",
        of!(boxed, sandbox_files::read(session, entry, params)),
    ),
    (
        "sandbox.writeFile",
        of!(boxed, sandbox_files::write(session, entry, params)),
    ),
    (
        "sandbox.appendFile",
        of!(boxed, sandbox_files::append(session, entry, params)),
    ),
    (
        "sandbox.stat",
        of!(boxed, sandbox_files::stat(session, entry, params)),
    ),
    (
        "sandbox.readDir",
        of!(boxed, sandbox_files::read_dir(session, entry, params)),
    ),
    (
        "sandbox.mkdir",
        of!(boxed, sandbox_files::mkdir(session, entry, params)),
    ),
    (
        "sandbox.remove",
        of!(boxed, sandbox_files::remove(session, entry, params)),
    ),
    (
        "sandbox.rename",
        of!(boxed, sandbox_files::rename(session, entry, params)),
    ),
    (
        "sandbox.chmod",
        of!(boxed, sandbox_files::chmod(session, entry, params)),
    ),
    (
        "sandbox.symlink",
        of!(boxed, sandbox_files::symlink(session, entry, params)),
    ),
    (
        "sandbox.export",
        of!(boxed, sandbox_files::export(session, entry, params)),
    ),
    (
        "sandbox.import",
        of!(boxed, sandbox_files::import(session, entry, params)),
    ),
    (
        "sandbox.mount",
        of!(boxed, sandbox_files::mount(session, entry, params)),
    ),
    (
        "sandbox.unmount",
        of!(boxed, sandbox_files::unmount(session, entry, params)),
    ),
];
