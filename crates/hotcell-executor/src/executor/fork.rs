//! An executor as bytes, and as a twin.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, SystemTime},
};

use hotcell_cell::{Arguments, Cell, CellError, Engine, Level, Tool};
use hotcell_prepare::PreparedProgram;
use hotcell_prompt::ToolSpec;

use super::{
    Body, Executor, Slot,
    clock::Times,
    life::FINAL_ANSWER,
    remote::{for_worker, unsealed},
    suspend::{UnderWay, arguments_by_call},
    turn::Purpose,
};
use crate::{
    boundary::guard,
    catalog,
    companion::{self, Attached},
    content::{self, ContentItem},
    engine::make_cell,
    error::ExecutorError,
    grants,
    isolation::Isolation,
    ledger::SavedCall,
    log::LogEntry,
    options::ExecutorOptions,
    output::{Run, RunStats, millis},
    process::{Beginning, Gone},
    snapshot::{self, Memory, SavedRun},
    tool::{AgentTool, OnFiles},
};

impl Executor {
    /// Everything the code has made, as bytes: variables, functions, pending promises, and the [`Files`](crate::Files) in memory or on top of
    /// a directory that its tools work on; in `SUSPENDED` the run that waits.
    ///
    /// Options are not among it: a snapshot carries state, not what its owner may do. With
    /// [`ExecutorOptions::snapshot_key`] it is sealed.
    pub async fn snapshot(&self) -> Result<Vec<u8>, ExecutorError> {
        self.snapshot_against(None).await
    }

    /// The same, but of the memory of its cell only what is not as it was when `base` was taken: a snapshot, itself whole, of this
    /// executor or one that it comes from. Who restores it needs both, see [`Executor::restore_since`].
    pub async fn snapshot_since(&self, base: &[u8]) -> Result<Vec<u8>, ExecutorError> {
        self.snapshot_against(Some(base)).await
    }

    async fn snapshot_against(&self, base: Option<&[u8]>) -> Result<Vec<u8>, ExecutorError> {
        let base = base.map(|base| snapshot::read(base, &self.0.options));
        let base = base.transpose()?;
        let mut turn = self.turn(Purpose::Work, "snapshot").await?;
        let (mut memory, files, suspended, companion) = {
            let slot = self.0.slot();
            let memory = Memory {
                tools: known(slot.tools.values()),
                globals: slot.globals.clone(),
                names: slot.names.iter().cloned().collect(),
                knows_all_names: slot.knows_all_names,
                runs: slot.runs,
                run: None,
            };
            let suspended = slot.suspended.clone();
            (memory, slot.files(), suspended, slot.companion.clone())
        };
        let cell = if self.is_elsewhere() {
            let base = base.map(|base| for_worker(&base.memory, base.cell, &self.0.options));
            let base = base.transpose()?;
            let (bytes, _) = Self::snapshot_elsewhere(&mut turn, base.as_deref()).await?;
            let parts = snapshot::read(&bytes, &unsealed(&self.0.options))?;
            // What tools there are is known here.
            memory.run = parts.memory.run.filter(|_| suspended.is_some());
            parts.cell.to_vec()
        } else {
            let cell = turn.cell("snapshot")?;
            memory.run = suspended.map(|run| {
                let mut saved = self.save(&run.in_new_cell(cell));
                saved.asked = snapshot::asked(self.describe(&run, cell).calls);
                saved
            });
            let cell = match base {
                None => cell.snapshot(),
                Some(base) => cell.snapshot_since(base.cell),
            };
            cell.map_err(|error| snapshot::failed(&error))?
        };
        let files = snapshot::save_files(&files)?;
        let companion = match companion {
            Some(attached) => {
                let bytes = attached.companion.snapshot();
                bytes.map_err(|why| companion::failed(&why))?
            }
            None => Vec::new(),
        };
        let shown = match memory.run {
            Some(_) => content::save(&self.0.hooks.content()),
            None => Vec::new(),
        };
        snapshot::write(&memory, &files, &companion, &shown, &cell, &self.0.options)
    }

    /// A second executor in the same state, tools and files included. Neither notices the other from then on. A suspended run
    /// waits in both, for an answer each.
    ///
    /// Calls that this one has not awaited yet are answered in neither way in the twin: there they stay pending.
    pub async fn fork(&self) -> Result<Self, ExecutorError> {
        self.fork_with((*self.0.options).clone()).await
    }

