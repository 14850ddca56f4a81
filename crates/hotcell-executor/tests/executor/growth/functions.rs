//! The functions that an executor brings itself: what shows things, keeps things, and finds tools. And that each of them, and of
//! those on files, is measured.

use std::collections::BTreeSet;

use hotcell_cell::Value;
use hotcell_executor::{AgentTool, Executor, ExecutorOptions, Files, MemoryStore};
use pollster::block_on;
use serde_json::json;

use super::{Code, file_cases, grows, in_steady_memory, list_cases, patient, runs_grow};
use crate::support::{ready, value};

/// A function, what it is given, how large that is, and the code for it.
type Case = (&'static str, &'static str, usize, Code);

const SHOWN: &[Case] = &[
    ("display", "a text", 500_000, |n| {
        format!("display('é'.repeat({n} / 2))")
    }),
    ("display", "data", 20_000, |n| {
        format!("display(Array.from({{ length: {n} }}, (_, i) => ({{ i }})))")
    }),
    ("display", "what is no data", 5_000, |n| {
        format!("display(new Map(Array.from({{ length: {n} }}, (_, i) => [i, i])))")
    }),
    ("display", "values", 2_000, |n| {
        format!("display(...Array({n}).fill('x'))")
    }),
    ("display", "blocks of an answer", 2_000, |n| {
        format!("display({{ content: Array({n}).fill({{ type: 'text', text: 'x' }}) }})")
    }),
    (
        "display",
        "a text that begins as a data URL",
        500_000,
        |n| format!("display('data:' + ';'.repeat({n}))"),
    ),
    ("display", "what a URL escapes", 300_000, |n| {
        format!("display('data:text/plain,' + '%41'.repeat({n} / 3))")
    }),
    ("display", "bytes of no kind", 1_000_000, |n| {
        format!("display(new Uint8Array({n}))")
    }),
    ("image", "base64", 500_000, |n| {
        format!("image('data:image/png;base64,' + 'iVBORw0KGgo' + 'A'.repeat({n}))")
    }),
    ("image", "base64 with spaces", 500_000, |n| {
        format!("image('A '.repeat({n} / 2), 'image/png')")
    }),
    ("image", "elements of SVG", 100_000, |n| {
        format!("image('<svg>' + '<a b=\"c\"/>'.repeat({n} / 10) + '</svg>')")
    }),
    ("image", "attributes of SVG", 20_000, |n| {
        format!(
            "image('<svg ' + Array.from({{ length: {n} / 10 }}, (_, i) => 'a' + i + '=\"\"').join(' ') + '/>')"
        )
    }),
    ("image", "an attribute of SVG", 200_000, |n| {
        format!("image('<svg a=\"' + 'x;'.repeat({n} / 2) + '\"/>')")
    }),
    ("image", "a style in SVG", 200_000, |n| {
        format!("image('<svg><style>' + 'a {{ b: c }} '.repeat({n} / 12) + '</style></svg>')")
    }),
    ("image", "SVG that never ends", 200_000, |n| {
        format!("image('<svg>' + '<!--'.repeat({n} / 4))")
    }),
    ("image", "a type", 500_000, |n| {
        format!("image('<svg/>', 'image/'.repeat({n} / 6))")
    }),
    ("audio", "bytes", 1_000_000, |n| {
        format!("const b = new Uint8Array({n}); b.set([0x4f, 0x67, 0x67, 0x53]); audio(b)")
    }),
    ("text", "values", 5_000, |n| {
        format!("text(...Array({n}).fill('é'))")
    }),
    ("text", "data", 20_000, |n| {
        format!("text(Array.from({{ length: {n} }}, (_, i) => ({{ i }})))")
    }),
    ("notify", "lines", 2_000, |n| {
        format!("for (let i = 0; i < {n}; i++) notify('x')")
    }),
    ("notify", "a text that is too long", 500_000, |n| {
        format!("notify('é'.repeat({n} / 2))")
    }),
];

const KEPT: &[Case] = &[
    ("store", "a value", 20_000, |n| {
        format!("store('key', Array.from({{ length: {n} }}, (_, i) => ({{ i }})))")
    }),
    ("store", "many values", 2_000, |n| {
        format!("for (let i = 0; i < {n}; i++) store('key' + i, i)")
    }),
    ("store", "a key", 500_000, |n| {
        format!("store('é'.repeat({n} / 2), 1)")
    }),
    ("load", "a value", 500_000, |n| {
        format!("store('key', 'x'.repeat({n})); load('key').length")
    }),
    ("load", "a key", 500_000, |n| {
        format!("load('é'.repeat({n} / 2))")
    }),
];

