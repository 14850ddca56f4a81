//! What code shows: items with checked types, within a budget.

use std::sync::{Arc, Mutex};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_cell::Value;
use hotcell_executor::{
    AgentTool, Answer, ContentBody, ContentItem, Executor, ExecutorOptions, ObservationOptions,
    Started, observation_of_json,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, run, value};

/// The smallest PNG there is, one transparent pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn options() -> ExecutorOptions {
    crate::options().content(true)
}

fn showing() -> Executor {
    ready(options())
}

/// Type and text of each item, or the number of its bytes.
fn told(items: &[ContentItem]) -> Vec<String> {
    let one = |item: &ContentItem| match &item.body {
        ContentBody::Text(text) => format!("{} {text}", item.mime),
        ContentBody::Data(data) => format!("{} {}", item.mime, data.len()),
    };
    items.iter().map(one).collect()
}

fn shown(executor: &Executor, code: &str) -> Vec<String> {
    told(&run(executor, code).content)
}

fn png_bytes() -> usize {
    STANDARD.decode(PNG).unwrap().len()
}

#[test]
fn values_are_shown_as_what_they_are() {
    let executor = showing();
    let png = format!("image/png {}", png_bytes());
    block_on(executor.send_variables([
        ("png", Value::bytes(STANDARD.decode(PNG).unwrap())),
        ("base64", Value::from(PNG)),
    ]))
    .unwrap();
    let cases: [(&str, &[&str]); 16] = [
        ("display('a text')", &["text/plain a text"]),
        (
            "display({ a: [1, null] }, 2)",
            &["application/json {\"a\":[1,null]}", "text/plain 2"],
        ),
        (
            "display(new Map([[1, 2]]))",
            &["text/plain Map(1) { 1 => 2 }"],
        ),
        ("display(png)", &[&png]),
        ("display(png.buffer)", &[&png]),
        ("display('data:image/png;base64,' + base64)", &[&png]),
        ("display('data: none')", &["text/plain data: none"]),
        (
            "display({ content: [{ type: 'text', text: 'seen' }, { type: 'image', mimeType: 'image/png', data: base64 }] })",
            &["text/plain seen", &png],
        ),
        ("image(png)", &[&png]),
        ("image(base64, 'image/png')", &[&png]),
        (
            "image({ type: 'image', mimeType: 'image/png', data: base64 })",
            &[&png],
        ),
        ("image('<svg/>')", &["image/svg+xml <svg/>"]),
        (
            "image('data:image/svg+xml,%3Csvg%2F%3E')",
            &["image/svg+xml <svg/>"],
        ),
        (
            "audio(new Uint8Array([82, 73, 70, 70, 0, 0, 0, 0, 87, 65, 86, 69]), 'audio/x-wav')",
            &["audio/wav 12"],
        ),
        ("text('a', 1, [2])", &["text/plain a 1 [2]"]),
        (
            "text(undefined); text()",
            &["text/plain undefined", "text/plain "],
        ),
    ];
    for (code, expected) in cases {
        assert_eq!(shown(&executor, code), expected, "{code}");
    }
}

#[test]
fn what_does_not_fit_its_type_is_an_error_that_says_so() {
    let executor = showing();
    block_on(executor.send_variables([("png", Value::bytes(STANDARD.decode(PNG).unwrap()))]))
        .unwrap();
    for (code, words) in [
        (
            "image(png, 'image/jpeg')",
            "it is said to be image/jpeg, and its content is image/png",
        ),
        ("image(png.slice(0, 10))", "of no kind that is known here"),
        (
            "image(png, 'image/tiff')",
            "\"image/tiff\" cannot be shown: the types are image/svg+xml, image/png",
        ),
        ("image(png, 7)", "the type is a text"),
        (
            "audio(png)",
            "these bytes are image/png, and it shows audio/wav",
        ),
        (
            "image('https://example.com/a.png')",
            "get the bytes through a tool first",
        ),
        ("image('hello')", "neither a data URL nor SVG"),
        ("image('data:image/png;base64,!!')", "no base64"),
        (
            "image('data:image/gif;base64,AAAA')",
            "it is said to be image/gif",
        ),
        (
            "image('<svg onload=\"x()\"/>')",
            "image/svg+xml: line 1: onload would run code",
        ),
        ("image({})", "not {}"),
        ("display(new Uint8Array(3))", "image/png"),
        ("notify(' ')", "a text that says something"),
    ] {
        let error = fail(&executor, code);
        assert!(error.message.contains(words), "{code}: {}", error.message);
    }
    // It can be caught, like any other.
    assert_eq!(
        value(&executor, "try { image(1) } catch (error) { error.name }"),
        Value::from("TypeError")
    );
}

