//! What nobody would write, and models do: each ends in time with a clear word, and the shell lives on.

use std::time::{Duration, Instant};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Ended, KernelOptions};
use hotcell_vfs::Limits;

use crate::Session;

const MEMORY: usize = 64 << 20;
const FILES: u64 = 4 << 20;

/// Far more than any of these takes that ends by itself.
const PATIENCE: Duration = Duration::from_secs(30);

struct Victim(Session);

impl Victim {
    fn new() -> Self {
        Self(Session::with(Limits {
            bytes: FILES,
            ..Limits::default()
        }))
    }

    fn run(&mut self, command: &[u8], timeout: Duration) -> (Ended, String) {
        let options = KernelOptions {
            account: Account::new("memory", MEMORY),
            stop: StopToken::until(Instant::now() + timeout),
            ..self.0.options()
        };
        self.0.run_with(options, command)
    }

    #[track_caller]
    fn lives(&mut self) {
        let (ended, text) = self.run(b"echo alive $((6 * 7)) | cat", PATIENCE);
        assert_eq!((ended.status.code(), &*text), (0, "alive 42\n"));
    }
}

/// It ends by itself, and what it says has `word` in it.
#[track_caller]
fn ends(command: impl AsRef<[u8]>, word: &str) {
    let mut victim = Victim::new();
    let (ended, text) = victim.run(command.as_ref(), PATIENCE);
    let start: String = text.chars().take(300).collect();
    assert!(ended.stopped.is_none(), "it had to be stopped: {start}");
    assert!(text.contains(word), "it said {start:?}");
    victim.lives();
}

/// It does not end by itself, and is ended.
#[track_caller]
fn is_stopped(command: &str) {
    let mut victim = Victim::new();
    let timeout = Duration::from_millis(200);
    let (ended, text) = victim.run(command.as_bytes(), timeout);
    assert_eq!(ended.stopped, Some(Stopped::Deadline), "{command}: {text}");
    victim.lives();
}

#[test]
fn a_command_of_10_mb() {
    ends(
        ["echo ", &"x".repeat(10 << 20), " | wc -c"].concat(),
        "10485761\n",
    );
    ends("echo a b; ".repeat(100_000) + "exit 0", "a b\n");
    ends("echo a b; ".repeat(500_000), "command too large");
}

#[test]
fn a_hundred_thousand_arguments() {
    ends(
        ["set -- ", &"x ".repeat(100_000), "; echo $#"].concat(),
        "100000\n",
    );
    ends("echo {1..100000} | wc -w", "100000\n");
    ends(
        "true {1..100000}; touch {1..20000} && ls | wc -l",
        "20000\n",
    );
}

