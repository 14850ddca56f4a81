//! From its making to its end: init, variables and tools, cleanup.

use std::{collections::BTreeMap, sync::Arc};

use hotcell_cell::{Cell, CellError, Tool, Value};
use hotcell_prepare::Diagnostic;
use hotcell_prompt::{NameKind, check_name};
use hotcell_vfs::Vfs;

use super::{Body, Executor, Slot, turn::Purpose};
use crate::{
    boundary::guard,
    catalog,
    companion::Attached,
    engine::make_cell,
    error::{ErrorCode, ExecutorError, chain},
    file_tools::file_tools,
    files::Files,
    grants,
    process::Beginning,
    state::State,
    tool::AgentTool,
};

/// The name of the function that ends a run with its answer.
pub(super) const FINAL_ANSWER: &str = "final_answer";

impl Executor {
    /// Makes the executor ready: a fresh cell, without variables or tools. In `READY` it does nothing.
    pub async fn init(&self) -> Result<(), ExecutorError> {
        let inner = &self.0;
        let own = grants::tools(&inner.hooks);
        let _making = inner.initializing.lock().await;
        let (preparer, old) = {
            let mut slot = inner.slot();
            match slot.state {
                State::Ready => return Ok(()),
                State::New | State::Dead => {}
                state => {
                    let hint = "call cleanup() first";
                    return Err(ExecutorError::invalid_state(state, "init", hint));
                }
            }
            slot.state = State::Initializing;
            let old = slot.forget();
            slot.tools.extend(own.iter().cloned());
            slot.renew_preparer(&inner.options);
            (slot.preparer.clone(), old)
        };
        drop(old);
        if self.is_elsewhere() {
            // Whoever waits for this may stop waiting.
            let unmade = Unmade(inner);
            let made = self.begin_elsewhere(Beginning::Fresh).await;
            std::mem::forget(unmade);
            return inner.take_made(made);
        }
        let made = make_cell(inner.engine.as_ref(), |engine| {
            let mut cell = engine.cell(inner.hooks.cell_options(&preparer))?;
            cell.define_tool(FINAL_ANSWER, Tool::final_answer())?;
            if !own.is_empty() {
                cell.define_tools(own.iter().map(|(name, tool)| (&**name, tool.tool.clone())))?;
            }
            Ok(cell)
        });
        let made = made.map_err(|error| ExecutorError::init_failed(&error));
        let made = made.and_then(|mut cell| inner.define_modules(&mut cell).map(|()| cell));
        inner.take_made(made.map(Body::Here))
    }

    /// Makes the executor `READY` again after a run that timed out, with everything that code and host brought: what the run
    /// had completed is there. In `READY` it does nothing.
    ///
    /// That works where the run ended when it was told to, which all JavaScript does. One that had to be torn out of native code
    /// has left a cell that nobody can say anything of: then this is an error, and only [`Executor::cleanup`] and
    /// [`Executor::init`] help. The error of the run says which of both it is (`details.recoverable`).
    pub async fn recover(&self) -> Result<(), ExecutorError> {
        let (state, kept) = {
            let mut slot = self.0.slot();
            let kept = match slot.state {
                State::Dirty => slot.kept.take(),
                _ => None,
            };
            (slot.state, kept)
        };
        let refused = |state, hint| Err(ExecutorError::invalid_state(state, "recover", hint));
        match state {
            State::Ready => Ok(()),
            State::Dirty => match kept {
                Some(body) => self.take_up(body).await,
                None if self.is_elsewhere() => refused(State::Dirty, WORKER_GONE),
                None => refused(State::Dirty, TORN_OUT),
            },
            State::Running => refused(State::Running, "cancel() the run, or wait for its end"),
            state => refused(state, hint(state)),
        }
    }

    /// Makes values global variables, in place of earlier ones of the same names. They arrive frozen.
    pub async fn send_variables<N: Into<String>>(
        &self,
        variables: impl IntoIterator<Item = (N, Value)>,
    ) -> Result<(), ExecutorError> {
        let variables: Vec<(String, Value)> = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        let mut turn = self.turn(Purpose::Work, "sendVariables").await?;
        for (name, _) in &variables {
            check(NameKind::Variable, name)?;
            if name == FINAL_ANSWER || self.0.slot().is_hosts_tool_or_namespace(name) {
                return Err(refused(
                    "tool_shadowed",
                    format!("{name} is a tool: a variable cannot have that name"),
                ));
            }
        }
        if self.is_elsewhere() {
            Self::send_variables_elsewhere(&mut turn, &variables).await?;
        } else {
            let pairs = variables.iter().map(|(name, value)| (&**name, value));
            let sent = turn.cell("sendVariables")?.set_variables(pairs);
            sent.map_err(|error| unsendable(&error))?;
        }
        let names = || variables.iter().map(|(name, _)| &**name);
        let replaced = {
            let mut slot = self.0.slot();
            let replaced: Vec<_> = names().filter_map(|name| slot.tools.remove(name)).collect();
            if !replaced.is_empty() {
                slot.renew_preparer(&self.0.options);
            }
            slot.note_names(names(), &self.0.options);
            replaced
        };
        drop(replaced);
        Ok(())
    }

