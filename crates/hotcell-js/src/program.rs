//! `js` itself.

use std::io;

use hotcell_executor::shared_engine;
use hotcell_process::{Process, Program};

use crate::{command, options::JsOptions, run::run};

/// The program. Its cells come from the engine that executors have, too.
pub(crate) struct Js {
    options: JsOptions,
}

impl Js {
    pub(crate) fn new(options: JsOptions) -> Self {
        Self { options }
    }
}

impl Program for Js {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let command = match command::read(process) {
            Ok(command) => command,
            Err(code) => return Ok(code),
        };
        match shared_engine() {
            Ok(engine) => run(process, &engine, &self.options, &command),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}
