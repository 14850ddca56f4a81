//! A cell in the life of a process.

use std::{
    io,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use futures_channel::oneshot;
use hotcell_cell::{Cell, CellError, CellOptions, Engine, Level, Outcome, Program, Value};
use hotcell_meter::Stopped;
use hotcell_prepare::{Diagnostic, PrepareOptions, prepare_program_watched, rule};
use hotcell_process::Process;
use hotcell_vfs::{VfsPath, VfsPathBuf};

use crate::{
    bytes::text_of,
    command::Command,
    files::operate,
    modules::Modules,
    options::JsOptions,
    report,
    requests::{Answer, LATER, Request, Requests, TOOL},
};

/// What the code finds when it begins. Its value tells the modules that it made.
const PRELUDE: &str = concat!(
    "(() => {\n",
    include_str!("guest/host.js"),
    include_str!("guest/path.js"),
    include_str!("guest/fs.js"),
    include_str!("guest/timers.js"),
    include_str!("guest/process.js"),
    include_str!("guest/require.js"),
    include_str!("guest/install.js"),
    "})()"
);

/// Waits for what the code started and did not wait for, and tells the exit code.
const SETTLE: &str = "await __js_settle()";

/// The process ends the code, and nothing else does.
const NO_TIMEOUT: Duration = Duration::from_hours(7 * 24);

/// Less than this no cell can do anything with.
const LEAST_MEMORY: usize = 8 << 20;

/// Rules that are about other hosts: here these things exist, or fail where they are used.
const NOT_HERE: [&str; 3] = [
    rule::IMPORT_ALLOWED,
    rule::STATIC_IMPORT,
    rule::FORBIDDEN_GLOBAL,
];

/// Runs the code of a command; returns its exit code.
pub(crate) fn run(
    process: &Process,
    engine: &Engine,
    options: &JsOptions,
    command: &Command,
) -> io::Result<i32> {
    let Some(code) = prepare(process, command)? else {
        return Ok(1);
    };
    let account = process.account();
    let left = account.limit().saturating_sub(account.used());
    let memory = options.memory_limit.min(left / 2).max(LEAST_MEMORY);
    let _charge = process.charge(memory)?;

    let requests = Requests::default();
    let (to_print, printing) = (requests.clone(), account.clone());
    let main = code
        .is_module
        .then(|| (command.name.clone(), code.text.clone()));
    let modules = Modules::new(process.vfs().clone(), directory(process, command), main);
    let imports = modules.clone();
    let cell_options = CellOptions::default()
        .memory_limit(memory as u64)
        .max_value_bytes(memory)
        .timeout(NO_TIMEOUT)
        .clock(options.clock)
        .random(options.random)
        .account(account.clone())
        .on_console(move |line| to_print.print(line, &printing))
        .on_import(move |import| imports.find(import).map(Into::into));
    let mut cell = engine.cell(cell_options).map_err(other)?;
    let tools = [(TOOL, requests.tool()), (LATER, requests.later())];
    cell.define_tools(tools).map_err(other)?;
    let given = given(process, command);
    let given = given.iter().map(|(name, value)| (*name, value));
    cell.set_variables(given).map_err(other)?;

    let mut session = Session {
        process,
        requests,
        sleepers: Vec::new(),
    };
    let prelude = Program::new(PRELUDE).name("js:prelude");
    let made = session.evaluate(&mut cell, prelude)?.map_err(other)?;
    modules.know(&made.value);
    let start = format!("await import({:?})", command.name);
    let program = if code.is_module {
        Program::new(&start).name("js:start")
    } else {
        Program::new(&code.text).name(&command.name)
    };
    let ended = session.evaluate(&mut cell, program)?;
    let rejections = cell.take_unhandled_rejections();
    let ended = ended.and_then(|outcome| {
        if command.prints {
            cell.set_variable("__js_value", &outcome.value)?;
        }
        Ok(outcome)
    });
    if ended.is_ok() && command.prints {
        let print = Program::new("console.log(__js_value)").name("js:print");
        session.evaluate(&mut cell, print)?.map_err(other)?;
    }
    let settled = match ended {
        Ok(outcome) => session.settle(&mut cell, outcome.unhandled_rejections)?,
        // It returned something at its top level, which nobody asked for.
        Err(CellError::Uncloneable { .. }) if !command.prints => {
            session.settle(&mut cell, rejections)?
        }
        Err(error) => {
            session.print_rejections(&rejections)?;
            Err(error)
        }
    };
    match settled {
        Ok(code) => Ok(code),
        Err(error) => {
            session.print(Level::Error, &report::failed(&error))?;
            Ok(1)
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn other(error: CellError) -> io::Error {
    io::Error::other(error.to_string())
}

/// Code that can run.
struct Code {
    text: String,
    is_module: bool,
}

/// `None` if there is something wrong with it, which was told.
fn prepare(process: &Process, command: &Command) -> io::Result<Option<Code>> {
    let options = PrepareOptions::default();
    let prepared = match prepare_program_watched(&command.code, &options, process.stop_token()) {
        Ok(prepared) => prepared,
        Err(Stopped::Deadline | Stopped::Cancelled) => {
            // The process is about to be stopped.
            process.give_way();
            return Ok(None);
        }
    };
    let is_empty = |one: &Diagnostic| one.rule == rule::CODE_NON_EMPTY;
    if prepared.diagnostics.iter().any(is_empty) {
        return Ok(Some(Code {
            text: String::new(),
            is_module: false,
        }));
    }
    let errors = prepared.diagnostics.iter().filter(|one| one.is_error());
    let wrong: Vec<_> = errors
        .filter(|one| !NOT_HERE.contains(&&*one.rule))
        .collect();
    if !wrong.is_empty() {
        let text = report::refused(command, &wrong);
        let stderr = process.descriptor(2)?;
        process.write_all(&stderr, text.as_bytes())?;
        return Ok(None);
    }
    let is_static = |one: &Diagnostic| one.rule == rule::STATIC_IMPORT;
    let mut text = prepared.transformed.to_string();
    if !command.prints {
        // Nobody asks for its value, which may be one that cannot leave the cell.
        text.push_str("\n;undefined");
    }
    Ok(Some(Code {
        text,
        is_module: prepared.diagnostics.iter().any(is_static),
    }))
}

/// Where the file is that the code stands in; the working directory, if it stands in none.
fn directory(process: &Process, command: &Command) -> VfsPathBuf {
    let file = VfsPath::new(&command.name);
    match file.parent() {
        Some(parent) if command.name.starts_with('/') => parent.to_owned(),
        _ => process.cwd().to_owned(),
    }
}

/// What the code is told of its process.
fn given(process: &Process, command: &Command) -> [(&'static str, Value); 4] {
    let arguments = command.arguments.iter().map(|text| text_of(text));
    let environment = process.environment();
    let environment = environment
        .iter()
        .map(|(name, value)| (name.to_string(), text_of(value)));
    let directory = text_of(directory(process, command).as_bytes());
    [
        ("__js_arguments", Value::array(arguments)),
        ("__js_environment", Value::object(environment)),
        ("__js_directory", directory),
        ("__js_pid", Value::from(f64::from(process.pid().0))),
    ]
}

/// What happened while the code was waited for.
enum Event {
    Ended(Result<Outcome, CellError>),
    Asked(Request),
}

struct Session<'p> {
    process: &'p Process,
    requests: Requests,
    sleepers: Vec<(Instant, oneshot::Sender<Answer>)>,
}

impl Session<'_> {
    /// Runs a program to its end, and does for it what it asks for.
    fn evaluate(
        &mut self,
        cell: &mut Cell,
        program: Program<'_>,
    ) -> io::Result<Result<Outcome, CellError>> {
        let mut running = pin!(cell.evaluate(program));
        loop {
            let requests = self.requests.clone();
            let mut poll = |waker: &Waker| {
                if let Some(request) = requests.next() {
                    return Poll::Ready(Event::Asked(request));
                }
                match running.as_mut().poll(&mut Context::from_waker(waker)) {
                    Poll::Ready(ended) => Poll::Ready(Event::Ended(ended)),
                    Poll::Pending => match requests.next() {
                        Some(request) => Poll::Ready(Event::Asked(request)),
                        None => Poll::Pending,
                    },
                }
            };
            let waker = self.process.waker();
            let event = match self.sleepers.iter().map(|(until, _)| *until).min() {
                Some(until) => self.process.until(until, || poll(waker)),
                None => Poll::Ready(self.process.block_on_poll(&mut poll)),
            };
            match event {
                Poll::Ready(Event::Asked(request)) => self.serve(request)?,
                Poll::Ready(Event::Ended(ended)) => {
                    while let Some(request) = self.requests.next() {
                        self.serve(request)?;
                    }
                    return Ok(ended);
                }
                Poll::Pending => {}
            }
            self.wake();
        }
    }

    /// The exit code, when everything has come to an end that the code started.
    fn settle(
        &mut self,
        cell: &mut Cell,
        mut rejections: Vec<String>,
    ) -> io::Result<Result<i32, CellError>> {
        let settled = match self.evaluate(cell, Program::new(SETTLE).name("js:settle"))? {
            Ok(settled) => settled,
            Err(error) => return Ok(Err(error)),
        };
        rejections.extend(settled.unhandled_rejections);
        self.print_rejections(&rejections)?;
        if !rejections.is_empty() {
            return Ok(Ok(1));
        }
        let code = settled.value.as_f64().unwrap_or(0.0);
        #[expect(clippy::cast_possible_truncation, reason = "an exit code has one byte")]
        let code = code as i64 & 0xff;
        Ok(Ok(i32::try_from(code).unwrap_or(1)))
    }

    fn print_rejections(&self, rejections: &[String]) -> io::Result<()> {
        for rejection in rejections {
            self.print(
                Level::Error,
                &format!("Uncaught (in promise) {rejection}\n"),
            )?;
        }
        Ok(())
    }

    fn serve(&mut self, request: Request) -> io::Result<()> {
        match request {
            Request::Print { level, line, .. } => self.print(level, &line)?,
            Request::Call { call, answer } => {
                // Whoever asked may have gone.
                let _ = answer.send(operate(self.process, &call));
            }
            Request::Sleep { until, answer } => self.sleepers.push((until, answer)),
        }
        Ok(())
    }

    fn print(&self, level: Level, line: &str) -> io::Result<()> {
        let fd = match level {
            Level::Log | Level::Info => 1,
            Level::Warn | Level::Error => 2,
        };
        let stream = self.process.descriptor(fd)?;
        self.process.write_all(&stream, line.as_bytes())
    }

    /// Answers those whose time has come, in the order of their times.
    fn wake(&mut self) {
        let now = Instant::now();
        self.sleepers.sort_by_key(|(until, _)| *until);
        let due = self.sleepers.partition_point(|(until, _)| *until <= now);
        for (_, sleeper) in self.sleepers.drain(..due) {
            let _ = sleeper.send(Ok(Value::Undefined));
        }
    }
}