    /// The same, with other options from there on: hooks and modules of its own, say.
    pub async fn fork_with(&self, options: ExecutorOptions) -> Result<Self, ExecutorError> {
        let mut turn = self.turn(Purpose::Work, "fork").await?;
        if options.isolation != self.0.options.isolation {
            let why = "a fork runs where its origin does: give it the same isolation, or restore a snapshot of it";
            return Err(snapshot::refused(why));
        }
        let twin = Self::build(self.0.engine.clone(), options);
        let files = self.files();
        let (mut tools, suspended, companion) = {
            let slot = self.0.slot();
            let mut copy = twin.0.slot();
            copy.globals.clone_from(&slot.globals);
            copy.names.clone_from(&slot.names);
            copy.knows_all_names = slot.knows_all_names;
            copy.runs = slot.runs;
            let (suspended, companion) = (slot.suspended.clone(), slot.companion.clone());
            (slot.tools.clone(), suspended, companion)
        };
        let companion = match companion {
            Some(attached) => {
                let (twin, own) = attached.fork()?;
                replace(&mut tools, own);
                Some(twin)
            }
            None => None,
        };
        let names = self.0.slot().names.clone();
        grants::renew(&mut tools, &names, &twin.0.hooks);
        for (name, tool) in catalog::tools(&twin.0.hooks) {
            if let Some(known) = tools.get_mut(name).filter(|known| known.is_catalog) {
                *known = AgentTool::with_spec(tool, known.spec.clone());
            }
        }
        for original in &files {
            let is_on = |on: &OnFiles| on.files.is_same(original);
            let on_them = |tool: &&mut AgentTool| tool.on_files.as_ref().is_some_and(is_on);
            let mut tools = tools.values_mut().filter(on_them).peekable();
            // Those of a companion were forked with it.
            if tools.peek().is_some() {
                let copy = original.fork().map_err(|error| snapshot::unsaved(&error))?;
                tools.for_each(|tool| *tool = tool.clone().moved_to(&copy));
            }
        }
        let connected = guarded(tools.values(), &twin);
        let sent: Vec<AgentTool> = tools.values().cloned().collect();
        let preparer = {
            let mut slot = twin.0.slot();
            slot.tools = tools;
            slot.companion = companion;
            slot.renew_preparer(&twin.0.options);
            slot.preparer.clone()
        };
        if self.is_elsewhere() {
            let (bytes, sequence) = Self::snapshot_elsewhere(&mut turn, None).await?;
            let goes_on = twin.0.options.random == self.0.options.random;
            let beginning = Beginning::Restored {
                snapshot: &bytes,
                base: None,
                sequence: goes_on.then_some(sequence),
            };
            let body = twin.begin_elsewhere(beginning).await?;
            if let Some(run) = &suspended {
                let saved = self.save(run);
                let hooks = &twin.0.hooks;
                hooks.set_scene(run.number, &run.name, run.trace);
                twin.recall(saved.calls, saved.logs, |_| None)?;
                hooks.load_content(self.0.hooks.content());
            }
            return twin.wake_elsewhere(body, suspended, &sent).await;
        }
        let cell = turn.cell("fork")?;
        let suspended = suspended.map(|run| run.in_new_cell(cell));
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
        copy.define_tools(connected.iter().map(|(name, tool)| (&**name, tool.clone())))
            .map_err(|error| snapshot::failed(&error))?;
        twin.0.define_modules(&mut copy)?;
        twin.0.hooks.inherit(&self.0.hooks);
        if let Some(run) = suspended {
            let saved = self.save(&run);
            twin.take_over(saved, run.program, self.0.hooks.content(), &mut copy)?;
        }
        let specs = {
            let mut slot = twin.0.slot();
            slot.cell = Some(Body::Here(copy));
            slot.state = slot.resting_state();
            slot.specs()
        };
        twin.0.hooks.catalog.replace(specs);
        Ok(twin)
    }

