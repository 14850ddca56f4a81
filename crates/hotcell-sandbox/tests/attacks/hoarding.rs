//! Memory, processes and time, hoarded in every place that a command has.

use std::time::Duration;

use hotcell_sandbox::{LimitKind, RunResult, Sandbox};

use crate::{alone, run, says, survives_within};

/// A megabyte of text.
const MEGABYTE: &str = "m=$(head -c 1000000 /dev/zero | tr '\\0' x);";

/// It ends by itself. What goes on for ever ends when it has computed for two seconds, and with `HOTCELL_LONG` after thirty.
#[track_caller]
fn survives(script: &str) -> RunResult {
    let seconds = if crate::is_long() { 30 } else { 2 };
    survives_within(Duration::from_secs(seconds), script)
}

/// The same for what meets the limit of memory, which may take longer.
#[track_caller]
fn fills(script: &str) -> RunResult {
    survives_within(Duration::from_secs(30), script)
}

#[test]
fn a_fork_bomb_runs_out_of_processes() {
    let _alone = alone();
    let result = survives(":() { :|:& }; :; wait 2> /dev/null; exit 1");
    assert!(result.limits.contains(&LimitKind::Processes), "{result:?}");
    survives("f() { f & f & }; f; wait");
    survives("while :; do (sleep 1 &) || exit; sleep 1 & done 2>&1 | head -1; exit 1");
    survives("echo 'bash s & bash s' > s; bash s 2> /dev/null");
    survives(
        "yes 'sleep 1' | head -1000 | xargs -P 500 -I{} sh -c '{}' 2> /dev/null & sleep 0.2; kill %1",
    );
}

#[test]
fn output_without_end_is_cut() {
    let _alone = alone();
    for flood in [
        "head -c 300000000 /dev/zero",
        "head -c 300000000 /dev/zero >&2",
        "seq 3000000; seq 3000000 >&2",
        "printf '%300000000d' 1",
        "for ((i = 0; i < 100000; i++)); do echo $i; ls $i; done",
    ] {
        let result = survives(flood);
        assert!(result.stdout.len() <= 1 << 20 && result.stderr.len() <= 1 << 20);
    }
}

#[test]
fn variables_hold_no_more_than_they_may() {
    let _alone = alone();
    for hungry in [
        "x=x; while :; do x=$x$x; done",
        "x=$(yes)",
        "x=`yes`",
        "read -d '' x < <(yes)",
        "read -N 999999999 x < <(yes)",
        "for ((;;)); do a+=(x); done",
        "for ((i = 0;; i++)); do a[i * 1000]=x; done",
        "declare -A m; for ((i = 0;; i++)); do m[$i]=x; done",
        "mapfile a < <(yes)",
        "printf -v x '%99999999d' 1; y=$x$x$x",
        "for ((i = 0;; i++)); do declare -g v$i=x; done",
        "x=$(printf '%1000000d' 1); for ((i = 0;; i++)); do declare -g v$i=\"$x\"; done",
        "a=({1..3000000})",
        "x=${x:=$(yes | head -c 60000000)}",
        "set -- $(yes | head -c 30000000); set -- \"$@\" \"$@\" \"$@\"",
        "IFS=x; y=$(yes x | tr -d '\\n' | head -c 20000000); a=($y)",
    ] {
        let result = fills(&format!("{hungry}; exit 1"));
        assert!(
            result.limits.contains(&LimitKind::Memory),
            "{hungry}: {:?} {}",
            result.limits,
            result.stderr_text()
        );
    }
}

#[test]
fn replacements_are_counted() {
    let _alone = alone();
    let result = fills(
        "x=$(yes | head -c 10000000); y=${x//y/yyyyyyyyyyyyyyyy}; z=${y//y/yyyyyyyyyyyy}; exit 1",
    );
    assert!(result.limits.contains(&LimitKind::Memory));
}

