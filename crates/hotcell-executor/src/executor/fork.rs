//! An executor as bytes, and as a twin.

use hotcell_cell::{CellError, Engine, Tool};
use hotcell_prompt::ToolSpec;

use super::{Executor, life::FINAL_ANSWER, turn::Purpose};
use crate::{
    boundary::guard,
    engine::make_cell,
    error::ExecutorError,
    options::ExecutorOptions,
    snapshot::{self, Memory},
    state::State,
    tool::AgentTool,
};

impl Executor {
    /// Everything the code has made, as bytes: variables, functions, pending promises. Only in `READY`.
    ///
    /// Options are not among it: a snapshot carries state, not what its owner may do. With
    /// [`ExecutorOptions::snapshot_key`] it is sealed.
    pub async fn snapshot(&self) -> Result<Vec<u8>, ExecutorError> {
        let mut turn = self.turn(Purpose::Work, "snapshot").await?;
        let cell = turn.cell("snapshot")?;
        let memory = {
            let slot = self.0.slot();
            Memory {
                tools: known(slot.tools.values()),
                globals: slot.globals.clone(),
                runs: slot.runs,
            }
        };
        let cell = cell.snapshot().map_err(|error| snapshot::failed(&error))?;
        snapshot::write(&memory, &cell, self.0.options.snapshot_key.as_ref())
    }

    /// A second executor in the same state, tools included. Neither notices the other from then on. Only in `READY`.
    ///
    /// Calls that this one has not awaited yet are answered in neither way in the twin: there they stay pending.
    pub async fn fork(&self) -> Result<Self, ExecutorError> {
        let mut turn = self.turn(Purpose::Work, "fork").await?;
        let cell = turn.cell("fork")?;
        let twin = Self::build(self.0.engine.clone(), (*self.0.options).clone());
        let (tools, globals, runs, preparer) = {
            let slot = self.0.slot();
            let (tools, globals) = (slot.tools.clone(), slot.globals.clone());
            (tools, globals, slot.runs, slot.preparer.clone())
        };
        let cell_options = || twin.0.hooks.cell_options(&preparer);
        let forked = match cell.fork_with(cell_options()) {
            // There may be room on another engine, and the way there is a snapshot.
            Err(CellError::TooManyCells { .. }) => cell.snapshot().and_then(|bytes| {
                make_cell(twin.0.engine.as_ref(), |engine| {
                    engine.restore(&bytes, cell_options())
                })
            }),
            forked => forked,
        };
        let mut copy = forked.map_err(|error| snapshot::failed(&error))?;
        // The tools of the copy are still those of the original, with its ledger and its limits.
        let connected = guarded(tools.values(), &twin);
        copy.define_tools(connected.iter().map(|(name, tool)| (&**name, tool.clone())))
            .map_err(|error| snapshot::failed(&error))?;
        twin.0.hooks.inherit(&self.0.hooks);
        {
            let mut slot = twin.0.slot();
            slot.tools = tools;
            slot.globals = globals;
            slot.runs = runs;
            slot.preparer = preparer;
            slot.cell = Some(copy);
            slot.state = State::Ready;
        }
        Ok(twin)
    }

    /// An executor as it was when the snapshot was taken, in this process or another; ready. What it may do is for you to say:
    /// limits, clock, chance and imports are those of `options`, or the defaults, and never those of the bytes. With
    /// [`ExecutorOptions::snapshot_key`] only bytes that were sealed with that key are taken.
    ///
    /// Its tools are known by name but have no functions: send them again. Until then their calls fail.
    pub fn restore(
        snapshot: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        Self::restore_on(None, snapshot, options)
    }

    /// The same, on an engine of your own.
    pub fn restore_with_engine(
        engine: &Engine,
        snapshot: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        Self::restore_on(Some(engine.clone()), snapshot, options)
    }

    fn restore_on(
        engine: Option<Engine>,
        snapshot: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        let options = options.unwrap_or_default();
        let (memory, cell) = snapshot::read(snapshot, options.snapshot_key.as_ref())?;
        let executor = Self::build(engine, options);
        let preparer = {
            let mut slot = executor.0.slot();
            slot.globals = memory.globals;
            slot.runs = memory.runs;
            for (spec, is_hidden) in memory.tools {
                let mut tool = AgentTool::with_spec(Tool::deferred(), spec);
                tool.is_hidden = is_hidden;
                slot.tools.insert(tool.spec.name.clone(), tool);
            }
            slot.renew_preparer(&executor.0.options);
            slot.preparer.clone()
        };
        let made = make_cell(executor.0.engine.as_ref(), |engine| {
            let cell_options = executor.0.hooks.cell_options(&preparer);
            let mut cell = engine.restore(cell, cell_options)?;
            cell.define_tool(FINAL_ANSWER, Tool::final_answer())?;
            Ok(cell)
        });
        let cell = made.map_err(|error| snapshot::failed(&error))?;
        {
            let mut slot = executor.0.slot();
            slot.cell = Some(cell);
            slot.state = State::Ready;
        }
        Ok(executor)
    }
}

/// What a snapshot remembers of tools. The host's own `final_answer` is a function and nothing else: it is not there after a
/// restore until it is sent again.
fn known<'a>(tools: impl Iterator<Item = &'a AgentTool>) -> Vec<(ToolSpec, bool)> {
    let remembered = tools.filter(|tool| tool.spec.name != FINAL_ANSWER);
    remembered
        .map(|tool| (tool.spec.clone(), tool.is_hidden))
        .collect()
}

/// The tools with the boundary of `executor` around them. Their schemas were good before.
fn guarded<'a>(
    tools: impl Iterator<Item = &'a AgentTool>,
    executor: &Executor,
) -> Vec<(String, Tool)> {
    tools
        .filter(|tool| tool.spec.name != FINAL_ANSWER)
        .filter_map(|tool| {
            let guarded = guard(tool, &executor.0.hooks).ok()?;
            Some((tool.spec.name.clone(), guarded))
        })
        .collect()
}
