//! hotcell, through its crate.

use std::sync::LazyLock;

use hotcell::{Cell, CellOptions, Engine, Program, Tool};
use pollster::block_on;
use serde_json::{Value, json};

use crate::peer::{About, Peer, Request, Tools};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new().unwrap());

pub(crate) struct Hotcell {
    cell: Cell,
    timeout: std::time::Duration,
}

impl Peer for Hotcell {
    fn about() -> About {
        About {
            title: "hotcell",
            version: env!("CARGO_PKG_VERSION").into(),
            lacks: json!({}),
        }
    }

    fn create(request: &Request) -> Self {
        let mut cell = ENGINE.cell(CellOptions::default()).unwrap();
        match &request.tools {
            Some(Tools::Async) => cell
                .define_tool(
                    "tool",
                    Tool::asynchronous(|call| async move { Ok(hotcell::Value::from(call.argument(0).as_f64().unwrap() + 1.0)) }),
                )
                .unwrap(),
            Some(Tools::Sync) => cell
                .define_tool(
                    "stool",
                    Tool::sync(|call| Ok(hotcell::Value::from(call.argument(0).as_f64().unwrap() + 1.0))),
                )
                .unwrap(),
            None => {}
        }
        Self { cell, timeout: request.timeout() }
    }

    fn run(&mut self, code: &str) -> Result<Value, String> {
        let code = format!("await (async () => {{{code}\n}})()");
        let program = Program::new(&code).timeout(self.timeout);
        let value = block_on(self.cell.evaluate(program)).map_err(|error| error.to_string())?.value;
        Ok(value.as_bool().map_or_else(|| json!(value.as_f64()), |bool| json!(bool)))
    }
}