    /// A suspended run as it is kept.
    fn save(&self, run: &UnderWay) -> SavedRun {
        let hooks = &self.0.hooks;
        let logs = hooks.log_entries().into_iter().map(|entry| {
            let since = entry.at.duration_since(SystemTime::UNIX_EPOCH);
            (
                entry.level.as_str().to_owned(),
                entry.message,
                millis(since.unwrap_or_default()),
            )
        });
        SavedRun {
            code: run.code.clone(),
            name: run.name.clone(),
            number: run.number,
            calls_function: run.calls_function,
            trace: run.trace.map(|trace| trace.to_string()),
            operations: run.spent.operations,
            tool_calls: run.spent.tool_calls,
            wall_ms: millis(run.spent.wall),
            cpu_ms: millis(run.spent.cpu),
            calls: hooks.ledger().save(),
            asked: Vec::new(),
            logs: logs.collect(),
        }
    }

    /// The end of a fork whose code runs in a worker: the tools that its origin has, and the run that waits.
    async fn wake_elsewhere(
        self,
        mut body: Body,
        suspended: Option<Box<UnderWay>>,
        tools: &[AgentTool],
    ) -> Result<Self, ExecutorError> {
        let is_connected = |tool: &&AgentTool| !tool.is_unconnected;
        let tools: Vec<AgentTool> = tools.iter().filter(is_connected).cloned().collect();
        if let Some(remote) = body.remote()
            && !tools.is_empty()
        {
            remote.send_tools(&tools).await.map_err(Gone::into_error)?;
        }
        let specs = {
            let mut slot = self.0.slot();
            slot.suspended = suspended;
            slot.cell = Some(body);
            slot.state = slot.resting_state();
            slot.specs()
        };
        self.0.hooks.catalog.replace(specs);
        Ok(self)
    }

    /// The end of a restore whose code runs in a worker.
    async fn restore_elsewhere(
        self,
        snapshot: &[u8],
        base: Option<&[u8]>,
        run: Option<SavedRun>,
        shown: Vec<ContentItem>,
    ) -> Result<Self, ExecutorError> {
        let beginning = Beginning::Restored {
            snapshot,
            base,
            sequence: None,
        };
        let body = self.begin_elsewhere(beginning).await?;
        let options = &self.0.options;
        let under_way = run.map(|saved| -> Result<_, ExecutorError> {
            // What cannot be a trace is none.
            let trace = saved.trace.and_then(|trace| trace.parse().ok());
            self.0.hooks.set_scene(saved.number, &saved.name, trace);
            self.recall(saved.calls, saved.logs, |_| None)?;
            let duration =
                |millis: f64| Duration::try_from_secs_f64(millis / 1e3).unwrap_or_default();
            let run = Run {
                name: Some(saved.name),
                calls_function: saved.calls_function,
                ..Run::new(saved.code)
            };
            let times = Times::of(&run, options);
            let mut run = UnderWay::new(run, times, saved.number, trace);
            run.spent.wall = duration(saved.wall_ms);
            run.spent.cpu = duration(saved.cpu_ms);
            Ok(Box::new(run))
        });
        let under_way = under_way.transpose()?;
        self.0.hooks.load_content(shown);
        let own = self.0.slot().tools_of_its_own();
        self.wake_elsewhere(body, under_way, &own).await
    }

    /// How far the sequence of random numbers has come.
    pub(crate) async fn random_sequence(&self) -> Result<[u8; 8], ExecutorError> {
        let mut turn = self.turn(Purpose::Work, "snapshot").await?;
        Ok(turn.cell("snapshot")?.random_sequence())
    }

    /// Goes on with it where another executor was.
    pub(crate) fn continue_random(&self, sequence: [u8; 8]) {
        let mut slot = self.0.slot();
        if let Some(cell) = slot.cell.as_mut().and_then(Body::cell) {
            cell.continue_random(sequence);
        }
    }

    /// The names that code has declared, if there are others than so many; what other hosts have as globals among them; and
    /// whether that is all.
    pub(crate) fn declared(&self, known: usize) -> (BTreeSet<String>, Vec<String>, bool) {
        let slot = self.0.slot();
        let names = if slot.names.len() == known {
            BTreeSet::new()
        } else {
            slot.names.clone()
        };
        (names, slot.globals.clone(), slot.knows_all_names)
    }

