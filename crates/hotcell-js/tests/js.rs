//! `js` in commands of a shell.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_js::JsPrograms;
use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Capture, Given, Kernel, KernelOptions};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, DevOptions, MemVfs, MountVfs, Vfs, VfsPath, dev};

fn files() -> Arc<dyn Vfs> {
    let vfs = MountVfs::new(Arc::new(MemVfs::new()));
    for directory in ["/work", "/tmp"] {
        vfs.mkdir(VfsPath::new(directory), 0o755).unwrap();
    }
    let devices = Arc::new(dev(DevOptions::default()));
    vfs.mount(VfsPath::new("/dev"), devices).unwrap();
    Arc::new(vfs)
}

fn options() -> KernelOptions {
    let programs = JsPrograms::new(Arc::new(Utilities));
    KernelOptions {
        vfs: files(),
        programs: Arc::new(ShellPrograms::new(Arc::new(programs))),
        clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
        ..KernelOptions::default()
    }
}

fn run_with(options: KernelOptions, command: &str) -> (i32, String, Option<Stopped>) {
    let kernel = Kernel::new(options);
    let output = Capture::new(kernel.account(), 1 << 20);
    let both = Arc::new(output.clone());
    let streams = Streams {
        stdin: Arc::new(Given::new("")),
        stdout: both.clone(),
        stderr: both,
    };
    let mut shell = Shell::new(ShellOptions {
        cwd: VfsPath::new("/work").to_owned(),
        ..ShellOptions::default()
    });
    let ended = pollster::block_on(shell.run(&kernel, command.as_bytes(), streams));
    let text = String::from_utf8(output.take().bytes).unwrap();
    (ended.status.code(), text, ended.stopped)
}

/// The exit code, and what was printed to both streams.
fn sh(command: &str) -> (i32, String) {
    let (code, text, _) = run_with(options(), command);
    (code, text)
}

fn prints(command: &str, expected: &str) {
    assert_eq!(sh(command), (0, expected.to_owned()), "{command}");
}

#[test]
fn code_comes_from_an_option_a_file_or_standard_input() {
    prints("js -e 'console.log(1 + 1)'", "2\n");
    prints("js -p '[1, 2].map((x) => x * 2)'", "[ 2, 4 ]\n");
    prints("echo 'console.log(\"in\")' | js", "in\n");
    prints("echo 'console.log(\"in\")' | js - a", "in\n");
    prints(
        "echo 'console.log(process.argv.slice(2))' > a.js; js a.js x 'y z'",
        "[ 'x', 'y z' ]\n",
    );
    prints(
        "js -e 'console.log(process.argv.slice(1))' a b",
        "[ 'a', 'b' ]\n",
    );
    prints(
        "printf '#!/usr/bin/env js\\nconsole.log(7)\\n' > t; chmod +x t; ./t",
        "7\n",
    );
    prints(
        "js -e 'const n: number = 1; enum E { A = 4 } console.log(n + E.A)'",
        "5\n",
    );
    prints("js -e ''", "");
}

#[test]
fn it_stands_in_pipelines() {
    prints(
        "seq 3 | js -e 'console.log(fs.readFileSync(0, \"utf8\").trim().split(\"\\n\").length)' | tr 3 x",
        "x\n",
    );
    let sum = "let n = 0; for await (const piece of process.stdin.setEncoding('utf8')) for (const line of piece.split('\\n')) n += Number(line); console.log(n)";
    prints(&format!("seq 1000 | js -e \"{sum}\""), "500500\n");
    let listening = "let text = ''; process.stdin.on('data', (piece) => text += new TextDecoder().decode(piece)); process.stdin.on('end', () => console.log(text.length))";
    prints(&format!("seq 1000 | js -e \"{listening}\""), "3893\n");
    prints("js -e 'for (;;) console.log(\"y\")' | head -2", "y\ny\n");
    prints(
        "js -e 'console.error(\"e\"); console.log(\"o\"); process.stdout.write(\"w\")' 2>/dev/null",
        "o\nw",
    );
    prints(
        "yes | head -100000 | js -e 'console.log(fs.readFileSync(\"/dev/stdin\").length)'",
        "200000\n",
    );
}

#[test]
fn files_are_those_of_the_shell() {
    prints(
        "js -e 'fs.writeFileSync(\"a.txt\", \"one\\n\"); fs.appendFileSync(\"a.txt\", new Uint8Array([50, 10]))'; cat a.txt",
        "one\n2\n",
    );
    prints(
        "mkdir -p d/e; touch d/b d/a d/e/c; js -p 'fs.readdirSync(\"d\", { recursive: true }).join()'",
        "a,b,e,e/c\n",
    );
    prints(
        "echo abc > f; js -p 'const s = fs.statSync(\"f\"); [s.size, s.isFile(), s.isDirectory(), s.mode.toString(8)].join()'",
        "4,true,false,644\n",
    );
    prints(
        "js -e 'fs.mkdirSync(\"x/y/z\", { recursive: true }); fs.rmSync(\"x\", { recursive: true }); console.log(fs.existsSync(\"x\"))'",
        "false\n",
    );
    prints(
        "echo 1 > a; js -e 'fs.renameSync(\"a\", \"b\"); fs.copyFileSync(\"b\", \"c\"); fs.symlinkSync(\"c\", \"l\"); console.log(fs.readlinkSync(\"l\"), fs.readFileSync(\"l\", \"utf8\"))'",
        "c 1\n\n",
    );
    prints(
        "js -e 'try { fs.readFileSync(\"no\") } catch (e) { console.log(e.code, e.message) }'",
        "ENOENT ENOENT: no such file or directory, open 'no'\n",
    );
    prints(
        "js -e 'const { readFile } = require(\"node:fs/promises\"); await fs.promises.writeFile(\"p\", \"q\"); console.log(await readFile(\"p\", \"utf-8\"))'",
        "q\n",
    );
    prints(
        "js -e 'fs.readFile(\"no\", (error) => console.log(error.code))'",
        "ENOENT\n",
    );
    prints(
        "printf 'a\\nb\\n' > f; js -e 'console.log((await tools.grep({ pattern: \"b\", path: \"f\" })).content[0].text)'",
        "f:2: b\n",
    );
    prints(
        "mkdir q; cd q; js -e 'process.chdir(\"..\"); console.log(process.cwd(), path.resolve(\"a\", \"../b\"))'; pwd",
        "/work /work/b\n/work/q\n",
    );
}

