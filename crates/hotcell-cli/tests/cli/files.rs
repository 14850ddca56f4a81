//! Files that code sees, modules, and what `check` finds before code runs.

use std::fs;

use tempfile::tempdir;

use crate::{command, hotcell, hotcell_in, ran};

#[test]
fn a_scratch_is_kept_in_snapshots() {
    let dir = tempdir().unwrap();
    let code = "await writeText('notes/a.txt', 'tea'); let n = 1;";
    hotcell_in(
        dir.path(),
        &["eval", "--scratch", code, "--snapshot-out", "state.bin"],
    )
    .ok();
    let code = "(await readText('notes/a.txt')) + n";
    let ran = hotcell_in(
        dir.path(),
        &["eval", "--scratch", code, "--snapshot-in", "state.bin"],
    );
    assert_eq!(ran.ok(), "tea1");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn an_overlay_changes_nothing_unless_it_is_told_to() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "one\n").unwrap();
    let code = "await writeText('a.txt', 'two\\n'); 'done'";
    let overlay = ["eval", "--workspace", ".", "--overlay", code];
    let ran = hotcell_in(dir.path(), &[&overlay[..], &["--diff"]].concat());
    assert!(
        ran.ok().starts_with("done\n") && ran.ok().contains("-one\n+two"),
        "{ran}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
    // What was changed goes on from a snapshot, on top of the directory as it is.
    hotcell_in(
        dir.path(),
        &[&overlay[..], &["--snapshot-out", "s"]].concat(),
    )
    .ok();
    let read = "await readText('a.txt')";
    let again = ["eval", "--workspace", ".", "--overlay", read];
    let ran = hotcell_in(dir.path(), &[&again[..], &["--snapshot-in", "s"]].concat());
    assert_eq!(ran.ok(), "two");
    hotcell_in(dir.path(), &[&overlay[..], &["--commit"]].concat()).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), "two\n");
    for wrong in [
        &["eval", "1", "--overlay"][..],
        &["eval", "1", "--workspace", ".", "--commit"],
        &["eval", "1", "--workspace", ".", "--scratch"],
        &["eval", "1", "--workspace", ".", "--read-only", "--overlay"],
    ] {
        assert_eq!(hotcell_in(dir.path(), wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn modules_are_imported_at_the_top_and_lose_their_types() {
    let dir = tempdir().unwrap();
    let module = "export const twice = (n: number): number => 2 * n;";
    fs::write(dir.path().join("sums.ts"), module).unwrap();
    fs::write(dir.path().join("prices.json"), r#"{"tea": 3}"#).unwrap();
    let code = "import { twice } from 'sums'; import prices from 'prices'; twice(prices.tea)";
    let imports = [
        "--allow-import",
        "sums=sums.ts",
        "--allow-import",
        "prices=prices.json",
    ];
    let ran = hotcell_in(dir.path(), &[&["eval", code][..], &imports].concat());
    assert_eq!(ran.ok(), "6");
    // The same flags say the same to the other commands.
    let prompt = hotcell_in(dir.path(), &[&["prompt"][..], &imports].concat());
    assert!(
        prompt.ok().contains("export const twice: unknown;"),
        "{prompt}"
    );
    fs::write(dir.path().join("code.js"), "import { thrice } from 'sums'").unwrap();
    let check = hotcell_in(dir.path(), &[&["check", "code.js"][..], &imports].concat());
    assert_eq!(check.code, 1);
    assert!(check.stdout.contains("does not export `thrice`"), "{check}");
}

#[test]
fn logs_are_kept_up_to_a_size() {
    let code = "for (let i = 0; i < 1000; i++) console.log('line ' + i)";
    let ran = hotcell(&["eval", "--max-log", "2KiB", code]);
    assert!(
        ran.stdout.len() < 2200 && ran.stdout.contains("[TRUNCATED]"),
        "{ran}"
    );
    assert!(ran.stderr.contains("maxLogBytes"), "{ran}");
    assert_eq!(hotcell(&["eval", "--max-log", "5", "1"]).code, 2);
}

#[test]
fn check_finds_wrong_tools_and_wrong_arguments() {
    let dir = tempdir().unwrap();
    let tools = r#"[{"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false}}]"#;
    fs::write(dir.path().join("tools.json"), tools).unwrap();
    let code = "const a = await get_weather({ city: 'x' });\nconst b = await weather({ town: 'x' });\nconst c = weather({ city: question });\nc.degrees";
    fs::write(dir.path().join("code.js"), code).unwrap();
    let ran = hotcell_in(
        dir.path(),
        &[
            "check",
            "code.js",
            "--tools",
            "tools.json",
            "--var",
            "question",
        ],
    );
    assert_eq!(ran.code, 0, "{ran}");
    for part in [
        "warning[unknown_name]: `get_weather` is not defined",
        "did you mean `weather`?",
        "warning[tool_arguments]: wrong arguments for `weather`: `city` is missing; there is no `town`",
        "call it as weather({ city })",
        "warning[floating_promise]: `c` is a promise, because `weather` was not awaited",
        "code.js: 3 warnings",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{ran}");
    }
    let ran = hotcell_in(
        dir.path(),
        &[
            "check",
            "code.js",
            "--workspace",
            ".",
            "--tool",
            "weather",
            "--var",
            "question",
        ],
    );
    assert!(!ran.stdout.contains("tool_arguments"), "{ran}");
}

#[test]
fn the_older_names_of_flags_still_work() {
    let code = "await import('lib'); search(given)";
    let args = [
        "check", "-", "--import", "lib", "--tool", "search", "--global", "given",
    ];
    assert_eq!(ran(&mut command(&args), code).code, 0);
    let prompt = hotcell(&[
        "prompt",
        "--variable",
        "question: string",
        "--clock",
        "--random",
    ]);
    assert!(
        prompt.ok().contains("declare const question: string")
            && prompt.ok().contains("The clock works"),
        "{prompt}"
    );
    assert!(hotcell(&["prompt"]).ok().contains("There is no clock"));
    let dir = tempdir().unwrap();
    let sh = hotcell_in(dir.path(), &["sh", "--root", ".", "-c", "echo hi"]);
    assert_eq!(sh.ok(), "hi");
}