#[test]
fn environments_of_programs_are_counted() {
    let _alone = alone();
    for hungry in [
        "export x=$m$m$m$m; for ((i = 0; i < 250; i++)); do sleep 3 & done; x=$(yes)",
        "export x=$m$m$m$m; for ((i = 0; i < 250; i++)); do (sleep 3; :) & done; x=$(yes)",
        "for ((i = 0; i < 250; i++)); do env A=$m$m$m$m sleep 3 & done; x=$(yes)",
        "export A=$m$m$m$m; yes | head -250 | xargs -P 250 --process-slot-var=S -I{} sleep 3; x=$(yes)",
        "export x=$m$m$m$m; for ((i = 0; i < 250; i++)); do sh -c 'sleep 3; :' & done; x=$(yes)",
        "export x=$m$m$m$m; f() { (export x=$x$m; f) }; f; x=$(yes)",
        // What a subshell makes of what it began with is its own.
        "a=($m $m $m $m); for ((i = 0; i < 250; i++)); do (a+=(x); sleep 3; :) & done; x=$(yes)",
        "x=$m$m$m$m; for ((i = 0; i < 250; i++)); do (unset x; y=$m$m$m$m; sleep 3; :) & done; x=$(yes)",
    ] {
        let result = fills(&format!("{MEGABYTE} {hungry}; exit 1"));
        assert!(
            result.limits.contains(&LimitKind::Memory),
            "{hungry}: {:?} {}",
            result.limits,
            result.stderr_text().chars().take(200).collect::<String>()
        );
    }
}

#[test]
fn what_copies_of_a_shell_have_of_it_is_there_once() {
    let _alone = alone();
    for shared in [
        // Its own arguments, `$_`, its positional parameters.
        "echo 'for ((i = 0; i < 250; i++)); do (sleep 1; :) & done; wait' > s; bash s $m$m$m$m$m",
        "set -- $m$m$m$m$m; for ((i = 0; i < 250; i++)); do (sleep 1; :) & done; wait",
        ": $m$m$m$m$m; for ((i = 0; i < 250; i++)); do (while ((SECONDS < 1)); do ((1)); done) & done; wait",
    ] {
        survives(&format!("{MEGABYTE} {shared}; exit 1"));
    }
}

#[test]
#[ignore = "not met yet: each of the commands makes a value before it is charged, and gives way in the middle: some 300 MiB of 48"]
fn what_many_background_commands_make_at_once_is_counted() {
    let _alone = alone();
    let hungry =
        "export x=$m$m$m$m; for ((i = 0; i < 250; i++)); do x=$x$m sleep 3 & done; x=$(yes)";
    let result = fills(&format!("{MEGABYTE} {hungry}; exit 1"));
    assert!(result.limits.contains(&LimitKind::Memory));
}

#[test]
#[ignore = "not met yet: what a shell and its copies had in common is charged to the one that it began with, which gives it back when it lets go"]
fn values_that_only_copies_of_a_shell_have_are_counted() {
    let _alone = alone();
    for hungry in [
        "x=$m$m$m$m; for ((i = 0; i < 250; i++)); do (sleep 3; :) & x=$m$m$m$m$i; done; y=$(yes)",
        "for ((i = 0; i < 250; i++)); do (: $m$m$m$m; while ((SECONDS < 3)); do ((1)); done) & done; y=$(yes)",
    ] {
        let result = fills(&format!("{MEGABYTE} {hungry}; exit 1"));
        assert!(result.limits.contains(&LimitKind::Memory), "{hungry}");
    }
}

#[test]
fn what_else_a_shell_keeps_is_counted() {
    let _alone = alone();
    for hungry in [
        "for ((i = 0;; i++)); do eval \"f$i() { echo $m; }\"; done",
        "for ((i = 0;; i++)); do alias a$i=\"$m\"; done",
        "for ((i = 0;; i++)); do history -s \"$m\"; done",
        "echo \"$m\" > h; while :; do history -r h; done",
        "for ((i = 0;; i++)); do hash -p \"/$m\" n$i; done",
        "for ((i = 0;; i++)); do complete -W \"$m\" c$i; done",
        "for ((i = 0;; i++)); do BASH_ALIASES[a$i]=$m; done",
        "for i in {1..60}; do trap \"$m$m\" $i; done; for ((i = 0; i < 200; i++)); do trap \"$m$m\" $((i % 31 + 1)); x=$x$m; done",
        "f() { f \"$@\" x; }; f \"$m\"",
        "f() { local y=$m$1; f x; }; f",
        "f() { set -- \"$@\" \"$m\"; f \"$@\"; }; f",
        "for ((i = 10; i < 1000; i++)); do eval \"exec $i<<<\\\"\\$m\\\"\"; done",
        "echo \". ./s; : $m\" > s; . ./s",
        "for ((i = 0; i < 250; i++)); do sleep 3 <<< \"$m\" & done; x=$(yes)",
        "f() { x=$(f; echo $m$m); }; f; x=$(yes)",
        "for ((;;)); do PS4+=$m; x+=$m; done",
    ] {
        let script = format!("{MEGABYTE} {hungry}; exit 1");
        let result = fills(&script);
        assert!(
            result
                .limits
                .iter()
                .any(|limit| matches!(limit, LimitKind::Memory | LimitKind::Recursion)),
            "{hungry}: {:?} {}",
            result.limits,
            result.stderr_text().chars().take(200).collect::<String>()
        );
    }
    // The parser asks for less than there is, and says so itself.
    says(
        "eval \"$(yes 'a b c; ' | tr -d '\\n' | head -c 15000000)\"; exit 1",
        "command too large",
    );
    // Many small ones.
    for hungry in [
        "for ((i = 0; i < 400000; i++)); do eval \"f$i() { :; }\"; done",
        "for ((i = 0; i < 700000; i++)); do alias a$i=x; done",
        "for ((i = 0; i < 700000; i++)); do history -s x; done",
    ] {
        let result = fills(&format!("{hungry}; exit 1"));
        assert!(result.limits.contains(&LimitKind::Memory), "{hungry}");
    }
}

