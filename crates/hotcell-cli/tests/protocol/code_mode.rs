//! `hotcell code-mode-host`, from the side of a client.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// Long enough for the slowest machine; nothing is measured.
const PATIENCE: Duration = Duration::from_mins(2);
/// Longer than anything here takes.
const LONG: u64 = 100_000;

struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    frames: Receiver<Json>,
    /// What came while somebody waited for something else.
    others: Vec<Json>,
    next: i64,
}

impl Host {
    fn silent(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hotcell"))
            .arg("code-mode-host")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, frames) = channel();
        thread::spawn(move || {
            let mut length = [0; 4];
            while stdout.read_exact(&mut length).is_ok() {
                let mut message = vec![0; u32::from_le_bytes(length) as usize];
                stdout.read_exact(&mut message).unwrap();
                if sender
                    .send(serde_json::from_slice(&message).unwrap())
                    .is_err()
                {
                    return;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            frames,
            others: Vec::new(),
            next: 0,
        }
    }

    fn with(args: &[&str]) -> Self {
        let mut host = Self::silent(args);
        host.send(&hello(&[1], &[]));
        assert_eq!(
            host.receive(),
            json!({ "type": "connection/ready", "selectedVersion": 1, "capabilities": [] })
        );
        host
    }

    /// A host with a session `s`.
    fn new() -> Self {
        let mut host = Self::with(&[]);
        host.open("s");
        host
    }

    fn open(&mut self, session: &str) {
        let answer = self.ask(json!({ "method": "session/open", "sessionId": session }));
        assert_eq!(
            answer,
            json!({ "status": "ok", "value": { "type": "session/ready", "sessionId": session } })
        );
    }

    fn send(&mut self, message: &Json) {
        let bytes = serde_json::to_vec(message).unwrap();
        let stdin = self.stdin.as_mut().unwrap();
        stdin
            .write_all(&u32::try_from(bytes.len()).unwrap().to_le_bytes())
            .unwrap();
        stdin.write_all(&bytes).unwrap();
    }

    fn receive(&mut self) -> Json {
        self.frames
            .recv_timeout(PATIENCE)
            .expect("the host says nothing")
    }

    /// The next message for which this is something.
    fn until<T>(&mut self, wanted: impl Fn(&Json) -> Option<T>) -> T {
        if let Some(at) = self.others.iter().position(|one| wanted(one).is_some()) {
            return wanted(&self.others.remove(at)).unwrap();
        }
        loop {
            let message = self.receive();
            if let Some(found) = wanted(&message) {
                return found;
            }
            self.others.push(message);
        }
    }

    fn request(&mut self, request: Json) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "type": "operation/request", "id": id, "request": request }));
        id
    }

    fn answer(&mut self, id: i64) -> Json {
        self.until(|one| {
            (one["type"] == "operation/response" && one["id"] == id).then(|| one["result"].clone())
        })
    }

    fn ask(&mut self, request: Json) -> Json {
        let id = self.request(request);
        self.answer(id)
    }

    /// Starts code, and gives the request and the cell.
    fn start(&mut self, source: &str, tools: &[&str], yield_ms: u64) -> (i64, String) {
        let tools = tools.iter().map(|name| {
            json!({
                "name": name, "tool_name": { "name": name, "namespace": "ns" }, "description": format!("does {name}"),
                "kind": "function", "input_schema": null, "output_schema": null,
            })
        });
        let id = self.request(json!({ "method": "session/execute", "sessionId": "s", "request": {
            "tool_call_id": "call-1", "enabled_tools": tools.collect::<Vec<_>>(), "source": source,
            "yield_time_ms": yield_ms, "max_output_tokens": null,
        }}));
        let started = self.answer(id);
        assert_eq!(started["value"]["type"], "execution/started", "{started}");
        (id, started["value"]["cellId"].as_str().unwrap().to_owned())
    }

    fn initial(&mut self, id: i64) -> Json {
        let result = self.until(|one| {
            (one["type"] == "execute/initialResponse" && one["id"] == id)
                .then(|| one["result"].clone())
        });
        assert_eq!(result["status"], "ok", "{result}");
        result["value"].clone()
    }

    /// Runs code to its end.
    fn run(&mut self, source: &str) -> Json {
        let (id, _) = self.start(source, &[], LONG);
        self.initial(id)["Result"].clone()
    }

    /// What code shows, as texts.
    fn texts(&mut self, source: &str) -> Vec<String> {
        let result = self.run(source);
        assert_eq!(result["error_text"], Json::Null, "{source}: {result}");
        texts_of(&result)
    }

    fn wait(&mut self, cell: &str, yield_ms: u64) -> Json {
        let request = json!({ "cell_id": cell, "yield_time_ms": yield_ms });
        self.ask(json!({ "method": "session/wait", "sessionId": "s", "request": request }))
    }

    fn terminate(&mut self, cell: &str) -> i64 {
        self.request(json!({ "method": "session/terminate", "sessionId": "s", "cellId": cell }))
    }

    /// The next thing that the host wants done.
    fn delegate(&mut self) -> (i64, Json) {
        self.until(|one| {
            let id = one["id"].as_i64();
            (one["type"] == "delegate/request").then(|| (id.unwrap(), one["request"].clone()))
        })
    }

    fn give(&mut self, id: i64, result: &Json) {
        let value = json!({ "type": "tool/result", "result": result });
        self.send(&json!({ "type": "delegate/response", "id": id, "result": { "status": "ok", "value": value } }));
    }

    fn closed(&mut self, cell: &str) {
        self.until(|one| (one["type"] == "cell/closed" && one["cellId"] == cell).then_some(()));
    }

    /// Closes standard input, and gives the exit code and what was said about it.
    fn end(mut self) -> (i32, String) {
        drop(self.stdin.take());
        let mut words = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut words)
            .unwrap();
        (self.child.wait().unwrap().code().unwrap(), words)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello(versions: &[u32], required: &[&str]) -> Json {
    json!({
        "type": "connection/hello", "supportedVersions": versions,
        "requiredCapabilities": required, "optionalCapabilities": [],
    })
}

