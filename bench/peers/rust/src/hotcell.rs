//! hotcell, through its crate.

use hotcell::{AgentTool, Executor, ExecutorOptions, ToolCall, json::to_json};
use pollster::block_on;
use serde_json::{Value, json};

use crate::peer::{About, Peer, Request, Tools};

pub(crate) struct Hotcell(Executor);

impl Peer for Hotcell {
    fn about() -> About {
        About {
            title: "hotcell",
            version: env!("CARGO_PKG_VERSION").into(),
            lacks: json!({}),
        }
    }

    fn create(request: &Request) -> Self {
        let options = ExecutorOptions::default()
            .timeout(request.timeout())
            .max_operations(request.operations)
            .memory_limit(request.memory_mb << 20);
        let executor = Executor::new(options);
        block_on(async {
            executor.init().await.unwrap();
            match &request.tools {
                Some(Tools::Async) => {
                    let tool = AgentTool::asynchronous(|call| async move { Ok(next(&call)) });
                    executor.send_tools([("tool", tool)]).await.unwrap();
                }
                Some(Tools::Sync) => {
                    let tool = AgentTool::sync(|call| Ok(next(&call)));
                    executor.send_tools([("stool", tool)]).await.unwrap();
                }
                None => {}
            }
        });
        Self(executor)
    }

    fn run(&mut self, code: &str) -> Result<Value, String> {
        match block_on(self.0.run(code)) {
            Ok(output) => Ok(to_json(&output.output)),
            Err(error) => Err(format!("{}: {error}", error.code)),
        }
    }
}

fn next(call: &ToolCall) -> hotcell::Value {
    hotcell::Value::from(call.argument(0).as_f64().unwrap_or(f64::NAN) + 1.0)
}