/// Of what is asked for only so much is looked at: beyond that it takes the time that copying takes.
const FOUND: &[Case] = &[
    ("searchTools", "words", 200_000, |n| {
        format!("searchTools('send invoice '.repeat({n} / 13))")
    }),
    ("searchTools", "one word", 200_000, |n| {
        format!("searchTools('x'.repeat({n}))")
    }),
    ("searchTools", "what is no text", 200_000, |n| {
        format!("searchTools('\\ud800'.repeat({n} / 2))")
    }),
    ("describeTool", "a name", 200_000, |n| {
        format!("describeTool('x'.repeat({n}))")
    }),
    ("searchTools", "calls", 500, |n| {
        format!("for (let i = 0; i < {n}; i++) searchTools('invoice ' + i)")
    }),
    ("describeTool", "calls for what is not there", 500, |n| {
        format!("for (let i = 0; i < {n}; i++) try {{ describeTool('thing' + i) }} catch {{}}")
    }),
];

fn measure(executor: &Executor, cases: &[Case]) {
    for (function, what, size, code) in cases {
        // What is refused is measured as well.
        runs_grow(&format!("{function}: {what}"), executor, *size, |n| {
            format!("try {{ {} }} catch {{}}", code(n))
        });
    }
}

fn showing() -> ExecutorOptions {
    patient()
        .content(true)
        .max_content_items(1 << 20)
        .max_content_bytes(64 << 20)
        .max_notifications(1 << 20)
}

#[test]
fn what_code_shows() {
    in_steady_memory("functions::what_code_shows", || {
        measure(&ready(showing()), SHOWN);
    });
}

#[test]
fn what_code_stores() {
    in_steady_memory("functions::what_code_stores", || {
        let options = patient()
            .store(MemoryStore::new(64 << 20))
            .max_store_bytes(32 << 20);
        measure(&ready(options), KEPT);
    });
}

/// So many tools, all alike, that no prompt declares.
fn with_tools(count: usize) -> Executor {
    let tools =
        (0..count).map(|n| {
            let tool = AgentTool::sync(|_| Ok(Value::Undefined))
            .description(format!("Sends invoice number {n} to a customer, and keeps a copy of it"))
            .parameters(json!({
                "type": "object",
                "properties": { "customer": { "type": "string", "description": "whose it is" } },
            }))
            .deferred();
            (format!("records.sendInvoice{n}"), tool)
        });
    let executor = ready(patient());
    block_on(executor.send_tools(tools)).unwrap();
    executor
}

#[test]
fn looking_for_tools() {
    in_steady_memory("functions::looking_for_tools", || {
        measure(&with_tools(500), FOUND);
        grows(
            "sendTools: a namespace",
            500,
            |n| n,
            |n| drop(with_tools(*n)),
        );
        // And with the number of the tools that there are.
        for (name, code) in [
            (
                "searchTools",
                "searchTools('send an invoice to a customer', 50)",
            ),
            ("searchTools: all", "searchTools('', 50)"),
            (
                "describeTool",
                "try { describeTool('records.sendInvoice') } catch {}",
            ),
            (
                "describeTool: the last",
                "describeTool('records.sendInvoice499')",
            ),
        ] {
            grows(name, 500, with_tools, |executor| {
                drop(block_on(executor.execute(code)));
            });
        }
    });
}

/// The functions that an executor brings when it is allowed all, by what is in a cell then and else is not.
fn brought() -> BTreeSet<String> {
    let names = |executor: &Executor| -> BTreeSet<String> {
        let all = value(executor, "Object.getOwnPropertyNames(globalThis)");
        let Value::Array(all) = all else {
            panic!("{all:?}")
        };
        all.iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    let plain = names(&ready(patient()));
    let executor = ready(showing().store(MemoryStore::new(1 << 20)));
    let tool = AgentTool::sync(|_| Ok(Value::Undefined)).deferred();
    block_on(executor.send_tools([("given", tool)])).unwrap();
    block_on(executor.enable_files(&Files::memory())).unwrap();
    let mut all = names(&executor);
    all.retain(|name| !plain.contains(name) && name != "given");
    all
}

/// Whoever adds a function that takes what code made adds a row.
#[test]
fn every_function_that_an_executor_brings_is_measured() {
    let own = [SHOWN, KEPT, FOUND].concat();
    let mut measured: BTreeSet<&str> = own.iter().map(|(function, ..)| *function).collect();
    for (_, _, make, calls) in &file_cases() {
        measured.extend(calls(&make(100)).iter().map(|(function, _)| *function));
    }
    measured.extend(list_cases().iter().map(|(function, _)| *function));
    let brought = brought();
    assert!(
        brought.contains("notify") && brought.contains("grep"),
        "{brought:?}"
    );
    // `grepTool` is `grep` where code has a name of its own for that.
    let is_measured = |name: &str| {
        measured.contains(name)
            || name
                .strip_suffix("Tool")
                .is_some_and(|name| measured.contains(name))
    };
    let missing: Vec<_> = brought.iter().filter(|name| !is_measured(name)).collect();
    assert!(missing.is_empty(), "in no row: {missing:?}");
}