    /// Makes functions of the host global functions, in place of earlier ones of the same names.
    ///
    /// A name with a dot puts the function into a namespace, which is a frozen object: `Host.readDoc` is called as
    /// `await Host.readDoc()`. Tools that are sent later join those that are there.
    ///
    /// One that is called `final_answer` does not take the place of the built-in function: the run ends with the argument
    /// as ever, and what the tool makes of it is the output.
    pub async fn send_tools<N: Into<String>, T: Into<AgentTool>>(
        &self,
        tools: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), ExecutorError> {
        let named = |name: String, mut tool: AgentTool| {
            tool.spec.name = name;
            tool.is_hidden |= tool.spec.name == FINAL_ANSWER;
            tool
        };
        let mut tools: Vec<AgentTool> = tools
            .into_iter()
            .map(|(name, tool)| named(name.into(), tool.into()))
            .collect();
        if tools.iter().any(|tool| tool.spec.deferred) {
            // A host may have functions of its own by these names.
            for (name, tool) in catalog::tools(&self.0.hooks) {
                if !tools.iter().any(|tool| tool.spec.name == name) {
                    tools.push(named(name.to_owned(), tool));
                }
            }
        }
        let mut turn = self.turn(Purpose::Work, "sendTools").await?;
        self.load_files(&tools)?;
        let mut guarded = Vec::new();
        for tool in &tools {
            let name = &*tool.spec.name;
            check(NameKind::Tool, name)?;
            let tool = guard(tool, &self.0.hooks).map_err(|reason| {
                let message = format!("the parameters of {name} are no JSON Schema: {reason}");
                refused("schema_valid", message)
            })?;
            if name != FINAL_ANSWER {
                guarded.push((name, tool));
            }
        }
        if self.is_elsewhere() {
            Self::send_tools_elsewhere(&mut turn, &tools).await?;
        } else {
            let sent = turn.cell("sendTools")?.define_tools(guarded);
            sent.map_err(|error| unsendable(&error))?;
        }
        let mut replaced = Vec::new();
        let mut slot = self.0.slot();
        for tool in tools {
            // From now on it is the host's own.
            if let Some(attached) = &mut slot.companion {
                attached.tools.remove(&tool.spec.name);
            }
            replaced.extend(slot.hidden_by(&tool.spec.name));
            replaced.extend(slot.tools.insert(tool.spec.name.clone(), tool));
        }
        slot.renew_preparer(&self.0.options);
        let known = slot.specs();
        drop(slot);
        drop(replaced);
        self.0.hooks.catalog.replace(known);
        Ok(())
    }

    /// Sends the [`file_tools`], which see these files and nothing else.
    ///
    /// After [`Executor::restore`] files that the snapshot holds are put into the first empty [`Files`] of their kind.
    pub async fn enable_files(&self, files: &Files) -> Result<(), ExecutorError> {
        self.send_tools(file_tools(files)).await
    }

    /// [`Executor::enable_files`] for a file system of your own.
    pub async fn enable_file_tools(&self, vfs: Arc<dyn Vfs>) -> Result<(), ExecutorError> {
        self.enable_files(&Files::of(vfs, "/")).await
    }

    /// Puts files that a snapshot brought along where these tools will look for them.
    fn load_files(&self, tools: &[AgentTool]) -> Result<(), ExecutorError> {
        for on_files in tools.iter().filter_map(|tool| tool.on_files.as_ref()) {
            let files = &on_files.files;
            let saved = {
                let mut slot = self.0.slot();
                let mut saved = slot.saved_files.iter();
                let at = saved.position(|saved| Some(saved.kind) == files.saved_kind());
                at.map(|at| slot.saved_files.remove(at))
            };
            if let Some(saved) = saved {
                saved.load_into(files)?;
            }
        }
        Ok(())
    }

    /// Releases everything. `init` makes the executor ready again, from the beginning.
    pub async fn cleanup(&self) -> Result<(), ExecutorError> {
        let released = loop {
            let released = self.0.slot().release()?;
            match released {
                Some(released) => break released,
                // Somebody works on the cell: once there is a turn to be had, that is over.
                None => drop(self.turn(Purpose::Work, "cleanup").await?),
            }
        };
        let forgotten = self.0.background.clear();
        // Releasing a cell takes a while, and runs the drops of tools, which are the host's code.
        drop(forgotten);
        let released = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(released)));
        released.map_err(|_| {
            ExecutorError::new(
                ErrorCode::CleanupFailed,
                "Cleanup failed: a tool panicked when it was dropped",
            )
        })
    }
}

/// What to do where there is nothing to recover.
const TORN_OUT: &str = "there is nothing to recover: the run had to be torn out of its cell, or broke it, and the state is \
    gone with it; only cleanup() and init() help";

const WORKER_GONE: &str = "there is nothing to recover: the worker process that had the state is gone; only cleanup() and \
    init() help";

