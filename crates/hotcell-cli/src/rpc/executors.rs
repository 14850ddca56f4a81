//! The methods of executors.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell::json::{from_json, to_text};
use hotcell::meter::{StopToken, Stopped, Watch};
use hotcell::prepare::Diagnostic;
use hotcell::sandbox::Sandbox;
use hotcell::{
    CallRecord, ContentItem, Execution, Executor, ExecutorOptions, LogEntry, Module, Run, RunStats,
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value as Json, json};

use super::batch::Responder;
use super::entry::Entry;
use super::error::RpcError;
use super::message::{Reply, result};
use super::params::params;
use super::remote::Remote;
use super::sandbox;
use super::session::Session;
use super::texts;
use super::tools::{ToolParams, remote};

/// Params of methods that take nothing but the executor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Only {
    #[serde(rename = "executor")]
    _executor: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(default)]
    options: Json,
    #[serde(default)]
    modules: Modules,
}

/// Modules by name.
pub(super) type Modules = BTreeMap<String, ModuleParams>;

/// A module: its source, or functions of the client's and values.
pub(super) enum ModuleParams {
    Source(String),
    Host(HostModule),
}

impl<'de> Deserialize<'de> for ModuleParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(source) => Ok(Self::Source(source)),
            module @ Json::Object(_) => serde_json::from_value(module)
                .map(Self::Host)
                .map_err(D::Error::custom),
            other => Err(D::Error::custom(format_args!(
                "a module is a string, its source, or an object of functions and values, not {other}"
            ))),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostModule {
    #[serde(default)]
    functions: Vec<ToolParams>,
    #[serde(default)]
    values: Map<String, Json>,
}

impl ModuleParams {
    fn module(&self, name: &str, client: &Remote) -> Result<Module, RpcError> {
        let HostModule { functions, values } = match self {
            Self::Source(source) => return Ok(Module::source(source)),
            Self::Host(module) => module,
        };
        let mut module = Module::new();
        for function in functions {
            module = module.function(&*function.name, remote(function, client));
        }
        for (export, json) in values {
            let value = from_json(json).map_err(|error| {
                let place = format!("modules.{name}.values.{export}");
                RpcError::params(error.within(place).to_string())
            })?;
            module = module.value(export, value);
        }
        Ok(module)
    }
}

/// Options with these modules, and with the client to ask for approval, to tell of progress, and to store values.
fn furnished(
    session: &Session,
    mut options: ExecutorOptions,
    modules: &Modules,
    client: &Remote,
) -> Result<ExecutorOptions, RpcError> {
    for (name, module) in modules {
        options = options.module(name, module.module(name, client)?);
    }
    if options.has_store() {
        options = options.store(client.clone());
    }
    let teller = client.clone();
    let options = options.on_notify(move |text| teller.notify(text));
    let (client, pool) = (client.clone(), Arc::clone(&session.pool));
    let options = options.spawner(move |run| pool.spawn(run).detach());
    Ok(options.on_approval(move |request| client.clone().approve(request)))
}

pub(super) async fn create(session: Arc<Session>, given: Json) -> Reply {
    let Create { options, modules } = params(given)?;
    let client = Remote::new(&session.calls);
    let options = furnished(&session, options_of(&session, &options)?, &modules, &client)?;
    let executor = Executor::with_engine(&session.engine, options);
    let entry = session.adopt(|id| Entry::new(id, executor, client, Arc::new(modules)));
    result(&made(&entry))
}

pub(super) fn options_of(session: &Session, json: &Json) -> Result<ExecutorOptions, RpcError> {
    let options = match json {
        Json::Null => ExecutorOptions::default(),
        json => {
            ExecutorOptions::from_json(json).map_err(|error| RpcError::params(error.to_string()))?
        }
    };
    Ok(match session.isolation(json)? {
        Some(isolation) => isolation.of_executor(options),
        None => options,
    })
}

fn made(entry: &Entry) -> Json {
    json!({"executor": entry.id, "state": entry.executor.state().as_str()})
}