#[test]
fn what_is_kept_from_run_to_run_counts() {
    let _alone = alone();
    let sandbox = crate::sandbox();
    let (refused, memory) = crate::memory_of(|| {
        let grow = |i: usize| {
            format!(
                "{MEGABYTE} v{i}=$m; eval \"f{i}() {{ echo $m; }}\"; alias a{i}=\"$m\"; unset m"
            )
        };
        (0..200)
            .filter(|i| run(&sandbox, &grow(*i)).exit_code != 0)
            .count()
    });
    assert!(refused > 100, "{refused} of 200 were refused");
    assert!(
        memory < crate::MEMORY + crate::SLACK,
        "{} MiB",
        memory >> 20
    );
}

#[test]
fn utilities_hold_no_more_than_they_may() {
    let _alone = alone();
    for hungry in [
        "yes | sort",
        "yes | sort | sort -u",
        "seq inf | sort -n",
        "yes | tac",
        "cat /dev/zero | tac",
        "cat /dev/zero | sort",
        "cat /dev/zero | rev",
        "cat /dev/zero | sed s/a/b/",
        "yes | sed -n 'H;$p'",
        "yes | sed ':a;N;ba'",
        "awk 'BEGIN { while (1) a[i++] = i }'",
        "awk 'BEGIN { s = \"x\"; while (1) s = s s }'",
        "cat /dev/zero | awk '{ print }'",
        "cat /dev/zero | grep x",
        "cat /dev/zero | cut -f1",
        "cat /dev/zero | uniq",
        "cat /dev/zero | fold -w 999999999",
        "cat /dev/zero | fmt",
        "cat /dev/zero | nl",
        "cat /dev/zero | paste -s",
        "cat /dev/zero | column -t",
        "yes | column",
        "cat /dev/zero | jq .",
        "yes '[' | jq .",
        "yes '[1]' | jq -s .",
        "yes 1 | jq -n '[inputs]'",
        "jq -n '[range(infinite)]'",
        "jq -n '\"x\" | until(false; . + .)'",
        "yes 'a: b' | yq .",
        "yes '- - -' | yq .",
        "yes | tsort",
        "yes 'a b' | tsort",
        "yes | shuf",
        "shuf -i 1-999999999999",
        "yes | xargs -n 999999999 true",
        "cat /dev/zero | xargs true",
        "yes | ed",
        "echo 'for (i = 0; 1; i++) a[i] = i' | bc",
        "echo '9^99999999' | bc",
        "echo '[d dx]dx' | dc",
        "echo '9 99999999 ^ p' | dc",
        "yes | csplit - /x/ '{*}'",
        "yes | comm - /dev/null; cat /dev/zero | comm - /dev/null",
        "yes | join - /dev/null; cat /dev/zero | join - /dev/null",
        "diff <(cat /dev/zero) /dev/null",
        "diff <(yes) <(yes n)",
        "cat /dev/zero | patch",
        "cat /dev/zero | expand",
        "cat /dev/zero | tr -d x | read x",
        "cat /dev/zero | iconv -f utf-16 -t utf-8 | wc -l",
        "yes | split -l 1 - x",
        "find / -name x -o -name \"$(yes x | head -c 30000000 | tr -d '\\n')\"",
        "expr \"$(yes | head -c 20000000)\" : '.*'",
        "js -e \"const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)\"",
        "js -e \"let s = 'x'; for (;;) { s += s; console.log(s) }\"",
        "yes | js -e \"require('fs').readFileSync(0)\"",
        "grep -E '((((a{1,100}){1,100}){1,100}){1,100}){1,100}' /dev/null",
        "grep \"$(yes 'abc' | head -c 3000000)\" /dev/null",
        "printf '%s' {1..900000} | wc -c",
        "dd if=/dev/zero of=/dev/null bs=999999999 count=1",
        "head -c 99999999999 /dev/zero | tail -c 99999999999",
        "yes | tail -n 99999999999",
        "yes | head -n -99999999999",
        "cat /dev/zero | base64 -d",
        "cat /dev/zero | xxd -r",
        "yes | tee /dev/null | pr -5 -l 99999999",
        "rg --multiline '(.|\\n)*x' <(cat /dev/zero)",
        "cat /dev/zero | numfmt; cat /dev/zero | date -f -",
        "getopt -o \"$(yes a | head -c 9000000)\" -- x",
        "seq -f \"%99999999g\" 3",
        "cat /dev/zero | strings -n 999999999",
        "yes | tree --fromfile",
    ] {
        survives(&format!("{{ {hungry}; }} > /dev/null"));
    }
}

