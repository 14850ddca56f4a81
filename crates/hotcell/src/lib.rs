//! hotcell runs code that a model wrote.
//!
//! A hot cell is a shielded room in which dangerous material is handled through manipulators. Here the code is the
//! material, tools are the manipulators, and nothing else reaches through the wall: the code runs in a JavaScript VM with
//! a memory of its own, sees what you give it, and ends when its time is over.
//!
//! # An agent's executor in five steps
//!
//! **Make an executor.** That takes microseconds, so one per task is a good habit.
//!
//! ```
//! use hotcell::{Executor, ExecutorOptions, Value};
//!
//! # pollster::block_on(async {
//! let executor = Executor::new(ExecutorOptions::default());
//! executor.init().await?;
//! let step = executor.run("[1, 2, 3].map((x: number) => x * 2)").await?;
//! assert_eq!(step.output.at(2), Some(&Value::from(6)));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! **Give it tools.** They are ordinary functions inside; values cross as copies. What a schema says of their arguments is
//! checked, and the model's prompt is made of the same.
//!
//! ```
//! # use hotcell::{AgentTool, Executor, ExecutorOptions, ToolError, Value};
//! use hotcell::prompt::{PromptContext, render_system_prompt};
//! use serde_json::json;
//!
//! # pollster::block_on(async {
//! # let executor = Executor::new(ExecutorOptions::default());
//! # executor.init().await?;
//! let stock = AgentTool::asynchronous(|call| async move {
//!     match call.argument(0).get("fruit").and_then(Value::as_str) {
//!         Some("apples") => Ok(Value::from(3)),
//!         _ => Err(ToolError::from("no such fruit")),
//!     }
//! })
//! .description("How many there are")
//! .parameters(json!({
//!     "type": "object",
//!     "properties": { "fruit": { "type": "string" } },
//!     "required": ["fruit"],
//! }));
//! executor.send_tools([("stock", stock)]).await?;
//!
//! let code = "
//!     const apples = await stock({ fruit: 'apples' });
//!     const error = await stock({ fruit: 3 }).catch((error) => error.message);
//!     final_answer(`${apples} apples; ${error}`);
//! ";
//! let step = executor.run(code).await?;
//! assert!(step.is_final_answer);
//! assert!(step.output.as_str().is_some_and(|text| text.starts_with("3 apples; invalid arguments for stock: fruit")));
//!
//! let prompt = render_system_prompt(&PromptContext { tools: executor.tools(), ..PromptContext::default() });
//! assert!(prompt.is_ok_and(|text| text.contains("declare function stock(")));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! **Go on.** What code declares stays for the next run, also when a run fails.
//!
//! ```
//! # use hotcell::{Executor, ExecutorOptions, Value};
//! # pollster::block_on(async {
//! # let executor = Executor::new(ExecutorOptions::default());
//! # executor.init().await?;
//! executor.run("const prices = { tea: 3 };").await?;
//! executor.run("prices.cake = 4; oops()").await.unwrap_err();
//! assert_eq!(executor.run("prices.tea + prices.cake").await?.output, Value::from(7));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! **Trust nothing.** Every run has limits, and every failure is one error with a code, a message for the model, and the
//! place in its own code.
//!
//! ```
//! # use hotcell::{ErrorCode, Executor, ExecutorOptions};
//! # pollster::block_on(async {
//! # let executor = Executor::new(ExecutorOptions::default());
//! # executor.init().await?;
//! let error = executor.run("while (true) {}").await.unwrap_err();
//! assert_eq!(error.code, ErrorCode::MaxOpsExceeded);
//!
//! let error = executor.run("const user = null;\nuser.name").await.unwrap_err();
//! assert_eq!(error.code, ErrorCode::RuntimeException);
//! assert_eq!(error.location.map(|place| place.line), Some(2));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! **Freeze, fork, resume.** An executor is a value: copy it, keep it, take it up in another process.
//!
//! ```
//! # use hotcell::{Executor, ExecutorOptions, Value};
//! # pollster::block_on(async {
//! # let executor = Executor::new(ExecutorOptions::default());
//! # executor.init().await?;
//! executor.run("let path = ['start'];").await?;
//! let left = executor.fork().await?;
//! left.run("path.push('left')").await?;
//!
//! let bytes = executor.snapshot().await?;
//! let later = Executor::restore(&bytes, None)?;
//! assert_eq!(later.run("path.join()").await?.output, Value::from("start"));
//! assert_eq!(left.run("path.join()").await?.output, Value::from("start,left"));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! **Let it wait.** A run stops at a call that needs a person, is kept as bytes, and goes on exactly there, days later, elsewhere.
//!
//! ```
//! # use hotcell::{AgentTool, Answer, Executor, ExecutorOptions, Permission, Started, Value};
//! # pollster::block_on(async {
//! # let executor = Executor::new(ExecutorOptions::default());
//! # executor.init().await?;
//! let pay = || AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }).permission(Permission::Ask);
//! executor.send_tools([("pay", pay())]).await?;
//! let Started::Suspended(asked) = executor.start("const paid = await pay(10); paid + 1").await else { panic!() };
//! assert_eq!((&*asked.calls[0].tool, &*asked.calls[0].id), ("pay", "1.1"));
//! let bytes = executor.snapshot().await?;
//!
//! let later = Executor::restore(&bytes, None)?;
//! later.send_tools([("pay", pay())]).await?;
//! let Started::Complete(end) = later.resume([("1.1", Answer::Approve)]).await? else { panic!() };
//! assert_eq!(end.output, Value::from(11));
//! # Ok::<(), hotcell::ExecutorError>(()) }).unwrap();
//! ```
//!
//! # Shell commands
//!
//! A [`Sandbox`] runs commands over files of its own, as a shell would, and no process of the machine is started. Attached to an
//! executor it is one world: code has `bash(command)` and sees the same files.
//!
//! ```
//! use hotcell::{Sandbox, SandboxOptions};
//!
//! # pollster::block_on(async {
//! let sandbox = Sandbox::create(SandboxOptions::default().file("n.txt", "3\n1\n2\n"))?;
//! let sorted = sandbox.run("sort n.txt | head -2").await?;
//! assert_eq!(sorted.stdout, b"1\n2\n");
//! # Ok::<(), hotcell::SandboxError>(()) }).unwrap();
//! ```
//!
//! # A second wall
//!
//! For the code of many tenants, [`Isolation::Process`] puts an executor's code, or a sandbox's commands, into a jailed process of its own
//! (Linux). Nothing else changes: tools, files, snapshots and forks go over the boundary, and a process that breaks is an error with a
//! name. A program makes itself its own worker with one line; others install the program `hotcell-worker` beside theirs.
//!
//! ```no_run
//! # #[cfg(target_os = "linux")]
//! fn main() {
//!     hotcell::worker(); // first thing
//!     let options = hotcell::ExecutorOptions::default().isolation(hotcell::Isolation::Process).require_jail(true);
//!     let executor = hotcell::Executor::new(options);
//!     // …
//! }
//! # #[cfg(not(target_os = "linux"))]
//! # fn main() {}
//! ```
//!
//! # What comes of it
//!
//! | of | there is | which says |
//! |---|---|---|
//! | [`Executor::run`] | [`CodeOutput`], or an [`ExecutorError`] | the value, the logs, and whether it is the final answer |
//! | [`Executor::execute`] | [`Execution`] | all of a run, however it ended: value or error, logs, warnings, calls, [`RunStats`] |
//! | [`Executor::start`] | [`Started`] | that the run is complete, or what it waits for |
//! | a call of a tool | [`CallRecord`], with a [`CallOutcome`] | what was called, with what, and how it went |
//! | [`Sandbox::run`] | [`sandbox::RunResult`] | exit code, output, limits that were reached |
//! | a program in a bare cell | [`cell::Outcome`] | its value; [`cell::Stats`] are those of the cell's whole life |
//!
//! [`AgentTool`] is a function for a model: with a description, a schema, a permission. [`cell::Tool`] is one without.
//!
//! # Below and beside it
//!
//! | module | what is there |
//! |---|---|
//! | [`cell`] | the VM itself, for hosts with a contract of their own: [`cell::Engine`], [`cell::Cell`], [`cell::Program`] |
//! | [`prepare`], [`prompt`] | code before it runs, and rules of your own; what the model is told, and its answer taken apart |
//! | [`vfs`], [`tools`] | files without the machine, and six tools on them. [`Executor::enable_file_tools`] hands them to code |
//! | [`sandbox`], [`net`] | all of the sandbox: commands of the host's, mounts, audit; what of the network it may reach |
//! | [`process`], [`shell`], [`utilities`], [`js`], [`wasi`] | what a sandbox is made of |
//! | [`exec`] | WebAssembly guests that start sandboxed programs |
//! | [`json`], [`inspect`] | values for other languages, and for eyes |
//! | [`meter`] | what the host may spend on a guest: time and memory |
//!
//! [`Pool`] has threads for cells, for a program that has no executor of futures or none that may be kept busy.
//!
//! Without the feature `sandbox` there are executors and what they need, and with it no compiler is built for WebAssembly programs;
//! `exec` adds the guests. Both are on.
//!
//! What is promised, what is not, and which layer holds it: `SECURITY.md`. How it works: `ARCHITECTURE.md`.

