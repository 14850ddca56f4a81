//! Commands that are run by our `curl` and `wget` and by the machine's, and must come to the same.
//!
//! All files `tests/cases/*.txt` are run. A case begins with `### NAME`; lines that follow and begin with `# only: ours` say why
//! the machine's program answers differently. Then comes the script, in which `$U` is a server on a loopback address (see
//! `playground.rs`), and then what is recorded: `--- stdout`, `--- stderr`, `--- code N`, `--- file NAME`.
//!
//! What differs from run to run or from build to build is taken out before it is compared: see `normal`.
//!
//! `HOTCELL_BLESS=1 cargo test -p hotcell-net --test network conformance` records what the machine's programs say (for
//! `only: ours`, what ours say). Where the machine has other versions, or none, the recorded answer counts alone.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use regex::Regex;

use crate::{events::policy, playground::playground, server::Server, shell::Sandbox};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Answer {
    stdout: String,
    stderr: String,
    code: i32,
    files: BTreeMap<String, String>,
}

struct Case {
    name: String,
    /// Lines from the name to the end of the script, as they are.
    text: String,
    script: String,
    is_ours_alone: bool,
    recorded: Answer,
}

#[test]
fn curl_is_as_curl_is() {
    compare("curl", "curl 7.88.1 ");
}

#[test]
fn wget_is_as_wget_is() {
    compare("wget", "GNU Wget 1.21.3 ");
}

fn compare(program: &str, version: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(format!("{program}.txt"));
    let text = fs::read_to_string(&path).unwrap();
    let (notes, cases) = parse(&text);
    let machine = Command::new(program).arg("--version").output();
    let has_real =
        machine.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with(version));
    if !has_real {
        eprintln!("the machine has no {version}: the recorded answers count alone");
    }
    let is_blessing = env::var_os("HOTCELL_BLESS").is_some();
    let only = env::var("HOTCELL_CASES").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut blessed = notes;
    for case in &cases {
        if !case.name.contains(&only) && !is_blessing {
            continue;
        }
        let ours = ours(&case.script);
        let real = (has_real && !case.is_ours_alone).then(|| real(&case.script));
        let expected = match (&real, is_blessing) {
            (Some(real), true) => real.clone(),
            (None, true) if case.is_ours_alone => ours.clone(),
            _ => case.recorded.clone(),
        };
        blessed.push_str(&write(case, &expected));
        if let Some(real) = real.filter(|real| *real != expected) {
            wrong.push(format!(
                "{}: the machine's {program} says\n{}not what is recorded",
                case.name,
                show(&real)
            ));
        }
        if ours != expected {
            wrong.push(format!(
                "{}\n--- ours\n{}--- expected\n{}",
                case.name,
                show(&ours),
                show(&expected)
            ));
        }
    }
    if is_blessing {
        fs::write(&path, blessed).unwrap();
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n\n")
    );
}

fn ours(script: &str) -> Answer {
    let server = playground();
    let rules = [
        format!("http://127.0.0.1:{} *", server.port()),
        format!("http://localhost:{} *", server.port()),
        "http://127.0.0.1:1 *".to_owned(),
    ];
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let network = hotcell_net::Network::new(policy(&rules)).unwrap();
    let sandbox = Sandbox::new(network);
    let ran = sandbox.run(&format!("U={}\n{script}", server.url("")));
    let mut files = BTreeMap::new();
    collect_ours(&sandbox, "/work", &mut files);
    normal(
        &server,
        Answer {
            stdout: ran.stdout,
            stderr: ran.stderr,
            code: ran.code,
            files,
        },
    )
}

fn collect_ours(sandbox: &Sandbox, directory: &str, files: &mut BTreeMap<String, String>) {
    use hotcell_vfs::VfsPath;
    for entry in sandbox.vfs.readdir(VfsPath::new(directory)).unwrap() {
        let path = format!("{directory}/{}", String::from_utf8_lossy(&entry.name));
        if sandbox.vfs.stat(VfsPath::new(&path)).unwrap().is_dir() {
            collect_ours(sandbox, &path, files);
        } else {
            let bytes = sandbox.vfs.read_file(VfsPath::new(&path)).unwrap();
            let name = path.trim_start_matches("/work/").to_owned();
            files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

fn real(script: &str) -> Answer {
    let server = playground();
    let directory = tempfile::tempdir().unwrap();
    let (home, work) = (directory.path().join("home"), directory.path().join("work"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&work).unwrap();
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!("U={}\n{script}", server.url("")))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &home)
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .current_dir(&work)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut files = BTreeMap::new();
    collect_real(&work, &work, &mut files);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let answer = Answer {
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        code: output.status.code().unwrap_or(-1),
        files,
    };
    normal(&server, answer)
}

fn collect_real(root: &Path, directory: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            collect_real(root, &path, files);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            files.insert(
                name,
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            );
        }
    }
}