#[test]
fn nesting_without_end() {
    for (open, close) in [
        ("(", ")"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("$((", "))"),
        ("if ", ""),
        ("while ", ""),
        ("case x in x) ", ""),
        ("! ", ""),
        ("[[ ( ", ""),
        ("<(", ")"),
        ("`", ""),
        ("a=(", ")"),
    ] {
        let deep = [open.repeat(1_000_000), "x".into(), close.repeat(1_000_000)].concat();
        ends(["echo ", &deep].concat(), "");
        ends(&deep, "");
    }
    ends(
        [
            "echo $((",
            &"(".repeat(1_000_000),
            "1",
            &")".repeat(1_000_000),
            "))",
        ]
        .concat(),
        "",
    );
    ends(["echo $((", &"-".repeat(1_000_000), "1))"].concat(), "");
    ends(
        [
            "echo $((",
            &"1?".repeat(500_000),
            "1",
            &":1".repeat(500_000),
            "))",
        ]
        .concat(),
        "",
    );
    ends(["echo ", &"{a,".repeat(100_000)].concat(), "");
}

#[test]
fn recursion_without_end() {
    ends("f() { f; }; f; echo after", "");
    ends("f() { $(f); }; f; echo after", "");
    ends("f() { f | f; }; f; echo after", "");
    ends("eval() { builtin eval eval; }; eval; echo after", "");
    ends("x='x'; y='$((x))'; x='x+1'; echo $((x))", "");
    ends("alias a='a a'; shopt -s expand_aliases; a", "");
    ends("echo '. ./s' > s; . ./s", "");
    ends("printf '%s\\n' 'bash s' > s; bash s", "");
    ends("awk 'function f() { return f() } BEGIN { f() }'", "");
    ends("echo 'define f() { return f(); } f()' | bc", "");
    ends("echo '[lax]salax' | dc", "");
    ends("jq -n 'def f: 1 + f; f'", "");
}

#[test]
fn bytes_that_are_no_text() {
    ends(
        b"x=$'\\xff\\xfe'; echo \"$x\" > \"$x\"; ls | od -An -tx1".as_slice(),
        "ff fe",
    );
    ends(
        b"echo \xff\xfe | tr '\xff' x | od -An -tx1".as_slice(),
        "78 fe",
    );
    ends(b"\xff\xfe".as_slice(), "command not found");
    ends(b"a\0b".as_slice(), "");
}

#[test]
fn a_full_filesystem() {
    ends(
        "yes > big; echo $?; rm big; echo room > small; cat small",
        "No space left on device",
    );
    ends(
        "yes | head -c 10000000 | tee big | wc -c; rm -f big",
        "No space left on device",
    );
}

#[test]
fn memory_that_runs_out() {
    ends("x=$(yes); echo after", "memory");
    ends("x=x; while :; do x=$x$x; done", "memory");
    ends("yes | sort > /dev/null; echo after", "");
    ends("yes | tac; echo after", "memory");
    ends("awk 'BEGIN { while (1) a[i++] = i }'", "memory");
    ends("for ((;;)); do a+=(x); done", "memory");
    ends("echo {1..1000000000}", "");
    ends("printf '%1000000000d' 1 | tail -c 1", "memory");
    ends(
        "head -c 1000000000 /dev/zero | gzip | gunzip | wc -c",
        "1000000000",
    );
}

#[test]
fn patterns_that_blow_up() {
    let long = "a".repeat(50_000);
    ends(format!("[[ {long} =~ ^(a+)+$ ]]; echo $?"), "0\n");
    ends(
        format!("[[ {long}b == *a*a*a*a*a*a*a*a*c ]]; echo $?"),
        "1\n",
    );
    ends(format!("echo {long}b | grep -E '(a|aa)+$'; echo $?"), "1\n");
    ends(
        format!("echo {long} | sed -E 's/(a*)*b/x/' | wc -c"),
        "50001\n",
    );
    ends(
        format!("x={long}; y=${{x//+(a|aa)b/}}; echo ${{#y}}"),
        "50000\n",
    );
    ends(
        "grep -E '((((a{1,100}){1,100}){1,100}){1,100}){1,100}' /dev/null; echo $?",
        "",
    );
}

#[test]
fn what_never_ends_is_stopped() {
    for endless in [
        "while :; do :; done",
        "until false; do :; done & wait",
        "yes > /dev/null",
        "yes | cat | cat > /dev/null",
        "sleep 1000",
        "wait & sleep 100 | sleep 100",
        "cat < /dev/zero > /dev/null",
        "tail -f /dev/null",
        "seq 1 inf > /dev/null",
        "awk 'BEGIN { while (1); }'",
        "echo 'while (1) {}' | bc",
        "echo '[0 0=a]sa lax' | dc",
        "sed -n ':a;ba' <<< x",
        "jq -n 'def f: f; f'",
        "jq -n 'last(range(infinite))'",
        "factor 10000000000000000000000000000603000000000000000000000000001881",
        "while :; do sleep 0.001; done",
        "trap '' TERM INT; while :; do :; done",
        "trap 'while :; do :; done' EXIT; exit",
        "mkdir d; while :; do mv d e; mv e d; done",
        "until (exit 1); do :; done",
        "read x < <(sleep 100)",
        "find / -exec sleep 100 ';'",
        "xargs -n1 sleep <<< '100 100'",
        "dd if=/dev/zero of=/dev/null bs=1M",
        "od /dev/zero > /dev/null",
        "split -a 9 -b 1 --filter='cat > /dev/null' /dev/zero",
    ] {
        is_stopped(endless);
    }
}
