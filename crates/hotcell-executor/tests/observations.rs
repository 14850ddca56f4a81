//! What a model reads after code as models write it: each case is a snippet and the whole text that follows it.
//!
//! The cases are in `data/observations/*.txt`. A case begins with `### its name`, then the code, then `--- observation` and the
//! text. `UPDATE_OBSERVATIONS=1` writes the texts anew: read every one that changed, as a model would.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{fmt::Write as _, fs, path::Path, time::Duration};

use hotcell_cell::{ToolError, Value};
use hotcell_executor::{AgentTool, Executor, ExecutorOptions, Files, Module, ObservationOptions};
use pollster::block_on;
use serde_json::json;

struct Case {
    name: String,
    code: String,
    observation: String,
}

fn read(text: &str) -> Vec<Case> {
    let cases = text.split("### ").skip(1);
    cases
        .map(|case| {
            let (name, rest) = case.split_once('\n').unwrap();
            let (code, observation) = rest.split_once("--- observation\n").unwrap_or((rest, ""));
            Case {
                name: name.to_owned(),
                code: code.trim_end().to_owned(),
                observation: observation.trim_end().to_owned(),
            }
        })
        .collect()
}

/// An executor as an agent's host furnishes it.
fn furnished() -> Executor {
    let options = ExecutorOptions::default()
        .max_operations(10_000)
        .timeout(Duration::from_secs(5))
        .memory_limit(16 << 20)
        .max_result_bytes(100_000);
    let executor = Executor::new(options);
    block_on(async {
        executor.init().await.unwrap();
        let prices = Value::array([Value::from(3), Value::from(1), Value::from(2)]);
        let variables = [
            ("prices", prices),
            ("question", Value::from("how much is tea?")),
        ];
        executor.send_variables(variables).await.unwrap();
        let weather = AgentTool::asynchronous(|call| async move {
            match call.argument(0).get("city").and_then(Value::as_str) {
                Some("Atlantis") => Err(ToolError::from("no such city: Atlantis")),
                city => Ok(Value::object([
                    ("city", Value::from(city.unwrap_or("?"))),
                    ("degrees", Value::from(21)),
                ])),
            }
        })
        .description("The weather of a city")
        .parameters(json!({
            "type": "object",
            "properties": { "city": { "type": "string" }, "days": { "type": "integer" } },
            "required": ["city"],
            "additionalProperties": false,
        }));
        let price = AgentTool::asynchronous(|_| async { Ok(Value::from(3)) });
        let read_doc = AgentTool::asynchronous(|_| async { Ok(Value::from("a text")) });
        let tools = [
            ("weather", weather),
            ("price", price),
            ("Host.readDoc", read_doc),
        ];
        executor.send_tools(tools).await.unwrap();
    });
    executor
}

/// An executor with files, modules, and many tools.
fn furnished_with_files() -> Executor {
    let prices = Module::new()
        .function(
            "lookUp",
            AgentTool::asynchronous(|_| async { Ok(Value::from(3)) }),
        )
        .value("currency", "EUR");
    let options = ExecutorOptions::default()
        .max_operations(10_000)
        .authorized_imports(["prices", "sums"])
        .module("prices", prices)
        .module(
            "sums",
            "export const add = (a: number, b: number) => a + b;",
        );
    let executor = Executor::new(options);
    block_on(async {
        executor.init().await.unwrap();
        let files = Files::memory();
        let tools = files.tools();
        tools
            .write_text("rows.csv", "id,name\n1,tea\n2,milk\n".into())
            .unwrap();
        tools
            .write_text("broken.json", "{ tea: 3 }".into())
            .unwrap();
        executor.enable_files(&files).await.unwrap();
        let many = (0..300).map(|n| {
            let tool = AgentTool::asynchronous(|_| async { Ok(Value::Null) });
            let tool = tool.description(format!("Keeps record number {n}"));
            (format!("records.keep{n}"), tool.deferred())
        });
        executor.send_tools(many).await.unwrap();
        let invoice = AgentTool::asynchronous(|_| async { Ok(Value::from("sent")) })
            .description("Sends an invoice to a customer")
            .parameters(json!({
                "type": "object",
                "properties": { "customer": { "type": "string" } },
                "required": ["customer"],
            }))
            .deferred();
        executor
            .send_tools([("billing.sendInvoice", invoice)])
            .await
            .unwrap();
    });
    executor
}

fn check(file: &str) {
    check_with(file, furnished, ObservationOptions::default());
}

fn check_with(file: &str, furnished: fn() -> Executor, options: ObservationOptions) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/observations")
        .join(file);
    let text = fs::read_to_string(&path).unwrap();
    let cases = read(&text);
    let (mut written, mut wrong) = (String::new(), String::new());
    for case in &cases {
        let executor = furnished();
        let got = block_on(executor.execute(&*case.code)).observation(&options);
        // Whether a call that nobody awaits is answered before the run fails is for threads to say.
        let got = got.replace("had no answer yet", "returned");
        let Case {
            name,
            code,
            observation,
        } = case;
        let _ = write!(written, "### {name}\n{code}\n--- observation\n{got}\n\n");
        if got != *observation {
            let _ = writeln!(
                wrong,
                "### {name}\n{code}\n--- expected\n{observation}\n--- got\n{got}\n"
            );
        }
    }
    if std::env::var_os("UPDATE_OBSERVATIONS").is_some() {
        fs::write(&path, written.trim_end().to_owned() + "\n").unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_other_hosts_have_and_a_cell_does_not() {
    check("other-hosts.txt");
}

#[test]
fn mistakes_with_tools() {
    check("tools.txt");
}

#[test]
fn mistakes_of_the_language() {
    check("language.txt");
}

#[test]
fn code_as_models_write_it_today() {
    check("today.txt");
}

#[test]
fn limits_that_were_reached() {
    let short = ObservationOptions::default().max_characters(1000);
    check_with("limits.txt", furnished, short);
}

#[test]
fn steps_that_went_well() {
    check("success.txt");
}

#[test]
fn mistakes_with_files() {
    let options = ObservationOptions::default();
    check_with("files.txt", furnished_with_files, options);
}

#[test]
fn modules_and_tools_that_are_not_declared() {
    let options = ObservationOptions::default();
    check_with("modules.txt", furnished_with_files, options);
}

#[test]
fn an_observation_fits_its_budget_and_says_what_was_cut() {
    let executor = furnished();
    let step = block_on(
        executor
            .execute("for (let i = 0; i < 500; i++) console.log('line ' + i); 'x'.repeat(5000)"),
    );
    for most in [200, 1000, 3000, 100_000] {
        let options = ObservationOptions::default().max_characters(most);
        let text = step.observation(&options);
        assert!(text.chars().count() <= most, "{most}\n{text}");
        assert_eq!(text.contains("left out"), most < 10_000, "{most}\n{text}");
        assert!(text.contains("line 0"), "{text}");
    }
}
