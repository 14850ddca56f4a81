//! Tools by the hundred: not declared, but found.

use hotcell_cell::Value;
use hotcell_executor::{AgentTool, Executor};
use hotcell_prompt::{PromptContext, render_system_prompt};
use pollster::block_on;
use serde_json::json;

use crate::support::{fail as fails, value as run};

fn many() -> Vec<(String, AgentTool)> {
    let make = |what: &str| {
        let answer = what.to_owned();
        AgentTool::asynchronous(move |_| {
            let answer = answer.clone();
            async move { Ok(Value::from(answer)) }
        })
        .description(format!("Does what is said of {what}. More of it."))
        .parameters(json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }))
        .deferred()
    };
    let mut tools: Vec<_> = (0..498)
        .map(|n| (format!("thing{n}.act"), make(&format!("thing {n}"))))
        .collect();
    let invoice =
        make("an invoice").description("Sends an invoice to a customer. It must be approved.");
    tools.push(("billing.sendInvoice".to_owned(), invoice));
    let plain = AgentTool::sync(|_| Ok(Value::from(1))).description("Is declared");
    tools.push(("plain".to_owned(), plain));
    tools
}

fn ready() -> Executor {
    let executor = Executor::new(crate::options());
    block_on(async {
        executor.init().await.unwrap();
        executor.send_tools(many()).await.unwrap();
    });
    executor
}

#[test]
fn a_prompt_with_500_tools_is_short_and_says_how_to_find_them() {
    let executor = ready();
    let prompt = |tools| {
        let context = PromptContext {
            tools,
            ..PromptContext::default()
        };
        render_system_prompt(&context).unwrap()
    };
    let (with, without) = (prompt(executor.tools()), prompt(Vec::new()));
    assert!(with.contains("declare function plain("), "{with}");
    assert!(
        with.contains("declare function searchTools(query: string"),
        "{with}"
    );
    assert!(with.contains("There are 499 more tools"), "{with}");
    assert!(with.contains("billing: 1"), "{with}");
    assert!(with.len() < without.len() + 15_000, "{}", with.len());
}

#[test]
fn code_finds_a_tool_reads_its_declaration_and_calls_it() {
    let executor = ready();
    let found = run(&executor, "searchTools('send invoices to a customer')[0]");
    assert_eq!(
        found,
        Value::object([
            ("name", Value::from("billing.sendInvoice")),
            ("summary", Value::from("Sends an invoice to a customer.")),
            (
                "signature",
                Value::from("billing.sendInvoice(args: { id: string }): Promise<unknown>")
            ),
        ])
    );
    let text = run(&executor, "describeTool('billing.sendInvoice')");
    assert_eq!(
        text.as_str(),
        Some(
            "declare namespace billing {\n  /** Sends an invoice to a customer. It must be approved. */\n  function sendInvoice(args: { id: string }): Promise<unknown>;\n}"
        )
    );
    assert_eq!(
        run(&executor, "await billing.sendInvoice({ id: '1' })"),
        Value::from("an invoice")
    );
    assert_eq!(
        run(&executor, "searchTools('thing', 3).length"),
        Value::from(3)
    );
    assert_eq!(run(&executor, "searchTools('').length"), Value::from(8));
    assert_eq!(
        run(&executor, "searchTools('zebra').length"),
        Value::from(0)
    );
}

#[test]
fn a_name_that_is_none_leads_to_the_search() {
    let executor = ready();
    let error = fails(&executor, "describeTool('billing.sendInvoices')");
    assert!(
        error
            .message
            .contains("did you mean \"billing.sendInvoice\"?"),
        "{error}"
    );
    let error = fails(&executor, "await translate('hello')");
    assert!(
        error
            .hint()
            .unwrap()
            .contains("499 more are found by searchTools(\"words\")"),
        "{error}"
    );
    let error = fails(&executor, "await billing.sendInvoce({ id: '1' })");
    assert!(
        error
            .hint()
            .unwrap()
            .contains("did you mean `billing.sendInvoice`?"),
        "{error}"
    );
}

#[test]
fn a_fork_finds_its_own_tools() {
    let executor = ready();
    let fork = block_on(executor.fork()).unwrap();
    let more = AgentTool::sync(|_| Ok(Value::Null))
        .description("Paints zebras")
        .deferred();
    block_on(fork.send_tools([("paint", more)])).unwrap();
    assert_eq!(
        run(&fork, "searchTools('zebra')[0].name"),
        Value::from("paint")
    );
    assert_eq!(
        run(&executor, "searchTools('zebra').length"),
        Value::from(0)
    );
}

#[test]
fn without_deferred_tools_there_is_nothing_to_search() {
    let executor = Executor::new(crate::options());
    block_on(executor.init()).unwrap();
    assert_eq!(
        run(&executor, "typeof searchTools"),
        Value::from("undefined")
    );
}
