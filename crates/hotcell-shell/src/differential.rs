//! Tries scripts out in bash and here.

use std::{
    io::Write,
    process::{Command, Stdio},
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use hotcell_process::{Capture, Kernel, KernelOptions, Process, Program, Programs, Spec};
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

#[path = "../tests/fuzz/generate.rs"]
mod generate;

use crate::{Shell, start::ShellOptions, text::Origin};

struct Show;

impl Program for Show {
    fn run(&self, process: &Process) -> std::io::Result<i32> {
        let mut line = Vec::new();
        let args = process.args();
        if args[0] == "echo" {
            line = bstr::join(" ", &args[1..]);
        } else {
            write!(line, "{}:", args.len() - 1)?;
            for arg in &args[1..] {
                write!(line, "<{arg}>")?;
            }
        }
        line.push(b'\n');
        process.stdout().write_all(&line)?;
        Ok(0)
    }
}

struct Shows;

impl Programs for Shows {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        match name {
            b"show" | b"echo" => Some(Arc::new(Show)),
            b":" => Some(Arc::new(Nothing)),
            _ => None,
        }
    }

    fn names(&self) -> Vec<BString> {
        vec!["show".into()]
    }
}

struct Nothing;

impl Program for Nothing {
    fn run(&self, _: &Process) -> std::io::Result<i32> {
        Ok(0)
    }
}

const FILES: &[&str] = &[
    "/tmp/gt/a/b/c/3", "/tmp/gt/a/1", "/tmp/gt/a/b/2", "/tmp/gt/.hid/x/q", "/tmp/gt/.hid/y", "/tmp/gt/d/f",
    "/tmp/gt/.dot", "/tmp/gt/z1", "/tmp/gt/z2", "/tmp/gt/sp ace", "/tmp/gt/br[x]",
];

fn ours(script: &[u8]) -> (BString, BString, i32) {
    ours_with(script, false)
}

fn ours_merged(script: &[u8]) -> (BString, BString, i32) {
    ours_with(script, true)
}

fn ours_with(script: &[u8], merged: bool) -> (BString, BString, i32) {
    let vfs = MemVfs::new();
    for file in FILES {
        let path = VfsPath::new(file);
        vfs.mkdir_all(path.parent().unwrap(), 0o755).unwrap();
        vfs.write_file(path, b"").unwrap();
    }
    vfs.symlink(VfsPath::new("a"), VfsPath::new("/tmp/gt/la")).unwrap();
    vfs.symlink(VfsPath::new("nope"), VfsPath::new("/tmp/gt/broken")).unwrap();
    let kernel = Kernel::new(KernelOptions {
        programs: Arc::new(Shows),
        vfs: Arc::new(vfs),
        ..KernelOptions::default()
    });
    let out = Capture::new(kernel.account(), 1 << 20);
    let err = if merged { out.clone() } else { Capture::new(kernel.account(), 1 << 20) };
    let spec = Spec::new(["bash"])
        .stdout(Arc::new(out.clone()))
        .stderr(Arc::new(err.clone()))
        .cwd(VfsPath::new("/tmp/gt"));
    let script = script.to_vec();
    let run = kernel.run(spec, move |process| {
        let mut shell = Shell::new(ShellOptions::default());
        shell.pid = process.pid();
        shell.execution_string = Some(script.as_slice().into());
        shell.is_subshell = merged;
        shell.variables.update(b"HOME", crate::variables::Place::Global, |v| v.set_scalar("/root".into()));
        shell.variables.update(b"PWD", crate::variables::Place::Global, |v| v.set_scalar("/tmp/gt".into()));
        for line in script.lines() {
            let Some(line) = line.strip_prefix(b"#") else { break };
            let words: Vec<BString> = line.split_str(" ").map(|word| BString::from(if word == b"''" { b"" } else { word })).collect();
            match words[0].as_slice() {
                b"args" => shell.arguments = words[1..].into(),
                b"set" => shell.settings.set(crate::settings::Setting::by_letter(words[1][0]).unwrap(), true),
                b"shopt" => for word in &words[1..] { shell.settings.set(crate::settings::Setting::by_shopt_name(word).unwrap(), true) },
                _ => {}
            }
        }
        let outcome = shell.run_text(process, &script, Origin::Argument);
        Ok(shell.final_status(outcome))
    });
    let status = pollster::block_on(run).status.code();
    (out.take().bytes.into(), err.take().bytes.into(), status)
}