#[test]
fn budgets_are_errors_that_name_them_and_what_was_shown_before_is_there() {
    let executor = ready(
        options()
            .max_content_items(2)
            .max_content_bytes(100)
            .max_notifications(1),
    );
    let error = fail(&executor, "for (const n of [1, 2, 3]) text(n)");
    assert!(
        error
            .message
            .contains("a run may show 2 items (maxContentItems)"),
        "{error}"
    );
    assert_eq!(told(&error.content), ["text/plain 1", "text/plain 2"]);
    let error = fail(&executor, "text('a'.repeat(60)); text('b'.repeat(41))");
    assert!(
        error
            .message
            .contains("a run may show 100 bytes (maxContentBytes)"),
        "{error}"
    );
    let error = fail(&executor, "notify('a'); notify('b')");
    assert!(error.message.contains("(maxNotifications)"), "{error}");
    let error = fail(&executor, "notify('a'.repeat(10_000))");
    assert!(error.message.contains("at most 8192 bytes"), "{error}");
    // The next run begins anew.
    assert_eq!(shown(&executor, "text(1); text(2)").len(), 2);
}

#[test]
fn what_is_kept_of_content_is_charged_to_the_account_of_the_host() {
    let executor = ready(
        options()
            .max_host_memory(1 << 20)
            .max_content_bytes(1 << 30),
    );
    let error = fail(
        &executor,
        "text('a'.repeat(200_000)); text('b'.repeat(200_000))",
    );
    assert!(
        error.message.contains("a quarter of maxHostMemoryBytes"),
        "{error}"
    );
    assert_eq!(error.content.len(), 1);
}

#[test]
fn without_the_option_there_is_no_such_function() {
    let names = "[typeof display, typeof image, typeof audio, typeof text, typeof notify, typeof store, typeof load].join()";
    let none = Value::from("undefined,undefined,undefined,undefined,undefined,undefined,undefined");
    assert_eq!(value(&executor(), names), none);
    assert!(executor().tools().is_empty());
}

#[test]
fn the_names_are_free_for_the_host_and_for_code() {
    let executor = showing();
    let own = AgentTool::sync(|_| Ok(Value::from("the host's")));
    block_on(async {
        executor.send_tools([("image", own)]).await.unwrap();
        executor
            .send_variables([("text", Value::from("a variable"))])
            .await
            .unwrap();
    });
    assert_eq!(
        value(&executor, "image() + text"),
        Value::from("the host'sa variable")
    );
    // What the code declares is there from then on.
    assert_eq!(
        value(&executor, "const display = 1; display"),
        Value::from(1)
    );
    assert_eq!(value(&executor, "display + 1"), Value::from(2));
    assert_eq!(
        shown(
            &executor,
            "notify('x'); audio('data:audio/wav;base64,UklGRgAAAABXQVZF')"
        )
        .len(),
        1
    );
    // And all of it begins anew.
    block_on(async {
        executor.cleanup().await.unwrap();
        executor.init().await.unwrap();
    });
    assert_eq!(shown(&executor, "text('again')"), ["text/plain again"]);
}

#[test]
fn several_values_are_shown_one_by_one_and_nothing_is_said_against_it() {
    let executor = showing();
    let output = run(
        &executor,
        "const a = [1]; display(a, a, 'b'); text(a, 'b'); undefined",
    );
    assert_eq!(output.diagnostics, []);
    assert_eq!(
        told(&output.content),
        [
            "application/json [1]",
            "application/json [1]",
            "text/plain b",
            "text/plain [1] b"
        ]
    );
}

#[test]
fn calls_of_them_are_in_no_list_and_count_for_no_limit_of_tools() {
    let executor = ready(options().max_tool_calls(0));
    let output = run(&executor, "text(1); text(2); notify('x')");
    assert_eq!(output.calls.len(), 0);
    assert_eq!(output.content.len(), 2);
}

#[test]
fn progress_is_told_at_once() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&heard);
    let executor = ready(options().on_notify(move |text| to.lock().unwrap().push(text.to_owned())));
    let so_far = Arc::clone(&heard);
    let count = AgentTool::sync(move |_| {
        let heard = so_far.lock().unwrap().len();
        Ok(Value::from(u32::try_from(heard).unwrap()))
    });
    block_on(executor.send_tools([("count", count)])).unwrap();
    assert_eq!(
        value(
            &executor,
            "notify('one'); const n = count(); notify({ two: 2 }); n"
        ),
        Value::from(1)
    );
    assert_eq!(*heard.lock().unwrap(), ["one", "{\"two\":2}"]);
}