fn texts_of(report: &Json) -> Vec<String> {
    let items = report["content_items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_host_says_what_it_can_and_what_it_cannot() {
    let limits = "session-cell-execution-resource-limits";
    let cases = [
        (
            hello(&[1, 2], &[limits]),
            json!({ "type": "connection/ready", "selectedVersion": 1, "capabilities": [limits] }),
        ),
        (
            hello(&[7], &[]),
            json!({ "type": "connection/rejected", "reason": { "type": "noCompatibleVersion", "supportedVersions": [1] } }),
        ),
        (
            hello(&[1], &["levitation"]),
            json!({ "type": "connection/rejected", "reason": { "type": "missingRequiredCapability", "capability": "levitation" } }),
        ),
        (
            json!({ "type": "operation/cancel", "id": 1 }),
            json!({ "type": "connection/rejected", "reason": { "type": "invalidHello", "message": "the first message must be connection/hello" } }),
        ),
    ];
    for (first, answer) in cases {
        let mut host = Host::silent(&[]);
        host.send(&first);
        assert_eq!(host.receive(), answer);
        assert_eq!(host.end().0, 0);
    }
}

#[test]
fn code_shows_texts_images_and_sounds() {
    let mut host = Host::new();
    let result = host.run(
        "text('a'); text({ b: [1] }); text(undefined);
         image('data:image/png;base64,AA=='); image({ image_url: 'data:image/gif;base64,AA==', detail: 'LOW' });
         image({ type: 'image', data: 'AA==', mimeType: 'image/png', _meta: { 'codex/imageDetail': 'original' } }, 'auto');
         audio({ type: 'audio', data: 'AA==', mimeType: 'audio/wav' });
         generatedImage({ image_url: 'data:image/png;base64,AA==', output_hint: 'a cat' });",
    );
    let text = |text: &str| json!({ "type": "input_text", "text": text });
    let image = |url: &str, detail: &str| json!({ "type": "input_image", "image_url": url, "detail": detail });
    assert_eq!(
        result,
        json!({ "cell_id": "1", "error_text": null, "content_items": [
            text("a"), text("{\"b\":[1]}"), text("undefined"),
            image("data:image/png;base64,AA==", "high"), image("data:image/gif;base64,AA==", "low"),
            image("data:image/png;base64,AA==", "auto"),
            { "type": "input_audio", "audio_url": "data:audio/wav;base64,AA==" },
            image("data:image/png;base64,AA==", "high"), text("a cat"),
        ]})
    );
    for (source, words) in [
        ("image('https://example.com/a.png')", "not an address"),
        ("image(1)", "image takes a data URL"),
        (
            "image('data:image/png;base64,AA==', 'huge')",
            "one of auto, low, high, original",
        ),
        (
            "audio({ type: 'image', data: 'AA==' })",
            "does not take a block of type image",
        ),
    ] {
        let error = host.run(source)["error_text"].as_str().unwrap().to_owned();
        assert!(error.contains(words), "{source}: {error}");
    }
}

#[test]
fn the_promised_names_are_there_and_no_others() {
    let mut host = Host::new();
    let names = "['tools', 'ALL_TOOLS', 'text', 'image', 'audio', 'generatedImage', 'store', 'load', 'notify', 'setTimeout', 'clearTimeout', 'yield_control', 'exit']";
    let source = format!(
        "text({names}.map((name) => typeof globalThis[name]).join()); text(typeof fetch + typeof process + typeof require)"
    );
    let functions = ["function"; 11].join(",");
    assert_eq!(
        host.texts(&source),
        [
            format!("object,object,{functions}"),
            "undefinedundefinedundefined".into()
        ]
    );
    // They are not reserved.
    assert_eq!(
        host.texts("const image = 1; let store = 2; text(image + store)"),
        ["3"]
    );
}

#[test]
fn code_calls_the_tools_of_the_client_at_once_and_in_any_order() {
    let mut host = Host::new();
    let source = "
        const all = await Promise.all([tools.echo({ n: 1 }), tools.my_tool('x'), tools.echo()]);
        text(all); text(ALL_TOOLS); all[0].n = 2; text(all[0].n);
        try { await tools.echo(null) } catch (error) { text(error.message) }";
    let (id, cell) = host.start(source, &["echo", "my-tool"], LONG);
    let mut asked = [host.delegate(), host.delegate(), host.delegate()];
    let invocation = |number: u32, name: &str, input: Json| {
        json!({ "type": "tool/invoke", "invocation": {
            "cell_id": cell, "runtime_tool_call_id": format!("tool-{number}"),
            "tool_name": { "name": name, "namespace": "ns" }, "tool_kind": "function", "input": input,
        }})
    };
    assert_eq!(asked[0].1, invocation(1, "echo", json!({ "n": 1 })));
    assert_eq!(asked[1].1, invocation(2, "my-tool", json!("x")));
    assert_eq!(asked[2].1, invocation(3, "echo", Json::Null));
    asked.reverse();
    for (id, request) in &asked {
        let input = request["invocation"]["input"].clone();
        host.give(*id, &input);
    }
    let (last, _) = host.delegate();
    host.send(&json!({ "type": "delegate/response", "id": last, "result": { "status": "error", "message": "no echo" } }));
    let result = host.initial(id)["Result"].clone();
    assert_eq!(result["error_text"], Json::Null, "{result}");
    let tools = r#"[{"name":"echo","description":"does echo"},{"name":"my_tool","description":"does my-tool"}]"#;
    assert_eq!(
        texts_of(&result),
        [r#"[{"n":1},"x",null]"#, tools, "2", "no echo"]
    );
    host.closed(&cell);
}

#[test]
fn what_a_cell_stores_is_there_for_the_next_and_not_for_another_session() {
    let mut host = Host::new();
    assert_eq!(
        host.texts("store('a', { n: [1] }); text(load('a').n); text(load('b'))"),
        ["[1]", "undefined"]
    );
    assert_eq!(
        host.texts("const a = load('a'); a.n.push(2); text(a); text(load('a'))"),
        [r#"{"n":[1,2]}"#, r#"{"n":[1]}"#]
    );
    // Also what a cell stored that failed, and not what one stored that was terminated.
    assert!(host.run("store('a', 1); throw new Error('no')")["error_text"].is_string());
    let (_, cell) = host.start(
        "store('a', 2); await new Promise((done) => setTimeout(done, 1e6))",
        &[],
        1,
    );
    let id = host.terminate(&cell);
    host.answer(id);
    assert_eq!(host.texts("text(load('a'))"), ["1"]);
    host.open("other");
    let id = host.request(json!({ "method": "session/execute", "sessionId": "other", "request": {
        "tool_call_id": "c", "enabled_tools": [], "source": "text(load('a'))", "yield_time_ms": null, "max_output_tokens": null,
    }}));
    assert_eq!(texts_of(&host.initial(id)["Result"]), ["undefined"]);
    for (source, words) in [
        ("store('f', () => 1)", "only what JSON can say"),
        (
            "for (let i = 0; i < 9; i++) store('big' + i, 'x'.repeat(2e6))",
            "a session may store",
        ),
    ] {
        let error = host.run(source)["error_text"].as_str().unwrap().to_owned();
        assert!(error.contains(words), "{source}: {error}");
    }
}

#[test]
fn a_cell_yields_what_it_has_shown_and_goes_on() {
    let mut host = Host::new();
    let source = "text('one'); yield_control(); text('two'); await tools.gate(); text('three')";
    let (id, cell) = host.start(source, &["gate"], LONG);
    let yielded = host.initial(id)["Yielded"].clone();
    assert_eq!(
        (texts_of(&yielded), &yielded["cell_id"]),
        (vec!["one".to_owned()], &json!(cell))
    );
    // Nothing new for a while.
    let (gate, _) = host.delegate();
    let live = host.wait(&cell, 1)["value"]["outcome"]["LiveCell"].clone();
    assert_eq!(texts_of(&live["Yielded"]), ["two"]);
    let waiting = host.request(json!({ "method": "session/wait", "sessionId": "s", "request": { "cell_id": cell, "yield_time_ms": LONG } }));
    // One at a time.
    let busy = host.wait(&cell, 1);
    assert!(
        busy["message"]
            .as_str()
            .unwrap()
            .contains("waits for exec cell"),
        "{busy}"
    );
    host.give(gate, &json!(1));
    let live = host.answer(waiting)["value"]["outcome"]["LiveCell"].clone();
    assert_eq!(
        (texts_of(&live["Result"]), &live["Result"]["error_text"]),
        (vec!["three".to_owned()], &Json::Null)
    );
    host.closed(&cell);
    let gone = host.wait(&cell, 1)["value"]["outcome"].clone();
    assert_eq!(
        gone,
        json!({ "MissingCell": { "Result": { "cell_id": cell, "content_items": [], "error_text": format!("exec cell {cell} not found") } } })
    );
}

#[test]
fn an_end_that_nobody_waits_for_is_kept() {
    let mut host = Host::new();
    let (id, cell) = host.start("yield_control(); text('late')", &[], LONG);
    assert!(host.initial(id)["Yielded"].is_object());
    let live = host.wait(&cell, LONG)["value"]["outcome"]["LiveCell"].clone();
    assert_eq!(texts_of(&live["Result"]), ["late"]);
    host.closed(&cell);
}

#[test]
fn a_wait_can_be_called_off_and_another_begun() {
    let mut host = Host::new();
    let (id, cell) = host.start("text(1); await tools.gate()", &["gate"], 1);
    host.initial(id);
    let wait = host.request(json!({ "method": "session/wait", "sessionId": "s", "request": { "cell_id": cell, "yield_time_ms": LONG } }));
    host.send(&json!({ "type": "operation/cancel", "id": wait }));
    assert_eq!(host.answer(wait)["status"], "error");
    assert!(host.wait(&cell, 1)["value"]["outcome"]["LiveCell"]["Yielded"].is_object());
}

#[test]
fn a_cell_is_terminated_whatever_it_does() {
    let mut host = Host::new();
    for source in [
        "text('x'); for (;;) {}",
        "text('x'); await tools.gate()",
        "text('x'); await new Promise((done) => setTimeout(done, 1e9))",
    ] {
        let (id, cell) = host.start(source, &["gate"], 50);
        assert!(host.initial(id)["Yielded"].is_object(), "{source}");
        let wait = host.request(json!({ "method": "session/wait", "sessionId": "s", "request": { "cell_id": cell, "yield_time_ms": LONG } }));
        let ended = host.terminate(&cell);
        let terminated =
            json!({ "LiveCell": { "Terminated": { "cell_id": cell, "content_items": [] } } });
        assert_eq!(
            host.answer(ended)["value"]["outcome"],
            terminated,
            "{source}"
        );
        assert_eq!(
            host.answer(wait)["value"]["outcome"],
            terminated,
            "{source}"
        );
        host.closed(&cell);
    }
    // What it had asked for is taken back.
    let asked = host.delegate().0;
    host.until(|one| (one["type"] == "delegate/cancel" && one["id"] == asked).then_some(()));
}

#[test]
fn timers_fire_in_order_and_keep_no_cell_alive() {
    let mut host = Host::new();
    let source = "
        const seen = [];
        setTimeout(() => seen.push('b'), 20); setTimeout(() => seen.push('a'), 1);
        const never = setTimeout(() => seen.push('never'), 2); clearTimeout(never);
        await new Promise((done) => setTimeout(done, 40));
        text(seen.join()); setTimeout(() => text('too late'), 1e9);";
    assert_eq!(host.texts(source), ["a,b"]);
    let result = host.run("setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise((done) => setTimeout(done, 1e6))");
    assert!(
        result["error_text"]
            .as_str()
            .unwrap()
            .contains("in a timer"),
        "{result}"
    );
}

#[test]
fn progress_is_told_before_the_end_is() {
    let mut host = Host::new();
    let (id, cell) = host.start(
        "notify('half'); notify({ done: true }); text('end')",
        &[],
        LONG,
    );
    for words in ["half", r#"{"done":true}"#] {
        let (asked, request) = host.delegate();
        assert_eq!(
            request,
            json!({ "type": "notification/send", "callId": "call-1", "cellId": cell, "text": words })
        );
        let value = json!({ "type": "notification/delivered" });
        host.send(&json!({ "type": "delegate/response", "id": asked, "result": { "status": "ok", "value": value } }));
    }
    assert_eq!(texts_of(&host.initial(id)["Result"]), ["end"]);
    assert!(
        host.run("notify(' ')")["error_text"]
            .as_str()
            .unwrap()
            .contains("says something")
    );
}

#[test]
fn exit_is_an_end_without_an_error() {
    let mut host = Host::new();
    assert_eq!(host.texts("text('a'); try { exit() } catch { text('caught') } finally { text('finally') } text('b')"), ["a"]);
}

#[test]
fn an_error_says_where_and_what_to_do() {
    let mut host = Host::new();
    let error = host.run("const rows = [1];\nrows.frist()")["error_text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        error.contains("line 2") && error.contains("> 2 | rows.frist()"),
        "{error}"
    );
    let error = host.run("text(")["error_text"].as_str().unwrap().to_owned();
    assert!(error.contains("validation"), "{error}");
    let error = host.run("await new Promise(() => {})")["error_text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(error.contains("promise"), "{error}");
}

#[test]
fn memory_is_limited_by_the_host_and_by_the_session() {
    let mut host = Host::with(&["--memory", "32MiB"]);
    let limits = json!({ "maxYieldTimeMs": 5, "maxHeapSizeBytes": 16 << 20 });
    host.ask(json!({ "method": "session/open", "sessionId": "s", "cellExecutionLimits": limits }));
    host.open("large");
    let grab = "const all = []; for (let i = 0; i < 18; i++) all.push(new Uint8Array(1e6)); text(all.length)";
    let (id, cell) = host.start(grab, &[], LONG);
    // However long somebody wants to wait, the session says how long that is.
    let mut report = host.initial(id);
    while report["Yielded"].is_object() {
        report = host.wait(&cell, LONG)["value"]["outcome"]["LiveCell"].clone();
    }
    assert!(
        report["Result"]["error_text"]
            .as_str()
            .unwrap()
            .contains("Memory limit"),
        "{report}"
    );
    let id = host.request(json!({ "method": "session/execute", "sessionId": "large", "request": {
        "tool_call_id": "c", "enabled_tools": [], "source": grab, "yield_time_ms": LONG, "max_output_tokens": null,
    }}));
    assert_eq!(texts_of(&host.initial(id)["Result"]), ["18"]);
}

#[test]
fn what_is_shown_and_asked_is_limited() {
    let mut host = Host::new();
    let result = host.run("for (let i = 0; i < 20; i++) text('x'.repeat(1e6))");
    assert!(
        result["error_text"]
            .as_str()
            .unwrap()
            .contains("too much to show"),
        "{}",
        result["error_text"]
    );
    assert!(result["content_items"].as_array().unwrap().len() > 5);
    let deep = "let deep = []; for (let i = 0; i < 500; i++) deep = [deep]; await tools.echo(deep)";
    let (id, _) = host.start(deep, &["echo"], LONG);
    let error = host.initial(id)["Result"]["error_text"].to_string();
    assert!(error.contains("100 levels"), "{error}");
    // Past the names that are promised there is nothing more to be had.
    for source in [
        "$host.show('{}')",
        "$host.call(7, '1')",
        "$host.call(0, 'no')",
        "$host.store('a', 'no')",
        "$host.show('{\"type\":\"input_text\"}')",
    ] {
        assert!(host.run(source)["error_text"].is_string(), "{source}");
    }
}

#[test]
fn a_session_that_is_shut_down_takes_its_cells_along_and_its_name_is_used_up() {
    let mut host = Host::new();
    let (id, cell) = host.start("text('x'); await tools.gate()", &["gate"], LONG);
    host.delegate();
    let shut = host.request(json!({ "method": "session/shutdown", "sessionId": "s" }));
    assert_eq!(texts_of(&host.initial(id)["Terminated"]), ["x"]);
    host.closed(&cell);
    assert_eq!(
        host.answer(shut)["value"],
        json!({ "type": "session/closed", "sessionId": "s" })
    );
    for request in [
        json!({ "method": "session/open", "sessionId": "s" }),
        json!({ "method": "session/shutdown", "sessionId": "s" }),
        json!({ "method": "session/terminate", "sessionId": "s", "cellId": "1" }),
        json!({ "method": "session/open", "sessionId": " " }),
    ] {
        assert_eq!(host.ask(request.clone())["status"], "error", "{request}");
    }
}

#[test]
fn what_is_no_message_is_the_end_and_says_why() {
    for (bytes, words) in [
        (&b"\xff\xff\xff\xff"[..], "too long"),
        (b"\x02\0\0\0{]", "no JSON"),
        (b"\x02\0\0\0{}", "no message"),
        (b"\x09\0", "within its length"),
    ] {
        let mut host = Host::new();
        host.stdin.as_mut().unwrap().write_all(bytes).unwrap();
        let (code, said) = host.end();
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(words), "{said}");
    }
}