fn bash(script: &[u8]) -> (BString, BString, i32) {
    let root = std::path::Path::new("/tmp/gt");
    let _ = std::fs::remove_dir_all(root);
    for file in FILES {
        let path = std::path::Path::new(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"").unwrap();
    }
    std::os::unix::fs::symlink("a", root.join("la")).unwrap();
    std::os::unix::fs::symlink("nope", root.join("broken")).unwrap();
    let mut text = b"show(){ printf '%s:' $#; [ $# = 0 ] || printf '<%s>' \"$@\"; echo; }; eval \"$1\"".to_vec();
    text.extend_from_slice(b"");
    let mut child = Command::new("bash");
    child
        .args(["-c", "show(){ local IFS; printf '%s:' $#; [ $# = 0 ] || printf '<%s>' \"$@\"; echo; }; echo(){ local IFS=' '; printf '%s\\n' \"$*\"; }; . /tmp/gt.header; . /tmp/gt.script"])
        .env_clear()
        .env("HOME", "/root")
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/tmp/gt")
        .stdin(Stdio::null());
    let mut header = BString::default();
    for line in script.lines() {
        let Some(line) = line.strip_prefix(b"#") else { break };
        let text = line.as_bstr().to_string();
        if let Some(args) = text.strip_prefix("args") { header.extend_from_slice(format!("set -- {args}; ").as_bytes()); }
        if let Some(args) = text.strip_prefix("set ") { header.extend_from_slice(format!("set -{args}; ").as_bytes()); }
        if let Some(args) = text.strip_prefix("shopt ") { header.extend_from_slice(format!("shopt -s {args}; ").as_bytes()); }
    }
    std::fs::write("/tmp/gt.header", &header).unwrap();
    std::fs::write("/tmp/gt.script", script).unwrap();
    let output = child.output().unwrap();
    let err = output.stderr.replace("/tmp/gt.script: ", "bash: ");
    (output.stdout.into(), err.into(), output.status.code().unwrap_or(-1))
}

#[test]
fn differ() {
    let Ok(file) = std::env::var("DIFF") else { return };
    let text = std::fs::read(file).unwrap();
    let mut count = 0;
    let mut bad = 0;
    for script in text.split_str("\n---\n") {
        if script.trim().is_empty() { continue; }
        count += 1;
        let (one, other) = (ours(script), bash(script));
        let err = |text: &BString| { let t = text.replace("gt.script: ", ""); t };
        if one.0 != other.0 || err(&one.1) != err(&other.1) || one.2 != other.2 {
            bad += 1;
            eprintln!("=== {}\n ours [{}] {}{}\n bash [{}] {}{}", script.as_bstr(), one.2, one.0, one.1, other.2, other.0, other.1);
        }
    }
    eprintln!("{bad} of {count} differ");
}

fn setup_bash() {
    let root = std::path::Path::new("/tmp/gt");
    let _ = std::fs::remove_dir_all(root);
    for file in FILES {
        let path = std::path::Path::new(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"").unwrap();
    }
    std::os::unix::fs::symlink("a", root.join("la")).unwrap();
    std::os::unix::fs::symlink("nope", root.join("broken")).unwrap();
}

fn normal(text: &[u8]) -> BString {
    let mut out = BString::default();
    for line in text.lines() {
        let mut line = line;
        for prefix in ["bash: ", "environment: "] {
            if let Some(rest) = line.strip_prefix(prefix.as_bytes()) {
                line = rest;
                if let Some(rest) = line.strip_prefix(b"line ") {
                    if let Some(at) = rest.find(": ") { line = &rest[at + 2..]; }
                }
            }
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

#[test]
fn fuzz() {
    let Ok(spec) = std::env::var("FUZZ") else { return };
    let (seed, count) = spec.split_once(':').unwrap();
    let (seed, count): (u64, u64) = (seed.parse().unwrap(), count.parse().unwrap());
    setup_bash();
    let mut bad = 0;
    for chunk in (seed..seed + count).collect::<Vec<_>>().chunks(200) {
        let scripts: Vec<String> = chunk.iter().map(|seed| generate::script(*seed)).collect();
        let mut input = Vec::new();
        for script in &scripts { input.extend_from_slice(script.as_bytes()); input.push(0); }
        std::fs::write("/tmp/gt.input", &input).unwrap();
        let output = Command::new("bash").args(["-c", "show(){ local IFS; printf '%s:' $#; [ $# = 0 ] || printf '<%s>' \"$@\"; echo; }; echo(){ local IFS=' '; printf '%s\\n' \"$*\"; }; while IFS= read -r -d '' s; do ( unset REPLY; eval \"$s\" ) 2>&1 </dev/null; printf '=>%s\\n\\0' $?; done < /tmp/gt.input"])
            .env_clear().env("HOME", "/root").env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8")
            .current_dir("/tmp/gt").output().unwrap();
        let theirs: Vec<&[u8]> = output.stdout.split(|b| *b == 0).collect();
        for ((seed, script), theirs) in chunk.iter().zip(&scripts).zip(theirs) {
            let (out, _, code) = ours_merged(script.as_bytes());
            let mut one = normal(&out);
            one.extend_from_slice(format!("=>{code}\n").as_bytes());
            let other = normal(theirs);
            if one != other {
                bad += 1;
                if bad <= 40 { eprintln!("=== seed {seed}\n{script}\n--- ours\n{one}--- bash\n{other}"); }
            }
        }
    }
    eprintln!("{bad} of {count} differ");
}
