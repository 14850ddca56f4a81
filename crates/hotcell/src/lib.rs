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
//! # Below and beside it
//!
//! - [`Cell`] is the VM itself, for hosts with a contract of their own: [`Engine`], [`Program`], [`Tool`], [`CellError`].
//! - [`vfs`] and [`tools`]: files without the machine. [`Executor::enable_file_tools`] hands them to code.
//! - [`prepare`]: what happens to code before it runs, and rules of your own. [`prompt`]: what the model is told, and its
//!   answer taken apart. [`json`]: values for other languages.
//! - [`Pool`]: threads for cells, for a program that has no executor of futures or none that may be kept busy.
//!
//! What is promised, what is not, and which layer holds it: `SECURITY.md`. How it works: `ARCHITECTURE.md`.

#![forbid(unsafe_code)]

pub use hotcell_cell::{
    Account, AnswerFuture, Arguments, BigInt, BuildId, Called, CancelToken, Cell, CellError,
    CellOptions, Charge, Clock, ConvertError, Engine, EngineOptions, ErrorValue, Exception, Export,
    ImageError, Import, Interrupter, Level, Line, MAX_DEPTH, Outcome, Outstanding, OverLimit, Pace,
    Pool, Program, Progress, Random, Reply, ReplyFuture, SnapshotError, Source, SourceKind, Stats,
    Stopped, Task, Text, Tool, ToolCall, ToolError, ToolKind, Value, View, ViewKind, Watch,
    WireError, decimal, from_value, to_value,
};
pub use hotcell_executor::{
    AgentTool, Approval, ApprovalRequest, CallOutcome, CallRecord, CodeOutput, Concurrency,
    ContentBody, ContentItem, ErrorCode, ErrorSeverity, Execution, Executor, ExecutorError,
    ExecutorOptions, Files, LogEntry, MemoryStore, Module, ObservationOptions, OptionsError,
    Permission, Run, RunStats, State, Store, StoreFuture, file_tools, inspect, json, schemars,
    signature,
};

#[doc(inline)]
pub use {
    hotcell_prepare as prepare, hotcell_prompt as prompt, hotcell_tools as tools,
    hotcell_vfs as vfs,
};