/// Lists of small things take more than the things: places of matches, fields, lines, cells, commands, names.
#[test]
fn many_small_things_take_no_more_than_they_may() {
    let _alone = alone();
    for hungry in [
        "head -c 10000000 /dev/zero | tr '\\0' a > e; rg a -r \"$(printf '%01000d' 1)\" e",
        "head -c 10000000 /dev/zero | tr '\\0' a | rg -o a",
        "head -c 10000000 /dev/zero | tr '\\0' a | rg --json a",
        "head -c 10000000 /dev/zero | tr '\\0' a | rg --color=always a",
        "head -c 10000000 /dev/zero | tr '\\0' a | grep --color=always a",
        "seq 2000000 > words; rg -F -f words /dev/null",
        "awk 'BEGIN { x = sprintf(\"%30000000s\", \"a\"); n = split(x, a, \"\") }'",
        "awk 'BEGIN { x = sprintf(\"%15000000s\", \"a\"); n = patsplit(x, a, / /, s) }'",
        "head -c 12000000 /dev/zero | tr '\\0' , | awk -F, '{ print NF }'",
        "awk 'BEGIN { x = sprintf(\"%1000000d\", 1); for (i = 1; i < 900; i++) $i = x; print }'",
        "head -c 15000000 /dev/zero | tr '\\0' '\\n' | tac",
        "head -c 9000000 /dev/zero | tr '\\0' '\\n' > f; diff f <(cat f; echo x)",
        "printf '\\t\\t\\t\\n' > t; diff -E --tabsize=99999999 t /dev/null; diff -t --tabsize=99999999 t /dev/null",
        "diff -y -W 999999999 <(echo a) <(echo b)",
        "{ printf -- '--- a\\n+++ b\\n@@ -1,9000000 +1,9000000 @@\\n'; yes ' ' | head -9000000; } | patch a",
        "head -c 9000000 /dev/zero | tr '\\0' , | column -t -s,",
        "yes 's/a/b/' | sed -f - /dev/null",
        "yes 'x = 1' | awk -f - /dev/null",
        "sed -f /dev/zero",
        "awk -f /dev/zero",
        "dc -f /dev/zero",
        "yes | tar cf /dev/null -T -",
        "{ echo '['; yes 1, | head -4000000; echo 0]; } | yq length",
        "paste -d\"$(head -c 9000000 /dev/zero | tr '\\0' ,)\" /dev/null",
        "tr \"$(head -c 9000000 /dev/zero | tr '\\0' a)\" b < /dev/null",
        "hexdump -e \"$(yes '\"%d\"' | head -1000000 | tr '\\n' ' ')\" /dev/null",
        "sed \"$(yes 'p;' | head -4000000 | tr -d '\\n')\" /dev/null",
        "printf -v x '%*s' 15000000 ''; unzip \"$x\"",
        "printf -v x '%*s' 10000000 ''; y=${x// /b}",
        "printf -v x '%*s' 10000000 ''; y=${x//[ ]/b}",
    ] {
        fills(&format!("{{ {hungry}; }} > /dev/null"));
    }
}

