//! What an executor and its worker say to each other, as JSON. What is large goes beside it, see [`pack`](super::pack).

use std::time::Duration;

use hotcell_cell::{Clock, Level, Random, Timers, ToolKind, WireError};
use hotcell_prompt::ToolSpec;
use serde::{Deserialize, Serialize};

use super::{
    pack::{Malformed, Packer, Unpacker},
    told::nanos,
};
use crate::{
    approval::Permission,
    executor::Answer,
    module::Module,
    options::{Concurrency, ExecutorOptions},
    tool::AgentTool,
};

/// What the parent wants of the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "camelCase")]
pub(super) enum Order {
    /// To have an executor, fresh or from a snapshot. Beside it the modules, what is granted, and the snapshot.
    Begin {
        options: WireOptions,
        /// Whether the host decides on approvals.
        approves: bool,
        restores: bool,
        /// Whether that snapshot was taken against another, which is beside it, too.
        since: bool,
        /// Where the sequence of random numbers goes on, in a fork.
        sequence: Option<[u8; 8]>,
    },
    /// To have variables, which are beside it.
    Variables,
    /// To have tools, which are beside it.
    Tools,
    /// To run code, which is beside it.
    Run {
        /// Whether the run may be suspended.
        may_suspend: bool,
        calls_function: bool,
        name: Option<String>,
        /// Which run of its executor it is.
        number: u64,
        trace: Option<String>,
        timeout_nanos: Option<u64>,
        cpu_nanos: Option<u64>,
    },
    /// To go on with the suspended run. Beside it the answers.
    Resume,
    /// To describe the suspended run.
    Suspension,
    /// To give it up.
    Abandon,
    /// To go on after a run that had to be ended.
    Recover,
    /// A snapshot. Beside it the one that it is taken against, if it is.
    Snapshot { since: bool },
}

/// What the worker needs of its parent while it runs code.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub(super) enum Request {
    /// A call of a tool. Beside it its name, the cell's number for it, and the arguments.
    Call { id: u64, call: u64 },
    /// The answer of a call that has given a promise.
    Then { id: u64, call: u64 },
    /// Nobody waits for that call any more.
    Forget { call: u64 },
    /// Whether a call may take place. Beside it as for a call.
    Approve { id: u64 },
}

/// The options of an executor, all but what is code and who may seal snapshots.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireOptions {
    // As bits: JSON has no word for what is not a number.
    max_operations: u64,
    timeout_ms: Option<u64>,
    /// In nanoseconds.
    cpu_time: Option<u64>,
    is_queue: bool,
    max_queued_runs: Option<usize>,
    authorized_imports: Vec<String>,
    max_log_bytes: usize,
    levels: Vec<usize>,
    memory_limit: u64,
    max_host_memory: Option<usize>,
    clock: WireClock,
    random: WireRandom,
    timers: WireTimers,
    max_code_bytes: usize,
    max_result_bytes: usize,
    max_tool_calls: usize,
    max_tool_calls_in_flight: usize,
    pause_clock_during_tools: bool,
    max_snapshot_bytes: usize,
}

#[derive(Debug, Serialize, Deserialize)]
enum WireClock {
    Off,
    Real,
    /// As bits.
    Fixed(u64),
}

#[derive(Debug, Serialize, Deserialize)]
enum WireRandom {
    Off,
    Real,
    Seeded(u64),
}

#[derive(Debug, Serialize, Deserialize)]
enum WireTimers {
    Off,
    On,
    Persistent,
}