#[test]
fn an_observation_has_text_as_it_is_and_notes_for_the_rest() {
    let executor = showing();
    let code = format!(
        "console.log('hm'); text('look:'); image('data:image/png;base64,{PNG}'); display({{ a: 1 }}); 7"
    );
    let execution = block_on(executor.execute(&*code));
    let note = format!("[image/png, {} bytes]", png_bytes());
    let expected = format!("Logs:\nhm\nShown:\nlook:\n{note}\n{{\"a\":1}}\nResult: 7");
    let options = ObservationOptions::default();
    assert_eq!(execution.observation(&options), expected);
    let report = json!({
        "output": 7, "logs": "hm", "is_final_answer": false, "diagnostics": [], "content": execution.content,
    });
    assert_eq!(observation_of_json(&report, &options), Ok(expected));
    // There is something to see, though there is no value.
    let silent = block_on(executor.execute("text('x'); undefined"));
    assert_eq!(silent.observation(&options), "Shown:\nx");
    let failed = block_on(executor.execute("text('x'); throw new Error('no')"));
    assert!(
        failed
            .observation(&options)
            .ends_with("Shown before the error:\nx")
    );
    assert_eq!(failed.content, failed.error.unwrap().content);
}

#[test]
fn prompts_declare_what_code_may_call() {
    let text = hotcell_prompt::render_system_prompt(&hotcell_prompt::PromptContext {
        tools: showing().tools(),
        ..hotcell_prompt::PromptContext::default()
    });
    let text = text.unwrap();
    assert!(
        text.contains("declare function display(value: unknown)"),
        "{text}"
    );
    assert!(
        text.contains("declare function image(image: unknown, mime?: string)"),
        "{text}"
    );
    assert!(
        text.contains("declare function notify(text: string)"),
        "{text}"
    );
}

#[test]
fn a_fork_shows_things_of_its_own_and_what_is_not_allowed_there_says_so() {
    let executor = showing();
    run(&executor, "const show = text; let n = 1");
    let twin = block_on(executor.fork()).unwrap();
    assert_eq!(
        shown(&twin, "text('twin'); show('again')"),
        ["text/plain twin", "text/plain again"]
    );
    assert_eq!(shown(&executor, "text(n)"), ["text/plain 1"]);
    let without = block_on(executor.fork_with(crate::options())).unwrap();
    let error = fail(&without, "text(1)");
    assert!(
        error.message.contains("does not allow text any more"),
        "{error}"
    );
    // And the other way round.
    let plain = ready(crate::options());
    run(&plain, "const image = 1");
    let with = block_on(plain.fork_with(options())).unwrap();
    assert_eq!(shown(&with, "text(image)"), ["text/plain 1"]);
}

#[test]
fn a_suspended_run_keeps_what_it_has_shown_in_another_process() {
    let executor = showing();
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    let code = format!("text('before'); image('data:image/png;base64,{PNG}'); text(await ask())");
    let Started::Suspended(suspension) = block_on(executor.start(&*code)) else {
        panic!("it should wait")
    };
    let before = [
        "text/plain before".to_owned(),
        format!("image/png {}", png_bytes()),
    ];
    assert_eq!(told(&suspension.content), before);
    let bytes = block_on(executor.snapshot()).unwrap();
    let elsewhere = Executor::restore(&bytes, Some(options())).unwrap();
    let fork = block_on(executor.fork()).unwrap();
    let id = suspension.calls[0].id.clone();
    for executor in [executor, elsewhere, fork] {
        let answer = Answer::Value("after".into());
        let started = block_on(executor.resume([(id.clone(), answer)])).unwrap();
        let Started::Complete(execution) = started else {
            panic!("it should be over")
        };
        assert_eq!(execution.error, None);
        let mut all = before.to_vec();
        all.push("text/plain after".into());
        assert_eq!(told(&execution.content), all);
    }
}

#[test]
fn a_restored_executor_shows_things_if_its_options_say_so() {
    let executor = showing();
    block_on(executor.send_variables([("text", Value::from("mine"))])).unwrap();
    run(&executor, "let a = 1");
    let bytes = block_on(executor.snapshot()).unwrap();
    let with = Executor::restore(&bytes, Some(options())).unwrap();
    assert_eq!(shown(&with, "display(text)"), ["text/plain mine"]);
    let without = Executor::restore(&bytes, None).unwrap();
    let error = fail(&without, "display(1)");
    assert!(!error.message.is_empty());
    assert!(without.tools().is_empty());
}
