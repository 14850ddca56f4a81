//! The list: what never ends, and what takes long in one go.

use std::{
    io,
    net::TcpListener,
    sync::Arc,
    task::{Poll, Waker},
    time::Duration,
};

use hotcell_net::{Network, NetworkPolicy};
use hotcell_sandbox::{Command, Sandbox, Stream};
use hotcell_vfs::Metadata;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) script: &'static str,
    /// How long it is let run, in milliseconds.
    after: u64,
    /// Whether somebody is at the other end of standard input who never says anything.
    waits_for_input: bool,
}

const fn case(name: &'static str, script: &'static str) -> Case {
    Case {
        name,
        script,
        after: 60,
        waits_for_input: false,
    }
}

/// One that gets to the point later.
const fn late(name: &'static str, script: &'static str) -> Case {
    Case {
        after: 400,
        ..case(name, script)
    }
}

impl Case {
    pub(crate) fn after(&self) -> Duration {
        Duration::from_millis(self.after)
    }

    pub(crate) fn stdin(&self, command: Command) -> Command {
        if self.waits_for_input {
            return command.stdin_stream(Arc::new(Silence));
        }
        command
    }
}

pub(crate) const ALL: &[Case] = &[
    case("a loop of the shell", "while :; do :; done"),
    case(
        "a loop of functions",
        "f() { for i in 1 2 3; do :; done; }; while f; do :; done",
    ),
    case(
        "arithmetic",
        "for ((i = 0;; i++)); do ((x = i ** 3 % 7)); done",
    ),
    case(
        "a loop that ignores signals",
        "trap '' TERM INT HUP; while :; do :; done",
    ),
    case(
        "a trap that never ends",
        "trap 'while :; do :; done' EXIT; exit",
    ),
    case("a substitution", "x=$(while :; do :; done)"),
    case(
        "a large expansion",
        "x=$(cat lines); while :; do y=${x//a/b}; done",
    ),
    case(
        "a pattern with many ways",
        "x=$(head -c 20000 lines | tr -d '\\n'); [[ $x == *a*b*a*b*a*b*a*b*a*b*Z ]]; while :; do [[ $x == +(a|b|ab|ba)Z ]]; done",
    ),
    case(
        "words without end",
        "while :; do echo {1..300000}; done > /dev/null",
    ),
    late(
        "sort of a large file",
        "while :; do sort big > /dev/null; done",
    ),
    late(
        "sort, the last step",
        "sort -R big | sort -n | sort -k2,2 | sort -V > /dev/null; sleep 100",
    ),
    case(
        "a pattern that backtracks",
        "grep -P '(a+)+$' backtrack; while :; do grep -P '(x+x+)+y' backtrack; done",
    ),
    case(
        "back-references",
        "while :; do grep -E '(a*)*\\1b' backtrack; sed -E 's/(a*)*\\1b//' backtrack > /dev/null; done",
    ),
    case("awk, a loop", "awk 'BEGIN { while (1) {} }'"),
    case(
        "awk, regular expressions",
        "awk '{ while (1) x = gsub(/(a|aa)+$/, \"\", $0) }' backtrack",
    ),
    case(
        "awk, strings",
        "awk 'BEGIN { while (length(s) < 1e8) s = s \"xxxxxxxxxxxxxxxx\"; while (1) t = toupper(s) }'",
    ),
    case("bc, a loop", "echo 'while (1) {}' | bc"),
    case(
        "bc, one large number",
        "echo '9^9999999' | bc > /dev/null; sleep 100",
    ),
    case("dc", "echo '[0 0=a]sa lax' | dc"),
    case(
        "dc, one large number",
        "echo '7 5000000 ^ p' | dc > /dev/null; sleep 100",
    ),
    case("jq 'repeat(.)'", "jq -n 'repeat(.)' > /dev/null; sleep 100"),
    late(
        "jq, one large array",
        "jq -n '[range(3000000)] | sort_by(-.) | group_by(. % 3) | length'; sleep 100",
    ),
    case("jq, recursion", "jq -n 'def f: f; f'"),
    late(
        "jq, one large string",
        "jq -n '\"abc\" * 10000000 | test(\"(a|b|c)*d\")'; sleep 100",
    ),
    case(
        "patterns of [[ =~ ]], one after the other",
        "while :; do [[ x =~ ([a-z]{1,250}){1,20}$RANDOM ]]; done",
    ),
    case(
        "patterns of utilities, one after the other",
        "while :; do r='([[:alpha:]]{1,99}){1,9}'$RANDOM; echo x | sed -E s/$r/y/; echo é | grep -E $r; expr x : ${r//[()]/}; done",
    ),
    case(
        "patterns of awk, one after the other",
        "awk 'BEGIN { while (1) if (match(\"x\", \"([a-z]{1,250}){1,20}\" i++)) exit }'",
    ),
    case(
        "patterns of jq, one after the other",
        "jq -n 'range(1e9) | select(\"x\" | test(\"([a-z]{1,250}){1,9}(?=a)\\(.)\"))'; sleep 100",
    ),
    case(
        "grep -P, a look ahead from everywhere",
        "printf '%0300000d' 0 > zeros; while :; do grep -P '(?=0*1)0' zeros; done",
    ),
    case(
        "grep -P, a look behind",
        "printf '%0300000d' 0 > zeros; while :; do grep -P '(?<=0)(?<!b)(0*)*c' zeros; done",
    ),
    case(
        "grep -P, a group once more",
        "printf '%0300000d' 0 > zeros; while :; do grep -P '(0*)\\1c' zeros; done",
    ),
    case(
        "jq, a look ahead from everywhere",
        "jq -n '\"0\" * 300000 | test(\"(?=0*1)0\")'; sleep 100",
    ),
    case("sed", "echo x | sed ':a; s/x/xx/; s/xx/x/; ba'"),
    case(
        "expr",
        "while :; do expr \"$(cat backtrack)\" : '\\(a*\\)*b'; done",
    ),
    case(
        "factor",
        "factor 10000000000000000000000000000603000000000000000000000000001881",
    ),
    case("seq", "seq inf > /dev/null"),
    case("yes", "yes > /dev/null"),
    case(
        "tar of a large tree",
        "while :; do tar cf - tree > /dev/null; done",
    ),
    case(
        "tar, unpacking",
        "tar cf t.tar tree; while :; do rm -rf out; mkdir out; tar xf t.tar -C out; done",
    ),
    case(
        "find",
        "while :; do find tree -name '*7*' -newer tree/1 | wc -l; done > /dev/null",
    ),
    case("gzip", "while :; do gzip -9 -c /dev/zero; done > /dev/null"),
    case("gunzip", "while :; do gunzip -c bomb.gz; done > /dev/null"),
    late("bzip2", "while :; do bzip2 -9 -c big; done > /dev/null"),
    case(
        "bunzip2",
        "while :; do bunzip2 -c bomb.bz2; done > /dev/null",
    ),
    late("xz", "while :; do xz -9 -c big; done > /dev/null"),
    case("unxz", "while :; do unxz -c bomb.xz; done > /dev/null"),
    late("zstd", "while :; do zstd -19 -c big; done > /dev/null"),
    case(
        "unzstd",
        "while :; do zstd -d -c bomb.zst; done > /dev/null",
    ),
    case(
        "unxz of what is thrown away",
        "while :; do xz -t bomb.xz; xz -l bomb.xz; done > /dev/null",
    ),
    case(
        "bunzip2 of members with nothing in them",
        "while :; do bunzip2 -c empty.bz2; done",
    ),
    case(
        "gunzip of members with nothing in them",
        "while :; do gunzip -c empty.gz; done",
    ),
    case(
        "unxz of streams with nothing in them",
        "while :; do unxz -c empty.xz; done",
    ),
    case(
        "unzstd of frames with nothing in them",
        "while :; do zstd -d -c empty.zst; done",
    ),
    late(
        "unzip of members with nothing in them",
        "while :; do unzip -tqq empty.zip; done",
    ),
    late(
        "tar of members with nothing in them",
        "while :; do tar tf empty.tar; done > /dev/null",
    ),
    case(
        "bc, a long quotient",
        "echo 'scale = 9000000; 1/3; 1/7; 1/9; 1/11; 1/13; 1/17; 1/19; 1/23; 1/29; 1/31' | bc > /dev/null; sleep 100",
    ),
    case(
        "bc, long numbers",
        "echo 'scale = 100000; a = sqrt(2); b = sqrt(3); while (1) a / b * a' | bc",
    ),
    case(
        "rg with replacements in a long line",
        "head -c 4000000 /dev/zero | tr '\\0' a > e; while :; do rg a -r xyz e; done > /dev/null",
    ),
    case(
        "replacing in a long value",
        "printf -v x '%*s' 4000000 ''; while :; do y=${x// /b}; done",
    ),
    case("unzip", "while :; do unzip -p bomb.zip; done > /dev/null"),
    case("sha256sum", "sha256sum /dev/zero"),
    case("base64", "base64 /dev/zero > /dev/null"),
    late(
        "diff of what has nothing in common",
        "seq 1 2 400000 > a; seq 2 2 400000 > b; diff a b > /dev/null; sleep 100",
    ),
    case(
        "rg",
        "while :; do rg -c '(a|b)+c$' big lines; done > /dev/null",
    ),
    case("sleep", "sleep 1000"),
    case("sleeping often", "while :; do sleep 0.001; done"),
    case("wait", "sleep 1000 & wait"),
    Case {
        waits_for_input: true,
        ..case("a blocked read", "read x")
    },
    Case {
        waits_for_input: true,
        ..case("a blocked cat", "cat > copy")
    },
    case("a blocked read of a named pipe", "mkfifo p; cat p"),
    case("a full pipe", "yes | sleep 1000"),
    case("a pipeline of three", "yes | cat | cat > /dev/null"),
    case(
        "background jobs",
        "while :; do :; done & while :; do :; done & sleep 1000 & wait",
    ),
    case(
        "a job that nobody waits for",
        "(while :; do :; done) & disown; sleep 1000",
    ),
    case(
        "a coprocess",
        "coproc while :; do :; done; read -u ${COPROC[0]} x",
    ),
    case("a substitution of processes", "read x < <(sleep 1000)"),
    case("a fork bomb", ":() { :|:& }; :; while :; do sleep 1; done"),
    case("xargs", "yes | xargs -n1 true"),
    case("find -exec", "find / -exec sleep 100 ';'"),
    case("timeout", "timeout 1000 sleep 1000"),
    case("js, a loop", "js -e 'for (;;) {}'"),
    case(
        "js, a native loop",
        "js -e \"'a'.repeat(2**24).match(/(a+)+b/)\"; js -e 'for (;;) {}'",
    ),
    case("js, a timer", "js -e 'setTimeout(() => {}, 1e9)'"),
    case(
        "js, reading",
        "sleep 1000 | js -e \"require('fs').readFileSync(0)\"",
    ),
    case(
        "a script that calls itself",
        "echo 'bash s' > s; while :; do bash s 2> /dev/null; done",
    ),
    // Steps that do much: a look at the time every so many steps would come too late.
    late(
        "quoting of long texts",
        "x=$(printf %02000000d 1); while :; do y=${x@Q}; done",
    ),
    late(
        "a long text that is no name",
        "x=$(printf %02000000d 1); while :; do [ -f \"$x\" ]; done",
    ),
    late(
        "long arrays that are joined",
        "a=({1..50000}); while :; do b=\"${a[*]}\"; done",
    ),
    late(
        "deep paths",
        "p=$(printf 'd/%.0s' {1..500}); mkdir -p $p; while :; do [ -d $p ]; done",
    ),
    late(
        "programs with many variables",
        "for i in {1..10000}; do export v$i=1; done; while :; do /bin/true; done",
    ),
    late(
        "awk, long numbers",
        "awk 'BEGIN { x = sprintf(\"%2000000s\", 1); while (1) y = x + 0 }'",
    ),
    late(
        "awk, long keys",
        "awk 'BEGIN { x = sprintf(\"%1000000s\", 1); while (1) a[x] = x }'",
    ),
    late(
        "jq, long texts",
        "jq -n '\"1\" * 300000 | . as $x | until(false; ($x | tonumber) as $y | .)'",
    ),
    case("WebAssembly, a loop", "./loop.wasm"),
    case("WebAssembly, a loop that fills memory", "./fill.wasm"),
    case(
        "WebAssembly, calls within calls",
        "./recurse.wasm; ./loop.wasm",
    ),
    case("WebAssembly, writing", "./write.wasm > /dev/null"),
    case("WebAssembly, writing a file", "./write.wasm > file"),
    case("WebAssembly, sleeping", "./sleep.wasm"),
    Case {
        waits_for_input: true,
        ..case("WebAssembly, a blocked read", "./copy.wasm")
    },
    case("WebAssembly, a full pipe", "./write.wasm | sleep 1000"),
    case(
        "WebAssembly, a pipeline",
        "yes | ./copy.wasm | tr y n | ./copy.wasm > /dev/null",
    ),
    case(
        "WebAssembly, in the background",
        "./loop.wasm & ./loop.wasm & (./loop.wasm) & disown; wait",
    ),
    case(
        "WebAssembly, one after the other",
        "while :; do ./end.wasm; done",
    ),
    case("a hanging read of the network", "curl -s $HOST"),
    case("wget, hanging", "wget -qO- $HOST | cat"),
    case("uploading without end", "yes | curl -sT - $HOST"),
    case("renaming", "mkdir d; while :; do mv d e; mv e d; done"),
    case("copying", "while :; do cp -r tree copy; rm -r copy; done"),
];