impl WireOptions {
    pub(super) fn of(options: &ExecutorOptions) -> Self {
        // All are named, so that a new one cannot be forgotten here.
        let ExecutorOptions {
            max_operations,
            timeout_ms,
            cpu_time,
            run_concurrency,
            max_queued_runs,
            authorized_imports,
            max_log_bytes,
            collect_console_levels,
            memory_limit,
            max_host_memory,
            clock,
            random,
            timers,
            max_code_bytes,
            max_result_bytes,
            max_tool_calls,
            max_tool_calls_in_flight,
            pause_clock_during_tools,
            // Where the code is, and who may seal snapshots, concerns the parent. Modules go beside this.
            isolation: _,
            require_jail: _,
            modules: _,
            snapshot_key: _,
            // With these nothing is begun, see `what_keeps_it_here`.
            rules: _,
            transforms: _,
            // What they grant is in the parent, and goes beside this.
            content: _,
            store: _,
            granted: _,
            max_content_items: _,
            max_content_bytes: _,
            max_notifications: _,
            on_notify: _,
            max_store_bytes: _,
            // The worker asks, or the parent has it.
            on_log: _,
            on_approval: _,
            on_companion: _,
            on_event: _,
            spawner: _,
            max_background_runs: _,
            max_snapshot_bytes,
        } = options;
        let place = |level: &Level| Level::ALL.iter().position(|known| known == level);
        Self {
            max_operations: max_operations.to_bits(),
            timeout_ms: timeout_ms.map(f64::to_bits),
            cpu_time: cpu_time.map(nanos),
            is_queue: *run_concurrency == Concurrency::Queue,
            max_queued_runs: *max_queued_runs,
            authorized_imports: authorized_imports.clone(),
            max_log_bytes: *max_log_bytes,
            levels: collect_console_levels.iter().filter_map(place).collect(),
            memory_limit: *memory_limit,
            max_host_memory: *max_host_memory,
            clock: match clock {
                Clock::Off => WireClock::Off,
                Clock::Real => WireClock::Real,
                Clock::Fixed(time) => WireClock::Fixed(time.to_bits()),
            },
            random: match random {
                Random::Off => WireRandom::Off,
                Random::Real => WireRandom::Real,
                Random::Seeded(seed) => WireRandom::Seeded(*seed),
            },
            timers: match timers {
                Timers::Off => WireTimers::Off,
                Timers::On => WireTimers::On,
                Timers::Persistent => WireTimers::Persistent,
            },
            max_code_bytes: *max_code_bytes,
            max_result_bytes: *max_result_bytes,
            max_tool_calls: *max_tool_calls,
            max_tool_calls_in_flight: *max_tool_calls_in_flight,
            pause_clock_during_tools: *pause_clock_during_tools,
            max_snapshot_bytes: *max_snapshot_bytes,
        }
    }

    pub(super) fn into_options(self) -> ExecutorOptions {
        let levels = self.levels.into_iter();
        ExecutorOptions {
            max_operations: f64::from_bits(self.max_operations),
            timeout_ms: self.timeout_ms.map(f64::from_bits),
            cpu_time: self.cpu_time.map(Duration::from_nanos),
            run_concurrency: if self.is_queue {
                Concurrency::Queue
            } else {
                Concurrency::Reject
            },
            max_queued_runs: self.max_queued_runs,
            authorized_imports: self.authorized_imports,
            max_log_bytes: self.max_log_bytes,
            collect_console_levels: levels
                .filter_map(|place| Level::ALL.get(place).copied())
                .collect(),
            memory_limit: self.memory_limit,
            max_host_memory: self.max_host_memory,
            clock: match self.clock {
                WireClock::Off => Clock::Off,
                WireClock::Real => Clock::Real,
                WireClock::Fixed(time) => Clock::Fixed(f64::from_bits(time)),
            },
            random: match self.random {
                WireRandom::Off => Random::Off,
                WireRandom::Real => Random::Real,
                WireRandom::Seeded(seed) => Random::Seeded(seed),
            },
            timers: match self.timers {
                WireTimers::Off => Timers::Off,
                WireTimers::On => Timers::On,
                WireTimers::Persistent => Timers::Persistent,
            },
            max_code_bytes: self.max_code_bytes,
            max_result_bytes: self.max_result_bytes,
            max_tool_calls: self.max_tool_calls,
            max_tool_calls_in_flight: self.max_tool_calls_in_flight,
            pause_clock_during_tools: self.pause_clock_during_tools,
            max_snapshot_bytes: self.max_snapshot_bytes,
            ..ExecutorOptions::default()
        }
    }
}