#[test]
fn nesting_is_no_way_to_the_end_of_a_stack() {
    let _alone = alone();
    says("f() { f; }; f", "maximum function nesting level exceeded");
    survives("x='x'; y='$((x))'; x='x+1'; echo $((x))");
    survives("echo '. ./s' > s; . ./s");
    survives("eval \"$(printf '(%.0s' {1..30000})\"");
    survives("eval \"echo $(printf '$(%.0s' {1..30000})\"");
    survives("awk 'function f(n) { return f(n + 1) } BEGIN { f(0) }'");
    survives("jq -n 'def f: 1 + f; f'");
    survives("jq -n '[limit(100000; repeat(\"[\"))] | add | fromjson'");
    survives("echo 'define f(x) { return f(x + 1); } f(0)' | bc");
    survives("js -e 'function f() { f(); f() } f()'");
    survives(
        "d=.; for i in {1..600}; do mkdir -p $d/x 2> /dev/null || break; cd x; done; find / > /dev/null; du -a / > /dev/null; tar cf - / > /dev/null 2>&1; rm -rf /workspace/x",
    );
}

#[test]
fn pipes_and_named_pipes_hold_no_more_than_they_may() {
    let _alone = alone();
    survives("for ((i = 0; i < 200; i++)); do yes | sleep 0.2 & done; wait");
    survives(
        "for ((i = 0; i < 1000; i++)); do mkfifo p$i; exec {fd}<>p$i; head -c 60000 /dev/zero >&$fd; done; exit 1",
    );
}

#[test]
fn a_tree_that_is_thrown_away_leaves_the_sandbox_usable() {
    let _alone = alone();
    let sandbox: Sandbox = crate::sandbox();
    run(&sandbox, "rm -rf / /dev /proc /* 2> /dev/null; cd /; ls -A");
    assert_eq!(
        run(
            &sandbox,
            "mkdir -p /workspace; cd /workspace; echo new > f; cat f; echo x > /dev/null"
        )
        .stdout,
        b"new\n"
    );
    sandbox.write_file("/g", "x").unwrap();
    sandbox.fork().unwrap().snapshot().unwrap();
}

/// A pattern that doubles so often.
fn doubled(levels: usize) -> String {
    format!("r=a; for i in {{1..{levels}}}; do r=\"($r|$r)*\"; done;")
}

#[test]
fn a_pattern_takes_little_before_it_is_refused() {
    let _alone = alone();
    for levels in [12, 20] {
        let pattern = doubled(levels);
        for user in [
            "[[ xxxxx =~ $r ]]",
            "echo x > f; echo \"s/$r//\" > s; sed -E -f s f",
            "echo \"$r\" > p; echo x | rg -f p",
            "echo \"$r\" > p; echo x | grep -E -f p",
            "echo \"$r\" > p; echo x | grep -P -f p",
            "echo \"$r\" > p; jq -n --rawfile r p '\"xxxxx\" | test($r)'",
            "echo \"$r\" > p; awk 'BEGIN { getline r < \"p\"; match(\"xxxxx\", r) }'",
        ] {
            survives(&format!("{pattern} {user}; true"));
        }
    }
}

#[test]
fn a_long_text_is_no_pattern() {
    let _alone = alone();
    let long = "p=$(head -c 300000 /dev/zero | tr '\\0' x);";
    for (user, said) in [
        ("[[ x =~ $p ]]", "too big"),
        ("find . -regex \"$p\"", "too big"),
        ("echo x | csplit - \"/$p/\"", "too big"),
        ("expr x : \"$p\"", "too big"),
        ("echo x | sed \"s/$p//\"", "too big"),
        ("echo x | rg \"$p\"", "too large"),
        ("echo x | grep -P \"$p\"", "too large"),
        ("echo $p > p; echo x | grep -f p", "too big"),
        (
            "echo $p > p; jq -n --rawfile r p '\"x\" | test($r)'",
            "too large",
        ),
        (
            "echo $p > p; echo x | awk '{ getline r < \"p\"; FS = r; $0 = $0; split(\"a b\", a, r) }'",
            "too big",
        ),
    ] {
        says(&format!("{long} {user}"), said);
    }
}

#[test]
fn what_calls_itself_is_not_written_out_without_end() {
    let _alone = alone();
    for pattern in [
        r"(a\g<1>?\g<1>?b)",
        r"(?<x>a\g<y>?\g<y>?)(?<y>b\g<x>?\g<x>?)",
        r"(a)(\g<1>\g<1>)(\g<2>\g<2>)(\g<3>\g<3>)(\g<4>\g<4>)(\g<5>\g<5>)(\g<6>\g<6>)(\g<7>\g<7>)(\g<8>\g<8>)(\g<9>\g<9>)",
    ] {
        let script = format!("echo aaabbb | grep -P '{pattern}'");
        survives(&script);
    }
    let result = run(&crate::sandbox(), r"echo abab | grep -oP '(ab)\g<1>'");
    assert_eq!(result.stdout, b"abab\n", "{}", result.stderr_text());
}