/// A sandbox with what the cases work on. Cases get forks of it.
pub(crate) fn prepared() -> Sandbox {
    // Connections are made, and nobody ever answers.
    let silent = Box::leak(Box::new(TcpListener::bind("127.0.0.1:0").unwrap()));
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let policy = NetworkPolicy::new().allow(&format!("{silent} *")).unwrap();
    let network = Network::new(policy).unwrap();
    let options = crate::options().network(Arc::new(network));
    let sandbox = Sandbox::create(options.env("HOST", silent)).unwrap();
    let script = r#"
        seq 1 400000 | awk '{ print ($1 * 7919) % 1000003, "user" $1 % 977, "some text that is not short" }' > big
        yes 'abab some line of text, not long' | head -n 30000 > lines
        head -c 3000 /dev/zero | tr '\0' a > backtrack; echo >> backtrack
        mkdir tree; for i in {1..40}; do mkdir tree/$i; (cd tree/$i; touch {1..50}); done
        head -c 5000000 /dev/zero > part
        for pack in gzip.gz bzip2.bz2 xz.xz zstd.zst; do
            ${pack%.*} -c part > packed
            cat packed packed packed packed packed packed packed packed packed packed > bomb.${pack#*.}
        done
        for pack in gzip.gz bzip2.bz2 xz.xz zstd.zst; do
            ${pack%.*} -c < /dev/null > one
            for i in {1..14}; do cat one one > two; mv two one; done
            mv one empty.${pack#*.}
        done
        rm part packed
        mkdir none; (cd none; touch {1..4000}; zip -q ../empty.zip *; tar cf ../empty.tar *); rm -r none
        head -c 50000000 /dev/zero > zeros; zip -q bomb.zip zeros; rm zeros
    "#;
    for (name, text) in MODULES {
        let path = format!("{name}.wasm");
        let module = wat::parse_str(text.replace("IMPORTS", IMPORTS)).unwrap();
        sandbox.write_file(&*path, module).unwrap();
        sandbox.chmod(&*path, 0o755).unwrap();
    }
    let command = Command::new(script).timeout(Duration::from_secs(600));
    let made = pollster::block_on(sandbox.run(command)).unwrap();
    assert_eq!(made.exit_code, 0, "{}", made.stderr_text());
    sandbox
}

const IMPORTS: &str = r#"
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 2)"#;

/// Programs for WASI, by name.
const MODULES: [(&str, &str); 7] = [
    ("end", r#"(module IMPORTS (func (export "_start")))"#),
    (
        "loop",
        r#"(module IMPORTS (func (export "_start") (loop $l (br $l))))"#,
    ),
    (
        "fill",
        r#"(module IMPORTS (func (export "_start")
            (drop (memory.grow (i32.const 1000)))
            (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000000)) (br $l))))"#,
    ),
    (
        "recurse",
        r#"(module IMPORTS
            (func $f (param i32) (result i32) (i32.add (call $f (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
            (func (export "_start") (drop (call $f (i32.const 0)))))"#,
    ),
    (
        "write",
        r#"(module IMPORTS (func (export "_start")
            (i32.store (i32.const 0) (i32.const 16))
            (i32.store (i32.const 4) (i32.const 100))
            (loop $l (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l))))"#,
    ),
    (
        "copy",
        r#"(module IMPORTS (func (export "_start")
            (loop $more
                (i32.store (i32.const 0) (i32.const 16))
                (i32.store (i32.const 4) (i32.const 60000))
                (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
                (br_if $more (i32.load (i32.const 4))))))"#,
    ),
    // One subscription, of 48 bytes: a clock, in a thousand seconds.
    (
        "sleep",
        r#"(module IMPORTS (func (export "_start")
            (i32.store (i32.const 16) (i32.const 1))
            (i64.store (i32.const 24) (i64.const 1000000000000))
            (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))))"#,
    ),
];

/// Somebody who never says anything.
struct Silence;

impl Stream for Silence {
    fn poll_read(&self, _buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(hotcell_process::pipe_metadata(0))
    }
}