#[test]
fn modules_are_found_beside_the_file() {
    prints(
        "mkdir m; echo 'export const one = 1; export default 2' > m/lib.js; printf 'import two, { one } from \"./lib.js\";\\nimport { join } from \"node:path\";\\nconsole.log(one, two, join(\"a\", \"b\"))' > m/main.mjs; js m/main.mjs",
        "1 2 a/b\n",
    );
    prints(
        "mkdir m; echo 'exports.x = require(\"./data\").y + 1' > m/lib.js; echo '{\"y\": 4}' > m/data.json; echo 'console.log(require(\"./lib\").x)' > m/main.js; js m/main.js",
        "5\n",
    );
    prints(
        "echo 'export default 5' > lib.js; js -e 'console.log((await import(\"./lib.js\")).default)'",
        "5\n",
    );
    let (code, text) = sh("js -e 'import x from \"left-pad\"'");
    assert_eq!(code, 1);
    assert!(
        text.contains("cannot find module 'left-pad': there are fs, "),
        "{text}"
    );
}

#[test]
fn the_exit_code_tells_how_it_ended() {
    assert_eq!(
        sh("js -e 'process.exit(3); console.log(1)'"),
        (3, String::new())
    );
    assert_eq!(
        sh("js -e 'process.exitCode = 4; console.log(1)'"),
        (4, "1\n".into())
    );
    assert_eq!(
        sh("js -e 'process.on(\"exit\", (code) => console.log(\"bye\", code)); process.exit(2)'"),
        (2, "bye 2\n".into())
    );
    let (code, text) = sh("printf 'let a;\\nlet b = a.c;\\n' > f.js; js f.js");
    assert_eq!(code, 1);
    assert!(
        text.starts_with("Uncaught TypeError: cannot read property 'c' of undefined"),
        "{text}"
    );
    assert!(text.contains("/work/f.js:2"), "{text}");
    let (code, text) = sh("js -e 'let = ;'");
    assert_eq!(code, 1);
    assert!(
        text.contains("SyntaxError: ") && text.contains("> 1 | let = ;"),
        "{text}"
    );
    let (code, text) = sh("js -e 'Promise.reject(new Error(\"lost\")); 1'");
    assert_eq!(code, 1);
    assert!(text.contains("Uncaught (in promise) Error: lost"), "{text}");
    let (code, text) = sh("js no.js");
    assert_eq!(
        (code, &*text),
        (1, "js: cannot read no.js: No such file or directory\n")
    );
    assert_eq!(sh("js --nonsense").0, 1);
    assert!(
        sh("js --help")
            .1
            .starts_with("Usage: js [OPTION]... [FILE | -] [ARG]...")
    );
}

#[test]
fn timers_wait_in_their_order() {
    prints(
        "js -e 'setTimeout(() => console.log(2), 20); setTimeout(() => console.log(1), 1); console.log(0)'",
        "0\n1\n2\n",
    );
    prints(
        "js -e 'let n = 0; const id = setInterval(() => { console.log(++n); if (n === 3) clearInterval(id) }, 1)'",
        "1\n2\n3\n",
    );
    prints(
        "js -e 'clearTimeout(setTimeout(() => console.log(1), 100000)); await new Promise((r) => setTimeout(r, 1)); console.log(2)'",
        "2\n",
    );
}

#[test]
fn whatever_it_does_it_is_stopped() {
    for code in [
        "for (;;) {}",
        "await new Promise((r) => setTimeout(r, 1e9))",
        "setInterval(() => {}, 1)",
        "fs.readFileSync(0)",
        "for (;;) console.log(1)",
        "for (;;) fs.existsSync(\"/\")",
        "/(a+)+b/.test(\"a\".repeat(50))",
    ] {
        let until = Instant::now() + Duration::from_millis(300);
        let options = KernelOptions {
            stop: StopToken::until(until),
            ..options()
        };
        let (_, _, stopped) = run_with(options, &format!("sleep 100 | js -e '{code}' > /dev/null"));
        assert_eq!(stopped, Some(Stopped::Deadline), "{code}");
    }
    prints("timeout 0.1 js -e 'for (;;) {}'; echo $?", "124\n");
    prints(
        "js -e 'for (;;) {}' & sleep 0.05; kill $!; wait $!; echo $?",
        "143\n",
    );
}

#[test]
fn its_memory_is_that_of_the_shell() {
    let options = KernelOptions {
        account: Account::new("memory", 32 << 20),
        ..options()
    };
    let (code, text, _) = run_with(
        options,
        "js -e 'const a = []; for (;;) a.push(new Array(1e5).fill(1))'; echo after",
    );
    assert_eq!(code, 0);
    assert!(
        text.contains("out of memory") && text.ends_with("after\n"),
        "{text}"
    );
}