#![forbid(unsafe_code)]

// What values, tools and options are made of, in cells and executors alike.
pub use hotcell_cell::{
    AnswerFuture, Arguments, BigInt, BuildId, CancelToken, Clock, ConvertError, ErrorValue, Level,
    MAX_DEPTH, Origin, Pool, Random, Reply, ReplyFuture, SnapshotError, SnapshotKey, Text, Timers,
    ToolCall, ToolError, TraceParent, TraceParentError, Value, View, ViewKind, decimal, from_value,
    to_value,
};
// All of it: an executor is what most come for.
pub use hotcell_executor::*;
// With sandboxes a worker can be one of theirs, too.
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub use hotcell_sandbox::worker;
#[cfg(feature = "sandbox")]
pub use hotcell_sandbox::{Sandbox, SandboxError, SandboxOptions};

#[doc(inline)]
pub use {
    hotcell_cell as cell, hotcell_meter as meter, hotcell_prepare as prepare,
    hotcell_prompt as prompt, hotcell_tools as tools, hotcell_vfs as vfs,
};

#[cfg(feature = "exec")]
#[doc(inline)]
pub use hotcell_exec as exec;
#[cfg(feature = "sandbox")]
#[doc(inline)]
pub use {
    hotcell_js as js, hotcell_net as net, hotcell_process as process, hotcell_sandbox as sandbox,
    hotcell_shell as shell, hotcell_utilities as utilities, hotcell_wasi as wasi,
};