/// What has to be dropped outside of the lock, because with it the host's tools are.
type Released = (Option<Body>, Forgotten);

/// What code and host brought.
type Forgotten = (BTreeMap<String, AgentTool>, Option<Attached>);

/// `init` is on its way to a worker. Dropped before that, there is nothing.
struct Unmade<'a>(&'a super::Inner);

impl Drop for Unmade<'_> {
    fn drop(&mut self) {
        self.0.slot().state = State::Dead;
    }
}

impl super::Inner {
    /// The end of `init`.
    fn take_made(&self, made: Result<Body, ExecutorError>) -> Result<(), ExecutorError> {
        let mut slot = self.slot();
        match made {
            Ok(body) => {
                slot.state = State::Ready;
                slot.cell = Some(body);
                Ok(())
            }
            Err(error) => {
                slot.state = State::Dead;
                Err(error)
            }
        }
    }

    /// Makes a cell know the modules that are made of functions and values.
    pub(super) fn define_modules(&self, cell: &mut Cell) -> Result<(), ExecutorError> {
        let modules = self.options.modules.iter();
        let mut authorised =
            modules.filter(|(name, _)| self.options.authorized_imports.contains(name));
        authorised.try_for_each(|(name, module)| module.define(name, cell, &self.hooks))
    }
}

impl Slot {
    /// Ends the life of the executor; `None` if the cell is in use for a moment.
    fn release(&mut self) -> Result<Option<Released>, ExecutorError> {
        let refused = |state, hint| Err(ExecutorError::invalid_state(state, "cleanup", hint));
        match self.state {
            State::Ready | State::Suspended if self.cell.is_none() => Ok(None),
            State::Ready | State::Suspended | State::Dirty | State::Dead => {
                self.state = State::Dead;
                self.suspended = None;
                let cell = self.cell.take().or_else(|| self.kept.take());
                Ok(Some((cell, self.forget())))
            }
            State::New => refused(State::New, "there is nothing to clean up before init()"),
            state => refused(state, "cancel() the run and wait for it to end"),
        }
    }

    /// Our own give way.
    fn is_hosts_tool_or_namespace(&self, name: &str) -> bool {
        let is_root = |tool: &String| tool.split_once('.').is_some_and(|(root, _)| root == name);
        self.tools.get(name).is_some_and(|tool| !tool.is_own) || self.tools.keys().any(is_root)
    }

    /// Takes out what a tool of that name takes the place of: a namespace, or a tool where a namespace is to be.
    fn hidden_by(&mut self, name: &str) -> Vec<AgentTool> {
        let inside = |outer: &str, inner: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let hidden = |known: &String| inside(known, name) || inside(name, known);
        let hidden: Vec<String> = self
            .tools
            .keys()
            .filter(|known| hidden(known))
            .cloned()
            .collect();
        hidden
            .iter()
            .filter_map(|name| self.tools.remove(name))
            .collect()
    }

    /// Forgets what code and host brought, and gives it to be dropped outside of the lock.
    fn forget(&mut self) -> Forgotten {
        self.globals.clear();
        self.names.clear();
        self.knows_all_names = true;
        self.saved_files.clear();
        (std::mem::take(&mut self.tools), self.companion.take())
    }
}

/// What to do to get to `READY`.
pub(super) fn hint(state: State) -> &'static str {
    match state {
        State::New | State::Dead => "call init() first",
        State::Dirty => {
            "call recover() to go on with what is there, or cleanup() and init() to begin anew"
        }
        State::Suspended => "resume() the run with answers to its calls, or abandon() it",
        State::Ready => "there is no suspended run: start() one",
        _ => "wait for the run to end, or set runConcurrency to \"queue\"",
    }
}

fn check(kind: NameKind, name: &str) -> Result<(), ExecutorError> {
    // A host may have a `final_answer` of its own; the others are refused further on, with better words.
    if name == FINAL_ANSWER {
        return Ok(());
    }
    check_name(kind, name).map_err(|error| {
        let rule = if name.starts_with(hotcell_prepare::RESERVED_PREFIX) {
            hotcell_prepare::rule::RESERVED_IDENTIFIER
        } else {
            "name_valid"
        };
        refused(rule, error.to_string())
    })
}

fn refused(rule: &'static str, message: String) -> ExecutorError {
    ExecutorError::refused(Diagnostic::error(rule, message))
}

/// The cell did not take it.
pub(crate) fn unsendable(error: &CellError) -> ExecutorError {
    match error {
        CellError::Name(_) => refused("name_valid", error.to_string()),
        CellError::Value(_) => refused("value_valid", chain(error)),
        CellError::Exception(exception) if exception.out_of_memory => ExecutorError::new(
            ErrorCode::MemoryLimit,
            "Memory limit exceeded: the values do not fit into the cell",
        ),
        _ => ExecutorError::new(
            ErrorCode::RuntimeException,
            format!("Runtime exception: {}", chain(error)),
        ),
    }
}