pub(super) fn state_of(entry: &Entry) -> Json {
    json!({"state": entry.executor.state().as_str()})
}

pub(super) async fn init(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.init().await?;
    result(&state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SendVariables {
    #[serde(rename = "executor")]
    _executor: String,
    variables: Map<String, Json>,
}

pub(super) async fn send_variables(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let SendVariables { variables, .. } = params(given)?;
    let mut values = Vec::with_capacity(variables.len());
    for (name, json) in &variables {
        let value = from_json(json).map_err(|error| {
            RpcError::params(error.within(format!("variables.{name}")).to_string())
        })?;
        values.push((name.clone(), value));
    }
    entry.executor.send_variables(values).await?;
    result(&state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SendTools {
    #[serde(rename = "executor")]
    _executor: String,
    tools: Vec<ToolParams>,
}

pub(super) async fn send_tools(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let SendTools { tools, .. } = params(given)?;
    connect(&entry, &tools).await?;
    let mut known = entry.tools();
    known.retain(|old| !tools.iter().any(|new| new.name == old.name));
    known.extend(tools);
    drop(known);
    result(&state_of(&entry))
}

async fn connect(entry: &Entry, tools: &[ToolParams]) -> Result<(), RpcError> {
    let remote = tools
        .iter()
        .map(|tool| (tool.name.clone(), remote(tool, &entry.client)));
    entry.executor.send_tools(remote).await?;
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunParams {
    #[serde(rename = "executor")]
    _executor: String,
    code: String,
    #[serde(rename = "timeoutMs", default)]
    timeout: Timeout,
    #[serde(rename = "cpuTimeMs", default)]
    cpu_time_ms: Option<f64>,
    #[serde(default)]
    name: Option<String>,
    #[serde(rename = "callFunction", default)]
    call_function: bool,
}

/// How long a run may take.
#[derive(Default)]
enum Timeout {
    /// It was not said.
    #[default]
    Usual,
    /// As long as it likes: `null`.
    None,
    Ms(f64),
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ms = Option::deserialize(deserializer)?;
        Ok(ms.map_or(Self::None, Self::Ms))
    }
}

/// Those of `executor.start`: the same, and more.
pub(super) struct StartParams {
    pub(super) run: RunParams,
    pub(super) yield_after_ms: Option<f64>,
    pub(super) traceparent: Option<String>,
}

impl<'de> Deserialize<'de> for StartParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut given = Map::deserialize(deserializer)?;
        let mut take = |name: &str| given.remove(name).unwrap_or_default();
        let yield_after_ms = take("yieldAfterMs");
        let traceparent = take("traceparent");
        let custom = D::Error::custom;
        Ok(Self {
            yield_after_ms: serde_json::from_value(yield_after_ms).map_err(custom)?,
            traceparent: serde_json::from_value(traceparent).map_err(D::Error::custom)?,
            run: serde_json::from_value(Json::Object(given)).map_err(D::Error::custom)?,
        })
    }
}

/// Answers before the next run in line begins, so that answers come in the order of the line.
pub(super) async fn run(
    session: Arc<Session>,
    entry: Arc<Entry>,
    given: Json,
    responder: Responder,
) {
    let run = match params(given).and_then(run_of) {
        Ok(run) => run,
        Err(error) => return responder.send(Err(error)),
    };
    let answer = |execution: Execution, watch: &dyn Watch| {
        responder.send(output_of(execution, watch));
    };
    let may_tell = session.room_for_answer();
    entry.executor.execute_when(run, may_tell, answer).await;
}

pub(super) fn run_of(given: RunParams) -> Result<Run, RpcError> {
    let RunParams {
        code,
        timeout,
        cpu_time_ms,
        name,
        call_function,
        ..
    } = given;
    let mut run = Run::new(code);
    if let Some(name) = name {
        run = run.name(name);
    }
    if call_function {
        run = run.calls_function();
    }
    match timeout {
        Timeout::Usual => {}
        Timeout::None => run = run.timeout(None),
        Timeout::Ms(ms) => run = run.timeout(time_of("timeoutMs", ms)?),
    }
    if let Some(ms) = cpu_time_ms {
        run = run.cpu_time(time_of("cpuTimeMs", ms)?);
    }
    Ok(run)
}

fn time_of(name: &str, ms: f64) -> Result<Duration, RpcError> {
    let time = Duration::try_from_secs_f64(ms / 1000.0);
    let time = time.ok().filter(|_| ms >= 1.0);
    time.ok_or_else(|| RpcError::params(format!("{name} must be a number of at least 1")))
}

/// What the result of a run has beside its output.
#[derive(Serialize)]
struct Rest<'a> {
    logs: &'a str,
    is_final_answer: bool,
    entries: &'a [LogEntry],
    content: &'a [ContentItem],
    diagnostics: &'a [Diagnostic],
    stats: &'a RunStats,
    calls: &'a [CallRecord],
}

pub(super) fn output_of(execution: Execution, watch: &dyn Watch) -> Reply {
    let execution = match execution.error {
        Some(error) => return Err(error.into()),
        None => execution,
    };
    let rest = result(&Rest {
        logs: &execution.logs,
        is_final_answer: execution.is_final_answer,
        entries: &execution.entries,
        content: &execution.content,
        diagnostics: &execution.diagnostics,
        stats: &execution.stats,
        calls: &execution.calls,
    })?;
    match to_text(&execution.output, watch) {
        // One object, written in two parts; the output may be large, and is not copied.
        Ok(mut output) => {
            output.insert_str(0, r#"{"output":"#);
            output.push(',');
            output.push_str(&rest[1..]);
            Ok(output)
        }
        Err(stopped) => Err(execution.stopped(stopped).into()),
    }
}

pub(super) async fn state(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let (state, queued) = (entry.executor.state(), entry.executor.queued());
    result(&json!({"state": state.as_str(), "queued": queued}))
}

pub(super) async fn cancel(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cancel();
    result(&json!({}))
}

pub(super) async fn recover(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.recover().await?;
    result(&state_of(&entry))
}

pub(super) async fn cleanup(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cleanup().await?;
    entry.tools().clear();
    result(&state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    #[serde(rename = "executor")]
    _executor: String,
    base: Option<String>,
}

pub(super) async fn snapshot(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let Snapshot { base, .. } = params(given)?;
    let executor = &entry.executor;
    let snapshot = match base {
        None => executor.snapshot().await?,
        Some(base) => executor.snapshot_since(&decoded("base", &base)?).await?,
    };
    result(&json!({"snapshot": STANDARD.encode(snapshot)}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    snapshot: String,
    /// What it was taken against, if it is not whole.
    base: Option<String>,
    #[serde(default)]
    options: Json,
    #[serde(default)]
    modules: Modules,
    /// For the sandbox that was attached to it, if there was one.
    #[serde(rename = "sandboxOptions", default)]
    sandbox_options: Json,
}

pub(super) async fn restore(session: Arc<Session>, given: Json) -> Reply {
    let Restore {
        snapshot,
        base,
        options,
        modules,
        sandbox_options,
    } = params(given)?;
    let restorer = Sandbox::restorer(sandbox::options_of(&session, sandbox_options)?);
    let bytes = decoded("snapshot", &snapshot)?;
    let base = base.map(|base| decoded("base", &base)).transpose()?;
    let client = Remote::new(&session.calls);
    let options = furnished(&session, options_of(&session, &options)?, &modules, &client)?
        .on_companion(restorer);
    let executor = match base {
        None => Executor::restore_with_engine(&session.engine, &bytes, Some(options)),
        Some(base) => {
            Executor::restore_since_with_engine(&session.engine, &bytes, &base, Some(options))
        }
    }?;
    let entry = session.adopt(|id| Entry::new(id, executor, client, Arc::new(modules)));
    result(&made(&entry))
}

/// Bytes that came as text.
pub(super) fn decoded(name: &str, text: &str) -> Result<Vec<u8>, RpcError> {
    let bytes = STANDARD.decode(text);
    bytes.map_err(|error| RpcError::params(format!("{name} is not base64: {error}")))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Validate {
    #[serde(rename = "executor")]
    _executor: String,
    code: String,
}

pub(super) async fn validate(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let Validate { code, .. } = params(given)?;
    let looked = session.lane.spawn(async move {
        let watch = time_to_look();
        let found = entry.executor.validate_watched(&code, &watch);
        let found = found.map_err(too_long)?;
        result(&json!({ "diagnostics": found }))
    });
    looked.await
}

/// How long a look at code may take that nobody runs.
const TIME_TO_LOOK: Duration = Duration::from_secs(10);

pub(super) fn time_to_look() -> StopToken {
    StopToken::until(Instant::now() + TIME_TO_LOOK)
}

pub(super) fn too_long(_: Stopped) -> RpcError {
    RpcError::params(format!(
        "the code could not be looked at within {TIME_TO_LOOK:?}: send less of it"
    ))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RenderPrompt {
    #[serde(rename = "executor")]
    _executor: String,
    #[serde(default)]
    context: Map<String, Json>,
    template: Option<String>,
}

/// The system prompt for a model that writes code for this executor. What the context does not say comes from there.
pub(super) async fn render_prompt(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let RenderPrompt {
        mut context,
        template,
        ..
    } = params(given)?;
    let executor = &entry.executor;
    let options = executor.options().to_json();
    let mut fill = |key: &str, value: Json| {
        context.entry(key).or_insert(value);
    };
    fill("tools", json!(executor.tools()));
    fill("modules", json!(executor.modules()));
    fill("authorizedImports", options["authorizedImports"].clone());
    fill("clock", json!(options["clock"] != "none"));
    fill("random", json!(options["random"] != "none"));
    fill("timers", json!(options["timers"] != false));
    let limits = context.entry("limits").or_insert_with(|| json!({}));
    if let Json::Object(limits) = limits {
        for key in ["maxOperations", "timeoutMs", "cpuTimeMs", "maxLogBytes"] {
            // A limit that there is not is told, too.
            let Some(value) = options[key].as_f64() else {
                limits.entry(key).or_insert(Json::Null);
                continue;
            };
            // A time may have a fraction, and a prompt has none.
            let value = value.ceil();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "limits are not negative"
            )]
            limits.entry(key).or_insert_with(|| json!(value as u64));
        }
    }
    texts::rendered(&params(Json::Object(context))?, template.as_deref())
}

/// What was sent, for `renderPrompt`.
pub(super) async fn tools(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    result(&json!({ "tools": entry.executor.tools() }))
}

/// The tools of a sandbox, which forks and snapshots of the executor take along.
pub(super) async fn attach_sandbox(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let sandbox = session.sandbox(&given)?;
    let AttachSandbox { .. } = params(given)?;
    entry
        .executor
        .attach(Arc::new(sandbox.sandbox.clone()))
        .await?;
    result(&state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttachSandbox {
    #[serde(rename = "executor")]
    _executor: String,
    #[serde(rename = "sandbox")]
    _sandbox: String,
}

pub(super) async fn fork(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let client = Remote::new(&session.calls);
    let options = entry.executor.options().clone();
    let options = furnished(&session, options, &entry.modules, &client)?;
    let twin = entry.executor.fork_with(options).await?;
    let tools = entry.tools().clone();
    let twin = session.adopt(|id| Entry::new(id, twin, client, Arc::clone(&entry.modules)));
    // Its tools have to say who calls.
    if let Err(error) = connect(&twin, &tools).await {
        session.forget(&twin.id);
        return Err(error);
    }
    *twin.tools() = tools;
    result(&made(&twin))
}

/// Forgets the executor; a run under way is called off.
pub(super) async fn dispose(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    session.forget(&entry.id);
    entry.executor.cancel();
    result(&json!({}))
}