    /// Makes a run that was kept the suspended run of this executor, whose cell has it. What is said of it may come from
    /// anywhere.
    fn take_over(
        &self,
        saved: SavedRun,
        program: Option<Arc<PreparedProgram>>,
        shown: Vec<ContentItem>,
        cell: &mut Cell,
    ) -> Result<(), ExecutorError> {
        let options = &self.0.options;
        if saved.code.len() > options.max_code_bytes {
            return Err(snapshot::refused(
                "the code of its run is larger than maxCodeBytes",
            ));
        }
        // Both lists may be long, whatever code made them that long, or forged them.
        let outstanding = arguments_by_call(cell);
        let mut waiting = saved.calls.iter().filter(|call| call.waits.is_some());
        let is_there = |number: Option<u32>| number.is_some_and(|id| outstanding.contains_key(&id));
        if !waiting.all(|call| is_there(call.number)) || outstanding.is_empty() {
            return Err(snapshot::refused(
                "its run waits for calls that its cell does not know",
            ));
        }
        cell.limit_operations(options.operations().saturating_sub(saved.operations))
            .map_err(|error| snapshot::failed(&error))?;
        cell.suspend();
        let arguments = |number| outstanding.get(&number).cloned();
        let hooks = &self.0.hooks;
        // What cannot be a trace is none.
        let trace = saved.trace.and_then(|trace| trace.parse().ok());
        hooks.set_scene(saved.number, &saved.name, trace);
        self.recall(saved.calls, saved.logs, arguments)?;
        hooks.load_content(shown);
        let duration = |millis: f64| Duration::try_from_secs_f64(millis / 1e3).unwrap_or_default();
        self.0.slot().suspended = Some(Box::new(UnderWay {
            code: saved.code,
            name: saved.name,
            number: saved.number,
            calls_function: saved.calls_function,
            program,
            times: Times::of(&Run::new(""), options),
            trace,
            spent: RunStats {
                operations: saved.operations,
                tool_calls: saved.tool_calls,
                wall: duration(saved.wall_ms),
                cpu: duration(saved.cpu_ms),
                peak_memory_bytes: 0,
            },
        }));
        Ok(())
    }

    /// Takes over what a run has called and printed elsewhere.
    fn recall(
        &self,
        calls: Vec<SavedCall>,
        logs: Vec<(String, String, f64)>,
        arguments: impl Fn(u32) -> Option<Arguments>,
    ) -> Result<(), ExecutorError> {
        let hooks = &self.0.hooks;
        hooks.reset(true);
        let loaded = hooks.ledger().load(calls, arguments);
        loaded.map_err(|over| snapshot::refused(&over.to_string()))?;
        let entries = logs.into_iter().filter_map(|(level, message, at)| {
            let since = Duration::try_from_secs_f64(at / 1e3).ok()?;
            Some(LogEntry {
                level: Level::ALL
                    .into_iter()
                    .find(|known| known.as_str() == level)?,
                message,
                at: SystemTime::UNIX_EPOCH.checked_add(since)?,
            })
        });
        hooks.load_logs(entries.collect());
        Ok(())
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
        Self::restore_on(None, snapshot, None, options)
    }

    /// The same for what [`Executor::snapshot_since`] gave, together with the snapshot that it was taken against.
    pub fn restore_since(
        snapshot: &[u8],
        base: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        Self::restore_on(None, snapshot, Some(base), options)
    }

    /// The same, on an engine of your own.
    pub fn restore_with_engine(
        engine: &Engine,
        snapshot: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        Self::restore_on(Some(engine.clone()), snapshot, None, options)
    }

    /// [`Executor::restore_since`] on an engine of your own.
    pub fn restore_since_with_engine(
        engine: &Engine,
        snapshot: &[u8],
        base: &[u8],
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        Self::restore_on(Some(engine.clone()), snapshot, Some(base), options)
    }