/// An answer without what differs from run to run: ports, times, speeds, versions, boundaries; and what curl says under -v of
/// its own doings.
fn normal(server: &Server, answer: Answer) -> Answer {
    let port = server.port().to_string();
    let patterns = [
        (r"curl/[0-9.]+", "curl/VERSION"),
        (r"Wget/[0-9.]+", "Wget/VERSION"),
        (r"-{24}[0-9a-f]{16}", "------------------------BOUNDARY"),
        (r"after \d+ ms", "after T ms"),
        (r"after \d+ milliseconds", "after T milliseconds"),
        // The numbers of the meter.
        (r"\r[ \d.kMG]{45}[^\r\n]*", "\rMETER"),
        (
            r"(?m)^\* (Found bundle|Can not multiplex|Mark bundle|We are completely|upload completely|Closing connection|Added cookie|Replaced cookie|HTTP 1.0|no chunk|Excess|transfer closed|Recv failure|Maximum|connect to|Failed to connect|Could not|Server auth|Operation timed|The requested URL|Connection #|Empty reply|Received HTTP|The file|Clear auth|Switch|Please rewind|Simulate|Ignoring).*\n",
            "",
        ),
        (r"(?m)^[{}] \[\d+ bytes data\]\n", ""),
        // wget's clock, and how fast it was.
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DATE"),
        (r"\([\d.,]+ [KMG]?B/s\)", "(SPEED)"),
        (
            r"(?m)^( +\d+K[ .,]*?) *(\d+%)? +[\d.]+[KMG ]?[ =\d.smh]*$",
            "$1 $2 STATS",
        ),
    ];
    let clean = |text: &str| {
        let mut text = text
            .replace(&format!(":{port}"), ":PORT")
            .replace(&format!("port {port}"), "port PORT");
        for (pattern, by) in patterns {
            text = Regex::new(pattern)
                .unwrap()
                .replace_all(&text, by)
                .into_owned();
        }
        while text.contains("\rMETER\rMETER") {
            text = text.replace("\rMETER\rMETER", "\rMETER");
        }
        text
    };
    Answer {
        stdout: clean(&answer.stdout),
        stderr: clean(&answer.stderr),
        code: answer.code,
        files: answer
            .files
            .iter()
            .map(|(name, text)| (clean(name), clean(text)))
            .collect(),
    }
}

fn parse(text: &str) -> (String, Vec<Case>) {
    let mut parts = text.split("\n### ");
    let notes = format!("{}\n", parts.next().unwrap_or_default());
    (notes, parts.map(parse_case).collect())
}

fn parse_case(text: &str) -> Case {
    let end = text
        .find("\n--- ")
        .map_or(text.trim_end().len() + 1, |end| end + 1);
    let (head, sections) = text.split_at(end.min(text.len()));
    let (name, script) = head.split_once('\n').unwrap();
    let mut recorded = Answer::default();
    for section in format!("\n{sections}").split("\n--- ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let body = unescape(body);
        match title.split_once(' ') {
            None if title == "stdout" => recorded.stdout = body,
            None if title == "stderr" => recorded.stderr = body,
            Some(("code", code)) => recorded.code = code.trim().parse().unwrap(),
            Some(("file", name)) => {
                recorded.files.insert(name.to_owned(), body);
            }
            _ => panic!("no section: {title}"),
        }
    }
    Case {
        name: name.to_owned(),
        text: head.trim_end().to_owned(),
        script: script.trim_end().to_owned(),
        is_ours_alone: script.starts_with("# only: ours"),
        recorded,
    }
}

fn write(case: &Case, answer: &Answer) -> String {
    let mut text = format!("### {}\n", case.text);
    text.push_str(&show(answer));
    text.push('\n');
    text
}

fn show(answer: &Answer) -> String {
    let mut text = String::new();
    if !answer.stdout.is_empty() {
        text.push_str(&format!("--- stdout\n{}", escape(&answer.stdout)));
    }
    if !answer.stderr.is_empty() {
        text.push_str(&format!("--- stderr\n{}", escape(&answer.stderr)));
    }
    if answer.code != 0 {
        text.push_str(&format!("--- code {}\n", answer.code));
    }
    for (name, content) in &answer.files {
        text.push_str(&format!("--- file {name}\n{}", escape(content)));
    }
    text
}

/// Lines with what cannot be seen as escapes; `\c` where no newline ends the last one.
fn escape(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut shown = text
        .replace('\\', "\\\\")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
        .replace(" \n", " \\\n");
    // A line that would begin a section or a case.
    shown = shown
        .replace("\n---", "\n\\---")
        .replace("\n###", "\n\\###");
    if shown.starts_with("---") || shown.starts_with("###") {
        shown.insert(0, '\\');
    }
    if shown.ends_with('\n') && !shown.ends_with("\n\n") && shown != "\n" {
        shown
    } else {
        format!("{shown}\\c\n")
    }
}

fn unescape(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        return String::new();
    }
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('r') => plain.push('\r'),
                Some('t') => plain.push('\t'),
                Some('c') | None => return plain,
                Some(other) => plain.push(other),
            },
            other => plain.push(other),
        }
    }
    plain.push('\n');
    plain
}
