//! The executor behind the prompt, and the code that made its state.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hotcell::cell::Engine;
use hotcell::{ErrorCode, Executor, Run, State, inspect::inspect};

use crate::args::CellArgs;
use crate::exit::CliError;
use crate::paint::{Ink, Paint};
use crate::source::Source;
use crate::{print, report, run, setup};

/// What Ctrl-C is about.
static RUNNING: Mutex<Option<Executor>> = Mutex::new(None);

/// Room for what `.fork` sets aside.
const CELLS: u32 = 256;

/// A conversation.
pub(super) struct Live<'a> {
    args: &'a CellArgs,
    pub(super) engine: Engine,
    executor: RefCell<Executor>,
    /// States set aside by `.fork`, to come back to.
    forks: RefCell<Vec<Executor>>,
    /// Code that ran well, for `.save`.
    said: RefCell<Vec<String>>,
    /// What it declared: the engine does not list those names.
    declared: RefCell<BTreeSet<String>>,
    runs: Cell<u32>,
}

impl<'a> Live<'a> {
    pub(super) fn begin(args: &'a CellArgs) -> Result<Self, CliError> {
        let options = setup::options(args)?
            .on_log(run::show_log)
            .on_notify(run::show_progress);
        let engine = setup::engine(CELLS)?;
        let executor = pollster::block_on(setup::executor(&engine, args, options))?;
        // While a line is edited the terminal sends Ctrl-C as a key, so a signal always means the run.
        let _ = ctrlc::set_handler(|| {
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(executor) = &*running {
                executor.cancel();
            }
        });
        Ok(Self {
            args,
            engine,
            executor: RefCell::new(executor),
            forks: RefCell::default(),
            said: RefCell::default(),
            declared: RefCell::default(),
            runs: Cell::new(0),
        })
    }

    pub(super) fn executor(&self) -> Executor {
        self.executor.borrow().clone()
    }

    pub(super) fn declared(&self) -> BTreeSet<String> {
        self.declared.borrow().clone()
    }

    pub(super) fn said(&self) -> String {
        let mut all = self.said.borrow().join("\n");
        all.push('\n');
        all
    }

    /// Runs code and shows what comes of it.
    pub(super) fn run(&self, code: &str) {
        self.runs.set(self.runs.get() + 1);
        let source = Source {
            name: format!("repl-{}", self.runs.get()),
            text: code.to_owned(),
        };
        let executor = self.executor();
        set_running(Some(executor.clone()));
        let execution = pollster::block_on(executor.execute(Run::new(code).name(&*source.name)));
        set_running(None);

        // Also of a run that failed: it keeps what it had come to.
        let declarations = executor.prepare(code).declarations.clone();
        self.declared
            .borrow_mut()
            .extend(declarations.into_iter().map(|one| one.name));
        run::show_content(&execution);
        if let Some(error) = &execution.error {
            report::run_failure(error, &source.name, code);
            if error.code == ErrorCode::Cancelled && executor.state() == State::Ready {
                print::error_line("the run was cancelled; what it had come to is kept");
            }
        } else {
            self.said.borrow_mut().push(code.to_owned());
            run::show_warnings(&execution, &source);
            print::line(inspect(&execution.output, &Paint::stdout()));
        }
        if executor.state() == State::Dirty {
            self.recover(&executor);
        }
    }

    /// After a run that had to be torn out nobody can say what state the cell is in, so there is a new one.
    fn recover(&self, executor: &Executor) {
        let paint = Paint::stderr();
        if pollster::block_on(executor.recover()).is_ok() {
            print::error_line("the run was ended for its time; what it had come to is kept");
            return;
        }
        // Files outlive the cell.
        let files = executor.files();
        let renewed = pollster::block_on(async {
            executor.cleanup().await?;
            executor.init().await?;
            for files in &files {
                executor.enable_files(files).await?;
            }
            setup::send_variables(executor, self.args).await
        });
        match renewed {
            Ok(()) => {
                self.declared.borrow_mut().clear();
                self.said.borrow_mut().clear();
                print::error_line(paint.ink(
                    Ink::Yellow,
                    "the run had to be torn out of the cell (state DIRTY): a fresh cell takes its place, and what was declared is lost",
                ));
            }
            Err(error) => report::failure(&error),
        }
    }

    /// Keeps a twin of this state to come back to. Says how many there are.
    pub(super) fn fork(&self) -> Result<usize, CliError> {
        let twin = pollster::block_on(self.executor().fork())?;
        let mut forks = self.forks.borrow_mut();
        forks.push(twin);
        Ok(forks.len())
    }

    /// Goes back to the last twin. Says how many are left.
    pub(super) fn back(&self) -> Option<usize> {
        let mut forks = self.forks.borrow_mut();
        *self.executor.borrow_mut() = forks.pop()?;
        Some(forks.len())
    }

    pub(super) fn snapshot(&self, path: &Path) -> Result<(), CliError> {
        pollster::block_on(run::write_snapshot(&self.executor(), path))
    }
}

fn set_running(executor: Option<Executor>) {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = executor;
}