    fn restore_on(
        engine: Option<Engine>,
        snapshot: &[u8],
        base: Option<&[u8]>,
        options: Option<ExecutorOptions>,
    ) -> Result<Self, ExecutorError> {
        let options = options.unwrap_or_default();
        let snapshot::Parts {
            memory,
            files,
            companion,
            content,
            cell,
            ..
        } = snapshot::read(snapshot, &options)?;
        let base = base
            .map(|base| snapshot::read(base, &options))
            .transpose()?;
        let companion = match (companion, &options.on_companion) {
            (Some(bytes), Some(restore)) => {
                let made = restore(bytes).map_err(|why| companion::failed(&why))?;
                Some(Attached::new(made))
            }
            _ => None,
        };
        let (told, told_base) = if options.isolation == Isolation::Process {
            // What it is given to read was read here.
            let base = base.as_ref();
            let base = base.map(|base| for_worker(&base.memory, base.cell, &options));
            (for_worker(&memory, cell, &options)?, base.transpose()?)
        } else {
            (Vec::new(), None)
        };
        let base = base.map(|base| base.cell);
        let executor = Self::build(engine, options);
        let preparer = {
            let mut slot = executor.0.slot();
            slot.globals = memory.globals;
            slot.names = memory.names.into_iter().collect();
            slot.knows_all_names = memory.knows_all_names;
            slot.saved_files = files;
            slot.runs = memory.runs;
            for (spec, is_hidden) in memory.tools {
                let mut tool = AgentTool::with_spec(Tool::deferred(), spec);
                tool.is_hidden = is_hidden;
                tool.is_unconnected = true;
                slot.tools.insert(tool.spec.name.clone(), tool);
            }
            if let Some((attached, own)) = companion {
                let own = own
                    .into_iter()
                    .filter(|(name, _)| slot.tools.contains_key(name))
                    .collect();
                replace(&mut slot.tools, own);
                slot.companion = Some(attached);
            }
            let Slot { tools, names, .. } = &mut *slot;
            grants::renew(tools, names, &executor.0.hooks);
            slot.renew_preparer(&executor.0.options);
            slot.preparer.clone()
        };
        if executor.is_elsewhere() {
            return pollster::block_on(executor.restore_elsewhere(
                &told,
                told_base.as_deref(),
                memory.run,
                content,
            ));
        }
        let made = make_cell(executor.0.engine.as_ref(), |engine| {
            let cell_options = executor.0.hooks.cell_options(&preparer);
            let mut cell = match base {
                None => engine.restore(cell, cell_options),
                Some(base) => engine.restore_since(cell, base, cell_options),
            }?;
            cell.define_tool(FINAL_ANSWER, Tool::final_answer())?;
            let own = executor.0.slot().tools_of_its_own();
            let own = guarded(own.iter(), &executor);
            cell.define_tools(own.iter().map(|(name, tool)| (&**name, tool.clone())))?;
            Ok(cell)
        });
        let mut cell = made.map_err(|error| snapshot::failed(&error))?;
        executor.0.define_modules(&mut cell)?;
        if let Some(run) = memory.run {
            executor.take_over(run, None, content, &mut cell)?;
        }
        {
            let mut slot = executor.0.slot();
            slot.cell = Some(Body::Here(cell));
            slot.state = slot.resting_state();
        }
        Ok(executor)
    }
}

/// Puts tools into the places of those of the same names.
fn replace(tools: &mut BTreeMap<String, AgentTool>, own: Vec<(String, AgentTool)>) {
    for (name, mut tool) in own {
        tool.spec.name.clone_from(&name);
        tools.insert(name, tool);
    }
}

impl Slot {
    /// Those that options brought, and the tools of the companion, if there is one.
    fn tools_of_its_own(&self) -> Vec<AgentTool> {
        let names = self.companion.iter().flat_map(|attached| &attached.tools);
        let of_companion = names.filter_map(|name| self.tools.get(name));
        let own = self.tools.values().filter(|tool| tool.is_own);
        of_companion.chain(own).cloned().collect()
    }
}

/// What a snapshot remembers of tools. The host's own `final_answer` is a function and nothing else: it is not there after a
/// restore until it is sent again. What an option brought is brought by the options of who restores.
fn known<'a>(tools: impl Iterator<Item = &'a AgentTool>) -> Vec<(ToolSpec, bool)> {
    let remembered = tools.filter(|tool| tool.spec.name != FINAL_ANSWER && !tool.is_own);
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
        .filter(|tool| tool.spec.name != FINAL_ANSWER && !tool.is_unconnected)
        .filter_map(|tool| {
            let guarded = guard(tool, &executor.0.hooks).ok()?;
            Some((tool.spec.name.clone(), guarded))
        })
        .collect()
}