/// A tool, all but its function.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of the tool's own"
)]
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireTool {
    spec: ToolSpec,
    pub(super) kind: WireKind,
    permission: WirePermission,
    is_self_checking: bool,
    is_promising: bool,
    is_hidden: bool,
    is_shadowable: bool,
    is_own: bool,
    /// Which of the file tools it is, if it works on the files that the worker sees.
    pub(super) file_tool: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum WireKind {
    Sync,
    Blocking,
    Async,
    MaybeAsync,
    Paged,
    Json,
    Deferred,
}

#[derive(Debug, Serialize, Deserialize)]
enum WirePermission {
    Allow,
    Deny,
    Ask,
}

impl WireTool {
    pub(super) fn of(tool: &AgentTool, file_tool: Option<&str>) -> Self {
        Self {
            spec: tool.spec.clone(),
            kind: match tool.tool.kind() {
                ToolKind::Sync => WireKind::Sync,
                ToolKind::Blocking => WireKind::Blocking,
                ToolKind::MaybeAsync => WireKind::MaybeAsync,
                ToolKind::Paged => WireKind::Paged,
                ToolKind::Json => WireKind::Json,
                ToolKind::Async => WireKind::Async,
                _ => WireKind::Deferred,
            },
            permission: match tool.permission {
                Permission::Allow => WirePermission::Allow,
                Permission::Deny => WirePermission::Deny,
                Permission::Ask => WirePermission::Ask,
            },
            is_self_checking: tool.is_self_checking,
            is_promising: tool.is_promising,
            is_hidden: tool.is_hidden,
            is_shadowable: tool.tool.is_shadowable(),
            is_own: tool.is_own,
            file_tool: file_tool.map(str::to_owned),
        }
    }

    /// The tool with a function.
    pub(super) fn into_tool(self, function: hotcell_cell::Tool) -> (String, AgentTool) {
        let function = if self.is_shadowable {
            function.shadowable()
        } else {
            function
        };
        let mut tool = AgentTool::from(function);
        let name = self.spec.name.clone();
        tool.spec = self.spec;
        tool.permission = match self.permission {
            WirePermission::Allow => Permission::Allow,
            WirePermission::Deny => Permission::Deny,
            WirePermission::Ask => Permission::Ask,
        };
        tool.is_self_checking = self.is_self_checking;
        tool.is_promising = self.is_promising;
        tool.is_hidden = self.is_hidden;
        tool.is_own = self.is_own;
        (name, tool)
    }
}

/// Writes the functions that options grant.
pub(super) fn put_granted(out: &mut Packer, tools: &[(String, AgentTool)]) {
    out.count(tools.len());
    for (_, tool) in tools {
        out.json(&WireTool::of(tool, None));
    }
}

/// Reads them. `function` makes the function of a tool.
pub(super) fn take_granted(
    from: &mut Unpacker<'_>,
    options: &mut ExecutorOptions,
    function: impl Fn(WireKind) -> hotcell_cell::Tool,
) -> Result<(), Malformed> {
    for _ in 0..from.count()? {
        let tool: WireTool = from.json()?;
        let made = function(tool.kind);
        options.granted.push(tool.into_tool(made));
    }
    Ok(())
}

/// Writes the modules that code may import.
pub(super) fn put_modules(out: &mut Packer, options: &ExecutorOptions) -> Result<(), WireError> {
    out.count(options.modules.len());
    for (name, module) in &options.modules {
        out.text(name);
        let source = module.text();
        out.flag(source.is_some());
        if let Some(source) = source {
            out.text(source);
            continue;
        }
        let (functions, values) = module.members();
        out.count(functions.len());
        for (export, tool) in functions {
            out.text(export);
            out.json(&WireTool::of(tool, None));
        }
        out.count(values.len());
        for (export, value) in values {
            out.text(export);
            out.value(value)?;
        }
    }
    Ok(())
}

/// Reads them. `function` makes the function of a tool.
pub(super) fn take_modules(
    from: &mut Unpacker<'_>,
    options: &mut ExecutorOptions,
    function: impl Fn(WireKind) -> hotcell_cell::Tool,
) -> Result<(), Malformed> {
    for _ in 0..from.count()? {
        let name = from.text()?.to_owned();
        if from.flag()? {
            let source = from.text()?;
            options.modules.insert(name, Module::source(source));
            continue;
        }
        let mut module = Module::new();
        for _ in 0..from.count()? {
            let export = from.text()?;
            let tool: WireTool = from.json()?;
            let made = function(tool.kind);
            module = module.function(export, tool.into_tool(made).1);
        }
        for _ in 0..from.count()? {
            let export = from.text()?;
            module = module.value(export, from.value()?);
        }
        options.modules.insert(name, module);
    }
    Ok(())
}

pub(super) fn put_answers(out: &mut Packer, answers: &[(String, Answer)]) -> Result<(), WireError> {
    out.count(answers.len());
    for (id, answer) in answers {
        out.text(id);
        match answer {
            Answer::Approve => out.byte(1),
            Answer::Deny(reason) => {
                out.byte(2);
                out.text(reason);
            }
            Answer::Value(value) => {
                out.byte(0);
                out.byte(0);
                out.value(value)?;
            }
            Answer::Error(error) => {
                out.byte(0);
                super::told::put_answer(out, &Err(error.clone()));
            }
        }
    }
    Ok(())
}

pub(super) fn take_answers(from: &mut Unpacker<'_>) -> Result<Vec<(String, Answer)>, Malformed> {
    from.several(|from| {
        let id = from.text()?.to_owned();
        let answer = match from.byte()? {
            0 => match super::told::take_answer(from)? {
                Ok(value) => Answer::Value(value),
                Err(error) => Answer::Error(error),
            },
            1 => Answer::Approve,
            2 => Answer::Deny(from.text()?.to_owned()),
            _ => return Err(Malformed),
        };
        Ok((id, answer))
    })
}
